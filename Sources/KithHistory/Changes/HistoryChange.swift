// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// An account that came to a listing or left it.
public struct HistoryChange: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case gained
    /// Gained after an earlier loss.
    case returned
    case lost
  }

  public let listing: HistoryListing
  public let edge: HistoryEdge
  public let kind: Kind
  /// The cause and its evidence, for ``Kind/lost``.
  public let loss: HistoryLoss?
  /// How and when the change was seen.
  public let seen: Observation

  package init(
    _ kind: Kind, _ edge: HistoryEdge, on listing: HistoryListing, loss: HistoryLoss? = nil, seen: Observation
  ) {
    (self.kind, self.edge, self.listing, self.loss, self.seen) = (kind, edge, listing, loss, seen)
  }

  public var account: DID { edge.account }
  /// The earliest time of the change.
  public var after: Instant { seen.after ?? seen.by }
  /// The latest time of the change.
  public var before: Instant { seen.by }
}

extension HistoryChange {
  /// The changes that observations found, the latest first; of one snapshot, losses come first. The accounts of the first
  /// snapshot of a listing are not gains.
  ///
  /// - Parameters:
  ///   - intervals: intervals that begin or end with the observations; others show nothing.
  ///   - observations: nil for all.
  static func changes(
    of listing: HistoryListing, _ intervals: [HistoryInterval],
    in observations: ClosedRange<ObservationID>? = nil
  ) -> [HistoryChange] {
    func found(_ interval: HistoryInterval, _ seen: Observation?, _ kind: Kind) -> HistoryChange? {
      guard let seen, seen.after != nil, observations?.contains(seen.id) ?? true else { return nil }
      return HistoryChange(
        kind, interval.edge, on: listing, loss: kind == .lost ? interval.loss : nil, seen: seen)
    }
    let losses = intervals.compactMap { found($0, $0.lostIn, .lost) }
    let gains = intervals.compactMap { found($0, $0.first, $0.isReturn ? .returned : .gained) }
    guard observations.map({ $0.lowerBound < $0.upperBound }) ?? true else { return losses + gains }
    return (losses + gains).enumerated().sorted {
      ($1.element.seen.id, $0.offset) < ($0.element.seen.id, $1.offset)
    }.map(\.element)
  }
}

/// Selects changes of a history.
public struct HistoryFilter: Sendable, Hashable {
  /// Nil for all sides.
  public var sides: Set<HistoryListing.Side>?
  /// The graphs of followers and follows; the other sides go along with `FollowGraph.bluesky`.
  public var graphs: Set<FollowGraph>
  /// Nil for all kinds.
  public var kinds: Set<HistoryChange.Kind>?
  /// Nil for all causes; only losses have a cause.
  public var causes: Set<LossCause>?
  /// Only changes that may have happened at this time or later, by times that are corrected where a clock was wrong.
  public var since: Instant?

  /// Creates a filter; it selects everything of Bluesky's graph by default.
  public init(
    sides: Set<HistoryListing.Side>? = nil, graphs: Set<FollowGraph> = [.bluesky],
    kinds: Set<HistoryChange.Kind>? = nil,
    causes: Set<LossCause>? = nil, since: Instant? = nil
  ) {
    self.sides = sides
    self.graphs = graphs
    self.kinds = kinds
    self.causes = causes
    self.since = since
  }

  func wants(_ seen: Observation) -> Bool { since.map { $0 <= seen.by } ?? true }

  func wants(_ change: HistoryChange) -> Bool {
    (kinds?.contains(change.kind) ?? true)
      && (causes.map { causes in change.loss.map { causes.contains($0.cause) } ?? false } ?? true)
  }
}

/// Reads a history.
///
/// A clock that was wrong makes a later snapshot the earlier one. The times of the most snapshots of a listing that agree
/// with their order are believed; a change that another one found happened between those around it.
public struct History: Sendable {
  private let store: any ObservationStore
  private let now: Instant

  /// Creates a reader of a store.
  ///
  /// - Parameter now: snapshots with a later time were taken while the clock was wrong.
  public init(_ store: any ObservationStore, now: Instant = .distantFuture) {
    self.store = store
    self.now = now
  }

  private func clock(of listing: HistoryListing) async throws -> ListingClock {
    ListingClock(try await store.snapshots(of: listing), until: now)
  }

  /// Changes of an actor's listings, the latest first.
  ///
  /// The changes of one snapshot, or of some hundred events, are held in memory.
  /// - Throws: ``HistoryError``, `noSnapshot` if none of the selected listings was observed;
  ///   what the store throws.
  public func changes(
    of actor: DID, _ filter: HistoryFilter = HistoryFilter()
  ) async throws -> some AsyncSequence<HistoryChange, any Error> & Sendable {
    var pages: [ObservationPages] = []
    var isObserved = false
    for listing in try await store.listings(of: actor)
    where filter.sides?.contains(listing.side) ?? true && listing.isIn(filter.graphs) {
      var page = ObservationPages(listing: listing, clock: try await clock(of: listing), store: store)
      try await page.fill()
      if !page.isEmpty {
        pages.append(page)
      } else if !isObserved {
        isObserved = try await store.snapshots(of: listing).contains { $0.state == .complete }
      }
    }
    guard isObserved || !pages.isEmpty else { throw HistoryError.noSnapshot(of: actor) }
    return Changes(store: store, filter: filter, pages: pages)
  }

  /// All snapshots of an actor, oldest first, with the times that the clock showed.
  ///
  /// - Parameters:
  ///   - sides: nil for all sides.
  ///   - graphs: nil for all graphs.
  ///   - since: only snapshots that began at this time or later, by their corrected times; nil for all.
  /// - Throws: what the store throws.
  public func snapshots(
    of actor: DID, _ sides: Set<HistoryListing.Side>? = nil, in graphs: Set<FollowGraph>? = nil,
    since: Instant? = nil
  ) async throws -> [Snapshot] {
    var found: [Snapshot] = []
    for listing in try await store.listings(of: actor)
    where sides?.contains(listing.side) ?? true && graphs.map(listing.isIn) ?? true {
      let all = try await store.snapshots(of: listing)
      let clock = ListingClock(all, until: now)
      found += all.filter { clock.start(of: $0) >= since ?? .distantPast }
    }
    return found.sorted { $0.id < $1.id }
  }

  /// Changes of one account on every listing of an actor, oldest first.
  ///
  /// - Throws: what the store throws.
  public func changes(of actor: DID, about account: DID) async throws -> [HistoryChange] {
    var changes: [HistoryChange] = []
    for listing in try await store.listings(of: actor) {
      let (clock, stays) = (
        try await clock(of: listing), try await store.intervals(of: listing, about: account)
      )
      changes += HistoryChange.changes(of: listing, stays.map(clock.corrected))
    }
    return changes.sorted { ($0.before, $0.seen.id) < ($1.before, $1.seen.id) }
  }

  /// The listings of an actor that contain an account, and what was observed first of it; its `after` is nil if the
  /// account was there before anybody looked.
  ///
  /// - Throws: what the store throws.
  public func presence(
    of account: DID, with actor: DID
  ) async throws -> [(listing: HistoryListing, since: Observation)] {
    var found: [(listing: HistoryListing, since: Observation)] = []
    for listing in try await store.listings(of: actor) {
      let stays = try await store.intervals(of: listing, about: account)
      guard let open = stays.last(where: { $0.lostIn == nil }) else { continue }
      found.append((listing, try await clock(of: listing).corrected(open).first))
    }
    return found
  }

  /// Iterates over observations, the latest first.
  private struct Changes: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = HistoryChange
    typealias Failure = any Error

    let store: any ObservationStore
    let filter: HistoryFilter
    var pages: [ObservationPages]
    var waiting: ArraySlice<HistoryChange> = []

    func makeAsyncIterator() -> Changes { self }

    mutating func next() async throws -> HistoryChange? {
      while waiting.isEmpty {
        guard let latest = pages.indices.max(by: { pages[$0].latest < pages[$1].latest }) else { return nil }
        let others = pages.indices.filter { $0 != latest }.map { pages[$0].latest }.max()
        let run = pages[latest].removeRun(after: others)
        let (listing, clock) = (pages[latest].listing, pages[latest].clock)
        try await pages[latest].fill()
        if pages[latest].isEmpty { pages.remove(at: latest) }
        guard let first = run.last, let last = run.first,
          run.contains(where: { filter.wants(clock.ofLosses($0)) })
        else { continue }
        let range = first.id...last.id
        waiting =
          HistoryChange.changes(
            of: listing, try await store.intervals(of: listing, in: range).map(clock.corrected), in: range
          ).filter { filter.wants($0.seen) && filter.wants($0) }[...]
      }
      return waiting.popFirst()
    }
  }
}

/// Observations of a listing that found changes, read page by page, the latest first.
private struct ObservationPages: Sendable {
  /// Observations per page.
  private static let size = 500

  let listing: HistoryListing
  let clock: ListingClock
  let store: any ObservationStore
  private var page: ArraySlice<Observation> = []
  private var last: ObservationID?
  private var isAtEnd = false

  init(listing: HistoryListing, clock: ListingClock, store: any ObservationStore) {
    self.listing = listing
    self.clock = clock
    self.store = store
  }

  /// Whether there are no more, after ``fill()``.
  var isEmpty: Bool { page.isEmpty }
  /// The latest one, after ``fill()``.
  var latest: ObservationID { page.first?.id ?? ObservationID(number: 0) }

  /// Reads the next page if this one is used up.
  mutating func fill() async throws {
    guard page.isEmpty, !isAtEnd else { return }
    let found = try await store.changes(of: listing, before: last, most: Self.size)
    isAtEnd = found.count < Self.size
    last = found.last?.id
    page = found[...]
  }

  /// Takes the latest snapshot alone, because it may have found many changes, or the events up to the next snapshot.
  ///
  /// - Parameter others: the latest observation of other listings; what comes before it is not taken.
  mutating func removeRun(after others: ObservationID?) -> [Observation] {
    guard let first = page.popFirst() else { return [] }
    var run = [first]
    guard first.source != .snapshot else { return run }
    while let next = page.first, next.source != .snapshot, others.map({ $0 < next.id }) ?? true {
      run.append(next)
      page.removeFirst()
    }
    return run
  }
}
