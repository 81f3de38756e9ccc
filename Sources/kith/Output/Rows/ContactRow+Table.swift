// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension ContactRow: PrintableRow {
  static let headings = ["CONTACT", "ACCOUNT", "SIGNALS", "SELECTED", "RELATION", "NAME"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(contact.text), TableRow.Cell(view.name, whole: true),
      TableRow.Cell(signals.map(\.rawValue).joined(separator: ", ")),
      TableRow.Cell(isSelected ? "yes" : "", isSelected ? .strong : nil),
      TableRow.Cell(view.relationship?.words ?? ""), TableRow.Cell(view.displayName ?? ""),
    ])
  }
}
