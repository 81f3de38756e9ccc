// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships

extension IdentityRow: PrintableRow {
  static let headings = ["HANDLE", "VERIFIED", "DID", "PDS", "SIGNING KEY"]

  func tableRow(at now: Datetime) -> TableRow {
    guard let identity = try? outcome.get() else {
      return TableRow(cells: [TableRow.Cell(input), TableRow.Cell(remark, .bad)])
    }
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

  /// Why there is no identity; the input stands in another column.
  private var remark: String {
    switch outcome {
    case .success: ""
    case .failure(let error as InputError): "not an account: \(error.reason)"
    case .failure(let error as IdentityError):
      "\(error.code == .notFound ? "not found" : "unknown"): \(error.detail)"
    case .failure(let error): "unknown: \(error)"
    }
  }
}
