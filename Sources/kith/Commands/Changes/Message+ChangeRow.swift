// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithOperations

/// Messages about the rows of changes.
extension Message {
  /// The summary of a run; nil for a single row that says everything itself.
  init?(_ tally: ChangeTally, of title: ChangeTitle, _ cost: CallCost, elapsed: Duration) {
    guard tally.rows > 1 else {
      guard tally.kind != nil, let message = tally.firstUndone.flatMap({ Message(undone: $0) }) else {
        return nil
      }
      self = message
      return
    }
    let words: [(ChangeRow.State, String)] = [
      (.planned, "to be \(title.participle)"), (.done, title.participle), (.unchanged, "unchanged"),
      (.undone, "undone"), (.refused, "refused"), (.notFound, "not found"), (.failed, "failed"),
      (.error, "lookup failed"), (.inDoubt, "in doubt"), (.pending, "left"), (.cancelled, "cancelled"),
    ]
    let parts = words.compactMap { state, words in tally.counts[state].map { (state, $0, words) } }
    self = .changeSummary(title.counted(tally.rows), parts, cost, elapsed: elapsed)
  }

  /// - Parameter parts: the number of rows per state, with the words for people.
  static func changeSummary(
    _ head: String, _ parts: [(state: ChangeRow.State, count: Int, words: String)], _ cost: CallCost,
    elapsed: Duration
  ) -> Message {
    let rows = parts.reduce(0) { $0 + $1.count }
    return Message(
      level: .summary, code: Code.changeSummary.rawValue,
      text: "\(head): " + parts.map { "\($0.count) \($0.words)" }.joined(separator: ", ")
        + "; \(counted(cost.calls, "call")), \(DurationText.seconds(elapsed)) s",
      fields: [OutputField("rows", .integer(rows))]
        + parts.map { OutputField($0.state.rawValue, .integer($0.count)) }
        + [OutputField("calls", .integer(cost.calls)), OutputField("milliseconds", .milliseconds(elapsed))])
  }

  /// Why a change was not made; nil without a reason.
  init?(undone row: ChangeRow) {
    guard let reason = row.withHints.reason?.words else { return nil }
    self.init(
      .error, .changeFault, reason.hasPrefix(row.input) ? reason : "\(row.input): \(reason)",
      [
        "input": .string(row.input), "state": .string(row.state.rawValue),
        "cause": row.reason?.message?.cause ?? .null,
      ])
  }
}

extension ChangeRow.Reason {
  /// The error as a message; nil for what a server said.
  fileprivate var message: Message? {
    switch self {
    case .refused(let refusal): Message(refusal)
    case .unusable(let error): Message(any: error)
    case .item: nil
    }
  }
}
