// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension ExportRow: PrintableRow {
  static let help = """
    Fields of each row: kind (\(kinds.joined(separator: ", "))), did, handle, displayName, list (its AT-URI), name, \
    purpose and description (of a list; of a setting and a text of the profile its name and value), since (when the \
    relationship was created, according to its author), record, until and scope (of your own follows, blocks and mutes that kith made with an end or for a part), graph (of a follow); \
    null if unknown.
    """

  static let headings = ["KIND", "ACCOUNT", "LIST"]

  var unnamed: [DID] { account.flatMap { $0.handle == nil ? [$0.account] : nil } ?? [] }

  func named(by known: [DID: AccountView]) -> ExportRow {
    guard let account, let view = known[account.account] else { return self }
    var row = self
    row.account = account.named(by: view)
    return row
  }

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(kindText), TableRow.Cell(account.map { $0.account.name(in: $0) } ?? ""),
      TableRow.Cell(draft?.name ?? list?.description ?? ""),
    ])
  }
}
