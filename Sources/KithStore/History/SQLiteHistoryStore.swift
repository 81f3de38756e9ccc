// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithClient
package import KithCore
package import KithHistory
internal import KithRelationships

/// A history in a file that all processes share.
///
/// A snapshot is written at its end, in one transaction; until then its accounts are in temporary tables of
/// the connection. The lease to take a snapshot of a listing is a file lock, which the system releases when
/// the process ends.
package struct SQLiteHistoryStore: HistoryStore {
  let database: StoreDatabase

  /// Creates a store of a history file.
  package init(_ database: StoreDatabase) { self.database = database }

  // MARK: Writing

  package func begin(
    _ listing: HistoryListing, from appview: String?, at now: Instant
  ) async throws -> any SnapshotWriter {
    let lock = try lock(listing)
    let (id, snapshot, previous) = try await database.write { database in
      let tables = HistoryTables(database: database)
      let id = try tables.id(adding: listing)
      let previous = try tables.lastSnapshot(of: listing, id)
      return (id, try tables.begin(listing, id, from: appview, after: previous, at: now), previous)
    }
    return SQLiteSnapshotWriter(
      snapshot: snapshot, previous: previous, listing: id, database: database, lock: lock)
  }

  package func record(_ counts: CountSample, of actor: DID) async throws {
    try await database.write { try HistoryTables(database: $0).record(counts, of: actor) }
  }

  package func learn(_ edges: [HistoryEdge], of listing: HistoryListing) async throws {
    try await database.write { try HistoryTables(database: $0).learn(edges, of: listing) }
  }

  package func record(_ sample: AccountSample, of snapshot: ObservationID) async throws {
    try await database.write { try HistoryTables(database: $0).record(sample, of: snapshot) }
  }

  /// Adds what was observed elsewhere: all of it, or nothing.
  ///
  /// - Throws: ``HistoryError``, `known`, if there are observations of one of the actors, which it would contradict.
  package func add(_ past: PastHistory) async throws {
    try await database.write { database in
      let tables = HistoryTables(database: database)
      for actor in past.actors where try tables.isKnown(actor) { throw HistoryError.known(actor) }
      try tables.add(past)
    }
  }

  // MARK: Reading

  package func listings(of actor: DID?) async throws -> [HistoryListing] {
    try await database.read { try HistoryTables(database: $0).listings(of: actor) }
  }

  package func snapshots(of listing: HistoryListing) async throws -> [Snapshot] {
    let found = try await database.read { try HistoryTables(database: $0).snapshots(of: listing) }
    guard found.contains(where: { $0.state == .running }) else { return found }
    // A snapshot whose lock is free was left behind by a process that ended; only the last one can be locked.
    let isHeld = try isBeingTaken(listing)
    return found.map { snapshot in
      var snapshot = snapshot
      if snapshot.state == .running, !isHeld || snapshot.id != found.last?.id {
        snapshot.state = .interrupted
      }
      return snapshot
    }
  }

  package func changes(
    of listing: HistoryListing, before observation: ObservationID?, most: Int
  ) async throws -> [Observation] {
    try await database.read {
      try HistoryTables(database: $0).changes(of: listing, before: observation, most: most)
    }
  }

  package func intervals(
    of listing: HistoryListing, in observations: ClosedRange<ObservationID>
  ) async throws -> [HistoryInterval] {
    try await database.read { try HistoryTables(database: $0).intervals(of: listing, in: observations) }
  }

  package func intervals(
    of listing: HistoryListing, after account: DID?, most: Int
  ) async throws -> [HistoryInterval] {
    try await database.read {
      try HistoryTables(database: $0).intervals(of: listing, after: account, most: most)
    }
  }

  package func intervals(of listing: HistoryListing, about account: DID) async throws -> [HistoryInterval] {
    try await database.read { try HistoryTables(database: $0).intervals(of: listing, about: account) }
  }

  package func edges(
    of listing: HistoryListing, at observation: ObservationID, after account: DID?, most: Int
  ) async throws -> [HistoryEdge] {
    try await database.read {
      try HistoryTables(database: $0).edges(of: listing, at: observation, after: account, most: most)
    }
  }

  package func counts(of actor: DID, since: Instant) async throws -> [CountSample] {
    try await database.read { try HistoryTables(database: $0).counts(of: actor, since: since) }
  }

  // MARK: Streams

  package func follow(
    _ listings: [HistoryListing], from cursor: StreamCursor
  ) async throws -> StreamReaderID {
    try await database.write { try HistoryTables(database: $0).follow(listings, from: cursor) }
  }

  package func unfollow(_ listings: [HistoryListing]) async throws {
    try await database.write { try HistoryTables(database: $0).unfollow(listings) }
  }

  package func cursors(of listings: [HistoryListing]) async throws -> [HistoryListing: StreamCursor] {
    try await database.read { try HistoryTables(database: $0).cursors(of: listings) }
  }

  package func readers(of listings: [HistoryListing]) async throws -> [HistoryListing: StreamReaderID] {
    try await database.read { try HistoryTables(database: $0).readers(of: listings) }
  }

  @discardableResult
  package func observe(
    _ events: [HistoryEvent], upTo cursor: StreamCursor, by reader: StreamReaderID
  ) async throws -> ObservedEvents {
    try await database.write { database in
      var fold = try StreamFold(HistoryTables(database: database), upTo: cursor, by: reader)
      try fold.apply(events)
      return fold.observed
    }
  }

  package func recordGap(of listings: [HistoryListing], since: Instant, until: Instant) async throws {
    try await database.write {
      try HistoryTables(database: $0).recordGap(of: listings, since: since, until: until)
    }
  }

  package func gaps(of listing: HistoryListing) async throws -> [HistoryGap] {
    try await database.read { try HistoryTables(database: $0).gaps(of: listing) }
  }

  package func standings(of account: DID) async throws -> [ListingStanding] {
    try await database.read { try HistoryTables(database: $0).standings(of: account) }
  }

  package func names(of account: DID) async throws -> [Sample<Handle>] {
    try await database.read { try HistoryTables(database: $0).names(of: account) }
  }

  // MARK: Watched actors

  @discardableResult
  package func watch(_ actor: DID, at now: Instant) async throws -> Bool {
    try await database.write { try HistoryTables(database: $0).watch(actor, at: now) }
  }

  @discardableResult
  package func unwatch(_ actor: DID) async throws -> Bool {
    try await database.write { try HistoryTables(database: $0).unwatch(actor) }
  }

  package func watched() async throws -> [WatchedActor] {
    try await database.read { try HistoryTables(database: $0).watched() }
  }

  // MARK: Dismissals

  @discardableResult
  package func dismiss(_ accounts: [DID], by actor: DID, at now: Instant) async throws -> Int {
    try await database.write { try HistoryTables(database: $0).dismiss(accounts, by: actor, at: now) }
  }

  @discardableResult
  package func takeBack(dismissalsOf accounts: [DID], by actor: DID) async throws -> Int {
    try await database.write { try HistoryTables(database: $0).takeBack(dismissalsOf: accounts, by: actor) }
  }

  package func dismissals(by actor: DID) async throws -> [Dismissal] {
    try await database.read { try HistoryTables(database: $0).dismissals(by: actor) }
  }

  // MARK: Goals and segments

  package func goal(of actor: DID) async throws -> FollowerGoal? {
    try await database.read { try HistoryTables(database: $0).goal(of: actor) }
  }

  package func set(_ goal: FollowerGoal?, of actor: DID) async throws {
    try await database.write { try HistoryTables(database: $0).set(goal, of: actor) }
  }

  package func segments() async throws -> [Segment] {
    try await database.read { try HistoryTables(database: $0).segments() }
  }

  package func add(_ segment: Segment) async throws {
    try await database.write { try HistoryTables(database: $0).add(segment) }
  }

  @discardableResult
  package func removeSegment(named name: String) async throws -> Bool {
    try await database.write { try HistoryTables(database: $0).removeSegment(named: name) }
  }

  package func record(_ count: Sample<Int>, of segment: String, for actor: DID) async throws {
    try await database.write { try HistoryTables(database: $0).record(count, of: segment, for: actor) }
  }

  package func counts(of segment: String, for actor: DID) async throws -> [Sample<Int>] {
    try await database.read { try HistoryTables(database: $0).counts(of: segment, for: actor) }
  }

  // MARK: Forgetting

  @discardableResult
  package func prune(before: Instant) async throws -> Int {
    var interrupted: [ObservationID] = []
    for listing in try await listings(of: nil) {
      let found = try await snapshots(of: listing)
      interrupted += found.filter { $0.state == .interrupted && $0.startedAt < before }.map(\.id)
    }
    return try await database.write { [interrupted] in
      try HistoryTables(database: $0).prune(before: before, interrupted: interrupted)
    }
  }

  @discardableResult
  package func forget(_ actor: DID) async throws -> Bool {
    let locks = try await listings(of: actor).map(lock)
    defer { for lock in locks { lock.release() } }
    return try await database.write { try HistoryTables(database: $0).forget(actor) }
  }

  private func isBeingTaken(_ listing: HistoryListing) throws -> Bool {
    do throws(SecureFolderError) {
      return try database.locks.holder(of: StoreDatabase.snapshotLock(of: listing)) != nil
    } catch {
      throw StoreError(error)
    }
  }

  /// Takes the lease to take a snapshot of a listing.
  ///
  /// - Throws: ``HistoryError``, `inUse`, if another process has it.
  private func lock(_ listing: HistoryListing) throws -> SecureFolder.Lock {
    let found: SecureFolder.Lock?
    do throws(SecureFolderError) {
      // A process that checks for a holder has a shared lock for a moment, so a single refusal is not
      // conclusive.
      found = try database.locks.lock(StoreDatabase.snapshotLock(of: listing), patience: .milliseconds(10))
    } catch {
      throw StoreError(error)
    }
    guard let lock = found else { throw HistoryError.inUse(listing) }
    return lock
  }
}

/// Collects a snapshot in temporary tables of the connection, and writes it at its end.
private final class SQLiteSnapshotWriter: SnapshotWriter {
  let snapshot: Snapshot
  let previous: Snapshot?
  private let listing: Int64
  private let database: StoreDatabase
  /// Released with the writer, however it ends.
  private let lock: SecureFolder.Lock

  init(
    snapshot: Snapshot, previous: Snapshot?, listing: Int64, database: StoreDatabase, lock: SecureFolder.Lock
  ) {
    self.snapshot = snapshot
    self.previous = previous
    self.listing = listing
    self.database = database
    self.lock = lock
  }

  func add(_ edges: [HistoryEdge]) async throws -> [DID] {
    try await database.stage { [snapshot, listing] database in
      try HistoryTables(database: database).add(edges, to: snapshot.id, of: listing)
    }
  }

  func missing(after account: DID?, most: Int) async throws -> [HistoryEdge] {
    try await database.stage { [snapshot, listing] database in
      try HistoryTables(database: database).missing(
        from: snapshot.id, of: listing, after: account, most: most)
    }
  }

  func lose(_ losses: [HistoryLoss]) async throws {
    try await database.stage { [snapshot] database in
      try HistoryTables(database: database).lose(losses, in: snapshot.id)
    }
  }

  func withheld() async throws -> Set<DID> {
    try await database.read { [listing] in try HistoryTables(database: $0).withheld(of: listing) }
  }

  func withhold(_ accounts: [DID]) async throws {
    try await database.stage { [snapshot] database in
      try HistoryTables(database: database).withhold(accounts, in: snapshot.id)
    }
  }

  func finish(
    _ extent: Snapshot.Coverage, _ counts: Snapshot.Counts, note: String?, at now: Instant
  ) async throws -> Snapshot {
    var ended = snapshot
    (ended.state, ended.extent, ended.endedAt, ended.note) = (.complete, extent, now, note)
    (ended.counts.counted, ended.counts.unconfirmed) = (counts.counted, counts.unconfirmed)
    ended.counts.doubted = counts.doubted
    let draft = ended
    ended = try await database.write { [listing, previous] database in
      try HistoryTables(database: database).finish(draft, of: listing, after: previous)
    }
    lock.release()
    return ended
  }

  func fail(_ note: String, at now: Instant) async throws -> Snapshot {
    var ended = snapshot
    (ended.state, ended.endedAt, ended.note) = (.failed, now, note)
    let draft = ended
    try await database.write { try HistoryTables(database: $0).end(draft) }
    lock.release()
    return ended
  }
}
