// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension MemberRow: PrintableRow {
  static let headings = ["ACCOUNT", "SINCE", "NAME"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(member.handle?.description ?? member.account.description),
      TableRow.Cell(member.since.map { String($0.description.prefix(10)) } ?? ""),
      TableRow.Cell(member.displayName ?? ""),
    ])
  }
}
