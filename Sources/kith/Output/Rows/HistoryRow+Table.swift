// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithWording

/// A change, and what the user calls the account whose history it is: `you`, or as typed.
struct NamedHistoryRow: PrintableRow {
  let row: HistoryRow
  let actor: String

  static let fieldNames = HistoryRow.fieldNames

  static let help = """
    Fields of each row: actor, side, list, did, handle, displayName, kind (gained, returned, lost), cause \
    (of a loss: unfollowed, blocked-by, blocking, deleted, deactivated, suspended, removed, unknown), after \
    and before (when it happened), record (if its key is known), since (the time that the key claims), \
    snapshot (the number of the one that found it), source (snapshot, or the stream that said it), \
    graph (of followers and follows).
    """

  static let headings = ["BEFORE", "SIDE", "CHANGE", "ACCOUNT", "SEEN IN", "WHY", "NAME"]

  var unnamed: [DID] { row.view?.handle == nil ? [row.change.account] : [] }

  func named(by known: [DID: AccountView]) -> NamedHistoryRow {
    guard row.view?.handle == nil, let view = known[row.change.account] else { return self }
    return NamedHistoryRow(row: HistoryRow(change: row.change, view: view), actor: actor)
  }

  func write(to fields: inout RowEncoder) { row.write(to: &fields) }

  func tableRow(at now: Datetime) -> TableRow {
    let change = row.change
    return TableRow(cells: [
      TableRow.Cell(String(Datetime(at: change.before).description.prefix(16))),
      TableRow.Cell(change.listing.words),
      TableRow.Cell(change.kind.rawValue, change.kind == .lost ? .bad : .good),
      TableRow.Cell(change.account.name(in: row.view), whole: true), TableRow.Cell(change.seen.words),
      TableRow.Cell(change.loss?.cause.words(actor) ?? ""), TableRow.Cell(row.view?.displayName ?? ""),
    ])
  }
}

/// One answer that explains a change, and what the user calls the account whose history it is.
struct NamedEvidenceRow: PrintableRow {
  let row: EvidenceRow
  let actor: String

  static let fieldNames = EvidenceRow.fieldNames

  static let headings = ["BEFORE", "SIDE", "CHANGE", "WHY", "ASKED", "ANSWER"]

  func write(to fields: inout RowEncoder) { row.write(to: &fields) }

  func tableRow(at now: Datetime) -> TableRow {
    let (change, finding) = (row.change, row.finding)
    let answer = [finding?.answer.rawValue, finding?.record?.description].compactMap(\.self)
    return TableRow(cells: [
      TableRow.Cell(String(Datetime(at: change.before).description.prefix(16))),
      TableRow.Cell(change.listing.words),
      TableRow.Cell(change.kind.rawValue, change.kind == .lost ? .bad : .good),
      TableRow.Cell(change.loss?.cause.words(actor) ?? ""), TableRow.Cell(finding?.question.method ?? ""),
      TableRow.Cell(answer.joined(separator: " ")),
    ])
  }
}

extension Observation {
  /// The text in a table.
  fileprivate var words: String { source == .snapshot ? "snapshot \(id)" : source.name }
}

extension LossCause {
  /// The text in a table.
  fileprivate func words(_ actor: String) -> String {
    switch self {
    case .blockedBy: "blocks \(actor)"
    case .blocking: "blocked by \(actor)"
    case .unfollowed, .deleted, .deactivated, .suspended, .removed, .unknown: rawValue
    }
  }
}
