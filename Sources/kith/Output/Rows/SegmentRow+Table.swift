// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations

extension SegmentRow: PrintableRow {
  static let help = """
    Fields of each row: name, predicate, since, members and countedAt (the last count), membersBefore and \
    countedBefore (the count before it).
    """

  static let headings = ["SEGMENT", "MEMBERS", "CHANGE", "COUNTED", "PREDICATE"]

  func tableRow(at now: Datetime) -> TableRow {
    let change = last.flatMap { last in before.map { last.value - $0.value } }
    return TableRow(cells: [
      TableRow.Cell(segment.name), TableRow.Cell(last.map { "\($0.value)" } ?? ""),
      TableRow.Cell(change.map { $0 > 0 ? "+\($0)" : "\($0)" } ?? ""),
      TableRow.Cell(last.map { String(Datetime(at: $0.at).description.prefix(16)) } ?? "", .faint),
      TableRow.Cell(segment.predicate),
    ])
  }
}
