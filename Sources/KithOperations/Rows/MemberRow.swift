// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// A member of a list.
public struct MemberRow: OperationRow {
  public let list: ATURI
  public let member: AccountView

  /// Fields: list (AT-URI), subject (DID), handle, displayName, item (AT-URI of the membership), since.
  public static let fieldNames = ["list", "subject", "handle", "displayName", "item", "since"]

  public func write(to fields: inout RowEncoder) {
    fields.text(list.description)
    fields.text(member.account.description)
    fields.text(member.handle?.description)
    fields.text(member.displayName)
    fields.text(member.record?.description)
    fields.text(member.since?.description)
  }
}
