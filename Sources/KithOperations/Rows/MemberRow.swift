// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// A member of a list.
package struct MemberRow: OperationRow {
  package let list: ATURI
  package let member: AccountView

  /// Fields: list (AT-URI), subject (DID), handle, displayName, item (AT-URI of the membership), since.
  package static let fieldNames = ["list", "subject", "handle", "displayName", "item", "since"]

  package func write(to fields: inout RowEncoder) {
    fields.text(list.description)
    fields.text(member.account.description)
    fields.text(member.handle?.description)
    fields.text(member.displayName)
    fields.text(member.record?.description)
    fields.text(member.since?.description)
  }
}
