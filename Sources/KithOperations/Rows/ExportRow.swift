// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships
package import KithWriting

/// One relationship, as exports write it and imports read it.
package struct ExportRow: OperationRow {
  /// The kind; nil for a follower, which cannot be imported.
  package let kind: PortableRelationship.Kind?
  package var account: AccountView?
  /// The list. Members, blocks and mutes refer to it by its AT-URI alone.
  package var list: ATURI?
  package var draft: ListDraft?
  package var record: ATURI?
  package var since: Datetime?

  /// The kind of a follower.
  package static let follower = "follower"

  /// Fields: kind (see ``PortableRelationship/Kind``, or ``follower``), did, handle, displayName, list (AT-URI),
  /// name, purpose and description (of a list, verbatim), since, record (AT-URI).
  package static let fieldNames = [
    "kind", "did", "handle", "displayName", "list", "name", "purpose", "description", "since", "record",
  ]

  package func write(to fields: inout RowEncoder) {
    fields.text(kindText)
    fields.text(account?.account)
    fields.text(account?.handle?.description)
    fields.text(account?.displayName)
    fields.text(list?.description)
    fields.verbatim(draft?.name)
    fields.text(draft?.purpose.word)
    fields.verbatim(draft?.description)
    fields.text((since ?? account?.since)?.description)
    fields.text((record ?? account?.record)?.description)
  }

  /// The kind as text.
  package var kindText: String { kind?.rawValue ?? Self.follower }
}
