// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Caches answers about pairs of accounts for a time; one answer serves both directions, with its edges
/// swapped.
///
/// A plain value with one owner and no clock. Bounded in number of answers, and in bytes for what does not
/// fit into a record; evicts the least recently used. Every operation is O(1) except
/// ``removeExpired(at:)``, which is linear. Answers come back unchanged, except that their source is the
/// cache and that a mute is only returned to the side that asked. A million answers with two edges each
/// take 113 MB.
struct PairCache: ~Copyable, Sendable {
  /// Whether an answer is within its lifetime.
  enum Age: Sendable { case fresh, stale }

  /// Total bytes for extras, in proportion to the capacity, but always enough for the longest possible
  /// answer.
  private var extrasAllowance: Int { max(65_536, capacity * 128) }

  /// The most answers kept.
  let capacity: Int
  private let staleLifetime: CacheInstant
  private var records = SlabCache<PairRecord>()
  /// By position; few pairs have extras.
  private var extras: [Int: PairExtras] = [:]
  private var extrasSize = 0
  private var dates = DatetimeMemo()

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - capacity: a value below one disables the cache.
  ///   - staleLifetime: how long an expired answer is still returned as stale; absences are not.
  init(capacity: Int, staleLifetime: Duration = .zero) {
    self.capacity = min(max(0, capacity), SlabCache<PairRecord>.mostRecords)
    self.staleLifetime = CacheInstant(max(.zero, staleLifetime))
  }

  /// Number of answers kept, including expired ones.
  var count: Int { records.count }

  // MARK: Reading

  /// The position of a pair's answer, valid until the cache changes, and its age; nil if expired. Marks it
  /// as used.
  @inline(__always)
  mutating func find(
    _ pair: PairKey, at now: CacheInstant
  ) -> (position: Int, age: Age)? {
    guard let position = records.position(of: pair), let age = age(of: position, at: now)
    else { return nil }
    records.touch(position)
    return (position, age)
  }

  /// Whether one account of a pair follows the other; nil if either was not found.
  @inline(__always)
  func isFollowing(_ actor: DID, at position: Int) -> Bool? {
    guard records[position].state == .answer else { return nil }
    let isActorLow = records[position].isLow(actor)
    return (isActorLow ? records[position].lowFacts : records[position].highFacts).contains(.follows)
  }

  /// What was learned about the target; nil if it is the actor that was not found.
  mutating func finding(of actor: DID, at position: Int) -> RelationshipFinding? {
    let isActorLow = records[position].isLow(actor)
    switch records[position].state {
    case .answer: return .known(info(of: actor, at: position))
    case .lowAbsent: return isActorLow ? nil : .notFound
    case .highAbsent: return isActorLow ? .notFound : nil
    case .changes: return nil
    }
  }

  /// The last answer about a pair, however old; and when it stops being fresh.
  mutating func lastAnswer(
    of actor: DID, in pair: PairKey
  ) -> (info: RelationshipInfo, expiry: CacheInstant)? {
    guard let position = records.position(of: pair), records[position].state == .answer else { return nil }
    return (info(of: actor, at: position), records[position].expiry)
  }

  /// Whether there is an answer about a pair, however old.
  func hasAnswer(of pair: PairKey) -> Bool {
    records.position(of: pair).map { records[$0].state == .answer } ?? false
  }

  /// The pairs of an account that there is an answer about, however old. Looks at every answer.
  func pairs(of account: DID) -> [PairKey] {
    (0..<count).compactMap { position in
      records[position].concerns(account) && records[position].state == .answer ? records[position].pair : nil
    }
  }

  /// Whether accounts of a pair that was not asked about changed something themselves.
  func hasChanges(of pair: PairKey) -> Bool {
    records.position(of: pair).map { records[$0].state == .changes } ?? false
  }

  /// What an account changed itself of a pair that was not asked about; the edges of the other account are
  /// missing.
  mutating func changes(of actor: DID, in pair: PairKey) -> RelationshipInfo? {
    guard let position = records.position(of: pair), records[position].knowsChanges(of: actor) else {
      return nil
    }
    return info(of: actor, at: position).from(.change)
  }

  private mutating func info(of actor: DID, at position: Int) -> RelationshipInfo {
    records[position].info(
      of: actor, with: records[position].hasExtras ? extras[position] : nil, &dates)
  }

  /// When a pair's answer stops being fresh.
  func expiry(at position: Int) -> CacheInstant { records[position].expiry }

  @inline(__always)
  private func age(of position: Int, at now: CacheInstant) -> Age? {
    let expiry = records[position].expiry
    if now < expiry { return .fresh }
    return records[position].state == .answer && now < expiry + staleLifetime ? .stale : nil
  }

  /// Which targets an actor follows according to the cache; an account does not follow itself (Q4).
  mutating func follows(
    of actor: DID, among targets: [DID], at now: CacheInstant
  ) -> RelationshipCache.Follows {
    var found = RelationshipCache.Follows(known: Dictionary(minimumCapacity: min(targets.count, count)))
    for target in targets {
      if target == actor {
        found.known[target] = false
      } else if let (position, age) = find(PairKey(actor, target), at: now) {
        if let follows = isFollowing(actor, at: position) {
          let isNew = found.known.updateValue(follows, forKey: target) == nil
          if age == .stale, isNew { found.stale.append(target) }
        } else if finding(of: actor, at: position) == nil {
          found.missing.append(target)
        }
      } else {
        found.missing.append(target)
      }
    }
    return found
  }

  // MARK: Writing

  /// Stores an answer and replaces the earlier one of the pair.
  ///
  /// - Returns: the actor's earlier relationship, expired or not, if it was different; and the number of
  ///   evictions. Of a pair that was not asked about, only changes by its accounts are compared.
  mutating func insert(
    _ info: RelationshipInfo, of pair: PairKey, until expiry: CacheInstant
  ) -> (former: RelationshipInfo?, evictions: Int) {
    guard capacity > 0, info.actor != info.target else { return (nil, 0) }
    let (record, extra) = PairRecord.packing(info, of: pair, until: expiry)
    let position = records.position(of: pair)
    var former: RelationshipInfo?
    if let position {
      switch records[position].state {
      case .answer:
        if !record.holdsSameFacts(as: records[position]) || extra.items != (extras[position]?.items ?? []) {
          former = self.info(of: info.actor, at: position)
        }
      case .changes: former = changes(contradicting: info, in: pair)
      case .lowAbsent, .highAbsent: break
      }
    }
    return (former, put(record, extra, at: position))
  }

  /// What accounts of a pair changed themselves, as seen by the actor, if an answer shows something else.
  private mutating func changes(contradicting info: RelationshipInfo, in pair: PairKey) -> RelationshipInfo? {
    if let own = changes(of: info.actor, in: pair), !own.hasSameOwnEdges(as: info) { return own }
    if let other = changes(of: info.target, in: pair), !other.hasSameOwnEdges(as: info.swapped) {
      return other.swapped
    }
    return nil
  }

  /// Stores what an account changed itself of a pair that was not asked about. It answers no query.
  mutating func insertChanges(_ info: RelationshipInfo, of pair: PairKey) {
    guard capacity > 0, info.actor != info.target else { return }
    var (record, extra) = PairRecord.packing(info, of: pair, until: .distantPast)
    let other = changes(of: info.target, in: pair)
    if let other {
      (record, extra) = PairRecord.packing(info.with(other), of: pair, until: .distantPast)
      record.addChanges(of: info.target)
    }
    record.addChanges(of: info.actor)
    _ = put(record, extra, at: records.position(of: pair))
  }

  /// Marks an answer as expired: it answers no query, and is compared with the next answer. An absence is
  /// removed.
  mutating func expire(_ pair: PairKey) {
    if let position = records.position(of: pair) { expire(position, at: .distantPast) }
  }

  /// Marks all answers as expired at a time; after the stale lifetime from then on they answer no query.
  mutating func expireAll(at moment: CacheInstant = .distantPast) {
    for position in (0..<count).reversed() { expire(position, at: moment) }
  }

  private mutating func expire(_ position: Int, at moment: CacheInstant) {
    switch records[position].state {
    case .answer: records[position].expiry = min(records[position].expiry, moment)
    case .changes: break
    case .lowAbsent, .highAbsent: remove(at: position)
    }
  }

  /// Stores that a target was not found; returns the number of evictions.
  mutating func insertAbsence(of target: DID, in key: PairKey, until expiry: CacheInstant) -> Int {
    guard capacity > 0, key.low != key.high else { return 0 }
    let record = PairRecord(
      key: key, state: key.low == target ? .lowAbsent : .highAbsent, expiry: expiry)
    return put(record, PairExtras(), at: records.position(of: key))
  }

  /// - Parameter position: the position of the pair's record, if there is one.
  private mutating func put(_ record: consuming PairRecord, _ extra: PairExtras, at position: Int?) -> Int {
    var evictions = 0
    if let position {
      removeExtras(at: position)
      let link = records[position].link
      records[position] = record
      records[position].link = link
      records.touch(position)
      keep(extra, at: position)
    } else {
      if count >= capacity { evictions += evictOldest() }
      keep(extra, at: records.insert(record))
    }
    while extrasSize > extrasAllowance { evictions += evictOldest() }
    return evictions
  }

  /// Removes a pair; returns whether there was an entry.
  @discardableResult
  mutating func remove(_ pair: PairKey) -> Bool {
    guard let position = records.position(of: pair) else { return false }
    remove(at: position)
    return true
  }

  /// Removes everything and releases the memory.
  mutating func removeAll() {
    records = SlabCache()
    extras = [:]
    extrasSize = 0
  }

  /// Removes expired answers, except stale ones; returns how many.
  ///
  /// - Parameter isCompared: whether answers are kept that a later one is compared with.
  mutating func removeExpired(at now: CacheInstant, keepingCompared isCompared: Bool = false) -> Int {
    let before = count
    for position in (0..<before).reversed() where age(of: position, at: now) == nil {
      if isCompared, [.answer, .changes].contains(records[position].state) { continue }
      remove(at: position)
    }
    return before - count
  }

  private mutating func evictOldest() -> Int {
    guard let oldest = records.oldest else { return 0 }
    remove(at: oldest)
    return 1
  }

  private mutating func remove(at position: Int) {
    removeExtras(at: position)
    guard let moved = records.remove(at: position), records[position].hasExtras else { return }
    extras[position] = extras.removeValue(forKey: moved)
  }

  private mutating func keep(_ extra: PairExtras, at position: Int) {
    guard !extra.isEmpty else { return }
    extras[position] = extra
    extrasSize += extra.size
  }

  private mutating func removeExtras(at position: Int) {
    guard records[position].hasExtras, let extra = extras.removeValue(forKey: position) else { return }
    extrasSize -= extra.size
  }
}

extension RelationshipInfo {
  /// Whether the actor's follow and direct block are the same; a mute is compared if both know it.
  fileprivate func hasSameOwnEdges(as other: RelationshipInfo) -> Bool {
    let isMuted = muted == nil || other.muted == nil || muted == other.muted
    return following == other.following && blocking == other.blocking && isMuted
  }

  /// The same with the edges that the target changed itself.
  fileprivate func with(_ other: RelationshipInfo) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: other.following, blocking: blocking,
      blockedBy: other.blocking, muted: muted, checkedAt: checkedAt, source: source)
  }
}
