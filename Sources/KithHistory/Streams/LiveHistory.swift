// SPDX-License-Identifier: Apache-2.0

public import KithClient
internal import KithCore
public import KithRelationships

/// Follows listings by a stream, and keeps their history.
///
/// A listing without a snapshot is read first. Then events change it, from a place in the stream before that snapshot on, or
/// from where an earlier run ended. What events do not tell is asked or read again: servers are asked about single accounts,
/// and after a gap, or once a day if the host only speaks the first version of the protocol, all listings are read as a whole.
/// What no server answers stays open.
///
/// An app that shows relationships, or wants to be told whether the stream is there, has a ``LiveSource`` instead.
///
/// A listing has one reader: a second run with the same listings, in any process, takes them over and ends this one.
///
/// ```swift
/// let store = try HistoryFile.open(in: folder)
/// let live = LiveHistory(Listings(appview), store: store, transport: transport)
/// try await live.run([HistoryListing(.followers, of: me)]) { event in
///   if case .changed(let change) = event { show(change.account, change.kind) }
/// }
/// ```
public struct LiveHistory: Sendable {
  /// Is told what happens, one event after the other; an error that it throws ends the run.
  public typealias Receiver = @Sendable (LiveEvent) async throws -> Void

  /// Events that are observed in one transaction.
  private static let batch = 1_000
  /// The wait before unanswered questions are asked again; it doubles up to the longest one.
  static let firstWait = Duration.seconds(2)
  static let longestWait = Duration.seconds(300)

  private let listings: Listings
  private let store: any ObservationStore & StreamStore & CountStore
  private let recorder: SnapshotRecorder
  private let host: ServiceURL
  private let transport: any HTTPTransport
  let time: TimeSource
  private let random: @Sendable () -> Double

  /// Creates a reader; nothing is opened before it runs.
  ///
  /// - Parameters:
  ///   - listings: preferably signed out, as for a ``SnapshotRecorder``; the time is that of its client.
  ///   - names: keeps the names of the accounts that are read; nil for none.
  ///   - host: the host of the stream, which learns the collections that are read.
  ///   - transport: opens the stream; needs `TransportCapabilities.webSocket`.
  ///   - random: returns numbers between 0 and 1, for the jitter of waits.
  public init(
    _ listings: Listings, store: any ObservationStore & StreamStore & CountStore,
    names: (any NameStore)? = nil,
    host: ServiceURL = .publicJetstream, transport: any HTTPTransport,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    (self.listings, self.store, self.host, self.transport) = (listings, store, host, transport)
    recorder = SnapshotRecorder(listings, store: store, names: names)
    (time, self.random) = (listings.client.time, random)
  }

  /// Follows listings until the task is cancelled.
  ///
  /// With the followers of an actor its blocks are followed as well: they tell why a follower is hidden, and when it is shown
  /// again; so are requests to be friends, answers to them and policies. Mutes and members of lists are left out.
  ///
  /// - Parameters:
  ///   - service: is told as well, so that what it has cached, what is observed and the counts of profiles beside it change.
  ///   - report: is told what happens, after the service.
  /// - Throws: what the store throws, ``HistoryError``, `replaced`, if another run has taken the listings over; `StreamError`
  ///   if there is no stream; what `report` throws; `CancellationError`. Errors of the network end nothing.
  public func run(
    _ wanted: [HistoryListing], feeding service: FollowRelationshipService? = nil,
    _ report: @escaping Receiver
  ) async throws {
    let followed = Self.followed(wanted)
    guard !followed.isEmpty else { return }
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watched = Set(followed.map(\.actor))
    let start = try await begin(followed, report)
    // A snapshot takes events that are not told then.
    if start.hasRead { service?.recount(watched) }
    let id = try await store.follow(followed, from: start.place)
    try await report(.began(id))
    let reader = LiveReader(
      store, id, followed, from: start.place,
      unread: start.unread, snapshots: start.snapshots, readAt: start.readAt, wake: { signal.yield() },
      feeding: service.map { LiveFeed(service: $0, watched: watched) }, report)
    for listing in followed { try await reader.learnBlocks(of: listing) }
    let stream = Jetstream(
      JetstreamFilter(collections: StreamInterpreter(of: followed).collections), host: host,
      transport: transport, time: time, random: random)
    signal.yield()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var elements = stream.elements(after: start.place).makeAsyncIterator()
        while true {
          let some = try await elements.next(atMost: Self.batch)
          try await reader.alone { try await reader.take(some) }
        }
      }
      group.addTask {
        for await _ in signals { try await work(for: reader, report) }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// What is followed with some listings.
  static func followed(_ wanted: [HistoryListing]) -> [HistoryListing] {
    var (followed, known) = ([HistoryListing](), Set<HistoryListing>())
    for listing in wanted {
      var needed = [listing]
      switch listing.side {
      case .followers:
        if listing.graph == .bluesky { needed.append(HistoryListing(.blocks, of: listing.actor)) }
      case .follows, .blocks: break
      case .mutes, .members: needed = []
      }
      followed += needed.filter { known.insert($0).inserted }
    }
    return followed
  }

  // MARK: Beginning

  /// Finds the earliest place from which all listings are current, and reads those that were never read.
  private func begin(
    _ followed: [HistoryListing], _ report: Receiver
  ) async throws -> (
    place: StreamCursor, unread: Set<HistoryListing>, snapshots: [HistoryListing: Instant], readAt: Instant,
    hasRead: Bool
  ) {
    let now = time.instant
    let known = try await store.cursors(of: followed)
    var (places, unread, readAt) = ([StreamCursor](), Set<HistoryListing>(), now)
    var snapshots: [HistoryListing: Instant] = [:]
    for listing in followed {
      let full = try await store.snapshots(of: listing).last { $0.state == .complete && $0.extent == .full }
      let snapshotAt = full.map { min($0.startedAt, now) }
      if let snapshotAt { readAt = min(readAt, snapshotAt) } else { unread.insert(listing) }
      snapshots[listing] = snapshotAt
      places.append(
        known[listing] ?? StreamCursor(host: host.authority, sequence: nil, at: snapshotAt ?? now))
    }
    let place = places.min { $0.at < $1.at } ?? StreamCursor(host: host.authority, sequence: nil, at: now)
    let read = try await read(unread, report)
    unread.subtract(read.keys)
    snapshots.merge(read) { $1 }
    for listing in followed where listing.hasUnknownKeys { try await learnKeys(of: listing) }
    for listing in followed where try await store.gaps(of: listing).contains(where: { $0.closedAt == nil }) {
      unread.insert(listing)
    }
    return (place, unread, snapshots, readAt, !read.isEmpty)
  }

  /// An AppView lists followers without the keys of their records, and without those no unfollow tells its subject.
  private func learnKeys(of listing: HistoryListing) async throws {
    _ = try await recorder.learnDates(of: listing.actor, sample: .max)
  }

  /// Reads listings as a whole.
  ///
  /// - Returns: when the snapshots began of those that could be read.
  private func read(
    _ unread: Set<HistoryListing>, _ report: Receiver
  ) async throws -> [HistoryListing: Instant] {
    var read: [HistoryListing: Instant] = [:]
    for (actor, own) in Dictionary(grouping: unread, by: \.actor) {
      for (graph, sides) in Dictionary(grouping: own, by: { $0.graph ?? .bluesky }) {
        do {
          try await recorder.takeSnapshots(
            of: actor, sides.map(\.side), in: [graph], SnapshotRecorder.Options(isFull: true)
          ) { outcome in
            if outcome.snapshot.state == .complete {
              read[outcome.snapshot.listing] = outcome.snapshot.startedAt
            }
            try await report(.read(outcome))
          }
        } catch let error as HistoryError where error.code == .inUse {
          // Another process reads it; what it finds counts as well, but it may have begun too early.
          continue
        }
      }
    }
    return read
  }

  // MARK: Questions

  /// Asks and reads until nothing is open.
  private func work(for reader: LiveReader, _ report: Receiver) async throws {
    var wait = Self.firstWait
    while true {
      let work = await reader.work()
      guard !work.questions.isEmpty || !work.unread.isEmpty else { return }
      let judge = LossClassifier(listings)
      let questions = work.questions.filter { !work.unread.contains($0.key.listing) }
      for (listing, open) in Dictionary(grouping: questions, by: \.key.listing) {
        let open = Dictionary(uniqueKeysWithValues: open.map { ($0.key, $0.value) })
        let answers = try await judge.answers(to: open, about: listing, at: work.at)
        try await reader.alone { try await reader.take(answers, to: open, about: listing) }
      }
      if !work.unread.isEmpty {
        try await reader.alone {
          let at = await reader.work().at
          try await report(.reading(Array(work.unread)))
          for (listing, moment) in try await read(work.unread, report) {
            if listing.hasUnknownKeys { try await learnKeys(of: listing) }
            try await reader.finish(listing, begunAt: moment, min(moment, at))
          }
          try await report(.reading([]))
        }
      }
      let rest = await reader.work()
      guard !rest.questions.isEmpty || !rest.unread.isEmpty else { return }
      // What is new does not wait for what no server answers.
      if !Set(rest.questions.keys).isSubset(of: questions.keys) { wait = Self.firstWait }
      try await time.sleep(for: wait)
      wait = min(wait * 2, Self.longestWait)
    }
  }
}

extension HistoryListing {
  /// Whether a snapshot lists accounts without the keys of their records.
  fileprivate var hasUnknownKeys: Bool { side == .followers && graph == .bluesky }
}
