// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships

/// A gain or loss of a listing, as a row.
struct HistoryRow: PrintableRow {
  let change: HistoryChange
  /// The known names of the account.
  let view: AccountView?
  /// The actor's name in output: `you`, or a handle.
  let actor: String

  static let fieldNames = [
    "actor", "side", "list", "did", "handle", "displayName", "kind", "cause", "after", "before", "record",
    "since", "snapshot", "source",
  ]

  static let help = """
    Fields of each row: actor, side, list, did, handle, displayName, kind (gained, returned, lost), cause \
    (of a loss: unfollowed, blocked-by, blocking, deleted, deactivated, suspended, removed, unknown), after \
    and before (when it happened), record (if its key is known), since (the time that the key claims), \
    snapshot (the number of the one that found it), source (snapshot, or the stream that said it).
    """

  static let headings = ["BEFORE", "SIDE", "CHANGE", "ACCOUNT", "SEEN IN", "WHY"]

  func write(to fields: inout RowEncoder) {
    let record = change.listing.record(of: change.edge)
    fields.text(change.listing.actor)
    fields.text(change.listing.side.rawValue)
    fields.text(change.listing.listURI?.description)
    fields.text(change.account)
    fields.text(view?.handle?.description)
    fields.text(view?.displayName)
    fields.text(change.kind.rawValue)
    fields.text(change.loss?.cause.rawValue)
    fields.text(Datetime(at: change.after).description)
    fields.text(Datetime(at: change.before).description)
    fields.text(record?.description)
    fields.text(record?.claimedDate?.description)
    fields.number(change.seen.source == .snapshot ? Int(change.seen.id.number) : nil)
    fields.text(change.seen.source.name)
  }

  var tableRow: TableRow {
    TableRow(cells: [
      TableRow.Cell(String(Datetime(at: change.before).description.prefix(16))),
      TableRow.Cell(change.listing.sideText),
      TableRow.Cell(change.kind.rawValue, change.kind == .lost ? .bad : .good),
      TableRow.Cell(change.account.name(in: view)), TableRow.Cell(change.seen.words),
      TableRow.Cell(change.loss?.cause.words(actor) ?? ""),
    ])
  }
}

/// One answer that explains a change, as a row of `--why`.
struct EvidenceRow: PrintableRow {
  let change: HistoryChange
  let view: AccountView?
  /// The actor's name in output: `you`, or a handle.
  let actor: String
  /// Nil for a change that needs no evidence.
  let finding: Evidence.Finding?

  static let fieldNames = HistoryRow.fieldNames + ["asked", "answer", "evidence"]

  static let headings = ["BEFORE", "SIDE", "CHANGE", "WHY", "ASKED", "ANSWER"]

  func write(to fields: inout RowEncoder) {
    HistoryRow(change: change, view: view, actor: actor).write(to: &fields)
    fields.text(finding?.question.method)
    fields.text(finding?.answer.rawValue)
    fields.text(finding?.record?.description)
  }

  var tableRow: TableRow {
    let answer = [finding?.answer.rawValue, finding?.record?.description].compactMap(\.self)
    return TableRow(cells: [
      TableRow.Cell(String(Datetime(at: change.before).description.prefix(16))),
      TableRow.Cell(change.listing.sideText),
      TableRow.Cell(change.kind.rawValue, change.kind == .lost ? .bad : .good),
      TableRow.Cell(change.loss?.cause.words(actor) ?? ""), TableRow.Cell(finding?.question.method ?? ""),
      TableRow.Cell(answer.joined(separator: " ")),
    ])
  }
}

extension Observation.Source {
  /// How a change was seen: `snapshot`, or the name of a stream.
  fileprivate var name: String {
    switch self {
    case .snapshot: "snapshot"
    case .event(let stream): stream
    }
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

extension Evidence.Question {
  /// The method that was called.
  fileprivate var method: String {
    switch self {
    case .relationship: "app.bsky.graph.getRelationships"
    case .profiles: "app.bsky.actor.getProfiles"
    case .profile: "app.bsky.actor.getProfile"
    case .directory: "DID document"
    case .server: "com.atproto.sync.getRepoStatus"
    case .records: "com.atproto.repo.listRecords"
    case .listing: "listing"
    case .index: "blue.microcosm.links.getBacklinks"
    }
  }
}
