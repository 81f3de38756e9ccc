// SPDX-License-Identifier: Apache-2.0

/// The faults of a run's rows, gathered one by one.
struct FaultTally {
  /// The gravest of them; success when there was none.
  private(set) var status = ExitStatus.success
  private var unlearned = 0
  private var first: Message?

  mutating func add(_ fault: CommandFault) {
    status = status.orGraver(fault.status)
    // A bad line is named on its own, with its place.
    guard fault.status != .badInput else { return }
    unlearned += 1
    if unlearned == 1 { first = fault.said }
  }

  /// What a person is told of rows about which nothing was learned; nil when there are none.
  ///
  /// - Parameter rows: how many there were in all.
  func complaint(among rows: Int) -> Message? {
    switch (unlearned, rows) {
    case (0, _): nil
    case (_, 1): first
    default: .lookupsFailed(unlearned, of: rows, first: first)
    }
  }
}
