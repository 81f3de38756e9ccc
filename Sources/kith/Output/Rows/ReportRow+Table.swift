// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithWriting

extension ReportRow: PrintableRow {
  static let headings = ["SUBJECT", "STATE", "REPORT", "DETAILS"]

  func tableRow(at now: Datetime) -> TableRow {
    let words: (String, Palette.Colour?) =
      switch state {
      case .planned: ("planned", nil)
      case .reported: ("reported", .good)
      case .inDoubt: ("in doubt", .bad)
      case .failed: ("failed", .bad)
      }
    return TableRow(cells: [
      TableRow.Cell(input), TableRow.Cell(words.0, words.1),
      TableRow.Cell(receipt.map { String($0.id) } ?? ""),
      TableRow.Cell(reason ?? "\(report.reason.rawValue), to \(service)"),
    ])
  }
}
