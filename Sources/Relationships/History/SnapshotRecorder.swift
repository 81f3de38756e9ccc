// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
package import ATProtoCore
internal import ATProtoLexicons

/// Takes snapshots of the sides of an actor's graph.
///
/// Followers and mutes come from an AppView. Missing accounts are checked before a loss is concluded: 30
/// per call with `getRelationships`, 25 with `getProfiles`, and one by one those that the AppView does not
/// show. Follows, blocks and members of lists come from the records of the actor's repository, which is
/// authoritative.
///
/// A loss is never concluded from a listing that was not read completely, nor from an AppView that
/// contradicts itself: if many follows seem to be gone but the profile's count does not confirm it, they
/// are kept until it does.
package struct SnapshotRecorder: Sendable {
  /// Options of a snapshot.
  package struct Options: Sendable, Hashable {
    /// Whether to read each listing completely even if nothing seems to have changed.
    package var isFull: Bool
    /// Whether to learn the record keys of new followers, and so the dates that these claim (Q15): one call
    /// per 30.
    package var dates: Bool
    /// The interval between full snapshots.
    package var fullInterval: Duration

    /// By default, a full snapshot once a week.
    package init(isFull: Bool = false, dates: Bool = false, fullInterval: Duration = .seconds(7 * 86_400)) {
      self.isFull = isFull
      self.dates = dates
      self.fullInterval = fullInterval
    }
  }

  /// Receives accounts as they are read; an error it throws ends the run.
  package typealias Reader = @Sendable ([AccountView]) async throws -> Void

  /// A snapshot, and the error if it failed.
  package struct Outcome: Sendable {
    package let snapshot: Snapshot
    /// The actor, with the names that the AppView has; nil if the lookup failed.
    package internal(set) var actor: AccountView?
    /// Nil for a complete snapshot.
    package let fault: (any Error)?

    package init(snapshot: Snapshot, fault: (any Error)?) {
      self.snapshot = snapshot
      self.fault = fault
    }
  }

  /// Accounts checked per batch: eight calls for relationships, and ten for profiles.
  private static let batchSize = 240

  let listings: Listings
  private let own: Listings?
  let store: any HistoryStore
  private let time: TimeSource

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - listings: preferably signed out, as an AppView leaves out accounts that the viewer blocks; also
  ///     finds the repositories for follows, blocks and members.
  ///   - own: listings signed in as the actor; required for mutes.
  package init(_ listings: Listings, own: Listings? = nil, store: any HistoryStore) {
    self.listings = listings
    self.own = own
    self.store = store
    time = listings.client.time
  }

  /// Takes snapshots of some sides of an actor's graph, one after another, and stores the profile's counts.
  ///
  /// - Parameters:
  ///   - sides: ``HistoryListing/Side/members`` stands for the members of every list of the actor.
  ///   - read: called with accounts as they are read, with the names that the listing provides.
  ///   - handOver: called with each snapshot when it ends.
  /// - Throws: ``HistoryError``, `inUse`; what the store throws; `CancellationError`. A server error
  ///   becomes the outcome of its snapshot.
  package func take(
    of actor: DID, _ sides: [HistoryListing.Side], _ options: Options = Options(),
    reading read: Reader = { _ in }, taken handOver: (Outcome) throws -> Void
  ) async throws {
    let profile = try await profile(of: actor)
    let counts = profile?.counts
    func taken(_ outcome: Outcome) throws {
      var outcome = outcome
      outcome.actor = profile
      try handOver(outcome)
    }
    for side in sides {
      switch side {
      case .followers, .follows, .blocks, .mutes:
        let listing = HistoryListing(side, of: actor)
        let counted =
          switch side {
          case .followers: counts?.followers
          case .follows: counts?.follows
          case .blocks, .mutes, .members: nil as Int?
          }
        let listings = side == .mutes ? own : listings
        try taken(
          try await take(listing, counted, options, reading: read) {
            guard let listings else { throw RelationshipError.clientNotConfigured }
            return try await SnapshotPages(of: listing, listings)
          })
      case .members: try await takeLists(of: actor, options, reading: read, taken: taken)
      }
    }
  }

  /// The profile, whose counts are stored; nil if the AppView does not show it.
  private func profile(of actor: DID) async throws -> AccountView? {
    do {
      let view = try await AccountViews(client: listings.client).views(of: [actor])[actor]
      if let counts = view?.counts {
        try await store.record(CountsAtTime(at: time.microsecondsSinceEpoch, counts), of: actor)
      }
      return view
    } catch is RelationshipError {
      // If the AppView is down, reading the listing will fail as well.
      return nil
    }
  }

  /// Takes a snapshot of each list in the repository, and of each list in earlier snapshots.
  private func takeLists(
    of actor: DID, _ options: Options, reading read: Reader,
    taken: (Outcome) throws -> Void
  ) async throws {
    var members: [RecordKey: SnapshotPages.Page] = [:]
    var unread = SnapshotPages.Page()
    var fault: (any Error)?
    do {
      guard let repository = listings.repository else { throw RelationshipError.clientNotConfigured }
      let client = try await repository(actor)
      for list in try await OwnLists(of: actor, client: client).all {
        if let key = list.uri.recordKey { members[key] = SnapshotPages.Page() }
      }
      let items = RecordReader(of: actor, client: client).records(
        App.Bsky.Graph.Listitem.self, mostPages: PaginationGuard.mostPagesOfEdges)
      for try await row in items {
        switch row {
        case .record(let rkey, let record):
          guard record.list.authority == .did(actor), let key = record.list.recordKey else { continue }
          let uri = ATURI(authority: .did(actor), collection: .listitem, recordKey: rkey)
          members[key]?.views.append(AccountView(record.subject, record: uri))
        case .malformed(let record): unread.add(record)
        }
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      fault = error
    }
    let known = try await store.listings(of: actor).filter { $0.side == .members }
    let keys = known.compactMap(\.list) + members.keys.sorted { $0.description < $1.description }
    // Without a known list there is no listing that could fail.
    if let fault, keys.isEmpty { throw fault }
    var seen: Set<RecordKey> = []
    // If other lists still exist, a missing list was deleted.
    let isPartOfMore = members.values.contains { !$0.views.isEmpty }
    for key in keys where seen.insert(key).inserted {
      let listing = HistoryListing(membersOf: key, of: actor)
      let outcome = try await take(listing, nil, options, isPartOfMore: isPartOfMore, reading: read) {
        [members, unread, fault] in
        if let fault { throw fault }
        var page = members[key] ?? SnapshotPages.Page()
        // Unreadable records may concern any account on any of the lists.
        (page.malformed, page.isWhole) = (unread.malformed, unread.isWhole)
        return SnapshotPages(given: page)
      }
      try taken(outcome)
    }
  }

  // MARK: - One listing

  /// The result of reading a listing.
  private struct Reading {
    var gained = 0
    /// Whether the listing is empty and nothing else shows that the server still has its data.
    var isEmptied = true
    var malformed: Set<RecordKey> = []
    var isWhole = true
    var extent = Snapshot.Extent.full
  }

  /// An error that prevents reading one listing.
  private struct Fault: Error { let cause: any Error }

  private func asking<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as CancellationError { throw error } catch {
      throw Fault(cause: error)
    }
  }

  private func take(
    _ listing: HistoryListing, _ counted: Int?, _ options: Options, isPartOfMore: Bool = false,
    reading read: Reader, from pages: () async throws -> SnapshotPages
  ) async throws -> Outcome {
    let writer = try await store.begin(listing, at: time.microsecondsSinceEpoch)
    do {
      var pages = try await asking(pages)
      let judge = LossJudge(listing.side == .mutes ? own ?? listings : listings)
      var reading = try await self.read(&pages, into: writer, counted, options, judge, read)
      reading.isEmptied = reading.isEmptied && !isPartOfMore
      var counts = Snapshot.Counts(counted: counted)
      var note: String?
      if reading.extent == .full {
        (counts.unconfirmed, note) = try await conclude(writer, counted, reading, judge)
      }
      let snapshot = try await writer.finish(
        reading.extent, counts, note: note, at: time.microsecondsSinceEpoch)
      return Outcome(snapshot: snapshot, fault: nil)
    } catch let fault as Fault {
      let failed = try await writer.fail("\(fault.cause)", at: time.microsecondsSinceEpoch)
      return Outcome(snapshot: failed, fault: fault.cause)
    }
  }

  /// Reads a listing to its end, or down to known accounts if the profile's count shows that there are no
  /// losses.
  private func read(
    _ pages: inout SnapshotPages, into writer: any SnapshotWriter, _ counted: Int?, _ options: Options,
    _ judge: LossJudge, _ read: Reader
  ) async throws -> Reading {
    var reading = Reading()
    let expected = expectation(for: writer, options)
    while let page = try await asking({ try await pages.next() }) {
      let new = try await writer.add(page.edges)
      if options.dates, writer.snapshot.listing.side == .followers {
        let actor = writer.snapshot.listing.actor
        let dated = try await asking { try await judge.recordKeys(of: new, following: actor) }
        _ = try await writer.add(dated)
      }
      try await read(page.views)
      reading.gained += new.count
      reading.isEmptied = reading.isEmptied && page.views.isEmpty
      reading.malformed.formUnion(page.malformed)
      reading.isWhole = reading.isWhole && page.isWhole
      if let expected, let counted, page.isNewestFirst, new.isEmpty, !page.views.isEmpty,
        counted == expected + reading.gained
      {
        reading.extent = .incremental
        return reading
      }
    }
    return reading
  }

  /// The profile's count if there were no gains or losses; nil if the whole listing has to be read.
  private func expectation(for writer: any SnapshotWriter, _ options: Options) -> Int? {
    guard !options.isFull, let previous = writer.previous, previous.counts.unconfirmed == 0,
      let full = writer.snapshot.previousFullAt
    else { return nil }
    let age = Duration.microseconds(writer.snapshot.startedAt - full)
    return age < options.fullInterval ? previous.counts.counted : nil
  }

  // MARK: - Missing accounts

  /// Checks the missing accounts and records losses.
  ///
  /// - Returns: the number of unconfirmed accounts, and the reason if it applies to more than single
  ///   accounts.
  private func conclude(
    _ writer: any SnapshotWriter, _ counted: Int?, _ reading: Reading, _ judge: LossJudge
  ) async throws -> (unconfirmed: Int, note: String?) {
    let listing = writer.snapshot.listing
    var missing = 0
    var losses: [HistoryLoss] = []
    var doubt = try await doubt(about: writer, counted, reading)
    var last: DID?
    while true {
      let batch = try await writer.missing(after: last, most: Self.batchSize)
      guard let end = batch.last else { break }
      last = end.account
      missing += batch.count
      // Nothing will be concluded, so missing accounts are only counted.
      guard reading.isWhole, !doubt.isTooLarge else { continue }
      for loss in try await asking({ try await judge.losses(among: batch, of: listing, reading.malformed) }) {
        losses.append(loss)
        if [.unfollowed, .removed].contains(loss.cause) { doubt.gone += 1 }
      }
    }
    if !reading.isWhole, missing > 0 { return (missing, "a record of the listing is unreadable") }
    if doubt.isTooLarge { return (missing, doubt.note) }
    try await writer.lose(losses)
    let unconfirmed = missing - losses.count
    return (
      unconfirmed,
      unconfirmed > doubt.allowance ? "servers gave no clear answer about the missing accounts" : nil
    )
  }

  /// Compares with the last count of a snapshot without doubt: a count that came with a doubt is not
  /// confirmed yet.
  private func doubt(
    about writer: any SnapshotWriter, _ counted: Int?, _ reading: Reading
  ) async throws -> Doubt {
    let side = writer.snapshot.listing.side
    let earlier = try await store.snapshots(of: writer.snapshot.listing).filter { $0.state == .complete }
    let base = earlier.lastIndex { $0.note == nil && $0.counts.counted != nil }
    let since = base.map { earlier[earlier.index(after: $0)...] } ?? []
    let expected = base.flatMap { earlier[$0].counts.counted }.map { before in
      since.reduce(before + reading.gained) { $0 + $1.counts.gained - $1.counts.lost }
    }
    var doubt = Doubt(expected: expected, counted: counted, listed: writer.previous?.counts.listed ?? 0)
    doubt.isCounted = side == .followers || side == .follows
    doubt.isOfAppView = side == .followers
    doubt.isEmptied = reading.isEmptied
    let last = earlier.last { $0.extent == .full }
    doubt.isSaidAgain = last?.note != nil && (last?.counts.unconfirmed ?? 0) > doubt.allowance
    return doubt
  }

  /// Whether a server contradicts itself or may have lost data: edges are gone although the profile still
  /// counts them, or so many are gone at once that a second snapshot has to confirm it.
  private struct Doubt {
    /// By how many the profile's count is lower than it would be without losses; nil if unknown.
    private let confirmed: Int?
    private let listed: Int
    /// Whether a profile counts the listing; no server counts blocks, mutes and members of lists.
    var isCounted = false
    /// Whether only an AppView shows losses; a repository confirms each missing record.
    var isOfAppView = false
    /// Whether the listing is now empty.
    var isEmptied = false
    /// Whether the last full snapshot also found many losses and concluded nothing.
    var isSaidAgain = false
    /// Edges that are gone without any other cause.
    var gone = 0

    init(expected: Int?, counted: Int?, listed: Int) {
      confirmed = expected.flatMap { expected in counted.map { max(0, expected - $0) } }
      self.listed = listed
    }

    /// Counts may lag a little behind the listing.
    var allowance: Int { max(3, listed / 200) }

    /// A server that was reinstalled or lost its index has few or no edges, and its counts are as low.
    private var isMass: Bool {
      isOfAppView ? gone > max(20, listed / 4) : isEmptied && gone > allowance
    }

    private var isContradicted: Bool { isCounted && gone > (confirmed ?? 0) + allowance }

    var isTooLarge: Bool { isContradicted || (isMass && !isSaidAgain) }

    var note: String {
      guard isContradicted else {
        return "so many seem to be gone that the next snapshot has to confirm it"
      }
      guard let confirmed else { return "many follows seem to be gone, and no profile count confirms it" }
      return "many follows seem to be gone, but the profile counts only \(confirmed) fewer"
    }
  }
}
