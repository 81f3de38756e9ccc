// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// One side of an actor's graph, as stored in a history.
package struct HistoryListing: Sendable, Hashable {
  /// The kind of listing.
  package enum Side: String, Sendable, Hashable, CaseIterable {
    /// Accounts that follow the actor.
    case followers
    /// Accounts that the actor follows.
    case follows
    /// Accounts that the actor blocks directly.
    case blocks
    /// Accounts that the actor mutes; known only to the actor's own AppView.
    case mutes
    /// Accounts on a list of the actor.
    case members
  }

  /// The actor whose graph it is.
  package let actor: DID
  /// The side of the graph.
  package let side: Side
  /// The key of the list, for ``Side/members``.
  package let list: RecordKey?

  /// Creates a listing for any side except the members of a list.
  package init(_ side: Side, of actor: DID) {
    self.init(side, of: actor, list: nil)
  }

  /// Creates a listing of the members of an actor's list.
  package init(membersOf list: RecordKey, of actor: DID) {
    self.init(.members, of: actor, list: list)
  }

  /// Creates a listing from stored values.
  package init(_ side: Side, of actor: DID, list: RecordKey?) {
    self.actor = actor
    self.side = side
    self.list = list
  }
}

extension HistoryListing {
  /// The record of an edge; nil if its key is unknown, and for mutes, which have no record.
  package func record(of edge: HistoryEdge) -> ATURI? {
    guard let rkey = edge.rkey else { return nil }
    return switch side {
    case .followers: ATURI(authority: .did(edge.account), collection: .follow, recordKey: rkey)
    case .follows: ATURI(authority: .did(actor), collection: .follow, recordKey: rkey)
    case .blocks: ATURI(authority: .did(actor), collection: .block, recordKey: rkey)
    case .members: ATURI(authority: .did(actor), collection: .listitem, recordKey: rkey)
    case .mutes: nil
    }
  }
}

/// The number of a snapshot; later snapshots have larger numbers.
package struct SnapshotID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Starts at 1.
  package let number: Int64

  /// Wraps a number assigned by a store.
  package init(number: Int64) { self.number = number }

  package var description: String { "\(number)" }

  package static func < (one: SnapshotID, other: SnapshotID) -> Bool { one.number < other.number }
}

/// The accounts of a listing at one time, compared with the previous snapshot.
package struct Snapshot: Sendable, Hashable {
  /// The progress of a snapshot.
  package enum State: String, Sendable, Hashable, CaseIterable {
    /// It is in progress.
    case running
    /// Everything within its ``Snapshot/extent`` was read.
    case complete
    /// The listing could not be read completely; nothing was concluded.
    case failed
    /// The process ended before the snapshot did; nothing was concluded.
    case interrupted
  }

  /// How much of the listing was read.
  package enum Extent: String, Sendable, Hashable, CaseIterable {
    /// All of it; only full snapshots find losses.
    case full
    /// Only the newest accounts, down to those of the previous snapshot, because the profile's count showed
    /// that there were no losses.
    case incremental
  }

  /// The counts of a snapshot.
  package struct Counts: Sendable, Hashable {
    /// The profile's count; nil if no server counts these accounts, or the count could not be read.
    package var counted: Int?
    /// Accounts on the listing according to this snapshot and those before it.
    package var listed: Int
    /// New accounts since the previous snapshot; zero in the baseline.
    package var gained: Int
    /// Lost accounts.
    package var lost: Int
    /// Accounts that were not listed but are not counted as lost, because the loss could not be confirmed.
    package var unconfirmed: Int

    /// Creates counts.
    package init(
      counted: Int? = nil, listed: Int = 0, gained: Int = 0, lost: Int = 0, unconfirmed: Int = 0
    ) {
      self.counted = counted
      self.listed = listed
      self.gained = gained
      self.lost = lost
      self.unconfirmed = unconfirmed
    }
  }

  package let id: SnapshotID
  package let listing: HistoryListing
  package var state: State
  /// Nil until the snapshot is complete.
  package var extent: Extent?
  /// In microseconds since 1970, like all times of a history.
  package let startedAt: Int64
  /// Nil while it runs, and if the process ended before it did.
  package var endedAt: Int64?
  /// When the previous complete snapshot began; nil for the first one, the baseline, whose accounts are not
  /// gains.
  package let previousAt: Int64?
  /// When the last full snapshot without unconfirmed losses began; a lost account was still there at that
  /// time.
  package let previousFullAt: Int64?
  package var counts: Counts
  /// Why it failed, or why no losses were concluded.
  package var note: String?
  /// The followers that were asked when they followed; nil if none were asked after the snapshot.
  package var dateSample: AccountSample?

  /// Creates a snapshot from stored values.
  package init(
    id: SnapshotID, listing: HistoryListing, state: State = .running, extent: Extent? = nil, startedAt: Int64,
    endedAt: Int64? = nil, previousAt: Int64?, previousFullAt: Int64?, counts: Counts = Counts(),
    note: String? = nil, dateSample: AccountSample? = nil
  ) {
    self.id = id
    self.listing = listing
    self.state = state
    self.extent = extent
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.previousAt = previousAt
    self.previousFullAt = previousFullAt
    self.counts = counts
    self.note = note
    self.dateSample = dateSample
  }

  /// Whether it is the first of its listing, whose accounts are not gains.
  package var isBaseline: Bool { previousAt == nil }
}
