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

  /// Says it on standard error: each method on its own, then the whole.
  ///
  /// - Parameter targets: how many rows it was for, where that is counted.
  func say(targets: Int? = nil) {
    for message in Self.messages(cost, meter.costByMethod, targets: targets, elapsed: elapsed) {
      StandardError.say(message)
    }
  }

  static func messages(
    _ cost: CallCost, _ costByMethod: [String: CallCost], targets: Int?, elapsed: Duration
  ) -> [Message] {
    costByMethod.sorted { $0.key < $1.key }.map { .methodCost($0.key, $0.value) }
      + [.totalCost(cost, targets: targets, elapsed: elapsed)]
  }
}
