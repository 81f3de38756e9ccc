// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// One list.
package struct ListRow: OperationRow {
  package let uri: ATURI
  package let owner: DID
  package var ownerHandle: Handle?
  package let name: String?
  package let purpose: ListPurpose?
  package let description: String?
  /// The number of members, as counted by the AppView.
  package var members: Int?
  package var isMuted: Bool?
  package var block: ATURI?
  package var createdAt: Datetime?

  /// Fields: uri, name, purpose (`curate`, `mod`, `reference`, or another name), owner, ownerHandle, description,
  /// members (as the AppView counts them), muted (a flag), block (AT-URI of the viewer's block), createdAt.
  package static let fieldNames = [
    "uri", "name", "purpose", "owner", "ownerHandle", "description", "members", "muted", "block", "createdAt",
  ]

  /// A list from the AppView.
  package init(_ list: ListSummary) {
    uri = list.uri
    owner = list.owner
    ownerHandle = list.ownerHandle
    name = list.name
    purpose = list.purpose
    description = list.description
    members = list.members
    isMuted = list.isMuted
    block = list.block
  }

  /// A list from its repository, with the data that the AppView adds, if available.
  package init(_ list: OwnList, of owner: DID, _ shown: ListSummary?) {
    uri = list.uri
    self.owner = owner
    ownerHandle = shown?.ownerHandle
    name = list.name
    purpose = list.purpose
    description = list.description
    members = shown?.members
    isMuted = shown?.isMuted
    block = shown?.block
    createdAt = list.createdAt
  }

  package func write(to fields: inout RowEncoder) {
    fields.text(uri.description)
    fields.text(name)
    fields.text(purpose?.word)
    fields.text(owner.description)
    fields.text(ownerHandle?.description)
    fields.text(description)
    fields.number(members)
    fields.flag(isMuted)
    fields.text(block?.description)
    fields.text(createdAt?.description)
  }
}
