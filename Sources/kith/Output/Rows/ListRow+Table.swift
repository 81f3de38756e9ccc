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
      TableRow.Cell(description ?? ""), TableRow.Cell(reference, whole: true),
    ])
  }

  /// What other commands take: `alice.test/3k2yihcrp6f2c`.
  private var reference: String {
    guard let key = uri.recordKey else { return uri.description }
    return "\(ownerHandle.flatMap { $0.isInvalid ? nil : $0.description } ?? owner.description)/\(key)"
  }
}
