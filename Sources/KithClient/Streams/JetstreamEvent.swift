// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An event of a Jetstream: something that happened to one repository.
///
/// The events of one account come in order; those of different accounts may not.
public struct JetstreamEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// A record was created, replaced or deleted.
    case commit(JetstreamCommit)
    /// The handle or the DID document changed; the handle is nil if the event does not name it.
    case identity(Handle?)
    /// The account is active or not, as its relay sees it.
    case account(JetstreamAccountState)
    /// The history of the repository broke: what follows are creates of all its records. Only the second version of the
    /// protocol tells.
    case sync
  }

  /// The account.
  public let did: DID
  public let kind: Kind
  /// Where the stream continues after this event.
  public let cursor: StreamCursor

  /// When it happened, by the clock of the host, or by the local one if that is earlier.
  public var at: Instant { cursor.at }

  /// Creates an event.
  public init(_ kind: Kind, of did: DID, cursor: StreamCursor) {
    (self.kind, self.did, self.cursor) = (kind, did, cursor)
  }
}

/// A change of one record.
public struct JetstreamCommit: Sendable, Hashable {
  /// What was done.
  public enum Operation: Sendable, Hashable {
    /// A record was created, or read again after a break of the repository; nil if it cannot be read.
    case create(DataValue?)
    /// It was replaced.
    case update(DataValue?)
    case delete
  }

  public let operation: Operation
  public let collection: NSID
  public let rkey: RecordKey

  /// Creates a change.
  public init(_ operation: Operation, _ collection: NSID, _ rkey: RecordKey) {
    (self.operation, self.collection, self.rkey) = (operation, collection, rkey)
  }

  /// The record that is there now; nil after a deletion, and if it cannot be read.
  public var record: DataValue? {
    switch operation {
    case .create(let record), .update(let record): record
    case .delete: nil
    }
  }
}

/// Whether an account is active, as a relay sees it; the account's own server may see it otherwise.
public struct JetstreamAccountState: Sendable, Hashable {
  public let isActive: Bool
  /// Why it is not active: `deleted`, `deactivated`, `suspended`, `takendown`, `desynchronized`, `throttled` or another word.
  public let status: String?

  /// Creates a state.
  public init(isActive: Bool, status: String?) { (self.isActive, self.status) = (isActive, status) }
}

/// What a subscription delivers.
public enum JetstreamElement: Sendable {
  case event(JetstreamEvent)
  /// A connection is open; events follow.
  case connected(JetstreamConnection)
  /// The connection ended, or could not be made; another one follows after a time.
  case disconnected(any Error, retryIn: Duration)
  /// Events may be missing before the next one.
  case gap(StreamGap)
}

/// How a subscription is connected.
public struct JetstreamConnection: Sendable, Hashable {
  /// The versions of the protocol.
  public enum Wire: String, Sendable, Hashable {
    /// `/subscribe`. It carries no `#sync` events, so state built from it drifts: re-read everything once a day.
    case v1
    /// `network.bsky.jetstream.subscribeEvents`.
    case v2
  }

  public let host: String
  public let wire: Wire
  /// The event after which it continues; nil if it begins with what happens now.
  public let resumedAfter: StreamCursor?

  package init(host: String, wire: Wire, resumedAfter: StreamCursor?) {
    (self.host, self.wire, self.resumedAfter) = (host, wire, resumedAfter)
  }
}

/// A time in which events may be missing.
public struct StreamGap: Sendable, Hashable {
  /// Why.
  public enum Reason: String, Sendable, Hashable {
    /// The host no longer has what came after the cursor.
    case cursorTooOld = "cursor-too-old"
    /// The host continued at another place, as after it was built again.
    case otherPlace = "other-place"
    /// A message was larger than the limit.
    case messageTooLarge = "message-too-large"
  }

  /// The time of the last event before it.
  public let since: Instant
  /// The time of the first event after it.
  public let until: Instant
  public let reason: Reason

  /// Creates a gap.
  public init(since: Instant, until: Instant, _ reason: Reason) {
    (self.since, self.until, self.reason) = (since, until, reason)
  }
}

/// Which events a host is asked for. It learns from the filter what is of interest.
public struct JetstreamFilter: Sendable, Hashable {
  /// The collections of records, at most 100: NSIDs, or prefixes such as `app.bsky.graph.*`; empty for all. They only
  /// choose among commits.
  public let collections: [String]
  /// The accounts; empty for all. More than 100 are chosen here instead of by the host, as the address of
  /// the request would be too long.
  public let accounts: Set<DID>

  static let mostAccountsAsked = 100

  /// Creates a filter.
  public init(collections: [String] = [], accounts: Set<DID> = []) {
    (self.collections, self.accounts) = (collections, accounts)
  }

  /// Whether the host should have sent an event.
  func asksFor(_ event: JetstreamEvent) -> Bool {
    if asksForAccounts, !accounts.contains(event.did) { return false }
    guard case .commit(let commit) = event.kind, !collections.isEmpty else { return true }
    let collection = commit.collection.description
    return collections.contains {
      $0.hasSuffix(".*") ? collection.hasPrefix($0.dropLast()) : $0 == collection
    }
  }

  /// Whether an event that the host sent is wanted.
  func wants(_ event: JetstreamEvent) -> Bool { accounts.isEmpty || accounts.contains(event.did) }

  /// Whether the host chooses the accounts.
  var asksForAccounts: Bool { !accounts.isEmpty && accounts.count <= Self.mostAccountsAsked }
}
