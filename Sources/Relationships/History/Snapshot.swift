// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// One side of an actor's graph, as a history keeps it.
public struct HistoryListing: Sendable, Hashable {
  /// Which accounts are listed.
  public enum Side: String, Sendable, Hashable, CaseIterable {
    /// Accounts that follow the actor.
    case followers
    /// Accounts that the actor follows.
    case follows
    /// Accounts that the actor blocks directly.
    case blocks
    /// Accounts that the actor mutes; only the actor's own AppView knows them.
    case mutes
    /// Accounts on a list of the actor.
    case members
  }

  /// Whose graph it is.
  public let actor: DID
  /// Which side of it.
  public let side: Side
  /// The key of the list, for ``Side/members``.
  public let list: RecordKey?

  /// Names a side of an actor's graph other than the members of a list.
  public init(_ side: Side, of actor: DID) {
    self.init(side, of: actor, list: nil)
  }

  /// Names the members of a list of an actor.
  public init(membersOf list: RecordKey, of actor: DID) {
    self.init(.members, of: actor, list: list)
  }

  /// Puts together what a store holds.
  package init(_ side: Side, of actor: DID, list: RecordKey?) {
    self.actor = actor
    self.side = side
    self.list = list
  }
}

extension HistoryListing {
  /// The record that an edge stands in; nil where its key is not known, and for mutes, which have none.
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

/// The number of a snapshot; a later snapshot has a larger one.
public struct SnapshotID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// From 1.
  public let number: Int64

  /// Takes a number that a store gave.
  public init(number: Int64) { self.number = number }

  public var description: String { "\(number)" }

  public static func < (one: SnapshotID, other: SnapshotID) -> Bool { one.number < other.number }
}

/// The accounts of a listing at one time, and how they differ from the snapshot before.
public struct Snapshot: Sendable, Hashable {
  /// How far it has come.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It is being taken.
    case running
    /// Everything that its ``Snapshot/extent`` names was read.
    case complete
    /// The listing could not be read to its end; nothing was concluded from it.
    case failed
    /// The process that took it has ended before it did; nothing was concluded from it.
    case interrupted
  }

  /// What was read of the listing.
  public enum Extent: String, Sendable, Hashable, CaseIterable {
    /// All of it: only such a snapshot finds losses.
    case full
    /// The newest accounts, down to those of the snapshot before, while the profile's count confirmed that nobody left.
    case incremental
  }

  /// What was counted.
  public struct Counts: Sendable, Hashable {
    /// How many accounts the profile counted; nil where no server counts them, or the count was not learned.
    public var counted: Int?
    /// How many accounts were on the listing, by this snapshot and those before it.
    public var listed: Int
    /// How many are new since the snapshot before; none in the first one.
    public var gained: Int
    /// How many are gone.
    public var lost: Int
    /// How many were not listed and are not counted as lost: nobody could confirm that they are gone.
    public var unconfirmed: Int

    /// Puts together what was counted.
    public init(
      counted: Int? = nil, listed: Int = 0, gained: Int = 0, lost: Int = 0, unconfirmed: Int = 0
    ) {
      self.counted = counted
      self.listed = listed
      self.gained = gained
      self.lost = lost
      self.unconfirmed = unconfirmed
    }
  }

  public let id: SnapshotID
  public let listing: HistoryListing
  public var state: State
  /// Nil until it is complete.
  public var extent: Extent?
  /// In microseconds since 1970, as all times of a history.
  public let startedAt: Int64
  /// Nil while it runs, and where the process has ended before it did.
  public var endedAt: Int64?
  /// When the last complete snapshot before it began; nil for the first one, which is the baseline: its accounts are
  /// not gains.
  public let previousAt: Int64?
  /// When the last full snapshot before it began that left nothing unconfirmed. An account that is lost was there then.
  public let previousFullAt: Int64?
  public var counts: Counts
  /// Why it failed, or why losses were not concluded.
  public var note: String?

  /// Puts together what a store holds.
  package init(
    id: SnapshotID, listing: HistoryListing, state: State = .running, extent: Extent? = nil, startedAt: Int64,
    endedAt: Int64? = nil, previousAt: Int64?, previousFullAt: Int64?, counts: Counts = Counts(),
    note: String? = nil
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
  }

  /// Whether it is the first of its listing, so that its accounts are not gains.
  public var isBaseline: Bool { previousAt == nil }
}
