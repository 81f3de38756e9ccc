// SPDX-License-Identifier: Apache-2.0

import KithClient

/// Counts the rows of a run of changes.
struct ChangeTally {
  private let verb: ChangeVerb
  private var counts: [ChangeRow.State: Int] = [:]
  private var rows = 0
  private var first: Message?
  private var mostSevere = ExitStatus.success

  init(verb: ChangeVerb) { self.verb = verb }

  /// The most severe status of the rows. Among several rows, an account that was not found is not an error.
  var status: ExitStatus { rows == 1 && counts[.notFound] == 1 ? .notFound : mostSevere }

  /// - Parameter fault: the error of the request before anything was sent.
  mutating func add(_ row: ChangeRow, _ fault: CommandFault?) {
    rows += 1
    counts[row.state, default: 0] += 1
    if let fault, fault.status != .notFound { mostSevere = mostSevere.orMoreSevere(fault.status) }
    if row.state == .failed { mostSevere = mostSevere.orMoreSevere(.unavailable) }
    if first == nil { first = .changeFault(row, fault?.said) }
  }

  /// The summary of a run; nil for a single row that says everything itself.
  func message(_ cost: CallCost, elapsed: Duration) -> Message? {
    guard rows > 1 else { return status == .success ? nil : first }
    let words: [(ChangeRow.State, String)] = [
      (.planned, "to be \(verb.participle)"), (.done, verb.participle), (.unchanged, "unchanged"),
      (.undone, "undone"), (.refused, "refused"), (.notFound, "not found"), (.failed, "failed"),
      (.error, "lookup failed"), (.inDoubt, "in doubt"), (.pending, "left"), (.cancelled, "cancelled"),
    ]
    let parts = words.compactMap { state, words in counts[state].map { (state, $0, words) } }
    return .changeSummary(verb.counted(rows), parts, cost, elapsed: elapsed)
  }
}
