// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// What is said of the rows of changes.
extension Message {
  /// - Parameter parts: how many rows are in which state, in the words for people.
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

  /// Why a change was not made; nil for one without a reason.
  ///
  /// - Parameter fault: what was wrong with it from the start.
  static func changeFault(_ row: ChangeRow, _ fault: Message?) -> Message? {
    row.reason.map { reason in
      Message(
        .error, .changeFault, reason.hasPrefix(row.input) ? reason : "\(row.input): \(reason)",
        [
          "input": .string(row.input), "state": .string(row.state.rawValue), "cause": fault?.cause ?? .null,
        ])
    }
  }
}
