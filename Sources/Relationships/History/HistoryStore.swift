// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account on a listing, with the key of the record that puts it there where that is known.
public struct HistoryEdge: Sendable, Hashable {
  public let account: DID
  /// Of followers it is known only where it was asked for.
  public let rkey: RecordKey?

  /// Puts an edge together.
  public init(_ account: DID, rkey: RecordKey? = nil) {
    self.account = account
    self.rkey = rkey
  }
}

/// That an account is no longer on a listing, why, and how that was learned.
public struct HistoryLoss: Sendable, Hashable {
  public let account: DID
  public let cause: LossCause
  public let evidence: Evidence

  /// Puts a loss together.
  public init(_ account: DID, _ cause: LossCause, _ evidence: Evidence) {
    self.account = account
    self.cause = cause
    self.evidence = evidence
  }
}

/// How long an account was on a listing: from the snapshot that first saw it to the one that lost it.
public struct HistoryInterval: Sendable, Hashable {
  public let edge: HistoryEdge
  /// The snapshot that first saw it.
  public let first: SnapshotID
  /// The snapshot that lost it; nil where it is still there.
  public var lostIn: SnapshotID?
  /// Why; nil where it is still there.
  public var loss: HistoryLoss?
  /// Whether it was on the listing before, and lost.
  public let isReturn: Bool

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

  /// Whether the account was on the listing when a snapshot was taken.
  public func holds(at snapshot: SnapshotID) -> Bool {
    first <= snapshot && (lostIn.map { snapshot < $0 } ?? true)
  }
}

/// What a profile counts at one time.
public struct CountsAtTime: Sendable, Hashable {
  /// In microseconds since 1970.
  public let at: Int64
  public let counts: AccountView.Counts

  /// Puts counts and their time together.
  public init(at: Int64, _ counts: AccountView.Counts) {
    self.at = at
    self.counts = counts
  }
}

/// An actor of whom snapshots are taken regularly.
public struct WatchedActor: Sendable, Hashable {
  public let actor: DID
  /// In microseconds since 1970.
  public let since: Int64

  /// Puts together who is watched and since when.
  public init(_ actor: DID, since: Int64) {
    self.actor = actor
    self.since = since
  }
}

/// A number of followers that somebody wants an actor to reach.
public struct FollowerGoal: Sendable, Hashable {
  /// How many are wanted.
  public let followers: Int
  /// How many there were when the goal was set.
  public let start: Int
  /// In microseconds since 1970.
  public let since: Int64

  /// Puts a goal together.
  public init(_ followers: Int, from start: Int, since: Int64) {
    self.followers = followers
    self.start = start
    self.since = since
  }
}

/// Accounts that somebody wants to know about again and again: a name for a predicate.
public struct Segment: Sendable, Hashable {
  /// Letters, digits, `-` and `_`, 64 at most.
  public let name: String
  /// In the language of ``AccountPredicate``.
  public let predicate: String
  /// When it was named, in microseconds since 1970.
  public let since: Int64

  /// Names a predicate, whose words are not checked here; nil where the name is none.
  public init?(_ name: String, _ predicate: String, since: Int64) {
    guard Self.isName(name) else { return nil }
    self.name = name
    self.predicate = predicate
    self.since = since
  }

  /// Whether a text may name a segment.
  public static func isName(_ text: String) -> Bool {
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

/// How many of an actor's followers were in a segment at one time.
public struct SegmentCount: Sendable, Hashable {
  /// In microseconds since 1970.
  public let at: Int64
  public let members: Int

  /// Puts a count and its time together.
  public init(at: Int64, _ members: Int) {
    self.at = at
    self.members = members
  }
}

/// Keeps snapshots as intervals, so that one costs what has changed and not what is there.
///
/// Times are microseconds since 1970, as the caller's clock tells them. What an implementation throws beside
/// ``HistoryError`` is its own.
public protocol HistoryStore: Sendable {
  // MARK: Writing

  /// Begins a snapshot; until it is finished it changes nothing that can be read.
  ///
  /// - Throws: ``HistoryError``, `inUse` while a snapshot of the same listing is being taken, by any process.
  func begin(_ listing: HistoryListing, at now: Int64) async throws -> any SnapshotWriter

  /// Keeps what a profile counts.
  func record(_ counts: CountsAtTime, of actor: DID) async throws

  /// Keeps record keys that were learned after the snapshot, of accounts that are on the listing by the last one and have
  /// none yet; passes over others.
  func learn(_ edges: [HistoryEdge], of listing: HistoryListing) async throws

  // MARK: Reading

  /// The listings of which there is a snapshot, in the order of their first ones.
  ///
  /// - Parameter actor: whose; nil for everybody's.
  func listings(of actor: DID?) async throws -> [HistoryListing]

  /// All snapshots of a listing, the oldest first.
  func snapshots(of listing: HistoryListing) async throws -> [Snapshot]

  /// The intervals that begin or end with one of these snapshots of the listing.
  func intervals(
    of listing: HistoryListing, in snapshots: ClosedRange<SnapshotID>
  ) async throws
    -> [HistoryInterval]

  /// All intervals of the listing, those of an account beside each other and the oldest first, in an order that does not
  /// change.
  ///
  /// - Parameters:
  ///   - account: whose came last on the page before; nil for the first page.
  ///   - most: how many accounts a page has at most.
  func intervals(
    of listing: HistoryListing, after account: DID?, most: Int
  ) async throws -> [HistoryInterval]

  /// The intervals of one account, the oldest first.
  func intervals(of listing: HistoryListing, about account: DID) async throws -> [HistoryInterval]

  /// Who was on the listing when a snapshot was taken, in an order that does not change.
  ///
  /// - Parameters:
  ///   - account: who came last on the page before; nil for the first page.
  ///   - most: the size of a page.
  func edges(
    of listing: HistoryListing, at snapshot: SnapshotID, after account: DID?, most: Int
  ) async throws -> [HistoryEdge]

  /// What the profile of an actor counted, the oldest first.
  func counts(of actor: DID, since: Int64) async throws -> [CountsAtTime]

  // MARK: Watched actors

  /// Watches an actor; returns false where they are watched already.
  @discardableResult
  func watch(_ actor: DID, at now: Int64) async throws -> Bool

  /// Watches an actor no longer; returns false where they were not watched.
  @discardableResult
  func unwatch(_ actor: DID) async throws -> Bool

  /// Who is watched, in the order in which they were added.
  func watched() async throws -> [WatchedActor]

  // MARK: Goals and segments

  /// What an actor is to reach; nil where nothing was set.
  func goal(of actor: DID) async throws -> FollowerGoal?

  /// Sets a goal; nil takes it back.
  func set(_ goal: FollowerGoal?, of actor: DID) async throws

  /// All segments, in the order of their names.
  func segments() async throws -> [Segment]

  /// Adds a segment, or gives the one of its name another predicate, whose counts are forgotten then.
  func add(_ segment: Segment) async throws

  /// Removes a segment with its counts; returns false where there is none of the name.
  @discardableResult
  func removeSegment(named name: String) async throws -> Bool

  /// Keeps how many of an actor's followers are in a segment; does nothing where there is none of the name.
  func record(_ count: SegmentCount, of segment: String, for actor: DID) async throws

  /// How many of an actor's followers were in a segment, the oldest count first.
  func counts(of segment: String, for actor: DID) async throws -> [SegmentCount]

  // MARK: Forgetting

  /// Forgets intervals that ended, counts that were recorded and snapshots that failed before a time.
  ///
  /// Who is on a listing now stays, and since when.
  /// - Returns: how many intervals are forgotten.
  @discardableResult
  func prune(before: Int64) async throws -> Int

  /// Forgets everything about an actor's listings; returns false where nothing was known.
  ///
  /// - Throws: ``HistoryError``, `inUse` while a snapshot of them is being taken.
  @discardableResult
  func forget(_ actor: DID) async throws -> Bool
}

/// Takes in a listing page by page. Dropped before it is finished, it changes nothing but that its snapshot shows as
/// interrupted.
public protocol SnapshotWriter: Sendable {
  /// The snapshot as it began.
  var snapshot: Snapshot { get }
  /// The last complete one before it.
  var previous: Snapshot? { get }

  /// Takes accounts of the listing. Of an account that comes twice the first key that is known stands (Q16).
  ///
  /// - Returns: those that were not on the listing by the snapshot before, each once, in their order.
  func add(_ edges: [HistoryEdge]) async throws -> [DID]

  /// Accounts that were on the listing by the snapshot before, and that nobody has added.
  ///
  /// - Parameters:
  ///   - account: who came last on the page before; nil for the first page.
  ///   - most: the size of a page.
  func missing(after account: DID?, most: Int) async throws -> [HistoryEdge]

  /// Takes accounts to be lost.
  func lose(_ losses: [HistoryLoss]) async throws

  /// Ends it, all at once: what was added and lost stands from here on.
  ///
  /// - Parameters:
  ///   - counts: what was counted; what was listed, gained and lost is computed.
  ///   - note: why losses were not concluded.
  func finish(
    _ extent: Snapshot.Extent, _ counts: Snapshot.Counts, note: String?, at now: Int64
  ) async throws -> Snapshot

  /// Ends it without any effect on the listing.
  func fail(_ note: String, at now: Int64) async throws -> Snapshot
}

/// Why a history cannot be written or read.
public struct HistoryError: CodedError {
  public static let domain = "history"

  /// The kind of failure.
  public let code: Code
  /// The actor that it concerns.
  public let subject: String
  public let detail: String

  init(_ code: Code, subject: String, _ detail: String) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }

  /// The kinds of failure; more may come, so a `switch` needs a default.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String, Sendable, CaseIterable { case inUse, noSnapshot }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// Every kind that there is now.
    package static var all: [Code] { Kind.allCases.map { Code($0) } }

    /// The name of the kind, as it stands in machine output.
    public var description: String { kind.rawValue }

    /// A snapshot of the listing is being taken.
    public static let inUse = Code(.inUse)
    /// There is no complete snapshot of the actor.
    public static let noSnapshot = Code(.noSnapshot)
  }

  /// A snapshot of the listing is being taken.
  package static func inUse(_ listing: HistoryListing) -> HistoryError {
    HistoryError(
      .inUse, subject: listing.actor.description,
      "a snapshot of \(listing.side.rawValue) is being taken; try again when it is done")
  }

  /// There is no complete snapshot of the actor.
  package static func noSnapshot(of actor: DID) -> HistoryError {
    HistoryError(.noSnapshot, subject: actor.description, "no snapshot was taken yet")
  }
}
