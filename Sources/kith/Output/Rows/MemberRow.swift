// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// A member of a list, as a row of `kith lists show` and `export`.
struct MemberRow: PrintableRow {
  let list: ATURI
  let member: AccountView

  static let fieldNames = ["list", "subject", "handle", "displayName", "item", "since"]
  static let headings = ["ACCOUNT", "SINCE", "NAME"]

  func write(to fields: inout RowEncoder) {
    fields.text(list.description)
    fields.text(member.account.description)
    fields.text(member.handle?.description)
    fields.text(member.displayName)
    fields.text(member.record?.description)
    fields.text(member.since?.description)
  }

  var tableRow: TableRow {
    TableRow(cells: [
      TableRow.Cell(member.handle?.description ?? member.account.description),
      TableRow.Cell(member.since.map { String($0.description.prefix(10)) } ?? ""),
      TableRow.Cell(member.displayName ?? ""),
    ])
  }
}
