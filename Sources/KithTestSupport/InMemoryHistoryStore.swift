// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithHistory
internal import KithRelationships

/// A history that lives as long as the process, with the behaviour of `SQLiteHistoryStore`.
public actor InMemoryHistoryStore: HistoryStore {
  private var snapshots: [Snapshot] = []
  /// In the order of their first observations.
  var observed: [HistoryListing] = []
  var intervals: [HistoryListing: [DID: [HistoryInterval]]] = [:]
  private var withheld: [HistoryListing: Set<DID>] = [:]
  var counts: [DID: [CountSample]] = [:]
  var watchedActors: [WatchedActor] = []
  private var dismissed: [DID: [Dismissal]] = [:]
  private var goals: [DID: FollowerGoal] = [:]
  private var namedSegments: [String: Segment] = [:]
  private var segmentCounts: [String: [DID: [Sample<Int>]]] = [:]
  var lastID: Int64 = 0
  var streams = InMemoryStreams()
  private var leases: [HistoryListing: WeakLease] = [:]

  /// Creates an empty history.
  public init() {}

  // MARK: Writing

  public func begin(
    _ listing: HistoryListing, from appview: String?, at now: Instant
  ) throws -> any SnapshotWriter {
    guard leases[listing]?.lease == nil else { throw HistoryError.inUse(listing) }
    let lease = Lease()
    leases[listing] = WeakLease(lease: lease)
    let complete = snapshots.filter { $0.listing == listing && $0.state == .complete }
    lastID += 1
    let snapshot = Snapshot(
      id: ObservationID(number: lastID), listing: listing, from: appview, startedAt: now,
      previousAt: complete.last?.startedAt,
      previousFullAt: complete.last { $0.extent == .full && $0.counts.unconfirmed == 0 }?.startedAt)
    snapshots.append(snapshot)
    if !observed.contains(listing) { observed.append(listing) }
    return Writer(snapshot: snapshot, previous: complete.last, store: self, lease: lease)
  }

  public func record(_ counts: CountSample, of actor: DID) {
    if let index = self.counts[actor]?.firstIndex(where: { $0.at == counts.at }) {
      self.counts[actor]?[index] = counts
    } else {
      self.counts[actor, default: []].append(counts)
    }
  }

  public func learn(_ edges: [HistoryEdge], of listing: HistoryListing) {
    for edge in edges {
      guard let last = intervals[listing]?[edge.account]?.last, last.lostIn == nil, last.edge.rkey == nil
      else { continue }
      if let rkey = edge.rkey, streams.records[listing]?[edge.account]?[rkey] != nil { continue }
      replaceLast(with: HistoryInterval(edge, first: last.first, isReturn: last.isReturn), on: listing)
    }
  }

  func replaceLast(with interval: HistoryInterval, on listing: HistoryListing) {
    intervals[listing]?[interval.edge.account]?.removeLast()
    intervals[listing]?[interval.edge.account]?.append(interval)
  }

  public func record(_ sample: AccountSample, of snapshot: ObservationID) {
    guard let index = snapshots.firstIndex(where: { $0.id == snapshot }) else { return }
    let largest = max(sample.largest, snapshots[index].dateSample?.largest ?? .min)
    snapshots[index].dateSample = AccountSample(largest: largest)
  }

  // MARK: Reading

  public func listings(of actor: DID?) -> [HistoryListing] {
    observed.filter { actor == nil || $0.actor == actor }
  }

  public func snapshots(of listing: HistoryListing) -> [Snapshot] {
    snapshots.filter { $0.listing == listing }.map { snapshot in
      var snapshot = snapshot
      let isBeingTaken =
        snapshot.id == snapshots.last { $0.listing == listing }?.id && leases[listing]?.lease != nil
      if snapshot.state == .running, !isBeingTaken { snapshot.state = .interrupted }
      return snapshot
    }
  }

  public func changes(
    of listing: HistoryListing, before observation: ObservationID?, most: Int
  ) -> [Observation] {
    let seen = all(of: listing).flatMap { [$0.first, $0.lostIn].compactMap(\.self) }
    let found = Dictionary(seen.filter { $0.after != nil }.map { ($0.id, $0) }) { first, _ in first }
    return Array(
      found.values.filter { seen in observation.map { seen.id < $0 } ?? true }.sorted { $0.id > $1.id }
        .prefix(most))
  }

  public func intervals(
    of listing: HistoryListing, in observations: ClosedRange<ObservationID>
  ) -> [HistoryInterval] {
    all(of: listing).filter { interval in
      observations.contains(interval.first.id)
        || interval.lostIn.map { observations.contains($0.id) } ?? false
    }
  }

  public func intervals(of listing: HistoryListing, after account: DID?, most: Int) -> [HistoryInterval] {
    let accounts = (intervals[listing] ?? [:]).keys.sorted().drop { one in account.map { one <= $0 } ?? false
    }
    return accounts.prefix(most).flatMap { intervals[listing]?[$0] ?? [] }
  }

  public func intervals(of listing: HistoryListing, about account: DID) -> [HistoryInterval] {
    intervals[listing]?[account] ?? []
  }

  public func edges(
    of listing: HistoryListing, at observation: ObservationID, after account: DID?, most: Int
  ) -> [HistoryEdge] {
    let held = all(of: listing).filter { $0.holds(at: observation) }.map(\.edge)
    return Array(held.drop { edge in account.map { edge.account <= $0 } ?? false }.prefix(most))
  }

  public func counts(of actor: DID, since: Instant) -> [CountSample] {
    (counts[actor] ?? []).filter { $0.at >= since }
  }

  func all(of listing: HistoryListing) -> [HistoryInterval] {
    (intervals[listing] ?? [:]).sorted { $0.key < $1.key }.flatMap(\.value)
  }

  // MARK: Watched actors

  @discardableResult
  public func watch(_ actor: DID, at now: Instant) -> Bool {
    guard !watchedActors.contains(where: { $0.actor == actor }) else { return false }
    watchedActors.append(WatchedActor(actor, since: now))
    return true
  }

  @discardableResult
  public func unwatch(_ actor: DID) -> Bool {
    let before = watchedActors.count
    watchedActors.removeAll { $0.actor == actor }
    return watchedActors.count < before
  }

  public func watched() -> [WatchedActor] { watchedActors }

  // MARK: Dismissals

  @discardableResult
  public func dismiss(_ accounts: [DID], by actor: DID, at now: Instant) -> Int {
    let known = Set((dismissed[actor] ?? []).map(\.account))
    let new = Set(accounts).subtracting(known)
    dismissed[actor, default: []] += new.map { Dismissal($0, since: now) }
    return new.count
  }

  @discardableResult
  public func takeBack(dismissalsOf accounts: [DID], by actor: DID) -> Int {
    let before = dismissed[actor] ?? []
    dismissed[actor] = before.filter { !accounts.contains($0.account) }
    return before.count - (dismissed[actor]?.count ?? 0)
  }

  public func dismissals(by actor: DID) -> [Dismissal] {
    (dismissed[actor] ?? []).sorted { ($1.since, $0.account) < ($0.since, $1.account) }
  }

  // MARK: Goals and segments

  public func goal(of actor: DID) -> FollowerGoal? { goals[actor] }

  public func set(_ goal: FollowerGoal?, of actor: DID) { goals[actor] = goal }

  public func segments() -> [Segment] { namedSegments.values.sorted { $0.name < $1.name } }

  public func add(_ segment: Segment) {
    if namedSegments[segment.name]?.predicate != segment.predicate { segmentCounts[segment.name] = nil }
    namedSegments[segment.name] = segment
  }

  @discardableResult
  public func removeSegment(named name: String) -> Bool {
    segmentCounts[name] = nil
    return namedSegments.removeValue(forKey: name) != nil
  }

  public func record(_ count: Sample<Int>, of segment: String, for actor: DID) {
    guard namedSegments[segment] != nil else { return }
    var counts = (segmentCounts[segment]?[actor] ?? []).filter { $0.at != count.at }
    counts.append(count)
    segmentCounts[segment, default: [:]][actor] = counts.sorted { $0.at < $1.at }
  }

  public func counts(of segment: String, for actor: DID) -> [Sample<Int>] {
    segmentCounts[segment]?[actor] ?? []
  }

  // MARK: Deleting

  @discardableResult
  public func prune(before: Instant) -> Int {
    var forgotten = 0
    for (listing, accounts) in intervals {
      for (account, all) in accounts {
        func isOld(_ interval: HistoryInterval) -> Bool { interval.lostIn.map { $0.by < before } ?? false }
        // What an own block interrupted is kept as long as the account is not known to have left since.
        let left = all.lastIndex { isOld($0) && $0.loss?.cause != .blocking } ?? -1
        let kept = all.enumerated().filter { !isOld($0.element) || $0.offset > left }.map(\.element)
        forgotten += all.count - kept.count
        intervals[listing]?[account] = kept.isEmpty ? nil : kept
      }
    }
    snapshots = snapshots.filter { snapshot in
      snapshot.state == .complete || snapshot.startedAt >= before || leases[snapshot.listing]?.lease != nil
    }
    streams.prune(before: before)
    counts = counts.mapValues { $0.filter { $0.at >= before } }
    segmentCounts = segmentCounts.mapValues { $0.mapValues { $0.filter { $0.at >= before } } }
    return forgotten
  }

  @discardableResult
  public func forget(_ actor: DID) throws -> Bool {
    let listings = listings(of: actor)
    if let busy = listings.first(where: { leases[$0]?.lease != nil }) { throw HistoryError.inUse(busy) }
    for listing in listings { (intervals[listing], withheld[listing]) = (nil, nil) }
    streams.forget(listings)
    snapshots.removeAll { $0.listing.actor == actor }
    observed.removeAll { $0.actor == actor }
    let counted = counts.removeValue(forKey: actor)
    goals[actor] = nil
    dismissed[actor] = nil
    for segment in segmentCounts.keys { segmentCounts[segment]?[actor] = nil }
    return !listings.isEmpty || counted != nil
  }

  // MARK: Taking a snapshot

  /// Held by the writer; the listing is free once it is released.
  private final class Lease: Sendable {}

  private struct WeakLease { weak var lease: Lease? }

  private func held(of listing: HistoryListing, _ account: DID) -> Bool {
    intervals[listing]?[account]?.last.map { $0.lostIn == nil } ?? false
  }

  private func new(among edges: [HistoryEdge], on listing: HistoryListing) -> [DID] {
    edges.lazy.map(\.account).filter { !held(of: listing, $0) }
  }

  private func missing(
    from added: [DID: HistoryEdge], of listing: HistoryListing, after account: DID?, most: Int
  ) -> [HistoryEdge] {
    let gone = all(of: listing).filter { $0.lostIn == nil && added[$0.edge.account] == nil }.map(\.edge)
    return Array(gone.drop { edge in account.map { edge.account <= $0 } ?? false }.prefix(most))
  }

  private func withheld(of listing: HistoryListing) -> Set<DID> { withheld[listing] ?? [] }

  /// - Parameter new: those of the added accounts that were not on the listing when they were added.
  private func finish(
    _ snapshot: Snapshot, added: [DID: HistoryEdge], further: [DID: Set<RecordKey>], new: Set<DID>,
    losses: [DID: HistoryLoss], doubted: Set<DID>
  ) -> Snapshot {
    if snapshot.extent == .full { withheld[snapshot.listing] = doubted }
    var snapshot = snapshot
    var accounts = intervals[snapshot.listing] ?? [:]
    guard let ofGains = snapshot.ofGains, let ofLosses = snapshot.ofLosses else { return snapshot }
    for edge in added.values {
      var all = accounts[edge.account] ?? []
      if let last = all.last, last.lostIn == nil {
        guard last.first.id < snapshot.id, let key = edge.rkey, key != last.edge.rkey,
          streams.takes(key, insteadOf: last.edge, on: snapshot.listing)
        else { continue }
        all[all.count - 1] = HistoryInterval(edge, first: last.first, isReturn: last.isReturn)
      } else if new.contains(edge.account), all.last?.lostIn.map({ $0.id < snapshot.id }) ?? true,
        !streams.hides(edge.account, on: snapshot.listing, since: snapshot.startedAt)
      {
        all.append(HistoryInterval(edge, first: ofGains, isReturn: !all.isEmpty))
        if !snapshot.isBaseline { snapshot.counts.gained += 1 }
      }
      accounts[edge.account] = all
    }
    for loss in losses.values where added[loss.account] == nil {
      guard var all = accounts[loss.account], var last = all.last, last.lostIn == nil,
        last.first.id < snapshot.id
      else { continue }
      (last.lostIn, last.loss) = (ofLosses, loss)
      all[all.count - 1] = last
      accounts[loss.account] = all
      snapshot.counts.lost += 1
    }
    let unkeyed = added.values.lazy.filter { $0.rkey == nil }.map(\.account)
    intervals[snapshot.listing] = streams.finish(
      snapshot, accounts, further: further, withoutKey: Set(unkeyed))
    snapshot.counts.listed = accounts.values.count { $0.last?.lostIn == nil }
    end(snapshot)
    return snapshot
  }

  private func end(_ snapshot: Snapshot) {
    guard let index = snapshots.firstIndex(where: { $0.id == snapshot.id }) else { return }
    snapshots[index] = snapshot
    leases[snapshot.listing] = nil
  }

  private actor Writer: SnapshotWriter {
    nonisolated let snapshot: Snapshot
    nonisolated let previous: Snapshot?
    private let store: InMemoryHistoryStore
    private let lease: Lease
    private var added: [DID: HistoryEdge] = [:]
    private var further: [DID: Set<RecordKey>] = [:]
    private var new: Set<DID> = []
    private var losses: [DID: HistoryLoss] = [:]
    private var doubted: Set<DID> = []

    init(snapshot: Snapshot, previous: Snapshot?, store: InMemoryHistoryStore, lease: Lease) {
      self.snapshot = snapshot
      self.previous = previous
      self.store = store
      self.lease = lease
    }

    func add(_ edges: [HistoryEdge]) async throws -> [DID] {
      var first: [HistoryEdge] = []
      for edge in edges {
        if added[edge.account] == nil {
          first.append(edge)
        } else if let key = edge.rkey {
          further[edge.account, default: []].insert(key)
        }
        added[edge.account] = HistoryEdge(edge.account, rkey: added[edge.account]?.rkey ?? edge.rkey)
      }
      let new = await store.new(among: first, on: snapshot.listing)
      self.new.formUnion(new)
      return new
    }

    func missing(after account: DID?, most: Int) async throws -> [HistoryEdge] {
      await store.missing(from: added, of: snapshot.listing, after: account, most: most)
    }

    func withheld() async throws -> Set<DID> { await store.withheld(of: snapshot.listing) }

    func withhold(_ accounts: [DID]) async throws { doubted.formUnion(accounts) }

    func lose(_ losses: [HistoryLoss]) async throws {
      for loss in losses { self.losses[loss.account] = loss }
    }

    func finish(
      _ extent: Snapshot.Coverage, _ counts: Snapshot.Counts, note: String?, at now: Instant
    ) async throws -> Snapshot {
      var ended = snapshot
      (ended.state, ended.extent, ended.endedAt, ended.note) = (.complete, extent, now, note)
      (ended.counts.counted, ended.counts.unconfirmed) = (counts.counted, counts.unconfirmed)
      ended.counts.doubted = counts.doubted
      return await store.finish(
        ended, added: added, further: further, new: new, losses: losses, doubted: doubted)
    }

    func fail(_ note: String, at now: Instant) async throws -> Snapshot {
      var ended = snapshot
      (ended.state, ended.endedAt, ended.note) = (.failed, now, note)
      await store.end(ended)
      return ended
    }
  }
}
