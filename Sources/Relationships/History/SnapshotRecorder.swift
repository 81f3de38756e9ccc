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
      for try await row in RecordReader(of: actor, client: client).listEdges(in: .members) {
        switch row {
        case .success(let item):
          guard let list = item.edge.list, list.authority == .did(actor), let key = list.recordKey,
            let account = item.edge.account
          else { continue }
          members[key]?.views.append(AccountView(account, record: item.record))
        case .failure(let record): unread.add(record)
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
        (page.malformed, page.isWhole, page.unreadable) = (
          unread.malformed, unread.isWhole, unread.unreadable
        )
        return SnapshotPages(given: page)
      }
      try taken(outcome)
    }
  }

  // MARK: - One listing

  /// The result of reading a listing.
  private struct Reading {
    /// Accounts that the previous snapshot did not have; empty for the baseline, where all are new.
    var new: [DID] = []
    var gained = 0
    /// Whether the listing is empty and nothing else shows that the server still has its data.
    var isEmptied = true
    var malformed: Set<RecordKey> = []
    var isWhole = true
    /// The number of unreadable records: the listing lacks their accounts.
    var unreadable = 0
    var extent = Snapshot.Extent.full

    var unreadableNote: String? {
      switch unreadable {
      case 0: nil
      case 1: "incomplete: 1 record cannot be read"
      case let count: "incomplete: \(count) records cannot be read"
      }
    }
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
        note = note ?? reading.unreadableNote
      }
      let snapshot = try await writer.finish(
        reading.extent, counts, note: note, at: time.microsecondsSinceEpoch)
      return Outcome(snapshot: snapshot, fault: nil)
    } catch let fault as Fault {
      let failed = try await writer.fail("\(DecodingFault(fault.cause))", at: time.microsecondsSinceEpoch)
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
      if writer.previous != nil { reading.new += new }
      reading.isEmptied = reading.isEmptied && page.views.isEmpty
      reading.malformed.formUnion(page.malformed)
      reading.unreadable += page.unreadable
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
  /// A loss that is proven by itself, such as a deletion or a block, is recorded whatever the others are.
  /// - Returns: the number of unconfirmed accounts, and the reason if it applies to more than single
  ///   accounts.
  private func conclude(
    _ writer: any SnapshotWriter, _ counted: Int?, _ reading: Reading, _ judge: LossJudge
  ) async throws -> (unconfirmed: Int, note: String?) {
    let (missing, losses) = try await lookUpMissing(writer, reading, judge)
    if !reading.isWhole, missing > 0 { return (missing, "a record of the listing is unreadable") }
    let doubt = try await doubt(about: losses, writer, counted, reading)
    let believed = doubt.isTooLarge ? losses.filter { !$0.cause.mayBeDoubted } : losses
    try await writer.lose(believed)
    let unconfirmed = missing - believed.count
    if doubt.isTooLarge {
      try await writer.withhold(Array(doubt.gone))
      return (unconfirmed, doubt.note)
    }
    return (
      unconfirmed,
      unconfirmed > doubt.allowance ? "servers gave no clear answer about the missing accounts" : nil
    )
  }

  /// The number of missing accounts, and those that are lost as far as servers say; none if the listing
  /// was not readable as a whole.
  private func lookUpMissing(
    _ writer: any SnapshotWriter, _ reading: Reading, _ judge: LossJudge
  ) async throws -> (missing: Int, losses: [HistoryLoss]) {
    var (missing, losses, last) = (0, [HistoryLoss](), DID?.none)
    while true {
      let batch = try await writer.missing(after: last, most: Self.batchSize)
      guard let end = batch.last else { return (missing, losses) }
      last = end.account
      missing += batch.count
      guard reading.isWhole else { continue }
      losses += try await asking {
        try await judge.losses(among: batch, of: writer.snapshot.listing, reading.malformed)
      }
    }
  }

  /// What speaks against the losses that are not proven by themselves.
  private func doubt(
    about losses: [HistoryLoss], _ writer: any SnapshotWriter, _ counted: Int?, _ reading: Reading
  ) async throws -> LossDoubt {
    let listing = writer.snapshot.listing
    let gone = Set(losses.lazy.filter(\.cause.mayBeDoubted).map(\.account))
    var doubt = LossDoubt(about: gone, of: listing.side, listed: writer.previous?.counts.listed ?? 0)
    doubt.isEmptied = reading.isEmptied
    // Up to the allowance, nothing is compared.
    guard gone.count > doubt.allowance else { return doubt }
    let earlier = try await store.snapshots(of: listing).filter { $0.state == .complete }
    if listing.side == .followers {
      doubt.counted = counted
      doubt.countedBefore = earlier.last { $0.extent == .full }?.counts.counted
      let proven = losses.count { !$0.cause.mayBeDoubted && $0.lowersCount }
      doubt.expected = try await expectedCount(after: earlier, reading.new, of: listing).map { $0 - proven }
    }
    doubt.withheld = try await writer.withheld()
    return doubt
  }

  /// The count that the profile would have if no account were gone: the last count of a snapshot without
  /// doubt, and every change since then that moves a count of records (Q12). A block, a deactivation and
  /// the end of either leave it alone.
  ///
  /// - Returns: nil if no count is known.
  private func expectedCount(
    after earlier: [Snapshot], _ new: [DID], of listing: HistoryListing
  ) async throws -> Int? {
    guard let base = earlier.last(where: { $0.note == nil && $0.counts.counted != nil }),
      var expected = base.counts.counted, let last = earlier.last
    else { return nil }
    for account in new {
      let before = try await store.intervals(of: listing, about: account).last
      if before?.loss?.lowersCount ?? true { expected += 1 }
    }
    guard base.id < last.id else { return expected }
    let range = SnapshotID(number: base.id.number + 1)...last.id
    for interval in Set(try await store.intervals(of: listing, in: range)) {
      if let lostIn = interval.lostIn, range.contains(lostIn), interval.loss?.lowersCount == true {
        expected -= 1
      }
      guard range.contains(interval.first) else { continue }
      let before =
        interval.isReturn
        ? try await store.intervals(of: listing, about: interval.edge.account)
          .last { $0.first < interval.first } : nil
      if before?.loss?.lowersCount ?? true { expected += 1 }
    }
    return expected
  }
}
