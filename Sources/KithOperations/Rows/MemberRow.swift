// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

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
