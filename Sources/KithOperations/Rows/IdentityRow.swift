// SPDX-License-Identifier: Apache-2.0

public import KithClient
import KithCore

/// What a name resolves to.
public struct IdentityRow: OperationRow {
  /// The name.
  public let input: String
  /// The identity, or why there is none: an `IdentityError`, or an `InputError` for a name that is not valid.
  public let outcome: Result<Identity, any Error>

  /// Fields: input, did, handle, verified (a flag), verifiedBy and contradictedBy (arrays of `dns`, `https`), pds,
  /// signingKey, error.
  public static let fieldNames = [
    "input", "did", "handle", "verified", "verifiedBy", "contradictedBy", "pds", "signingKey", "error",
  ]

  public func write(to fields: inout RowEncoder) {
    let identity = try? outcome.get()
    fields.text(input)
    fields.text(identity?.did.description)
    fields.text(identity?.handle?.description)
    fields.flag(identity?.handleIsProven)
    for sources in [identity?.verifiedBy, identity?.contradictedBy] {
      if let sources { fields.value(.array(sources.map { .string($0.rawValue) })) } else { fields.null() }
    }
    fields.text(identity?.pds?.description)
    fields.text(identity?.signingKey?.description)
    if case .failure(let error) = outcome { fields.text("\(error)") } else { fields.null() }
  }
}
