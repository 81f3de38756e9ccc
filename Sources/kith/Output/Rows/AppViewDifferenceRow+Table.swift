// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension AppViewDifferenceRow: PrintableRow {
  static let headings = ["ACCOUNT", "RELATION", "SHOWN BY", "REPOSITORY"]

  func tableRow(at now: Datetime) -> TableRow {
    let handle = view.handle.flatMap { $0.isInvalid ? nil : $0.description }
    let repository =
      switch self.repository {
      case true?: TableRow.Cell("has it", .good)
      case false?: TableRow.Cell("has no such record", .bad)
      case nil: TableRow.Cell(error.map { "unknown: \($0)" } ?? "not settled", .faint)
      }
    return TableRow(cells: [
      TableRow.Cell(handle ?? view.account.description, whole: true), TableRow.Cell(relation),
      TableRow.Cell("\(shownBy)"), repository,
    ])
  }
}
