// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// One list, as a row of `kith lists`.
struct ListRow: PrintableRow {
  let uri: ATURI
  let owner: DID
  var ownerHandle: Handle?
  let name: String?
  let purpose: ListPurpose?
  let description: String?
  /// The number of members, as counted by the AppView.
  var members: Int?
  var isMuted: Bool?
  var block: ATURI?
  var createdAt: Datetime?

  static let fieldNames = [
    "uri", "name", "purpose", "owner", "ownerHandle", "description", "members", "muted", "block", "createdAt",
  ]
  static let headings = ["NAME", "PURPOSE", "MEMBERS", "DESCRIPTION", "LIST"]

  /// A list from the AppView.
  init(_ list: ListSummary) {
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
  init(_ list: OwnList, of owner: DID, _ shown: ListSummary?) {
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

  func write(to fields: inout RowEncoder) {
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

  var tableRow: TableRow {
    TableRow(cells: [
      name.map { TableRow.Cell($0, .strong) } ?? TableRow.Cell("unreadable", .bad),
      TableRow.Cell(purpose?.word ?? "unknown"), TableRow.Cell(members.map(String.init) ?? "?"),
      TableRow.Cell(description ?? ""), TableRow.Cell(uri.description),
    ])
  }
}
