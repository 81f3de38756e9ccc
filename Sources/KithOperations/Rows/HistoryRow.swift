// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithHistory
public import KithRelationships

/// A gain or loss of a listing.
public struct HistoryRow: OperationRow {
  public let change: HistoryChange
  /// The known names of the account.
  public let view: AccountView?

  public init(change: HistoryChange, view: AccountView?) {
    self.change = change
    self.view = view
  }

  /// Fields: actor, side, list (AT-URI), did, handle, displayName, kind (gained, returned, lost), cause (of a loss),
  /// after and before (when it happened), record (if its key is known), since (the time that the key claims),
  /// snapshot (its number), source (`snapshot`, or the name of the stream), graph (of followers and follows; null for other sides).
  public static let fieldNames = [
    "actor", "side", "list", "did", "handle", "displayName", "kind", "cause", "after", "before", "record",
    "since", "snapshot", "source", "graph",
  ]

  public func write(to fields: inout RowEncoder) {
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
    fields.text(change.listing.graph?.name)
  }
}

/// One answer that explains a change.
public struct EvidenceRow: OperationRow {
  public let change: HistoryChange
  /// The known names of the account.
  public let view: AccountView?
  /// Nil for a change that needs no evidence.
  public let finding: Evidence.Finding?

  /// Fields: those of ``HistoryRow``, asked (the method), answer, evidence (the AT-URI of the record).
  public static let fieldNames = HistoryRow.fieldNames + ["asked", "answer", "evidence"]

  public func write(to fields: inout RowEncoder) {
    HistoryRow(change: change, view: view).write(to: &fields)
    fields.text(finding?.question.method)
    fields.text(finding?.answer.rawValue)
    fields.text(finding?.record?.description)
  }
}

extension Observation.Source {
  /// How a change was seen: `snapshot`, or the name of a stream.
  public var name: String {
    switch self {
    case .snapshot: "snapshot"
    case .event(let stream): stream
    }
  }
}

extension Evidence.Question {
  /// The method that was called.
  public var method: String {
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
