// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships

/// An account that may be a contact.
public struct ContactRow: OperationRow {
  public let contact: Contact
  public let view: AccountView
  /// What speaks for it.
  public let signals: [Contact.Signal]
  /// Whether it is the account to follow: at least two signals, more than any other account, and not followed yet.
  public let isSelected: Bool

  /// Fields: contact (as the file names it), did, handle, displayName, signals (bridge, handle, name and bio), selected (a
  /// flag), relationship (in the words of `ViewerRelationship.Word`; null signed out), followers.
  public static let fieldNames = [
    "contact", "did", "handle", "displayName", "signals", "selected", "relationship", "followers",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(contact.text)
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.value(.array(signals.map { .string($0.rawValue) }))
    fields.flag(isSelected)
    fields.text(view.relationship?.word.rawValue)
    fields.number(view.counts?.followers)
  }
}
