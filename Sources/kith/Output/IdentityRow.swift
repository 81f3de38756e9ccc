// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore

/// One answer of `kith resolve`, as it is printed.
struct IdentityRow: PrintableRow {
  let input: String
  let outcome: Result<Identity, CommandFault>

  static let fieldNames = ["input", "did", "handle", "verified", "pds", "signingKey", "error"]
  static let headings = ["HANDLE", "VERIFIED", "DID", "PDS", "SIGNING KEY"]

  var fields: [OutputField] {
    let identity = try? outcome.get()
    let values: [OutputValue] = [
      .string(input), OutputValue(identity?.did.description), OutputValue(identity?.handle?.description),
      OutputValue(identity?.handleIsProven), OutputValue(identity?.pds?.description),
      OutputValue(identity?.signingKey?.description), OutputValue(error),
    ]
    return zip(Self.fieldNames, values).map { OutputField($0, $1) }
  }

  var tableRow: TableRow {
    switch outcome {
    case .failure(let fault):
      return TableRow(cells: [TableRow.Cell(input), TableRow.Cell(fault.message, .bad)])
    case .success(let identity):
      let verified =
        switch identity.handleIsProven {
        case true?: TableRow.Cell("yes", .good)
        case false?: TableRow.Cell("no", .bad)
        case nil: TableRow.Cell("unknown", .bad)
        }
      return TableRow(cells: [
        TableRow.Cell(identity.handle?.description ?? "none"), verified,
        TableRow.Cell(identity.did.description),
        TableRow.Cell(identity.pds?.description ?? "none"),
        TableRow.Cell(identity.signingKey?.description ?? "none"),
      ])
    }
  }

  private var error: String? {
    if case .failure(let fault) = outcome { fault.message } else { nil }
  }
}
