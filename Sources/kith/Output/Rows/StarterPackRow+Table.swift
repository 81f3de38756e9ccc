// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension StarterPackRow: PrintableRow {
  static let headings = ["NAME", "DESCRIPTION", "STARTER PACK"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(pack.name ?? "", .strong), TableRow.Cell(pack.description ?? ""),
      TableRow.Cell(pack.uri.reference(of: owner, named: ownerHandle), whole: true),
    ])
  }
}
