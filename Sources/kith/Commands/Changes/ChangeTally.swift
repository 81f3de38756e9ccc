// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// What a run of changes came to, counted row by row.
struct ChangeTally {
  private let verb: ChangeVerb
  private var counts: [ChangeRow.State: Int] = [:]
  private var rows = 0
  private var first: String?
  private var gravest = ExitStatus.success

  init(verb: ChangeVerb) { self.verb = verb }

  /// The gravest of the rows' faults. Among several, one that is about nobody is a row and no fault.
  var status: ExitStatus { rows == 1 && counts[.notFound] == 1 ? .notFound : gravest }

  /// - Parameter fault: what was wrong with it from the start.
  mutating func add(_ row: ChangeRow, _ fault: CommandFault?) {
    rows += 1
    counts[row.state, default: 0] += 1
    if let fault, fault.status != .notFound { gravest = gravest.orGraver(fault.status) }
    if row.state == .failed { gravest = gravest.orGraver(.unavailable) }
    if first == nil, let reason = row.reason {
      first = reason.hasPrefix(row.input) ? reason : "\(row.input): \(reason)"
    }
  }

  /// The line for a person; nil for a single row that says everything itself.
  func line(_ cost: CallCost, elapsed: Duration) -> String? {
    guard rows > 1 else { return status == .success ? nil : first }
    let words: [(ChangeRow.State, String)] = [
      (.planned, "to be \(verb.participle)"), (.done, verb.participle), (.unchanged, "unchanged"),
      (.undone, "undone"), (.refused, "refused"), (.notFound, "not found"), (.failed, "failed"),
      (.error, "not learned"), (.inDoubt, "in doubt"), (.pending, "left"), (.cancelled, "cancelled"),
    ]
    let parts = words.compactMap { state, word in counts[state].map { "\($0) \(word)" } }
    return "\(verb.counted(rows)): " + parts.joined(separator: ", ")
      + "; \(cost.calls) call\(cost.calls == 1 ? "" : "s"), \(DurationText.seconds(elapsed)) s"
  }
}
