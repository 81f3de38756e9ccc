// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

/// The cost of a command from its beginning, without the time in which people answer its questions, in the same order and terms
/// as a plan.
struct CostReport {
  private let meter: CallMeter
  private let process: RunContext
  private let started: Duration

  /// - Parameter started: when the command began, by the clock of the process.
  init(_ meter: CallMeter, in process: RunContext, since started: Duration) {
    self.meter = meter
    self.process = process
    self.started = started
  }

  /// The calls so far.
  var cost: CallCost { meter.cost }
  /// The time so far, without how long people took to answer questions.
  var elapsed: Duration { process.time.now - started - process.questionTime.total }

  /// Writes the cost to standard error: each method, then the total.
  ///
  /// - Parameter targets: the number of rows; nil if not counted.
  func report(targets: Int? = nil) {
    for message in messages(targets: targets) { process.report(message) }
  }

  /// The cost so far: each method, then the total.
  func messages(targets: Int? = nil) -> [Message] {
    Self.messages(cost, meter.costByMethod, targets: targets, elapsed: elapsed)
  }

  static func messages(
    _ cost: CallCost, _ costByMethod: [String: CallCost], targets: Int?, elapsed: Duration
  ) -> [Message] {
    costByMethod.sorted { $0.key < $1.key }.map { .methodCost($0.key, $0.value) }
      + [.totalCost(cost, targets: targets, elapsed: elapsed)]
  }
}
