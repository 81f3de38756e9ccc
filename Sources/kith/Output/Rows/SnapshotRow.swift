// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships

/// A snapshot, as a row.
struct SnapshotRow: PrintableRow {
  let snapshot: Snapshot
  /// The handle of the account; nil if unknown.
  let handle: Handle?

  static let fieldNames = [
    "actor", "handle", "side", "list", "snapshot", "state", "extent", "counted", "listed", "gained", "lost",
    "unconfirmed", "startedAt", "endedAt", "note", "error",
  ]

  static let help = """
    Fields of each row: actor, handle, side (followers, follows, blocks, mutes, members), list (AT-URI, for \
    members), snapshot (number), state (running, complete, failed, interrupted), extent (full, incremental), \
    counted (in the profile), listed, gained, lost, unconfirmed (not listed, but no server confirmed that \
    they are gone; counted to unconfirmed are null unless it is complete), startedAt, endedAt, note (why \
    losses were not recorded), error.
    """

  static let headings = ["ACCOUNT", "SIDE", "NO", "LISTED", "GAINED", "LOST", "WHEN", "REMARKS"]

  private var counts: Snapshot.Counts { snapshot.counts }

  func write(to fields: inout RowEncoder) {
    fields.text(snapshot.listing.actor)
    fields.text(handle?.description)
    fields.text(snapshot.listing.side.rawValue)
    fields.text(snapshot.listing.listURI?.description)
    fields.number(Int(snapshot.id.number))
    fields.text(snapshot.state.rawValue)
    fields.text(snapshot.extent?.rawValue)
    // An incomplete snapshot has no valid counts.
    let counts = snapshot.state == .complete ? counts : nil
    fields.number(counts?.counted)
    fields.number(counts?.listed)
    fields.number(counts?.gained)
    fields.number(counts?.lost)
    fields.number(counts?.unconfirmed)
    fields.text(Datetime(at: snapshot.startedAt).description)
    fields.text(snapshot.endedAt.map { Datetime(at: $0).description })
    fields.text(snapshot.state == .complete ? snapshot.note : nil)
    fields.text(snapshot.state == .complete ? nil : snapshot.note)
  }

  var tableRow: TableRow {
    let isComplete = snapshot.state == .complete
    func number(_ count: Int, _ colour: Palette.Colour) -> TableRow.Cell {
      TableRow.Cell(isComplete ? "\(count)" : "", count > 0 ? colour : .faint)
    }
    return TableRow(cells: [
      TableRow.Cell(handle?.description ?? snapshot.listing.actor.description),
      TableRow.Cell(snapshot.listing.sideText), TableRow.Cell(snapshot.id.description),
      TableRow.Cell(isComplete ? "\(counts.listed)" : ""),
      snapshot.isBaseline ? TableRow.Cell("") : number(counts.gained, .good),
      snapshot.isBaseline ? TableRow.Cell("") : number(counts.lost, .bad),
      TableRow.Cell(
        snapshot.endedAt.map { MomentText.relative(Datetime(at: $0)) } ?? ""),
      TableRow.Cell(remarks.joined(separator: "; "), isComplete ? nil : .bad),
    ])
  }

  private var remarks: [String] {
    var remarks: [String] = []
    switch snapshot.state {
    case .complete:
      if snapshot.isBaseline {
        remarks.append("first snapshot" + (counts.counted.map { ", of \($0) counted" } ?? ""))
      }
    case .running, .failed, .interrupted: remarks.append(snapshot.state.rawValue)
    }
    if snapshot.extent == .incremental { remarks.append("incremental") }
    if counts.unconfirmed > 0 { remarks.append("\(counts.unconfirmed) unconfirmed") }
    if let note = snapshot.note { remarks.append(note) }
    return remarks
  }
}

extension HistoryListing {
  /// The list, if this is a listing of members.
  var listURI: ATURI? {
    list.map { ATURI(authority: .did(actor), collection: .list, recordKey: $0) }
  }

  /// The text in a table.
  var sideText: String { side.rawValue + (list.map { " of \($0)" } ?? "") }
}
