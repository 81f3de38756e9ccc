// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations

extension GoalRow: PrintableRow {
  static let help = """
    Fields: did, handle, goal, followers (now), start (followers when it was set), since, share (of the way, \
    0 to 1), reached, expected, earliest and latest (80 % interval; null where the forecast does not reach the goal), \
    outlook (reached, expected, not-within-forecast, too-short, too-inaccurate).
    """

  static let headings = ["ACCOUNT", "GOAL", "FOLLOWERS", "DONE", "EXPECTED", "80 % RANGE"]

  func tableRow(at now: Datetime) -> TableRow {
    func day(_ moment: Instant) -> String { String(Datetime(at: moment).description.prefix(10)) }
    let range = progress.earliest.map { earliest in
      progress.latest.map { "\(day(earliest)) to \(day($0))" } ?? "\(day(earliest)) or later"
    }
    let expected =
      switch progress.outlook {
      case .reached: "reached"
      case .expected(let moment): day(moment)
      case .notBy(let end): "not by \(day(end))"
      case .noForecast: "no forecast"
      }
    return TableRow(cells: [
      TableRow.Cell(handle?.description ?? account.description), TableRow.Cell("\(progress.goal)"),
      TableRow.Cell("\(progress.value)"), TableRow.Cell("\(Int((progress.share * 100).rounded(.down))) %"),
      TableRow.Cell(expected), TableRow.Cell(range ?? ""),
    ])
  }
}
