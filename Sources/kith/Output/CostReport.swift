// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// What a run has cost, from the making of this on: in the words of a plan and in its order, so that the two
/// can be compared.
struct CostReport {
  private let meter: CallMeter
  private let clock = ContinuousClock()
  private let started: ContinuousClock.Instant

  init(_ meter: CallMeter) {
    self.meter = meter
    started = clock.now
  }

  /// The calls up to now.
  var cost: CallCost { meter.cost }
  /// The time up to now.
  var elapsed: Duration { clock.now - started }

  /// Says it on standard error: each method in a line, then the whole.
  ///
  /// - Parameter targets: how many rows it was for, where that is counted.
  func say(targets: Int? = nil) {
    for line in Self.lines(cost, meter.costByMethod, targets: targets, elapsed: elapsed) {
      StandardError.say(line)
    }
  }

  static func lines(
    _ cost: CallCost, _ costByMethod: [String: CallCost], targets: Int?, elapsed: Duration
  ) -> [String] {
    let steps = costByMethod.sorted { $0.key < $1.key }.map { method, cost in
      "\(method): \(counted(cost.calls, "call")), \(cost.bytes) bytes, "
        + "\(DurationText.seconds(cost.time / max(1, cost.calls))) s each"
    }
    let total =
      "total: \(counted(cost.calls, "call")) (\(cost.retries) repeated), "
      + (targets.map { counted($0, "target") + ", " } ?? "")
      + "\(cost.bytes) bytes (\(cost.bytesSent) sent, \(cost.bytesReceived) received), "
      + "\(DurationText.seconds(elapsed)) s, \(counted(cost.connectionsOpened, "connection"))"
    return steps + [total]
  }

  private static func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}

extension CallCost {
  /// Bytes in both directions.
  fileprivate var bytes: Int { bytesSent + bytesReceived }
}
