// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// One result of `kith resolve`, as a row.
struct IdentityRow: PrintableRow {
  let input: String
  let identity: Identity?
  /// Why there is no identity.
  let fault: CommandFault?
  /// The fault as text for a table, which shows the input in another column.
  private let remark: String

  init(input: String, outcome: Result<Identity, IdentityError>) {
    self.input = input
    switch outcome {
    case .success(let identity):
      (self.identity, fault, remark) = (identity, nil, "")
    case .failure(let error):
      let word = error.code == .notFound ? "not found" : "unknown"
      (identity, fault, remark) = (nil, CommandFault(error), "\(word): \(error.detail)")
    }
  }

  init(input: String, unreadable error: InputError) {
    self.input = input
    identity = nil
    fault = CommandFault(.badInput, Message(error))
    remark = "not an account: \(error.reason)"
  }

  static let fieldNames = [
    "input", "did", "handle", "verified", "verifiedBy", "contradictedBy", "pds", "signingKey", "error",
  ]
  static let headings = ["HANDLE", "VERIFIED", "DID", "PDS", "SIGNING KEY"]

  func write(to fields: inout RowEncoder) {
    fields.text(input)
    fields.text(identity?.did.description)
    fields.text(identity?.handle?.description)
    fields.flag(identity?.handleIsProven)
    for sources in [identity?.verifiedBy, identity?.contradictedBy] {
      if let sources { fields.value(.array(sources.map { .string($0.rawValue) })) } else { fields.leaveOut() }
    }
    fields.text(identity?.pds?.description)
    fields.text(identity?.signingKey?.description)
    fields.text(fault?.message)
  }

  var tableRow: TableRow {
    guard let identity else { return TableRow(cells: [TableRow.Cell(input), TableRow.Cell(remark, .bad)]) }
    func names(_ sources: [HandleSource]) -> String { sources.map(\.rawValue).joined(separator: ", ") }
    let differing = identity.contradictedBy.isEmpty ? "" : " (not \(names(identity.contradictedBy)))"
    let verified =
      switch identity.handleIsProven {
      case true?: TableRow.Cell(names(identity.verifiedBy) + differing, .good)
      case false?: TableRow.Cell("no\(differing)", .bad)
      case nil: TableRow.Cell("unknown\(differing)", .bad)
      }
    return TableRow(cells: [
      TableRow.Cell(identity.handle?.description ?? "none"), verified,
      TableRow.Cell(identity.did.description),
      TableRow.Cell(identity.pds?.description ?? "none"),
      TableRow.Cell(identity.signingKey?.description ?? "none"),
    ])
  }
}
