// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// What a run has cost, from the making of this on.
struct CostReport {
  private let meter: CallMeter
  private let clock = ContinuousClock()
  private let started: ContinuousClock.Instant

  init(_ meter: CallMeter) {
    self.meter = meter
    started = clock.now
  }

  /// Says it on standard error: the whole in a line, then the calls of each method.
  func say() {
    for line in Self.lines(meter.cost, meter.costByMethod, elapsed: clock.now - started) {
      StandardError.say(line)
    }
  }

  static func lines(_ cost: CallCost, _ costByMethod: [String: CallCost], elapsed: Duration) -> [String] {
    func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
    let whole =
      counted(cost.calls, "call") + " (\(cost.retries) repeated), \(cost.bytesSent) bytes sent, "
      + "\(cost.bytesReceived) received, " + counted(cost.connectionsOpened, "connection")
      + ", \(DurationText.seconds(elapsed)) s"
    let methods = costByMethod.sorted { $0.key < $1.key }
    return [whole] + methods.map { "  " + counted($1.calls, "call") + " of \($0)" }
  }
}
