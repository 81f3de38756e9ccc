// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithHistory
public import KithRelationships

/// An event of a stream that concerns a followed account.
public struct LiveRow: OperationRow {
  /// What happened.
  public enum Event: Sendable, Hashable {
    /// An account came to a listing, or left it.
    case changed(HistoryChange)
    /// An account blocks an actor.
    case blocked(DID, by: DID, at: Instant)
    /// An account of the history has another name.
    case renamed(DID, Handle, at: Instant)
    /// A request, its answer or a policy concerns an actor.
    case friends(FriendEvent, of: DID)

    var account: DID {
      switch self {
      case .friends(let event, let actor): event.other(than: actor)
      case .changed(let change): change.account
      case .blocked(_, let account, _), .renamed(let account, _, _): account
      }
    }
  }

  public let event: Event
  /// The known names of the account.
  public let view: AccountView?

  /// Creates a row.
  public init(_ event: Event, view: AccountView?) { (self.event, self.view) = (event, view) }

  /// The account that the event is about.
  public var account: DID { event.account }

  /// The account that is followed; nil for a change of name.
  public var followed: DID? {
    switch event {
    case .changed(let change): change.listing.actor
    case .blocked(let actor, _, _), .friends(_, let actor): actor
    case .renamed: nil
    }
  }

  /// When it happened, by the clock of the stream; of what a snapshot or a question found, when that was.
  public var at: Instant {
    switch event {
    case .changed(let change): change.before
    case .blocked(_, _, let moment), .renamed(_, _, let moment): moment
    case .friends(let event, _): event.at
    }
  }

  /// What happened, as readers find it; see ``names``.
  public var name: String {
    switch event {
    case .changed(let change): change.kind.rawValue
    case .blocked: "blocked"
    case .renamed: "renamed"
    case .friends(let event, _): event.name
    }
  }

  /// All values of ``name``.
  public static let names = [
    "gained", "returned", "lost", "blocked", "renamed", "requested", "withdrawn", "accepted", "revoked",
    "policy",
  ]

  /// Fields: at (when it happened), event (``names``), actor (the followed account; null of a renamed one), side, did, handle (of
  /// renamed: the new one), displayName, cause (of a loss), record (if it is known), graph (of followers and follows), source (the name of the stream, or `snapshot`).
  public static let fieldNames = [
    "at", "event", "actor", "side", "did", "handle", "displayName", "cause", "record", "graph", "source",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(Datetime(at: at).description)
    fields.text(name)
    var (handle, change, record) = (view?.handle, HistoryChange?.none, ATURI?.none)
    switch event {
    case .changed(let changed): (change, record) = (changed, changed.listing.record(of: changed.edge))
    case .blocked: break
    case .renamed(_, let new, _): handle = new
    case .friends(let event, _): record = event.record
    }
    fields.text(followed?.description)
    fields.text(change?.listing.side.rawValue)
    fields.text(account)
    fields.text(handle?.description)
    fields.text(view?.displayName)
    fields.text(change?.loss?.cause.rawValue)
    fields.text(record?.description)
    fields.text(change?.listing.graph?.name)
    fields.text(change?.seen.source.name)
  }
}

extension FriendEvent {
  fileprivate var name: String {
    switch kind {
    case .requested: "requested"
    case .withdrawn: "withdrawn"
    case .accepted: "accepted"
    case .revoked: "revoked"
    case .policy: "policy"
    }
  }

  /// The record that was written; nil for one that was deleted.
  fileprivate var record: ATURI? {
    switch kind {
    case .requested(let request): request.uri
    case .accepted(let answer, _, _): answer.uri
    case .withdrawn, .revoked, .policy: nil
    }
  }

  /// The accounts: who asks, and who is asked.
  private var accounts: (asking: DID, asked: DID) {
    switch kind {
    case .requested(let request): (request.requester, request.subject)
    case .withdrawn(let asking, let asked): (asking, asked)
    case .accepted(_, let asking, let asked), .revoked(let asking, let asked): (asking, asked)
    case .policy(_, let account): (account, account)
    }
  }

  /// The account that asks if another one of these is asked, or the other way round.
  fileprivate func other(than actor: DID) -> DID {
    accounts.asking == actor ? accounts.asked : accounts.asking
  }

  /// The first of some accounts that it concerns: who is asked comes first.
  func actor(among watched: Set<DID>) -> DID {
    watched.contains(accounts.asked) ? accounts.asked : accounts.asking
  }
}
