// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// One relationship, as a row that `kith export` writes and `kith import` reads.
struct ExportRow: PrintableRow {
  /// The kind; nil for a follower, which cannot be imported.
  let kind: PortableRelationship.Kind?
  var account: AccountView?
  /// The list. Members, blocks and mutes refer to it by its AT-URI alone.
  var list: ATURI?
  var draft: ListDraft?
  var record: ATURI?
  var since: Datetime?

  /// The kind of a follower.
  static let follower = "follower"

  static let fieldNames = [
    "kind", "did", "handle", "displayName", "list", "name", "purpose", "description", "since", "record",
  ]

  static let help = """
    Fields of each row: kind (follower, follow, block, mute, list, member, list-block, list-mute), did, \
    handle, displayName, list (its AT-URI), name, purpose and description (of a list), since (when the \
    relationship was created, according to its author), record; null if unknown.
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
