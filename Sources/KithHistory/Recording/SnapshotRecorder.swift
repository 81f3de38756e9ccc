// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
internal import KithLexicons
public import KithRelationships

/// Takes snapshots of the sides of an actor's graph.
///
/// Followers and mutes come from an AppView. Missing accounts are checked before a loss is concluded: 30
/// per call with `getRelationships`, 25 with `getProfiles`, and one by one those that the AppView does not
/// show. Follows, blocks and members of lists come from the records of the actor's repository, which is
/// authoritative.
///
/// A loss is never concluded from a listing that was not read completely. If an AppView reports many follows as gone at
/// once, or another AppView is asked than before, its word is not enough: the repositories of the followers decide.
public struct SnapshotRecorder: Sendable {
  /// Options of a snapshot.
  public struct Options: Sendable, Hashable {
    /// Whether to read each listing completely even if nothing seems to have changed.
    public var isFull: Bool
    /// Whether to learn the record keys of new followers, and so the dates that these claim (Q15): one call
    /// per 30.
    public var dates: Bool

    /// By default, a full snapshot once a week.
    public init(isFull: Bool = false, dates: Bool = false) {
      self.isFull = isFull
      self.dates = dates
    }
  }

  /// Is told how many accounts were read; an error it throws ends the run.
  public typealias Reader = @Sendable (Int) async throws -> Void

  /// A snapshot, and the error if it failed.
  public struct Outcome: Sendable {
    public let snapshot: Snapshot
    /// The actor, with the names that the AppView has; nil if the lookup failed.
    public internal(set) var actor: AccountView?
    /// Nil for a complete snapshot.
    public let fault: (any Error)?
    /// The number of records that cannot be read: their accounts are counted, but not listed.
    public let unreadable: Int

    public init(snapshot: Snapshot, fault: (any Error)?, unreadable: Int = 0) {
      self.snapshot = snapshot
      self.fault = fault
      self.unreadable = unreadable
    }
  }

  let listings: Listings
  private let own: Listings?
  let store: any ObservationStore & CountStore
  private let names: (any NameStore)?
  private let time: TimeSource

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - listings: preferably signed out, as an AppView leaves out accounts that the viewer blocks; also
  ///     finds the repositories for follows, blocks and members.
  ///   - own: listings signed in as the actor; required for mutes.
  ///   - names: keeps the names of the actor and of the accounts that are read; nil for none.
  public init(
    _ listings: Listings, own: Listings? = nil, store: any ObservationStore & CountStore,
    names: (any NameStore)? = nil
  ) {
    self.listings = listings
    self.own = own
    self.store = store
    self.names = names
    time = listings.client.time
  }

  /// Takes snapshots of some sides of an actor's graph, one after another, and stores the profile's counts.
  ///
  /// - Parameters:
  ///   - sides: ``HistoryListing/Side/members`` stands for the members of every list of the actor.
  ///   - graphs: the graphs of followers and follows. The other sides are taken along with `FollowGraph.bluesky`;
  ///     followers in other apps only with a backlink index.
  ///   - onAccounts: called with the number of accounts as they are read.
  ///   - onSnapshot: called with each snapshot when it ends.
  /// - Throws: ``HistoryError``, `inUse`; what the store throws; `CancellationError`. A server error
  ///   becomes the outcome of its snapshot.
  public func takeSnapshots(
    of actor: DID, _ sides: [HistoryListing.Side], in graphs: [FollowGraph] = [.bluesky],
    _ options: Options = Options(),
    onAccounts: Reader = { _ in }, onSnapshot: (Outcome) async throws -> Void
  ) async throws {
    let counted: (view: AccountView, at: Instant)?
    // If the AppView is down, reading the listing will fail as well.
    do { counted = try await readCounts(of: actor) } catch is RelationshipError { counted = nil }
    let counts = counted?.view.counts
    func report(_ outcome: Outcome) async throws {
      var outcome = outcome
      outcome.actor = counted?.view
      if let counted { try await recordDoubt(about: counted, outcome.snapshot) }
      try await onSnapshot(outcome)
    }
    func isTaken(_ side: HistoryListing.Side, in graph: FollowGraph) -> Bool {
      graph == .bluesky || side == .follows || side == .followers && listings.index != nil
    }
    let all = graphs.flatMap { graph in sides.filter { isTaken($0, in: graph) }.map { ($0, graph) } }
    for (side, graph) in all {
      switch side {
      case .followers, .follows, .blocks, .mutes:
        let listing = HistoryListing(side, of: actor, in: graph)
        let counted =
          switch side {
          case .followers where graph == .bluesky: counts?.followers
          case .follows where graph == .bluesky: counts?.follows
          // No server counts them.
          case .followers, .follows, .blocks, .mutes, .members: nil as Int?
          }
        let listings = side == .mutes ? own : listings
        try await report(
          try await takeSnapshot(listing, counted, options, onAccounts: onAccounts) {
            guard let listings else { throw RelationshipError.clientNotConfigured }
            return try await SnapshotPages(of: listing, listings)
          })
      case .members: try await takeLists(of: actor, options, onAccounts: onAccounts, onSnapshot: report)
      }
    }
  }

  /// Reads the profile of an account, and stores its counts and its names: 1 call.
  ///
  /// - Returns: nil if the AppView does not show it.
  /// - Throws: `RelationshipError`; what the store throws; `CancellationError`.
  public func recordCounts(of actor: DID) async throws -> AccountView? {
    try await readCounts(of: actor)?.view
  }

  /// Counts share the doubt of the last snapshot until there is a new one.
  private func readCounts(of actor: DID) async throws -> (view: AccountView, at: Instant)? {
    guard let view = try await AccountViews(client: listings.client).views(of: [actor])[actor] else {
      return nil
    }
    let now = time.instant
    if let counts = view.counts {
      let followers = HistoryListing(.followers, of: actor)
      let last = try await store.snapshots(of: followers).last { $0.state == .complete }
      let isDoubted = last.map { $0.hasDoubtedCount && $0.appview == appview } ?? false
      try await store.record(CountSample(at: now, counts, isDoubted: isDoubted), of: actor)
    }
    try await names?.remember([view])
    return (view, now)
  }

  /// Keeps the counts of a profile together with what the snapshot of its followers found.
  private func recordDoubt(about counted: (view: AccountView, at: Instant), _ snapshot: Snapshot) async throws
  {
    guard let counts = counted.view.counts, snapshot.state == .complete, snapshot.listing.side == .followers,
      snapshot.listing.graph == .bluesky
    else { return }
    let sample = CountSample(at: counted.at, counts, isDoubted: snapshot.hasDoubtedCount)
    try await store.record(sample, of: snapshot.listing.actor)
  }

  /// The URL of the AppView of the followers; nil if another server passes the calls on.
  private var appview: String? {
    listings.client.configuration.proxy == nil ? listings.client.service.description : nil
  }

  /// Takes a snapshot of each list in the repository, and of each list in earlier snapshots.
  private func takeLists(
    of actor: DID, _ options: Options, onAccounts: Reader,
    onSnapshot: (Outcome) async throws -> Void
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
      for try await row in RecordReader(of: actor, client: client).edges(of: .listitem) {
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
      let outcome = try await takeSnapshot(
        listing, nil, options, isPartOfMore: isPartOfMore, onAccounts: onAccounts
      ) {
        [members, unread, fault] in
        if let fault { throw fault }
        var page = members[key] ?? SnapshotPages.Page()
        // Unreadable records may concern any account on any of the lists.
        (page.malformed, page.isWhole, page.unreadable) = (
          unread.malformed, unread.isWhole, unread.unreadable
        )
        return SnapshotPages(given: page)
      }
      try await onSnapshot(outcome)
    }
  }

  // MARK: - One listing

  /// The result of reading a listing.
  struct Reading {
    /// How many accounts the previous snapshot did not have; 0 for the baseline, where all are new.
    var new = 0
    var gained = 0
    /// Whether the listing is empty and nothing else shows that the server still has its data.
    var isEmptied = true
    var malformed: Set<RecordKey> = []
    var isWhole = true
    /// The number of unreadable records: the listing lacks their accounts.
    var unreadable = 0
    /// The number of entries that are listed.
    var listed = 0
    var extent = Snapshot.Coverage.full

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

  func asking<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let error as CancellationError { throw error } catch {
      throw Fault(cause: error)
    }
  }

  private func takeSnapshot(
    _ listing: HistoryListing, _ counted: Int?, _ options: Options, isPartOfMore: Bool = false,
    onAccounts: Reader, from pages: () async throws -> SnapshotPages
  ) async throws -> Outcome {
    let isFromAppView = listing.side == .followers && listing.graph == .bluesky
    let writer = try await store.begin(listing, from: isFromAppView ? appview : nil, at: time.instant)
    do {
      var pages = try await asking(pages)
      let judge = LossClassifier(listing.side == .mutes ? own ?? listings : listings)
      var reading = try await read(&pages, into: writer, counted, options, judge, onAccounts)
      reading.isEmptied = reading.isEmptied && !isPartOfMore
      // What no server counts is counted by its records, if not all of them can be read. A member that cannot
      // be read may be on any list.
      let records =
        reading.unreadable > 0 && listing.side != .members ? reading.listed + reading.unreadable : nil
      var counts = Snapshot.Counts(counted: counted ?? records)
      var note: String?
      if reading.extent == .full {
        let findings = try await conclude(writer, reading, judge)
        (counts.unconfirmed, counts.doubted) = (findings.unconfirmed, findings.doubted)
        note = findings.note ?? reading.unreadableNote
      } else {
        // Nothing was asked about the accounts that were doubted before.
        counts.doubted = writer.previous?.counts.doubted ?? 0
      }
      let snapshot = try await writer.finish(
        reading.extent, counts, note: note, at: time.instant)
      if isFromAppView { try await learnKeys(of: snapshot, judge) }
      return Outcome(snapshot: snapshot, fault: nil, unreadable: reading.unreadable)
    } catch let fault as Fault {
      let failed = try await writer.fail("\(DecodingFault(fault.cause))", at: time.instant)
      return Outcome(snapshot: failed, fault: fault.cause)
    }
  }

  /// Reads a listing to its end, or down to known accounts if the profile's count shows that there are no
  /// losses.
  private func read(
    _ pages: inout SnapshotPages, into writer: any SnapshotWriter, _ counted: Int?, _ options: Options,
    _ judge: LossClassifier, _ read: Reader
  ) async throws -> Reading {
    var reading = Reading()
    let expected = expectation(for: writer, options)
    while let page = try await asking({ try await pages.next() }) {
      let new = try await writer.add(page.edges)
      // An index returns the keys of the records.
      if options.dates, writer.snapshot.listing.side == .followers, writer.snapshot.listing.graph == .bluesky
      {
        let actor = writer.snapshot.listing.actor
        let dated = try await asking { try await judge.recordKeys(of: new, following: actor) }
        _ = try await writer.add(dated.edges)
      }
      try await names?.remember(page.views)
      try await read(page.views.count)
      reading.gained += new.count
      if writer.previous != nil { reading.new += new.count }
      reading.isEmptied = reading.isEmptied && page.views.isEmpty
      reading.malformed.formUnion(page.malformed)
      reading.unreadable += page.unreadable
      reading.listed += page.views.count
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

  /// The interval between full snapshots.
  private static let fullInterval = Duration.seconds(7 * 86_400)

  /// The profile's count if there were no gains or losses; nil if the whole listing has to be read.
  private func expectation(for writer: any SnapshotWriter, _ options: Options) -> Int? {
    guard !options.isFull, let previous = writer.previous, previous.counts.unconfirmed == 0,
      !writer.snapshot.isOfAnotherAppView(than: previous), let full = writer.snapshot.previousFullAt
    else { return nil }
    // A clock that was set back must not put off the next full snapshot.
    let age = writer.snapshot.startedAt - full
    guard age >= .zero, age < Self.fullInterval else { return nil }
    return previous.counts.counted
  }
}
