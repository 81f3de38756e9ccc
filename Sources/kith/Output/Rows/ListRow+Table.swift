// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension ListRow: PrintableRow {
  static let headings = ["NAME", "PURPOSE", "MEMBERS", "DESCRIPTION", "LIST"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      name.map { TableRow.Cell($0, .strong) } ?? TableRow.Cell("unreadable", .bad),
      TableRow.Cell(purpose?.word ?? "unknown"), TableRow.Cell(members.map(String.init) ?? "?"),
      TableRow.Cell(description ?? ""),
      TableRow.Cell(uri.reference(of: owner, named: ownerHandle), whole: true),
    ])
  }
}
