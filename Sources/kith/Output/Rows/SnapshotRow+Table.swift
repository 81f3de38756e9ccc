// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithWording

extension SnapshotRow: PrintableRow {
  static let help = """
    Fields of each row: actor, handle, side (followers, follows, blocks, mutes, members), list (AT-URI, for \
    members), snapshot (number), state (running, complete, failed, interrupted), extent (full, incremental), \
    counted (in the profile), listed, gained, lost, unconfirmed (not listed, but no server confirmed that \
    they are gone; counted to unconfirmed are null unless it is complete), startedAt, endedAt, note (why \
    losses were not recorded), error, graph (of followers and follows), appview (the URL that followers were \
    read from), doubted (kept although that AppView no longer shows their follow).
    """

  static let headings = ["ACCOUNT", "SIDE", "NO", "LISTED", "GAINED", "LOST", "WHEN", "REMARKS"]

  private var counts: Snapshot.Counts { snapshot.counts }

  func tableRow(at now: Datetime) -> TableRow {
    let isComplete = snapshot.state == .complete
    func number(_ count: Int, _ colour: Palette.Colour) -> TableRow.Cell {
      TableRow.Cell(isComplete ? "\(count)" : "", count > 0 ? colour : .faint)
    }
    return TableRow(cells: [
      TableRow.Cell(handle?.description ?? snapshot.listing.actor.description),
      TableRow.Cell(listName.map { "list \($0)" } ?? snapshot.listing.words),
      TableRow.Cell(snapshot.id.description),
      TableRow.Cell(isComplete ? "\(counts.listed)" : ""),
      snapshot.isBaseline ? TableRow.Cell("") : number(counts.gained, .good),
      snapshot.isBaseline ? TableRow.Cell("") : number(counts.lost, .bad),
      TableRow.Cell(
        snapshot.endedAt.map { RelativeTimeText.relative(Datetime(at: $0), to: now) } ?? ""),
      TableRow.Cell(remarks(at: now).joined(separator: "; "), isComplete ? nil : .bad),
    ])
  }

  private func remarks(at now: Datetime) -> [String] {
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
    if counts.doubted > 0 { remarks.append("\(counts.doubted) kept, but not shown by the AppView") }
    if let note = snapshot.note { remarks.append(note) }
    if let appview = snapshot.appview { remarks.append("read from \(appview)") }
    return remarks
  }
}
