// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting
import Relationships

/// One relationship, as `kith export` writes it and `kith import` reads it.
struct ExportRow: PrintableRow {
  /// What it is; nil for a follower, whom nobody can bring about.
  let kind: PortableRelationship.Kind?
  var account: AccountView?
  /// The list: its members, and blocks and mutes of it, are told by its address alone.
  var list: ATURI?
  var draft: ListDraft?
  var record: ATURI?
  var since: Datetime?

  /// The word for somebody who follows the account.
  static let follower = "follower"

  static let fieldNames = [
    "kind", "did", "handle", "displayName", "list", "name", "purpose", "description", "since", "record",
  ]

  static let help = """
    Fields of each row: kind (follower, follow, block, mute, list, member, list-block, list-mute), did, handle, \
    displayName, list (its AT-URI), name, purpose and description (of a list), since (when the edge was made, by the \
    word of whoever made it), record; null where it is not known.
    """

  static let headings = ["KIND", "ACCOUNT", "LIST"]

  func write(to fields: inout RowEncoder) {
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

  private var kindText: String { kind?.rawValue ?? Self.follower }

  var tableRow: TableRow {
    TableRow(cells: [
      TableRow.Cell(kindText), TableRow.Cell(account.map { $0.account.name(in: $0) } ?? ""),
      TableRow.Cell(draft?.name ?? list?.description ?? ""),
    ])
  }
}
