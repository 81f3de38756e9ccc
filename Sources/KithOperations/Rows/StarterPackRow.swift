// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// One starter pack.
package struct StarterPackRow: OperationRow {
  package let owner: DID
  package let pack: StarterPack

  /// Fields: uri, name, owner, description, list (AT-URI), createdAt.
  package static let fieldNames = ["uri", "name", "owner", "description", "list", "createdAt"]

  package func write(to fields: inout RowEncoder) {
    fields.text(pack.uri.description)
    fields.text(pack.name)
    fields.text(owner.description)
    fields.text(pack.description)
    fields.text(pack.list.description)
    fields.text(pack.createdAt?.description)
  }
}
