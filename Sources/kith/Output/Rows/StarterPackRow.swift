// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// One starter pack, as a row of `kith starter-packs`.
struct StarterPackRow: PrintableRow {
  let owner: DID
  let pack: StarterPack

  static let fieldNames = ["uri", "name", "owner", "description", "list", "createdAt"]
  static let headings = ["NAME", "DESCRIPTION", "STARTER PACK"]

  func write(to fields: inout RowEncoder) {
    fields.text(pack.uri.description)
    fields.text(pack.name)
    fields.text(owner.description)
    fields.text(pack.description)
    fields.text(pack.list.description)
    fields.text(pack.createdAt?.description)
  }

  var tableRow: TableRow {
    TableRow(cells: [
      TableRow.Cell(pack.name ?? "", .strong), TableRow.Cell(pack.description ?? ""),
      TableRow.Cell(pack.uri.description),
    ])
  }
}
