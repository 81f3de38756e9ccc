// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithWording

/// An event, for the user who is signed in.
struct NamedLiveRow: PrintableRow {
  let row: LiveRow
  /// The signed-in account; nil for none.
  let own: DID?
  /// The name of the followed account, if it is another one.
  var actor: String?

  static let fieldNames = LiveRow.fieldNames

  static let help = """
    Fields of each row: at, event (gained, returned, lost, blocked, renamed, requested, withdrawn, accepted, revoked, \
    policy), actor (the followed account), side, did, \
    handle, displayName, cause (of a loss: unfollowed, blocked-by, blocking, deleted, deactivated, suspended, removed, \
    unknown), record (if it is known), graph (of followers and follows), source (the stream, or snapshot).
    """

  static let leastLive = [8, 18, 26, 11]
  static let headings = ["UTC", "ACCOUNT", "EVENT", "NAME"]

  private var followed: DID? { row.followed.flatMap { $0 == own ? nil : $0 } }

  var unnamed: [DID] {
    (row.view?.handle == nil ? [row.account] : []) + (actor == nil ? [followed].compactMap(\.self) : [])
  }

  func named(by known: [DID: AccountView]) -> NamedLiveRow {
    var named = self
    if row.view?.handle == nil, let view = known[row.account] {
      named = NamedLiveRow(row: LiveRow(row.event, view: view), own: own, actor: actor)
    }
    if let followed { named.actor = actor ?? followed.name(in: known[followed]) }
    return named
  }

  func write(to fields: inout RowEncoder) { row.write(to: &fields) }

  func tableRow(at now: Datetime) -> TableRow {
    let (words, isGood) = event
    return TableRow(cells: [
      TableRow.Cell(String(Datetime(at: row.at).description.prefix(19).suffix(8))),
      TableRow.Cell(row.account.name(in: row.view), whole: true),
      TableRow.Cell(words, isGood.map { $0 ? .good : .bad }), TableRow.Cell(row.view?.displayName ?? ""),
    ])
  }

  /// What happened, and whether it is good news; nil if neither.
  private var event: (words: String, isGood: Bool?) {
    let actor = followed == nil ? "you" : self.actor ?? "the account"
    switch row.event {
    case .renamed(_, let handle, _): return ("is \(handle) now", nil)
    case .friends(let event, let followed):
      return (event.words(of: followed, as: actor, account: row.account), nil)
    case .blocked: return ("blocks \(actor)", false)
    case .changed(let change):
      let graph = change.listing.graph.flatMap { $0 == .bluesky ? nil : " in \($0.name)" } ?? ""
      let words =
        switch (change.listing.side, change.kind) {
        case (.followers, .gained): "follows \(actor)"
        case (.followers, .returned): "follows \(actor) again"
        case (.followers, .lost): change.loss?.cause.words(of: actor) ?? "left"
        case (.blocks, .lost): "unblocked by \(actor)"
        case (.blocks, _): "blocked by \(actor)"
        case (_, .lost): "unfollowed by \(actor)"
        case (_, _): "followed by \(actor)"
        }
      return (words + graph, change.listing.side == .followers ? change.kind != .lost : nil)
    }
  }
}

extension LossCause {
  /// What a follower did.
  fileprivate func words(of actor: String) -> String {
    switch self {
    case .unfollowed, .removed: "unfollowed \(actor)"
    case .blockedBy: "left: blocks \(actor)"
    case .blocking: "left: blocked by \(actor)"
    case .deleted: "left: account deleted"
    case .deactivated: "left: account deactivated"
    case .suspended: "left: account suspended"
    case .unknown: "left"
    }
  }
}

extension FriendEvent {
  /// What happened between a followed actor and the account of the row.
  fileprivate func words(of actor: DID, as name: String, account: DID) -> String {
    switch kind {
    case .requested(let request) where request.subject == actor:
      request.kind == .friend ? "asks \(name) to be friends" : "asks to follow \(name)"
    case .requested: "asked by \(name)"
    case .withdrawn(let asking, _):
      asking == account ? "withdrew the request" : "request withdrawn by \(name)"
    case .accepted(_, _, let asked): asked == account ? "accepted \(name)" : "accepted by \(name)"
    case .revoked(_, let asked):
      asked == account ? "no longer accepts \(name)" : "no longer accepted by \(name)"
    case .policy: "another policy for requests"
    }
  }
}
