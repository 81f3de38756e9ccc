// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// An account on a listing, with the key of its record if known.
package struct HistoryEdge: Sendable, Hashable {
  package let account: DID
  /// For followers, only known if it was requested.
  package let rkey: RecordKey?

  /// Creates an edge.
  package init(_ account: DID, rkey: RecordKey? = nil) {
    self.account = account
    self.rkey = rkey
  }
}

/// A loss of an account from a listing, with cause and evidence.
package struct HistoryLoss: Sendable, Hashable {
  package let account: DID
  package let cause: LossCause
  package let evidence: Evidence

  /// Creates a loss.
  package init(_ account: DID, _ cause: LossCause, _ evidence: Evidence) {
    self.account = account
    self.cause = cause
    self.evidence = evidence
  }
}

/// The time an account was on a listing: from the snapshot that first saw it to the one that lost it.
package struct HistoryInterval: Sendable, Hashable {
  package let edge: HistoryEdge
  /// The snapshot that first saw it.
  package let first: SnapshotID
  /// The snapshot that lost it; nil if it is still on the listing.
  package var lostIn: SnapshotID?
  /// The loss; nil if it is still on the listing.
  package var loss: HistoryLoss?
  /// Whether it was on the listing earlier, and lost.
  package let isReturn: Bool

  package init(
    _ edge: HistoryEdge, first: SnapshotID, lostIn: SnapshotID? = nil, loss: HistoryLoss? = nil,
    isReturn: Bool = false
  ) {
    self.edge = edge
    self.first = first
    self.lostIn = lostIn
    self.loss = loss
    self.isReturn = isReturn
  }

  /// Whether the account was on the listing at the time of a snapshot.
  package func holds(at snapshot: SnapshotID) -> Bool {
    first <= snapshot && (lostIn.map { snapshot < $0 } ?? true)
  }
}

/// The counts of a profile at one time.
package struct CountsAtTime: Sendable, Hashable {
  /// In microseconds since 1970.
  package let at: Int64
  package let counts: AccountView.Counts

  /// Creates a pair of time and counts.
  package init(at: Int64, _ counts: AccountView.Counts) {
    self.at = at
    self.counts = counts
  }
}

/// An actor that is watched: regular snapshots are taken of it.
package struct WatchedActor: Sendable, Hashable {
  package let actor: DID
  /// In microseconds since 1970.
  package let since: Int64

  /// Creates a watched actor.
  package init(_ actor: DID, since: Int64) {
    self.actor = actor
    self.since = since
  }
}

/// A target number of followers for an actor.
package struct FollowerGoal: Sendable, Hashable {
  /// The target.
  package let followers: Int
  /// The number of followers when the goal was set.
  package let start: Int
  /// In microseconds since 1970.
  package let since: Int64

  /// Creates a goal.
  package init(_ followers: Int, from start: Int, since: Int64) {
    self.followers = followers
    self.start = start
    self.since = since
  }
}

/// A named predicate that selects accounts.
package struct Segment: Sendable, Hashable {
  /// Letters, digits, `-` and `_`, 64 at most.
  package let name: String
  /// In the ``AccountPredicate`` syntax.
  package let predicate: String
  /// When it was created, in microseconds since 1970.
  package let since: Int64

  /// Creates a segment; nil if the name is invalid. The predicate is not checked here.
  package init?(_ name: String, _ predicate: String, since: Int64) {
    guard Self.isName(name) else { return nil }
    self.name = name
    self.predicate = predicate
    self.since = since
  }

  /// Whether a text is a valid segment name.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

/// The number of an actor's followers in a segment at one time.
package struct SegmentCount: Sendable, Hashable {
  /// In microseconds since 1970.
  package let at: Int64
  package let members: Int

  /// Creates a pair of time and count.
  package init(at: Int64, _ members: Int) {
    self.at = at
    self.members = members
  }
}

/// Stores snapshots as intervals, so a snapshot costs as much as what changed, not as what is listed.
///
/// Times are microseconds since 1970 by the caller's clock. Implementations may throw errors of their own
/// besides ``HistoryError``.
package protocol HistoryStore: Sendable {
  // MARK: Writing

  /// Begins a snapshot; nothing readable changes until it is finished.
  ///
  /// - Throws: ``HistoryError``, `inUse` while any process takes a snapshot of the same listing.
  func begin(_ listing: HistoryListing, at now: Int64) async throws -> any SnapshotWriter

  /// Stores the counts of a profile.
  func record(_ counts: CountsAtTime, of actor: DID) async throws

  /// Adds record keys that were learned after the snapshot, for accounts that are on the listing and have
  /// no key; ignores others.
  func learn(_ edges: [HistoryEdge], of listing: HistoryListing) async throws

  /// Remembers with a complete snapshot which of its accounts were asked for their keys; of several samples,
  /// the largest is kept.
  func record(_ sample: AccountSample, of snapshot: SnapshotID) async throws

  // MARK: Reading

  /// The listings that have snapshots, in the order of their first ones.
  ///
  /// - Parameter actor: nil for all actors.
  func listings(of actor: DID?) async throws -> [HistoryListing]

  /// All snapshots of a listing, oldest first.
  func snapshots(of listing: HistoryListing) async throws -> [Snapshot]

  /// The intervals that begin or end with one of these snapshots of the listing.
  func intervals(
    of listing: HistoryListing, in snapshots: ClosedRange<SnapshotID>
  ) async throws
    -> [HistoryInterval]

  /// All intervals of the listing in a stable order: grouped by account, oldest first.
  ///
  /// - Parameters:
  ///   - account: the last account of the previous page; nil for the first page.
  ///   - most: the most accounts on a page.
  func intervals(
    of listing: HistoryListing, after account: DID?, most: Int
  ) async throws -> [HistoryInterval]

  /// The intervals of one account, oldest first.
  func intervals(of listing: HistoryListing, about account: DID) async throws -> [HistoryInterval]

  /// The accounts that were on the listing at the time of a snapshot, in a stable order.
  ///
  /// - Parameters:
  ///   - account: the last account of the previous page; nil for the first page.
  ///   - most: the size of a page.
  func edges(
    of listing: HistoryListing, at snapshot: SnapshotID, after account: DID?, most: Int
  ) async throws -> [HistoryEdge]

  /// The counts of an actor's profile, oldest first.
  func counts(of actor: DID, since: Int64) async throws -> [CountsAtTime]

  // MARK: Watched actors

  /// Watches an actor; returns false if it is already watched.
  @discardableResult
  func watch(_ actor: DID, at now: Int64) async throws -> Bool

  /// Stops watching an actor; returns false if it was not watched.
  @discardableResult
  func unwatch(_ actor: DID) async throws -> Bool

  /// The watched actors, in the order in which they were added.
  func watched() async throws -> [WatchedActor]

  // MARK: Goals and segments

  /// The goal of an actor; nil if none is set.
  func goal(of actor: DID) async throws -> FollowerGoal?

  /// Sets a goal; nil removes it.
  func set(_ goal: FollowerGoal?, of actor: DID) async throws

  /// All segments, sorted by name.
  func segments() async throws -> [Segment]

  /// Adds a segment, or replaces the predicate of the one with its name, which deletes its counts.
  func add(_ segment: Segment) async throws

  /// Removes a segment and its counts; returns false if there is no segment of that name.
  @discardableResult
  func removeSegment(named name: String) async throws -> Bool

  /// Stores the number of an actor's followers in a segment; does nothing if there is no segment of that
  /// name.
  func record(_ count: SegmentCount, of segment: String, for actor: DID) async throws

  /// The numbers of an actor's followers in a segment, oldest first.
  func counts(of segment: String, for actor: DID) async throws -> [SegmentCount]

  // MARK: Deleting

  /// Deletes intervals that ended, counts that were recorded and snapshots that failed before a time.
  ///
  /// Accounts that are on a listing now stay, and since when, and whether they had left before. The counts of
  /// complete snapshots stay, so that they show how many intervals are missing.
  /// - Returns: the number of deleted intervals.
  @discardableResult
  func prune(before: Int64) async throws -> Int

  /// Deletes everything about an actor's listings; returns false if there was nothing.
  ///
  /// - Throws: ``HistoryError``, `inUse` while a snapshot of one of them is being taken.
  @discardableResult
  func forget(_ actor: DID) async throws -> Bool
}

/// Receives a listing page by page. If it is released before it finishes, its snapshot shows as interrupted
/// and nothing else changes.
package protocol SnapshotWriter: Sendable {
  /// The snapshot as it began.
  var snapshot: Snapshot { get }
  /// The last complete snapshot before it.
  var previous: Snapshot? { get }

  /// Adds accounts of the listing. If an account comes twice, its first known key is kept (Q16).
  ///
  /// - Returns: the accounts that were not on the listing in the previous snapshot, once each, in order.
  func add(_ edges: [HistoryEdge]) async throws -> [DID]

  /// Accounts that were on the listing in the previous snapshot and have not been added.
  ///
  /// - Parameters:
  ///   - account: the last account of the previous page; nil for the first page.
  ///   - most: the size of a page.
  func missing(after account: DID?, most: Int) async throws -> [HistoryEdge]

  /// The accounts whose losses the last complete snapshot withheld.
  func withheld() async throws -> Set<DID>

  /// Remembers, until the next complete snapshot, accounts whose losses are not believed yet.
  func withhold(_ accounts: [DID]) async throws

  /// Records losses.
  func lose(_ losses: [HistoryLoss]) async throws

  /// Finishes the snapshot atomically: additions and losses take effect now.
  ///
  /// - Parameters:
  ///   - counts: the profile's count and the number of unconfirmed losses; what was listed, gained and lost
  ///     is computed.
  ///   - note: why no losses were concluded.
  func finish(
    _ extent: Snapshot.Extent, _ counts: Snapshot.Counts, note: String?, at now: Int64
  ) async throws -> Snapshot

  /// Ends the snapshot as failed, without any effect on the listing.
  func fail(_ note: String, at now: Int64) async throws -> Snapshot
}

/// An error of reading or writing a history.
package struct HistoryError: CodedError {
  package static let domain = "history"

  /// The kind of failure.
  package let code: Code
  /// The actor concerned.
  package let subject: String
  package let detail: String

  init(_ code: Code, subject: String, _ detail: String) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable { case inUse, noSnapshot }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// All current kinds.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind in machine output.
    package var description: String { kind.rawValue }

    /// A snapshot of the listing is being taken.
    package static let inUse = Code(.inUse)
    /// There is no complete snapshot of the actor.
    package static let noSnapshot = Code(.noSnapshot)
  }

  /// A snapshot of the listing is being taken.
  package static func inUse(_ listing: HistoryListing) -> HistoryError {
    HistoryError(
      .inUse, subject: listing.actor.description,
      "a snapshot of \(listing.side.rawValue) is in progress; try again when it has finished")
  }

  /// There is no complete snapshot of the actor.
  package static func noSnapshot(of actor: DID) -> HistoryError {
    HistoryError(.noSnapshot, subject: actor.description, "no snapshot yet")
  }
}
