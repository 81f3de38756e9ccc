// SPDX-License-Identifier: Apache-2.0

/// Collects the errors of the rows of a run.
struct FaultTally {
  /// The most severe status; success if there was no error.
  private(set) var status = ExitStatus.success
  private var unlearned = 0
  private var first: Message?

  mutating func add(_ fault: CommandFault) {
    status = status.orMoreSevere(fault.status)
    // A bad line is reported separately, with its line number.
    guard fault.status != .badInput else { return }
    unlearned += 1
    if unlearned == 1 { first = fault.said }
  }

  /// The message about failed lookups; nil if there are none.
  ///
  /// - Parameter rows: the total number of rows.
  func complaint(among rows: Int) -> Message? {
    switch (unlearned, rows) {
    case (0, _): nil
    case (_, 1): first
    default: .lookupsFailed(unlearned, of: rows, first: first)
    }
  }
}
