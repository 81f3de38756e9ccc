// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// A bounded cache of answers with a lifetime; it never fails.
///
/// An answer about two accounts serves both directions. Fresh entries answer every query; stale entries
/// only answer queries that can mark them as stale.
public struct RelationshipCache: ~Copyable, Sendable {
  private let policy: Policy
  private let lifetime: CacheInstant
  private let absenceLifetime: CacheInstant
  private let time: TimeSource
  private var pairs: PairCache
  /// Whether accounts exist, if that was requested: the AppView's answers about pairs do not include it
  /// (Q2).
  private var existence: ExistenceCache
  private var counters = Statistics()
  /// False if the cache is off; then it holds what accounts changed themselves.
  private let keepsAnswers: Bool
  /// Room for what accounts changed themselves if the cache is off.
  private static let mostChanges = 1_000
  /// Number of invalidations; see ``learn(existing:among:askedIn:)``.
  private(set) var generation = 0

  /// Creates an empty cache.
  init(policy: Policy, time: TimeSource) {
    self.policy = policy
    lifetime = CacheInstant(policy.lifetime)
    absenceLifetime = CacheInstant(policy.absenceLifetime)
    self.time = time
    let capacity = policy.lifetime > .zero ? policy.capacity : 0
    keepsAnswers = capacity > 0
    pairs = PairCache(
      capacity: keepsAnswers ? capacity : Self.mostChanges, staleLifetime: policy.staleLifetime)
    existence = ExistenceCache(capacity: capacity)
  }

  /// The counters so far.
  var statistics: Statistics {
    var now = counters
    now.count = keepsAnswers ? pairs.count : 0
    return now
  }

  var now: CacheInstant { CacheInstant(time.now) }

  // MARK: Pairs

  /// Whether the actor follows the target, if a fresh answer is cached. Does not allocate.
  ///
  /// An account never follows itself (Q4). Only an answer is counted, as a hit; on nil the caller continues
  /// with ``finding(of:with:)``, which counts the miss.
  mutating func isFollowing(_ actor: DID, _ target: DID) -> Bool? {
    if actor == target { return false }
    guard let (position, age) = pairs.find(PairKey(actor, target), at: now), age == .fresh,
      let follows = pairs.isFollowing(actor, at: position)
    else { return nil }
    counters.hits += 1
    return follows
  }

  /// What is cached for a pair, as seen by one of its accounts.
  ///
  /// - Parameter now: the current instant, read once for many pairs.
  mutating func finding(of actor: DID, in pair: PairKey, at now: CacheInstant) -> Lookup {
    guard let (position, age) = pairs.find(pair, at: now),
      let finding = pairs.finding(of: actor, at: position)
    else {
      counters.misses += 1
      return .none
    }
    counters.hits += 1
    if age == .stale { counters.staleHits += 1 }
    return age == .fresh ? .fresh(finding) : .stale(finding)
  }

  /// Which of the targets the actor follows according to the cache, in one call for any number of targets.
  ///
  /// An account does not follow itself (Q4). Only answers are counted, as hits; the caller's next lookup
  /// counts the misses.
  mutating func follows(of actor: DID, among targets: [DID]) -> Follows {
    let found = pairs.follows(of: actor, among: targets, at: now)
    counters.hits += targets.count - found.missing.count
    counters.staleHits += found.stale.count
    return found
  }

  /// Stores what was learned.
  ///
  /// An expired answer still counts as the earlier relationship. An account's relationship with itself is
  /// not stored, nor is an answer about other accounts than requested, or one that lacks the mutes because of an error.
  /// - Parameters:
  ///   - pairs: the actor and each target, in the order of the findings.
  ///   - invalidated: pairs that were invalidated since the request. They are not stored, as the answer may
  ///     be older than the invalidation.
  /// - Returns: the relationships that changed.
  mutating func learn(
    _ findings: [RelationshipFinding], of actor: DID, in pairs: [PairKey],
    except invalidated: Set<PairKey> = []
  ) -> [(before: RelationshipInfo, now: RelationshipInfo)] {
    var changes: [(before: RelationshipInfo, now: RelationshipInfo)] = []
    let now = now
    for (finding, pair) in zip(findings, pairs) {
      if !invalidated.isEmpty, invalidated.contains(pair) { continue }
      let target = pair.opposite(actor)
      switch finding {
      case .known(let info):
        guard info.actor == actor, info.target == target, !info.lacksMutes else { continue }
        guard keepsAnswers || self.pairs.hasChanges(of: pair) else { continue }
        let expiry = keepsAnswers ? now + lifetime : .distantPast
        let outcome = self.pairs.insert(info, of: pair, until: expiry)
        counters.evictions += outcome.evictions
        if let former = outcome.former { changes.append((former, info)) }
      case .notFound where keepsAnswers:
        counters.evictions += self.pairs.insertAbsence(of: target, in: pair, until: now + absenceLifetime)
      case .notFound, .failed:
        continue
      }
    }
    return changes
  }

  /// The relationship of a pair before and after a change by its actor.
  struct Moved {
    let before: RelationshipInfo
    let now: RelationshipInfo
    /// Whether queries are answered with it.
    let isCached: Bool
  }

  /// Updates a pair after a change by its actor, whether it was asked about or not.
  ///
  /// The entry keeps its age, as nothing new is known about the other account. Of a pair that was never asked
  /// about, only the actor's edges are kept; before the first change they are assumed not to exist.
  /// - Parameters:
  ///   - isExpected: whether the actor changed anything; if so, the first change of a pair that was never asked
  ///     about is reported, even if it shows no edge.
  ///   - isRollback: whether a change was rolled back, which is reported of such a pair whatever it shows.
  /// - Returns: nil if there is nothing to report.
  mutating func move(
    _ actor: DID, _ target: DID, isExpected: Bool, isRollback: Bool,
    _ edit: (RelationshipInfo) -> RelationshipInfo
  ) -> Moved? {
    guard pairs.hasAnswer(of: PairKey(actor, target)) else {
      return moveUnasked(actor, target, isExpected: isExpected, isRollback: isRollback, edit)
    }
    return move(actor, target, edit)
  }

  /// Updates an answer, however old it is, as seen by one of its accounts. The entry keeps its age.
  ///
  /// - Returns: nil if there is no answer, or nothing changes.
  mutating func move(
    _ actor: DID, _ target: DID, _ edit: (RelationshipInfo) -> RelationshipInfo
  ) -> Moved? {
    let pair = PairKey(actor, target)
    guard let last = pairs.lastAnswer(of: actor, in: pair) else { return nil }
    let moved = edit(last.info)
    guard !moved.hasSameFacts(as: last.info) else { return nil }
    _ = pairs.insert(moved, of: pair, until: last.expiry)
    return Moved(before: last.info, now: moved, isCached: pairs.find(pair, at: now) != nil)
  }

  private mutating func moveUnasked(
    _ actor: DID, _ target: DID, isExpected: Bool, isRollback: Bool,
    _ edit: (RelationshipInfo) -> RelationshipInfo
  ) -> Moved? {
    let pair = PairKey(actor, target)
    let known = pairs.changes(of: actor, in: pair)
    let before =
      known ?? RelationshipInfo(actor: actor, target: target, checkedAt: wallClock, source: .change)
    let moved = edit(before)
    let isFirst = known == nil && isExpected
    guard isFirst || isRollback || !moved.hasSameFacts(as: before) else { return nil }
    pairs.insertChanges(moved, of: pair)
    return Moved(before: before, now: moved, isCached: false)
  }

  /// What is known about a pair, however old, and whether it answers queries; nil facts if it is not known, or
  /// if everything was removed since.
  mutating func known(of actor: DID, in pair: PairKey) -> (info: RelationshipInfo?, isFresh: Bool?) {
    let last = pairs.lastAnswer(of: actor, in: pair)
    let info = last?.expiry == .distantPast && keepsAnswers ? nil : last?.info
    return (
      info ?? pairs.changes(of: actor, in: pair),
      keepsAnswers ? last.map { now < $0.expiry } ?? false : nil
    )
  }

  /// The last answer about a pair, however old, as seen by one of its accounts.
  mutating func lastAnswer(of actor: DID, in pair: PairKey) -> RelationshipInfo? {
    pairs.lastAnswer(of: actor, in: pair)?.info
  }

  /// The pairs of an account that there is an answer about, however old. Looks at every answer.
  func pairs(of account: DID) -> [PairKey] { pairs.pairs(of: account) }

  private var wallClock: Datetime { Datetime(at: time.instant) }

  /// Stores earlier relationships as stale, for pairs that are not cached.
  ///
  /// - Parameter relationships: latest first.
  /// - Returns: how many were stored.
  mutating func restore(_ relationships: [RelationshipInfo]) -> Int {
    let (now, wall) = (now, time.instant)
    var count = 0
    for info in relationships where count < pairs.capacity && info.actor != info.target {
      let pair = PairKey(info.actor, info.target)
      let age = max(.zero, wall - info.checkedAt.instant)
      guard age < policy.lifetime + policy.staleLifetime, !pairs.hasAnswer(of: pair),
        !pairs.hasChanges(of: pair)
      else { continue }
      // Stale even within their lifetime: other clients had time to change them.
      let over = CacheInstant(.zero - max(.zero, age - policy.lifetime))
      _ = pairs.insert(info, of: pair, until: now + over)
      count += 1
    }
    return count
  }

  // MARK: Existence

  /// Whether each account exists; accounts that are not cached are left out.
  mutating func existence(of accounts: [DID]) -> [DID: Bool] {
    var known: [DID: Bool] = [:]
    let now = now
    for account in accounts { known[account] = existence.exists(account, at: now) }
    return known
  }

  /// Stores which accounts exist and, with a shorter lifetime, which do not.
  ///
  /// - Parameter asked: the ``generation`` at the time of the request. If anything was invalidated since
  ///   then, nothing is stored: a missing entry costs one call, a wrong one costs more.
  mutating func learn(existing: Set<DID>, among accounts: [DID], askedIn asked: Int) {
    guard asked == generation else { return }
    let now = now
    for account in accounts {
      let exists = existing.contains(account)
      existence.insert(exists, for: account, until: now + (exists ? lifetime : absenceLifetime))
    }
  }

  // MARK: Removal

  /// Marks a pair as expired, in both directions, and removes whether its target exists. The answer is kept to
  /// be compared with the next one.
  mutating func expire(actor: DID, target: DID) {
    generation += 1
    pairs.expire(PairKey(actor, target))
    existence.remove(target)
  }

  /// Marks everything as expired, and keeps it to be shown as last known and compared.
  mutating func expireAll() {
    generation += 1
    pairs.expireAll(at: CacheInstant(time.now - policy.staleLifetime))
    existence.removeAll()
  }

  /// Removes everything.
  ///
  /// - Parameter isCompared: whether answers are kept, as expired, to be compared with the next ones.
  mutating func removeAll(keepingCompared isCompared: Bool) {
    generation += 1
    if isCompared { pairs.expireAll() } else { pairs.removeAll() }
    existence.removeAll()
  }

  /// Removes expired entries; returns how many answers were removed.
  ///
  /// - Parameter isCompared: whether answers are kept to be compared with the next ones.
  @discardableResult
  mutating func prune(keepingCompared isCompared: Bool = false) -> Int {
    existence.removeExpired(at: now)
    return pairs.removeExpired(at: now, keepingCompared: isCompared)
  }
}

extension RelationshipCache {
  /// How long answers are kept, and how many.
  public struct Policy: Sendable, Hashable {
    /// Lifetime of relationships; zero turns the cache off.
    public var lifetime: Duration
    /// Lifetime of absences; a missing account may appear at any moment.
    public var absenceLifetime: Duration
    /// How long an expired relationship may be shown while it is refreshed (stale-while-revalidate); zero
    /// for never.
    public var staleLifetime: Duration
    /// The most answers kept, one per pair of accounts; the least recently used is evicted.
    ///
    /// An answer takes 96 bytes when stored, plus 11 to 21 in the index: 250,000 answers take 28 MB. Edges
    /// by list and other URIs that cannot be packed take up to 128 more bytes per answer of the capacity.
    /// Existence entries, up to the same number, take 51 to 61 bytes each.
    public var capacity: Int

    /// Five minutes, one minute for absences, nothing stale, 250,000 answers.
    public init(
      lifetime: Duration = .seconds(300), absenceLifetime: Duration = .seconds(60),
      staleLifetime: Duration = .zero, capacity: Int = 250_000
    ) {
      self.lifetime = lifetime
      self.absenceLifetime = min(absenceLifetime, lifetime)
      self.staleLifetime = staleLifetime
      self.capacity = capacity
    }

    /// Disables the cache.
    public static let off = Policy(lifetime: .zero, absenceLifetime: .zero, capacity: 0)
  }

  /// Counters of a cache.
  public struct Statistics: Sendable, Hashable {
    /// Lookups answered from the cache.
    public var hits = 0
    /// Hits whose answer was expired; see ``Policy/staleLifetime``.
    public var staleHits = 0
    /// Lookups not answered from the cache.
    public var misses = 0
    /// Answers evicted before they expired.
    public var evictions = 0
    /// Number of answers kept now, including expired ones that were not removed yet.
    public var count = 0
  }

  /// The result of a lookup of one pair.
  enum Lookup: Sendable, Equatable {
    case fresh(RelationshipFinding)
    /// Expired: it may be shown, and should be refreshed.
    case stale(RelationshipFinding)
    case none
  }

  /// Which targets an actor follows according to the cache.
  struct Follows: Sendable {
    /// Whether each target is followed; a target that was not found is in neither ``known`` nor
    /// ``missing``.
    var known: [DID: Bool] = [:]
    /// Targets in ``known`` that should be refreshed, in the order of the targets.
    var stale: [DID] = []
    /// Targets that have to be requested, in the order of the targets; a duplicate target may appear twice.
    var missing: [DID] = []
  }
}
