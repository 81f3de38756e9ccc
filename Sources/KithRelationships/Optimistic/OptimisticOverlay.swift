// SPDX-License-Identifier: Apache-2.0

public import KithClient
package import KithCore

/// Optimistic updates: an account's own recent changes, laid over the answers of an AppView that has not
/// indexed them yet (Q21).
///
/// There are two kinds of expectations: intents, until a server accepts or refuses the change, and changes
/// that a server has accepted. The latter end when an answer shows that the AppView has caught up, and
/// after a time limit in any case. Bounded in number: the oldest accepted changes are dropped first.
///
/// A ``FollowRelationshipService`` and the ``ProfileService``s beside it can share one, so that all show the same:
///
/// ```swift
/// let overlay = OptimisticOverlay()
/// let service = FollowRelationshipService(client: signedIn, overlay: overlay)
/// let profiles = ProfileService(account: me, client: signedIn, overlay: overlay)
/// let (follows, profile) = (try await service.isFollowing(actor: me, target: bob), try await profiles.profile(of: bob))
/// print(follows, profile)
/// ```
///
/// Guarded by a mutex, so an intent takes effect immediately.
public final class OptimisticOverlay: Sendable {
  /// The expected state of one kind of record.
  package enum Edge: Sendable, Hashable {
    /// It exists, with this URI.
    case there(ATURI)
    /// These records are deleted; any other record is a new one.
    case gone(Set<RecordKey>)
    /// The repository had no such record at that time; a record whose key names a
    /// later time is a new one.
    case unrecorded(at: Instant)
    /// It exists; with this URI if an answer shows no other one. Used for intents, and for what the repository
    /// has.
    case present(ATURI)
    /// It does not exist, whatever an answer shows. Used for intents.
    case absent
  }

  /// The part of an answer that the actor itself can change.
  struct Shown: Sendable, Hashable {
    var following: ATURI?
    var blocking: ATURI?
    var muted: Bool?
  }

  /// The expectations for one pair; nil for fields without one.
  package struct Expected: Sendable, Hashable {
    package var following: Edge?
    package var blocking: Edge?
    package var muted: Bool?

    /// Creates expectations; omitted fields have none.
    package init(following: Edge? = nil, blocking: Edge? = nil, muted: Bool? = nil) {
      self.following = following
      self.blocking = blocking
      self.muted = muted
    }

    package var isEmpty: Bool { following == nil && blocking == nil && muted == nil }
  }

  /// An intent that was withdrawn: what it showed, and what was shown before.
  package struct RolledBackIntent: Sendable, Hashable {
    let pending: Expected
    let before: Shown
  }

  /// Changes that are pending, and accepted or refused, as a unit.
  package enum Kind: Sendable, Hashable {
    /// Follow and block, which share a commit.
    case edges
    case mute
  }

  /// Whose answers the expectations are laid over. Each ends the accepted changes for itself, because relationships and
  /// profiles may come from servers that have caught up to different times.
  package enum Reader: Sendable, Hashable {
    case relationships
    case profiles
  }

  /// How the expected follow of a pair changes.
  package enum FollowChange: Sendable, Hashable {
    /// An intent, which replaces the one before; nil for none.
    case wanted(Edge?)
    /// A server has accepted a change.
    case taken(Edge)
    /// The state already held, so nothing was changed; nil if it was not read.
    case held(Edge?)
  }

  /// Changes that a server has accepted.
  fileprivate struct Taken {
    var expected = Expected()
    /// Whether the AppView may not have indexed yet that one of the records existed at all.
    var awaitsIndexing: (following: Bool, blocking: Bool) = (false, false)
    /// When it happened, if a stream told of it; nil for outcomes of the account's own changes.
    var toldAt: (following: Instant?, blocking: Instant?) = (nil, nil)
  }

  fileprivate struct Entry {
    var pending = Expected()
    /// What each reader does not show yet.
    var taken: [Reader: Taken] = [:]
    /// What relationships showed before the intent; nil if nothing was shown.
    var before: Shown?
    var end: Duration
    var number: UInt64
  }

  fileprivate struct Pair: Hashable {
    let actor: DID
    let target: DID
  }

  fileprivate struct State {
    var entries: [Pair: Entry] = [:]
    var numbers: UInt64 = 0
    var readers: Set<Reader> = []
  }

  /// The longest lag of an AppView that is corrected.
  static let longestLag = Duration.seconds(600)

  private let lifetime: Duration
  private let capacity: Int
  private let time: TimeSource
  private let state = PosixMutex(State())
  private let counters = PosixMutex<[WeakCounter]>([])
  private let caches = PosixMutex<[WeakCache]>([])

  private struct WeakCounter { weak var counter: (any FollowCounter)? }
  private struct WeakCache { weak var cache: (any OverlaidCache)? }

  /// Creates an overlay whose expectations last at most ten minutes, as busy AppViews have lagged by minutes, for at most
  /// 10,000 pairs.
  public convenience init(time: TimeSource = .system) {
    self.init(lifetime: Self.longestLag, time: time)
  }

  init(lifetime: Duration, capacity: Int = 10_000, time: TimeSource) {
    self.lifetime = lifetime
    self.capacity = capacity
    self.time = time
  }

  /// Adds a reader; only what was accepted later is expected of it.
  func serve(_ reader: Reader) { state.withLock { _ = $0.readers.insert(reader) } }

  /// Adds a counter, which is told of changes for as long as it lives.
  func serve(_ reader: Reader, countedBy counter: any FollowCounter) {
    serve(reader)
    counters.withLock { counters in
      counters.removeAll { $0.counter == nil }
      counters.append(WeakCounter(counter: counter))
    }
  }

  /// Tells counters before answers show a change: they count by what was shown until then.
  private func tell(_ change: FollowChange, _ kind: Kind, of actor: DID, about target: DID) {
    guard kind == .edges else { return }
    for counter in counters.withLock({ $0.compactMap(\.counter) }) {
      counter.willShow(change, of: actor, about: target)
    }
  }

  /// Whether profiles are shown to an account: they show what it follows, whether it was asked about or not.
  func counts(for account: DID) -> Bool {
    counters.withLock { $0.contains { $0.counter?.account == account } }
  }

  /// Adds the cache of a service, which is told of changes for as long as it lives.
  func add(_ cache: any OverlaidCache) {
    caches.withLock { caches in
      caches.removeAll { $0.cache == nil }
      caches.append(WeakCache(cache: cache))
    }
  }

  /// The caches that are told of changes.
  private var overlaidCaches: [any OverlaidCache] { caches.withLock { $0.compactMap(\.cache) } }

  /// Whether there are no expectations.
  var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }
  /// Number of pairs with expectations.
  var count: Int { state.withLock(\.entries.count) }

  /// Ends all that is expected of the relationships of an account. Caches are not told.
  package func forget(_ actor: DID) {
    state.withLock { state in state.entries = state.entries.filter { $0.key.actor != actor } }
  }

  // MARK: Changes

  /// Adds an intent, replacing the earlier one of that kind.
  ///
  /// - Returns: what is no longer pending; nil if that is nothing, or if it was not shown.
  @discardableResult
  package func setPending(
    _ pending: Expected, _ kind: Kind, of actor: DID, about target: DID
  ) -> RolledBackIntent? {
    tell(.wanted(pending.following), kind, of: actor, about: target)
    return change(Pair(actor: actor, target: target)) { entry, _ in entry.setPending(pending, kind) }
  }

  /// Records that the server accepted a change, which ends the intents of that kind.
  package func confirm(_ taken: Expected, _ kind: Kind, of actor: DID, about target: DID) {
    if let following = taken.following { tell(.taken(following), kind, of: actor, about: target) }
    expect(taken, kind, of: actor, about: target)
  }

  /// Records what was found to hold without a change, which ends the intents of that kind.
  package func hold(_ held: Expected, _ kind: Kind, of actor: DID, about target: DID) {
    tell(.held(held.following), kind, of: actor, about: target)
    expect(held, kind, of: actor, about: target)
  }

  private func expect(_ taken: Expected, _ kind: Kind, of actor: DID, about target: DID) {
    change(Pair(actor: actor, target: target)) { entry, readers in
      entry.pending.replace(kind, by: Expected())
      if !taken.isEmpty {
        for reader in readers { entry.taken[reader, default: Taken()].add(taken) }
      }
      // The remaining intents are older than this change; withdrawing them must restore its effect.
      entry.before = entry.pending.isEmpty ? nil : entry.before.map(entry.maskWithoutPending)
    }
  }

  /// Records that the server refused a change.
  ///
  /// - Returns: what is no longer pending; nil if that is nothing, or if it was not shown.
  package func refuse(_ kind: Kind, of actor: DID, about target: DID) -> RolledBackIntent? {
    tell(.wanted(nil), kind, of: actor, about: target)
    return state.withLock { state in
      let pair = Pair(actor: actor, target: target)
      guard var entry = state.entries[pair] else { return nil }
      defer { state.entries[pair] = entry.isEmpty ? nil : entry }
      return entry.setPending(Expected(), kind)
    }
  }

  private func change<Value: Sendable>(_ pair: Pair, _ body: (inout Entry, Set<Reader>) -> Value) -> Value {
    let end = time.now + lifetime
    return state.withLock { state in
      state.numbers += 1
      var entry = state.entries[pair] ?? Entry(end: end, number: 0)
      let value = body(&entry, state.readers)
      entry.end = end
      entry.number = state.numbers
      state.entries[pair] = entry.isEmpty ? nil : entry
      if state.entries.count > capacity { state.makeRoom(for: capacity) }
      return value
    }
  }

  /// Expects what a stream told of an edge, which an AppView may not show yet. Intents stay pending.
  ///
  /// - Returns: false if the author has changed the edge itself since then.
  func expect(_ told: ObservedEdge, of target: DID) -> Bool {
    change(Pair(actor: told.author, target: target)) { entry, readers in
      if entry.taken.values.contains(where: { $0.isLater(than: told) }) { return false }
      guard let edge = told.expected else { return true }
      for reader in readers {
        entry.taken[reader, default: Taken()].add(Expected(edge, told.kind), toldAt: told.at)
      }
      if let before = entry.before { entry.before = Expected(edge, told.kind).masking(before) }
      return true
    }
  }

  /// Ends what is expected of edges that are in doubt now.
  private func doubt(_ told: ObservedEdge, among watched: Set<DID>) {
    guard case .doubtful(let key) = told.change else { return }
    state.withLock { state in
      if state.entries.isEmpty { return }
      let pairs =
        if let subject = told.subject {
          [Pair(actor: told.author, target: subject)]
        } else if watched.contains(told.author) {
          state.entries.keys.filter { $0.actor == told.author }
        } else {
          watched.map { Pair(actor: told.author, target: $0) }
        }
      for pair in pairs { state.doubt(pair, key, key == nil ? nil : told.kind, at: told.at) }
    }
  }

  /// Whether anything is expected of the relationship of a pair, from this end.
  func expects(of actor: DID, about target: DID) -> Bool {
    state.withLock { state in
      guard let entry = state.entries[Pair(actor: actor, target: target)] else { return false }
      return !entry.pending.isEmpty || entry.taken[.relationships] != nil
    }
  }

  /// Whether an intent is pending for a pair.
  package func isPending(of actor: DID, about target: DID) -> Bool {
    state.withLock { $0.entries[Pair(actor: actor, target: target)]?.pending.isEmpty == false }
  }

  // MARK: Answers of an AppView

  /// Applies expectations to a new answer, and ends those that it confirms.
  func reconcile(_ info: RelationshipInfo) -> RelationshipInfo {
    let now = time.now
    return overlaying(info) { entry, shown in
      entry.reconcile(shown, as: .relationships, at: now)
      return entry.mask(shown, as: .relationships)
    }
  }

  /// Applies expectations to an answer that was processed or cached before.
  func overlaid(_ info: RelationshipInfo) -> RelationshipInfo {
    overlaying(info) { entry, shown in
      if !entry.pending.isEmpty, entry.before == nil { entry.before = shown }
      return entry.mask(shown, as: .relationships)
    }
  }

  /// Like ``reconcile(_:)``, for what a profile shows: the actor's side of a pair.
  func reconcile(_ shown: Shown, of actor: DID, about target: DID) -> Shown {
    let now = time.now
    return overlaying(shown, of: Pair(actor: actor, target: target)) { entry, shown in
      entry.reconcile(shown, as: .profiles, at: now)
      return entry.mask(shown, as: .profiles)
    }
  }

  /// Like ``overlaid(_:)``, for what a profile shows: the actor's side of a pair.
  func overlaid(_ shown: Shown, of actor: DID, about target: DID) -> Shown {
    overlaying(shown, of: Pair(actor: actor, target: target)) { entry, shown in
      entry.mask(shown, as: .profiles)
    }
  }

  private func overlaying(_ shown: Shown, of pair: Pair, _ body: (inout Entry, Shown) -> Shown) -> Shown {
    state.withLock { state in
      guard var entry = state.entries[pair] else { return shown }
      defer { state.entries[pair] = entry.isEmpty ? nil : entry }
      return body(&entry, shown)
    }
  }

  /// An answer contains the edges of both accounts, and either may have changed something.
  private func overlaying(
    _ info: RelationshipInfo, _ body: (inout Entry, Shown) -> Shown
  ) -> RelationshipInfo {
    state.withLock { state in
      guard !state.entries.isEmpty else { return info }
      var info = info
      let (own, others) = (
        Pair(actor: info.actor, target: info.target), Pair(actor: info.target, target: info.actor)
      )
      if var entry = state.entries[own] {
        info = info.showing(body(&entry, Shown(info)))
        state.entries[own] = entry.isEmpty ? nil : entry
      }
      if var entry = state.entries[others] {
        info = info.showing(ofTarget: body(&entry, Shown(ofTarget: info)))
        state.entries[others] = entry.isEmpty ? nil : entry
      }
      return info
    }
  }
}

/// What counts an account's follows beside the answers that show them.
protocol FollowCounter: AnyObject, Sendable {
  /// The account that sees the answers.
  var account: DID { get }

  /// The follow of a pair is about to be shown in another way.
  func willShow(_ change: OptimisticOverlay.FollowChange, of actor: DID, about target: DID)

  /// A stream told of an edge.
  func observe(_ edge: ObservedEdge)

  /// What streams told does not lead from the known counts of some accounts to those of now.
  func recount(_ accounts: Set<DID>)
}

/// A cache of answers that an overlay is laid over.
protocol OverlaidCache: AnyObject, Sendable {
  /// Updates a pair after a change by its actor, and posts the change before the pair can change again.
  ///
  /// - Parameters:
  ///   - isExpected: whether the actor changed anything; if so, a pair that was never asked about is news.
  ///   - failure: why a change was rolled back, which is posted of such a pair whatever it shows; nil if it was not.
  func applyLocalChange(
    _ actor: DID, _ target: DID, isExpected: Bool, failure: ChangeFailure?,
    _ edit: (RelationshipInfo) -> RelationshipInfo,
    tell: (_ before: RelationshipInfo, _ now: RelationshipInfo) -> RelationshipChange)

  /// Updates pairs after an event of a stream.
  func observe(_ edge: ObservedEdge, among watched: Set<DID>)

  /// Marks every answer as possibly out of date.
  func markStale()

  /// Invalidates a pair, including an answer in progress.
  func invalidate(_ actor: DID, _ target: DID)

  /// Invalidates every answer, including those in progress.
  func invalidateAll()
}

extension OptimisticOverlay {
  /// Updates the caches of all services that use the overlay after a change of the expectations for a pair, and reports it
  /// as a change.
  ///
  /// - Parameters:
  ///   - intent: a withdrawn intent, rolled back unless something newer was learned.
  ///   - failure: why the intent was withdrawn; nil if there is none, or if the intent already held.
  package func applyLocalChange(
    _ actor: DID, _ target: DID, rollingBack intent: RolledBackIntent? = nil,
    reason failure: ChangeFailure? = nil
  ) {
    let isExpected = expects(of: actor, about: target)
    for cache in overlaidCaches {
      cache.applyLocalChange(actor, target, isExpected: isExpected, failure: failure) { info in
        overlaid(intent.map { info.showing($0.restoring(Shown(info))) } ?? info)
      } tell: { former, now in
        failure.map { .rolledBack(from: former, to: now, because: $0) } ?? .changed(from: former, to: now)
      }
      // The outcome is unknown, so the next query requests the pair again.
      if failure?.isInDoubt == true { cache.invalidate(actor, target) }
    }
  }

  /// Tells all services that use the overlay what a stream told.
  func observe(_ edges: [ObservedEdge], among watched: Set<DID>) {
    let (counters, caches) = (counters.withLock { $0.compactMap(\.counter) }, overlaidCaches)
    for edge in edges {
      doubt(edge, among: watched)
      // First: they count by what was shown until then.
      for counter in counters { counter.observe(edge) }
      for cache in caches { cache.observe(edge, among: watched) }
    }
  }

  /// Marks all that is known as possibly out of date, in all services that use the overlay, after a stream has missed events.
  func miss() {
    let now = time.instant
    state.withLock { state in for pair in state.entries.keys { state.doubt(pair, nil, nil, at: now) } }
    for cache in overlaidCaches { cache.markStale() }
  }

  /// Requests profiles again whose counts are not known any more.
  func recount(_ accounts: Set<DID>) {
    for counter in counters.withLock({ $0.compactMap(\.counter) }) { counter.recount(accounts) }
  }

  /// Clears the caches of all services that use the overlay, after a change that may affect any pair.
  package func clearCaches() { for cache in overlaidCaches { cache.invalidateAll() } }
}

extension OptimisticOverlay.State {
  /// Ends what is expected of edges of a pair that are in doubt.
  ///
  /// - Parameters:
  ///   - key: the record that was deleted; nil if anything may have changed.
  ///   - kind: nil for follows and blocks.
  fileprivate mutating func doubt(
    _ pair: OptimisticOverlay.Pair, _ key: RecordKey?, _ kind: EdgeKind?, at moment: Instant
  ) {
    guard var entry = entries[pair] else { return }
    for (reader, taken) in entry.taken {
      let taken = taken.doubted(key, kind, at: moment)
      entry.taken[reader] = taken.expected.isEmpty ? nil : taken
    }
    entries[pair] = entry.isEmpty ? nil : entry
  }

  /// Drops the oldest quarter of the accepted changes, so this does not run for every new one.
  fileprivate mutating func makeRoom(for capacity: Int) {
    let oldest = entries.filter { $0.value.pending.isEmpty }.sorted { $0.value.number < $1.value.number }
    for (pair, _) in oldest.prefix(max(1, capacity / 4)) { entries[pair] = nil }
  }
}

extension OptimisticOverlay.Entry {
  fileprivate var isEmpty: Bool { pending.isEmpty && taken.isEmpty }

  /// Replaces the intents of a kind; returns those that are no longer pending.
  fileprivate mutating func setPending(
    _ other: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind
  ) -> OptimisticOverlay.RolledBackIntent? {
    var former = OptimisticOverlay.Expected()
    former.replace(kind, by: pending)
    if other.following != nil { former.following = nil }
    if other.blocking != nil { former.blocking = nil }
    if other.muted != nil { former.muted = nil }
    defer { if pending.isEmpty { before = nil } }
    pending.replace(kind, by: other)
    guard let before, !former.isEmpty else { return nil }
    return OptimisticOverlay.RolledBackIntent(pending: former, before: before)
  }

  fileprivate mutating func reconcile(
    _ shown: OptimisticOverlay.Shown, as reader: OptimisticOverlay.Reader, at now: Duration
  ) {
    if now >= end { taken = [:] }
    taken[reader]?.reconcile(shown)
    if taken[reader]?.expected.isEmpty == true { taken[reader] = nil }
    if reader == .relationships, !pending.isEmpty { before = maskWithoutPending(shown) }
  }

  fileprivate func maskWithoutPending(_ shown: OptimisticOverlay.Shown) -> OptimisticOverlay.Shown {
    var bare = self
    bare.pending = OptimisticOverlay.Expected()
    return bare.mask(shown, as: .relationships)
  }

  fileprivate func mask(
    _ shown: OptimisticOverlay.Shown, as reader: OptimisticOverlay.Reader
  ) -> OptimisticOverlay.Shown {
    pending.masking(taken[reader]?.expected.masking(shown) ?? shown)
  }
}

extension OptimisticOverlay.Taken {
  fileprivate mutating func add(_ taken: OptimisticOverlay.Expected, toldAt moment: Instant? = nil) {
    if let following = taken.following {
      toldAt.following = moment
      awaitsIndexing.following = following.isGone && expected.following?.isThere == true
      expected.following = following
    }
    if let blocking = taken.blocking {
      toldAt.blocking = moment
      awaitsIndexing.blocking = blocking.isGone && expected.blocking?.isThere == true
      expected.blocking = blocking
    }
    expected.muted = taken.muted ?? expected.muted
  }

  /// Whether the edge was changed after what a stream tells of it.
  fileprivate func isLater(than told: ObservedEdge) -> Bool {
    let (edge, moment) =
      told.kind == .follow ? (expected.following, toldAt.following) : (expected.blocking, toldAt.blocking)
    return moment.map { told.at < $0 } ?? edge?.isLater(than: told.change) ?? false
  }

  /// What is expected after a record was deleted, or without a key, after anything may have changed.
  fileprivate func doubted(_ key: RecordKey?, _ kind: EdgeKind?, at moment: Instant) -> Self {
    var taken = self
    func doubt(_ edge: inout OptimisticOverlay.Edge?, _ toldAt: inout Instant?) {
      guard let former = edge else { return }
      edge = former.doubted(key)
      if edge != former { toldAt = edge == nil ? nil : moment }
    }
    if kind != .block { doubt(&taken.expected.following, &taken.toldAt.following) }
    if kind != .follow { doubt(&taken.expected.blocking, &taken.toldAt.blocking) }
    return taken
  }

  /// Ends what an answer confirms.
  fileprivate mutating func reconcile(_ shown: OptimisticOverlay.Shown) {
    if expected.following?.isConfirmed(by: shown.following, unless: awaitsIndexing.following) == true {
      expected.following = nil
    }
    if expected.blocking?.isConfirmed(by: shown.blocking, unless: awaitsIndexing.blocking) == true {
      expected.blocking = nil
    }
    if let muted = expected.muted, muted == shown.muted { expected.muted = nil }
  }
}

extension OptimisticOverlay.RolledBackIntent {
  /// The value to show instead of the cached one; a value that differs from the intent was learned later and
  /// is kept.
  func restoring(_ shown: OptimisticOverlay.Shown) -> OptimisticOverlay.Shown {
    var restored = shown
    if pending.following?.mayBeShown(as: shown.following) == true { restored.following = before.following }
    if pending.blocking?.mayBeShown(as: shown.blocking) == true { restored.blocking = before.blocking }
    if let muted = pending.muted, muted == shown.muted { restored.muted = before.muted }
    return restored
  }
}

extension OptimisticOverlay.Expected {
  /// Expects one edge.
  fileprivate init(_ edge: OptimisticOverlay.Edge, _ kind: EdgeKind) {
    self.init(following: kind == .follow ? edge : nil, blocking: kind == .follow ? nil : edge)
  }

  /// What to show instead of an answer.
  fileprivate func masking(_ shown: OptimisticOverlay.Shown) -> OptimisticOverlay.Shown {
    OptimisticOverlay.Shown(
      following: following.map { $0.masking(shown.following) } ?? shown.following,
      blocking: blocking.map { $0.masking(shown.blocking) } ?? shown.blocking, muted: muted ?? shown.muted)
  }

  /// Copies the fields of one kind from other expectations.
  fileprivate mutating func replace(_ kind: OptimisticOverlay.Kind, by other: OptimisticOverlay.Expected) {
    switch kind {
    case .edges: (following, blocking) = (other.following, other.blocking)
    case .mute: muted = other.muted
    }
  }
}

extension OptimisticOverlay.Edge {
  fileprivate var isThere: Bool {
    switch self {
    case .there, .present: true
    case .gone, .unrecorded, .absent: false
    }
  }

  fileprivate var isGone: Bool {
    switch self {
    case .gone, .unrecorded: true
    case .there, .present, .absent: false
    }
  }

  /// Whether a record was made after a time, as its key claims.
  private static func isLater(_ shown: ATURI, than moment: Instant) -> Bool {
    shown.recordKey.flatMap { TID("\($0)") }.map { $0.instant > moment } ?? false
  }

  private static func isOwnRecord(_ shown: ATURI?) -> Bool {
    // A block by a list may appear in the field of a direct block (Q7).
    shown?.collection == .block || shown?.collection == .follow
  }

  /// The value to show instead of an answer's.
  fileprivate func masking(_ shown: ATURI?) -> ATURI? {
    switch self {
    case .there(let edge): return edge
    case .present(let edge): return shown ?? edge
    case .absent: return Self.isOwnRecord(shown) ? nil : shown
    case .unrecorded(let moment):
      guard let shown, Self.isOwnRecord(shown), !Self.isLater(shown, than: moment) else { return shown }
      return nil
    case .gone(let keys):
      guard let key = shown?.recordKey else { return shown }
      return keys.contains(key) ? nil : shown
    }
  }

  /// What is expected after a record was deleted, or without a key, after anything may have changed.
  fileprivate func doubted(_ key: RecordKey?) -> Self? {
    switch (self, key) {
    case (.there(let edge), let key?), (.present(let edge), let key?):
      edge.recordKey == key ? .gone([key]) : self
    case (.present, nil): nil
    default: self
    }
  }

  /// Whether an own change is later than what a stream tells of the same edge: most records are made and deleted once.
  fileprivate func isLater(than told: ObservedEdge.Change) -> Bool {
    switch (self, told) {
    case (.there(let edge), .made(let key)): edge.recordKey != key
    case (.gone(let keys), .made(let key)): keys.contains(key)
    case (.unrecorded(let moment), .made(let key)): key.tid.map { $0.instant <= moment } ?? true
    case (.there(let edge), .gone(let key)), (.present(let edge), .gone(let key)): edge.recordKey != key
    default: false
    }
  }

  /// Whether this expectation would show an edge in this way.
  fileprivate func mayBeShown(as shown: ATURI?) -> Bool {
    switch self {
    case .there(let edge), .present(let edge): shown == edge
    case .absent, .gone, .unrecorded: shown == nil
    }
  }

  /// Whether an answer shows that the AppView has caught up.
  ///
  /// - Parameter isYetToCome: whether the AppView may not have indexed the record at all yet, so its
  ///   absence proves nothing.
  fileprivate func isConfirmed(by shown: ATURI?, unless isYetToCome: Bool) -> Bool {
    switch self {
    case .there(let edge): return shown == edge
    case .present: return shown != nil
    case .absent: return shown == nil
    case .unrecorded(let moment):
      guard let shown, Self.isOwnRecord(shown) else { return !isYetToCome }
      return Self.isLater(shown, than: moment)
    case .gone(let keys):
      guard let key = shown?.recordKey else { return !isYetToCome }
      // Another record than the deleted ones: another client created it, or it was hidden behind them
      // (Q16).
      return !keys.contains(key)
    }
  }
}

extension OptimisticOverlay.Shown {
  /// The actor's edges in an answer.
  init(_ info: RelationshipInfo) {
    self.init(following: info.following, blocking: info.blocking, muted: info.muted)
  }

  /// The target's edges in an answer; mutes of others are unknown.
  fileprivate init(ofTarget info: RelationshipInfo) {
    self.init(following: info.followedBy, blocking: info.blockedBy)
  }
}

extension RelationshipInfo {
  /// The same answer with other edges of the actor.
  func showing(_ shown: OptimisticOverlay.Shown) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: shown.following, followedBy: followedBy,
      blocking: shown.blocking, blockedBy: blockedBy, blockingByList: blockingByList,
      blockedByList: blockedByList, muted: shown.muted, mutesFault: mutesFault, checkedAt: checkedAt,
      source: source)
  }

  /// The same answer with other edges of the target.
  fileprivate func showing(ofTarget shown: OptimisticOverlay.Shown) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: shown.following, blocking: blocking,
      blockedBy: shown.blocking, blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      mutesFault: mutesFault, checkedAt: checkedAt, source: source)
  }
}
