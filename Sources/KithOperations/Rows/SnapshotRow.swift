// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithHistory
import KithRelationships

/// A snapshot.
public struct SnapshotRow: OperationRow {
  public let snapshot: Snapshot
  /// The handle of the account; nil if unknown.
  public let handle: Handle?
  /// The name of the list, if it is known here.
  public let listName: String?

  /// Fields: actor, handle, side, list (AT-URI), snapshot (its number), state, extent (`full`, `incremental`),
  /// counted (in the profile), listed, gained, lost, unconfirmed (not listed, but no server confirmed that they are
  /// gone), startedAt, endedAt, note (why losses were not recorded), error, graph (of followers and follows; null for other sides),
  /// appview (the URL that followers were read from), doubted (kept although that AppView no longer shows that they
  /// follow: their repositories say otherwise, or the loss waits for the next full snapshot).
  public static let fieldNames = [
    "actor", "handle", "side", "list", "snapshot", "state", "extent", "counted", "listed", "gained", "lost",
    "unconfirmed", "startedAt", "endedAt", "note", "error", "graph", "appview", "doubted",
  ]

  public init(snapshot: Snapshot, handle: Handle?, listName: String? = nil) {
    self.snapshot = snapshot
    self.handle = handle
    self.listName = listName
  }

  public func write(to fields: inout RowEncoder) {
    fields.text(snapshot.listing.actor)
    fields.text(handle?.description)
    fields.text(snapshot.listing.side.rawValue)
    fields.text(snapshot.listing.listURI?.description)
    fields.number(Int(snapshot.id.number))
    fields.text(snapshot.state.rawValue)
    fields.text(snapshot.extent?.rawValue)
    // An incomplete snapshot has no valid counts.
    let counts = snapshot.state == .complete ? snapshot.counts : nil
    fields.number(counts?.counted)
    fields.number(counts?.listed)
    fields.number(counts?.gained)
    fields.number(counts?.lost)
    fields.number(counts?.unconfirmed)
    fields.text(Datetime(at: snapshot.startedAt).description)
    fields.text(snapshot.endedAt.map { Datetime(at: $0).description })
    fields.text(snapshot.state == .complete ? snapshot.note : nil)
    fields.text(snapshot.state == .complete ? nil : snapshot.note)
    fields.text(snapshot.listing.graph?.name)
    fields.text(snapshot.appview)
    fields.number(counts?.doubted)
  }
}
