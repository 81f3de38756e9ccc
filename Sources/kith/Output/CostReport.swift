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

  /// Says it on standard error.
  func say() { StandardError.say(Self.line(meter.cost, elapsed: clock.now - started)) }

  static func line(_ cost: CallCost, elapsed: Duration) -> String {
    func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
    return counted(cost.calls, "call") + " (\(cost.retries) repeated), \(cost.bytesSent) bytes sent, "
      + "\(cost.bytesReceived) received, " + counted(cost.connectionsOpened, "connection")
      + ", \(DurationText.seconds(elapsed)) s"
  }
}
