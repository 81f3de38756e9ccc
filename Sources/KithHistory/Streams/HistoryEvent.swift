// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// What a stream says of accounts and their records.
///
/// A stream is delivered at least once: after a pause it begins a little earlier than it stopped. So every event may come
/// again, and changes nothing then.
public struct HistoryEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// There is a record that puts an account on a listing. One that was replaced is deleted before, at the same time and in
    /// the same batch.
    case made(DID, RecordKey, on: HistoryListing)
    /// A record was deleted from the repository of its author. The store knows what it was about.
    case deleted(RecordKey, in: NSID, by: DID)
    /// The account is deactivated, suspended or hidden for an unknown reason: its records are not shown, but they are kept.
    case hidden(DID, LossCause)
    /// The account is active again.
    case shown(DID)
    /// A block (``LossCause/blockedBy`` or ``LossCause/blocking``) hides the account from one listing, or keeps it from
    /// coming.
    case blocked(DID, LossCause, from: HistoryListing)
    /// The last block of this kind is gone.
    case unblocked(DID, LossCause, from: HistoryListing)
    /// The account was deleted, with all of its records.
    case purged(DID)
    /// A server was asked about the account, and said that it is not on the listing.
    case lost(HistoryLoss, from: HistoryListing)
    /// The account has this name now.
    case renamed(DID, Handle)
  }

  public let kind: Kind
  /// When it happened, by the clock of the stream.
  public let at: Instant

  /// Creates an event.
  public init(_ kind: Kind, at moment: Instant) {
    self.kind = kind
    at = moment
  }
}

extension HistoryEvent {
  /// Whether the record of an account that an event deletes is replaced by one that says the same.
  package func isUndone(by next: HistoryEvent?, _ account: DID, on listing: HistoryListing) -> Bool {
    guard let next, case .deleted(let key, _, _) = kind else { return false }
    return next == HistoryEvent(.made(account, key, on: listing), at: at)
  }
}

/// What a batch of events changed.
public struct ObservedEvents: Sendable, Hashable {
  /// A change that an event made.
  public struct Change: Sendable, Hashable {
    /// The index of the event in its batch.
    public let event: Int
    public let change: HistoryChange

    package init(_ event: Int, _ change: HistoryChange) { (self.event, self.change) = (event, change) }
  }

  /// In the order of the events.
  public package(set) var changes: [Change] = []
  /// The indices of events that may have changed a followed listing in a way that only a server can tell: a record was
  /// deleted whose key is not known, or an account was shown again whose records are not known. Ask about its account.
  public package(set) var unresolved: [Int] = []
  /// The indices of events that told a new name.
  public package(set) var renames: [Int] = []

  package init() {}

  /// The changes by the index of their event.
  var changesByEvent: [Int: [HistoryChange]] {
    Dictionary(grouping: changes, by: \.event).mapValues { $0.map(\.change) }
  }
}
