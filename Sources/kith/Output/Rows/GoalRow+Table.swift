// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations

extension GoalRow: PrintableRow {
  static let help = """
    Fields: did, handle, goal, followers (now), start (followers when it was set), since, share (of the way, \
    0 to 1), reached, expected, earliest and latest (80 % interval; null if there is no forecast).
    """

  static let headings = ["ACCOUNT", "GOAL", "FOLLOWERS", "DONE", "EXPECTED", "80 % RANGE"]

  func tableRow(at now: Datetime) -> TableRow {
    func day(_ moment: Instant?) -> String? { moment.map { String(Datetime(at: $0).description.prefix(10)) } }
    let range = day(progress.earliest).map { "\($0) to \(day(progress.latest) ?? "later")" }
    return TableRow(cells: [
      TableRow.Cell(handle?.description ?? account.description), TableRow.Cell("\(progress.goal)"),
      TableRow.Cell("\(progress.value)"), TableRow.Cell("\(Int((progress.share * 100).rounded(.down))) %"),
      TableRow.Cell(progress.isReached ? "reached" : day(progress.expected) ?? "unknown"),
      TableRow.Cell(range ?? ""),
    ])
  }
}
