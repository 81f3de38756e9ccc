// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension StarterPackRow: PrintableRow {
  static let headings = ["NAME", "DESCRIPTION", "STARTER PACK"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(pack.name ?? "", .strong), TableRow.Cell(pack.description ?? ""),
      TableRow.Cell(reference, whole: true),
    ])
  }

  /// What other commands take: `alice.test/3k2yihcrp6f2c`.
  private var reference: String {
    guard let key = pack.uri.recordKey else { return pack.uri.description }
    return "\(ownerHandle.flatMap { $0.isInvalid ? nil : $0.description } ?? owner.description)/\(key)"
  }
}
