// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
package import ATProtoCore

/// What an account has just done, laid over the answers of an AppView that has not seen it yet (Q21).
///
/// Expectations come from two ends: what somebody wishes, until a server has taken or refused it, and what a
/// server has taken. The latter end when an answer shows that the AppView has caught up, and after a time in any
/// case. Bounded in number: the oldest of what a server has taken go first.
///
/// Behind a mutex, so that an expectation counts from the moment of the wish.
package final class OptimisticOverlay: Sendable {
  /// What is to be seen of one kind of record.
  package enum Edge: Sendable, Hashable {
    /// It is there, under this address.
    case there(ATURI)
    /// These records are gone; another one would be news.
    case gone(Set<RecordKey>)
    /// One is there, under this address if no other one is shown: somebody wishes so.
    case present(ATURI)
    /// None is there, whatever is shown: somebody wishes so.
    case absent
  }

  /// What an answer shows of the actor's own doing.
  struct Shown: Sendable, Hashable {
    var following: ATURI?
    var blocking: ATURI?
    var muted: Bool?
  }

  /// What is expected of one pair; nil of what nothing is.
  package struct Expected: Sendable, Hashable {
    package var following: Edge?
    package var blocking: Edge?
    package var muted: Bool?

    /// Expects so; nothing of what is left out.
    package init(following: Edge? = nil, blocking: Edge? = nil, muted: Bool? = nil) {
      self.following = following
      self.blocking = blocking
      self.muted = muted
    }

    package var isEmpty: Bool { following == nil && blocking == nil && muted == nil }
  }

  /// A wish that is taken back: what it showed, and what was shown before.
  package struct TakenBack: Sendable, Hashable {
    let wished: Expected
    let before: Shown
  }

  /// What is wished by itself, and taken or refused by itself.
  package enum Kind: Sendable, Hashable {
    /// Follow and block, which go in one commit.
    case edges
    case mute
  }

  fileprivate struct Entry {
    var wished = Expected()
    var taken = Expected()
    /// What was shown before the wish; nil where nothing was.
    var before: Shown?
    /// Whether the AppView has yet to see that one of the records was ever there.
    var hidesWhatIsYetToCome: (following: Bool, blocking: Bool) = (false, false)
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
  }

  /// How long an AppView may lag behind.
  private let lifetime: Duration
  private let capacity: Int
  private let time: TimeSource
  private let state = PosixMutex(State())

  /// Ten minutes, for AppViews have lagged by minutes when they were busy; 10,000 pairs.
  init(lifetime: Duration = .seconds(600), capacity: Int = 10_000, time: TimeSource) {
    self.lifetime = lifetime
    self.capacity = capacity
    self.time = time
  }

  /// Whether nothing is expected of anybody.
  var isEmpty: Bool { state.withLock(\.entries.isEmpty) }
  /// Pairs of which something is expected.
  var count: Int { state.withLock(\.entries.count) }

  // MARK: What somebody does

  /// Somebody wishes so, in place of what they wished of that kind before.
  ///
  /// - Returns: what is not wished any more; nil where that was nothing, or was not shown.
  @discardableResult
  package func wish(_ wished: Expected, _ kind: Kind, of actor: DID, about target: DID) -> TakenBack? {
    change(Pair(actor: actor, target: target)) { $0.wish(wished, kind) }
  }

  /// The server has taken it; what was wished of that kind is no mere wish any more.
  package func take(_ taken: Expected, _ kind: Kind, of actor: DID, about target: DID) {
    change(Pair(actor: actor, target: target)) { entry in
      entry.wished.replace(kind, by: Expected())
      if let following = taken.following {
        entry.hidesWhatIsYetToCome.following = following.isGone && entry.taken.following?.isThere == true
        entry.taken.following = following
      }
      if let blocking = taken.blocking {
        entry.hidesWhatIsYetToCome.blocking = blocking.isGone && entry.taken.blocking?.isThere == true
        entry.taken.blocking = blocking
      }
      entry.taken.muted = taken.muted ?? entry.taken.muted
      // What is still wished was wished before this, and is refused to this.
      entry.before = entry.wished.isEmpty ? nil : entry.before.map(entry.maskWithoutWishes)
    }
  }

  /// The server has refused it.
  ///
  /// - Returns: what is not wished any more; nil where that was nothing, or was not shown.
  package func refuse(_ kind: Kind, of actor: DID, about target: DID) -> TakenBack? {
    state.withLock { state in
      let pair = Pair(actor: actor, target: target)
      guard var entry = state.entries[pair] else { return nil }
      defer { state.entries[pair] = entry.isEmpty ? nil : entry }
      return entry.wish(Expected(), kind)
    }
  }

  private func change<Value: Sendable>(_ pair: Pair, _ body: (inout Entry) -> Value) -> Value {
    let end = time.now + lifetime
    return state.withLock { state in
      state.numbers += 1
      var entry = state.entries[pair] ?? Entry(end: end, number: 0)
      let value = body(&entry)
      entry.end = end
      entry.number = state.numbers
      state.entries[pair] = entry.isEmpty ? nil : entry
      if state.entries.count > capacity { state.makeRoom(for: capacity) }
      return value
    }
  }

  // MARK: What an AppView says

  /// An answer that was just given, with what is expected in place of what it shows; ends what it confirms.
  func heard(_ info: RelationshipInfo) -> RelationshipInfo {
    let now = time.now
    return overlaying(info) { entry, shown in
      entry.hear(shown, at: now)
      return entry.mask(shown)
    }
  }

  /// An answer that was heard or remembered before, with what is expected in place of what it shows.
  func shown(_ info: RelationshipInfo) -> RelationshipInfo {
    overlaying(info) { entry, shown in
      if !entry.wished.isEmpty, entry.before == nil { entry.before = shown }
      return entry.mask(shown)
    }
  }

  /// As ``heard(_:)``, for an answer that shows of a pair what the actor does alone.
  func heard(_ shown: Shown, of actor: DID, about target: DID) -> Shown {
    let now = time.now
    return overlaying(shown, of: Pair(actor: actor, target: target)) { entry, shown in
      entry.hear(shown, at: now)
      return entry.mask(shown)
    }
  }

  /// As ``shown(_:)``, for an answer that shows of a pair what the actor does alone.
  func shown(_ shown: Shown, of actor: DID, about target: DID) -> Shown {
    overlaying(shown, of: Pair(actor: actor, target: target)) { entry, shown in entry.mask(shown) }
  }

  private func overlaying(_ shown: Shown, of pair: Pair, _ body: (inout Entry, Shown) -> Shown) -> Shown {
    state.withLock { state in
      guard var entry = state.entries[pair] else { return shown }
      defer { state.entries[pair] = entry.isEmpty ? nil : entry }
      return body(&entry, shown)
    }
  }

  /// An answer speaks of what both accounts do, and either may be the one that has just done something.
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

extension OptimisticOverlay.State {
  /// Drops the oldest quarter of what servers have taken, so that it is not done for each one.
  fileprivate mutating func makeRoom(for capacity: Int) {
    let oldest = entries.filter { $0.value.wished.isEmpty }.sorted { $0.value.number < $1.value.number }
    for (pair, _) in oldest.prefix(max(1, capacity / 4)) { entries[pair] = nil }
  }
}

extension OptimisticOverlay.Entry {
  fileprivate var isEmpty: Bool { wished.isEmpty && taken.isEmpty }

  /// Wishes so in place of what was wished of that kind, and gives what of that is not wished any more.
  fileprivate mutating func wish(
    _ other: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind
  ) -> OptimisticOverlay.TakenBack? {
    var former = OptimisticOverlay.Expected()
    former.replace(kind, by: wished)
    if other.following != nil { former.following = nil }
    if other.blocking != nil { former.blocking = nil }
    if other.muted != nil { former.muted = nil }
    defer { if wished.isEmpty { before = nil } }
    wished.replace(kind, by: other)
    guard let before, !former.isEmpty else { return nil }
    return OptimisticOverlay.TakenBack(wished: former, before: before)
  }

  fileprivate mutating func hear(_ shown: OptimisticOverlay.Shown, at now: Duration) {
    if now >= end { taken = OptimisticOverlay.Expected() }
    if taken.following?.isConfirmed(by: shown.following, unless: hidesWhatIsYetToCome.following) == true {
      taken.following = nil
    }
    if taken.blocking?.isConfirmed(by: shown.blocking, unless: hidesWhatIsYetToCome.blocking) == true {
      taken.blocking = nil
    }
    if let muted = taken.muted, muted == shown.muted { taken.muted = nil }
    if !wished.isEmpty { before = maskWithoutWishes(shown) }
  }

  fileprivate func maskWithoutWishes(_ shown: OptimisticOverlay.Shown) -> OptimisticOverlay.Shown {
    var bare = self
    bare.wished = OptimisticOverlay.Expected()
    return bare.mask(shown)
  }

  fileprivate func mask(_ shown: OptimisticOverlay.Shown) -> OptimisticOverlay.Shown {
    var masked = shown
    for edge in [taken.following, wished.following] {
      if let edge { masked.following = edge.masking(masked.following) }
    }
    for edge in [taken.blocking, wished.blocking] {
      if let edge { masked.blocking = edge.masking(masked.blocking) }
    }
    masked.muted = wished.muted ?? taken.muted ?? shown.muted
    return masked
  }
}

extension OptimisticOverlay.TakenBack {
  /// What is to be shown in place of what is remembered: what differs from the wish was learned since then.
  func restoring(_ shown: OptimisticOverlay.Shown) -> OptimisticOverlay.Shown {
    var restored = shown
    if wished.following?.mayBeShown(as: shown.following) == true { restored.following = before.following }
    if wished.blocking?.mayBeShown(as: shown.blocking) == true { restored.blocking = before.blocking }
    if let muted = wished.muted, muted == shown.muted { restored.muted = before.muted }
    return restored
  }
}

extension OptimisticOverlay.Expected {
  /// Takes what is of one kind from another expectation.
  fileprivate mutating func replace(_ kind: OptimisticOverlay.Kind, by other: OptimisticOverlay.Expected) {
    switch kind {
    case .edges: (following, blocking) = (other.following, other.blocking)
    case .mute: muted = other.muted
    }
  }
}

extension OptimisticOverlay.Edge {
  fileprivate var isThere: Bool { if case .there = self { true } else { false } }
  fileprivate var isGone: Bool { if case .gone = self { true } else { false } }

  /// What is to be seen in place of what an answer shows.
  fileprivate func masking(_ shown: ATURI?) -> ATURI? {
    switch self {
    case .there(let edge): return edge
    case .present(let edge): return shown ?? edge
    // A block by a list may stand in the place of one's own (Q7).
    case .absent: return shown?.collection == .block || shown?.collection == .follow ? nil : shown
    case .gone(let keys):
      guard let key = shown?.recordKey else { return shown }
      return keys.contains(key) ? nil : shown
    }
  }

  /// Whether it is what makes an edge be shown, or not be shown.
  fileprivate func mayBeShown(as shown: ATURI?) -> Bool {
    switch self {
    case .there(let edge), .present(let edge): shown == edge
    case .absent, .gone: shown == nil
    }
  }

  /// Whether an answer shows that the AppView has caught up.
  ///
  /// - Parameter isYetToCome: the AppView may not have seen yet that the record was there at all, so that its
  ///   absence says nothing.
  fileprivate func isConfirmed(by shown: ATURI?, unless isYetToCome: Bool) -> Bool {
    switch self {
    case .there(let edge): return shown == edge
    case .present: return shown != nil
    case .absent: return shown == nil
    case .gone(let keys):
      guard let key = shown?.recordKey else { return !isYetToCome }
      // Another record than those that are gone: somebody made it elsewhere, or it was hidden behind them (Q16).
      return !keys.contains(key)
    }
  }
}

extension OptimisticOverlay.Shown {
  /// What an answer shows of what its actor does.
  init(_ info: RelationshipInfo) {
    self.init(following: info.following, blocking: info.blocking, muted: info.muted)
  }

  /// What an answer shows of what its target does; mutes are not told of others.
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
      blockedByList: blockedByList, muted: shown.muted, checkedAt: checkedAt, source: source)
  }

  /// The same answer with other edges of the target.
  fileprivate func showing(ofTarget shown: OptimisticOverlay.Shown) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: shown.following, blocking: blocking,
      blockedBy: shown.blocking, blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      checkedAt: checkedAt, source: source)
  }
}
