// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// One list.
public struct ListRow: OperationRow {
  public let uri: ATURI
  public let owner: DID
  public var ownerHandle: Handle?
  public let name: String?
  public let purpose: ListPurpose?
  public let description: String?
  /// The number of members, as counted by the AppView.
  public var members: Int?
  public var isMuted: Bool?
  public var block: ATURI?
  public var createdAt: Datetime?

  /// Fields: uri, name, purpose (`curate`, `mod`, `reference`, or another name), owner, ownerHandle, description,
  /// members (as the AppView counts them), muted (a flag), block (AT-URI of the viewer's block), createdAt.
  public static let fieldNames = [
    "uri", "name", "purpose", "owner", "ownerHandle", "description", "members", "muted", "block", "createdAt",
  ]

  /// A list from the AppView.
  public init(_ list: ListSummary) {
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
  public init(_ list: OwnList, of owner: DID, _ shown: ListSummary?) {
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

  public func write(to fields: inout RowEncoder) {
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

/// A member of a list.
public struct MemberRow: OperationRow {
  public let list: ATURI
  public let member: AccountView

  /// Whether the relationship of the signed-in account is shown.
  public let asksRelationship: Bool

  public init(list: ATURI, member: AccountView, asksRelationship: Bool = false) {
    self.asksRelationship = asksRelationship
    self.list = list
    self.member = member
  }

  /// Fields: list (AT-URI), subject (DID), handle, displayName, item (AT-URI of the membership), since,
  /// status, relationship (of the signed-in account with it, in the words of `ViewerRelationship.Word`), muted; these
  /// are null unless they were asked for.
  public static let fieldNames = [
    "list", "subject", "handle", "displayName", "item", "since", "status", "relationship", "muted",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(list.description)
    fields.text(member.account.description)
    fields.text(member.handle?.description)
    fields.text(member.displayName)
    fields.text(member.record?.description)
    fields.text(member.since?.description)
    fields.text(member.status?.rawValue)
    fields.text(asksRelationship ? member.relationship?.word.rawValue : nil)
    fields.flag(asksRelationship ? member.relationship?.muted : nil)
  }
}
