// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations

/// A signed-in account, as a row.
struct AccountRow: PrintableRow {
  let did: DID
  /// Nil if the stored session cannot be read.
  let session: Session?
  /// Whether it is the current account.
  let isCurrent: Bool
  /// Why the session cannot be used.
  let fault: CommandFault?

  init(did: DID, session: Session?, isCurrent: Bool, fault: CommandFault? = nil) {
    self.did = did
    self.session = session
    self.isCurrent = isCurrent
    self.fault = fault
  }

  static let fieldNames = ["did", "handle", "pds", "current", "active", "status", "serverHandle", "error"]
  static let headings = ["", "HANDLE", "STATE", "PDS", "DID"]

  func write(to fields: inout RowEncoder) {
    fields.text(did.description)
    fields.text(session?.handle.description)
    fields.text(session?.pds.description)
    fields.flag(isCurrent)
    fields.flag(session?.isActive)
    fields.text(session?.status)
    fields.text(session?.serverHandle?.description)
    fields.text(fault?.message)
  }

  var tableRow: TableRow {
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
    if let fault { return TableRow.Cell(fault.message, .bad) }
    if let status = session?.status { return TableRow.Cell(status, .bad) }
    return switch session?.isActive {
    case true?: TableRow.Cell("active", .good)
    case false?: TableRow.Cell("not active", .bad)
    case nil: TableRow.Cell("unknown", .faint)
    }
  }
}
