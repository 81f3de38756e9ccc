// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithOperations

/// Messages about the rows of changes.
extension Message {
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
  ///
  /// - Parameter fault: the error of the request before anything was sent.
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
