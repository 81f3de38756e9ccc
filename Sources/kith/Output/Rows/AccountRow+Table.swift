// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

extension AccountRow: PrintableRow {
  static let headings = ["", "HANDLE", "STATE", "PDS", "DID"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(isCurrent ? "*" : ""), TableRow.Cell(name), state,
      TableRow.Cell(session?.pds.description ?? ""), TableRow.Cell(did.description),
    ])
  }

  private var name: String {
    guard let session else { return "unknown" }
    return session.handle.description + (session.serverHandle.map { " (on its server: \($0))" } ?? "")
  }

  private var state: TableRow.Cell {
    if let reason { return TableRow.Cell(reason, .bad) }
    if let status = session?.status { return TableRow.Cell(status, .bad) }
    return switch session?.isActive {
    case true?: TableRow.Cell("active", .good)
    case false?: TableRow.Cell("not active", .bad)
    case nil: TableRow.Cell("unknown", .faint)
    }
  }
}
