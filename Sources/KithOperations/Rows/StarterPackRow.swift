// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// One starter pack.
public struct StarterPackRow: OperationRow {
  public let owner: DID
  public let pack: StarterPack
  public var ownerHandle: Handle?

  /// Fields: uri, name, owner, description, list (AT-URI), createdAt, ownerHandle.
  public static let fieldNames = [
    "uri", "name", "owner", "description", "list", "createdAt", "ownerHandle",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(pack.uri.description)
    fields.text(pack.name)
    fields.text(owner.description)
    fields.text(pack.description)
    fields.text(pack.list.description)
    fields.text(pack.createdAt?.description)
    fields.text(ownerHandle?.description)
  }
}
