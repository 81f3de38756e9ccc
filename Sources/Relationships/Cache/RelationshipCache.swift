// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// Remembers answers for a time: bounded, and never a failure.
///
/// An answer about two accounts answers for both, without a call. What is fresh is told by every question,
/// what is stale only by those that tell it apart.
public struct RelationshipCache: ~Copyable, Sendable {
  private let policy: Policy
  private let lifetime: CacheMoment
  private let absenceLifetime: CacheMoment
  private let time: TimeSource
  private var pairs: PairCache
  /// Whether accounts exist, where somebody asked: the AppView's answers about pairs do not tell (Q2).
  private var existence: ExistenceCache
  private var counters = Statistics()
  /// How often something was forgotten on request: what ``learn(existing:among:askedIn:)`` wants to hear.
  private(set) var generation = 0

  /// Makes an empty cache.
  init(policy: Policy, time: TimeSource) {
    self.policy = policy
    lifetime = CacheMoment(policy.lifetime)
    absenceLifetime = CacheMoment(policy.absenceLifetime)
    self.time = time
    let capacity = policy.lifetime > .zero ? policy.capacity : 0
    pairs = PairCache(capacity: capacity, staleLifetime: policy.staleLifetime)
    existence = ExistenceCache(capacity: capacity)
  }

  /// What has been counted so far.
  var statistics: Statistics {
    var now = counters
    now.count = pairs.count
    return now
  }

  var now: CacheMoment { CacheMoment(time.now) }

  // MARK: Pairs

  /// Whether the actor follows the target, if a fresh answer is remembered. Allocates nothing.
  ///
  /// Nobody follows themselves (Q4). Only an answer counts as a hit: whoever gets nil asks on with
  /// ``finding(of:with:)``.
  mutating func isFollowing(_ actor: DID, _ target: DID) -> Bool? {
    if actor == target { return false }
    guard let (position, age) = pairs.find(PairKey(actor, target), at: now), age == .fresh,
      let follows = pairs.isFollowing(actor, at: position)
    else { return nil }
    counters.hits += 1
    return follows
  }

  /// What is remembered of a pair, as one of the two accounts sees it.
  ///
  /// - Parameter now: this moment, read once for many pairs.
  mutating func finding(of actor: DID, in pair: PairKey, at now: CacheMoment) -> Lookup {
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

  /// Whom of the targets the actor follows, as far as it is remembered, in one call for any number of them.
  ///
  /// The actor itself is not followed (Q4). Only answers count, as hits: whoever asks on counts the rest.
  mutating func follows(of actor: DID, among targets: [DID]) -> Follows {
    let found = pairs.follows(of: actor, among: targets, at: now)
    counters.hits += targets.count - found.missing.count
    counters.staleHits += found.stale.count
    return found
  }

  /// Remembers what was learned.
  ///
  /// An answer whose time is over still counts as what was known before. An account's relationship with
  /// itself is not remembered, nor an answer about others than was asked.
  /// - Parameters:
  ///   - pairs: the actor and each target, in the order of the findings.
  ///   - invalidated: pairs that were forgotten since they were asked about. They are not remembered: the answer may
  ///     be older than what made somebody forget.
  /// - Returns: the relationships that are not what they were before.
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
        guard info.actor == actor, info.target == target else { continue }
        let outcome = self.pairs.insert(info, of: pair, until: now + lifetime)
        counters.evictions += outcome.evictions
        if let former = outcome.former { changes.append((former, info)) }
      case .notFound:
        counters.evictions += self.pairs.insertAbsence(of: target, in: pair, until: now + absenceLifetime)
      case .failed:
        continue
      }
    }
    return changes
  }

  /// Changes what is remembered of a pair, as its actor's own doing makes it.
  ///
  /// It stays as old as it was: what the other account does is no better known for it.
  /// - Returns: what it was and what it is now; nil where nothing is remembered, or nothing changes.
  mutating func move(
    _ actor: DID, _ target: DID, _ edit: (RelationshipInfo) -> RelationshipInfo
  ) -> (before: RelationshipInfo, now: RelationshipInfo)? {
    let pair = PairKey(actor, target)
    guard let (position, _) = pairs.find(pair, at: now),
      case .known(let before)? = pairs.finding(of: actor, at: position)
    else { return nil }
    let moved = edit(before)
    guard !moved.holdsSameFacts(as: before) else { return nil }
    _ = pairs.insert(moved, of: pair, until: pairs.expiry(at: position))
    return (before, moved)
  }

  /// Remembers as stale what was known before, of pairs of which nothing is remembered.
  ///
  /// - Parameter relationships: the latest first.
  /// - Returns: how many are remembered.
  mutating func restore(_ relationships: [RelationshipInfo]) -> Int {
    let (now, wall) = (now, time.microsecondsSinceEpoch)
    var count = 0
    for info in relationships where count < pairs.capacity && info.actor != info.target {
      let pair = PairKey(info.actor, info.target)
      let age = Duration.microseconds(max(0, wall - info.checkedAt.microsecondsSinceEpoch))
      guard age < policy.lifetime + policy.staleLifetime, pairs.find(pair, at: now) == nil else { continue }
      // Even where its time is not over: others have had theirs to change it.
      let over = CacheMoment(.zero - max(.zero, age - policy.lifetime))
      _ = pairs.insert(info, of: pair, until: now + over)
      count += 1
    }
    return count
  }

  // MARK: Existence

  /// Whether each account exists; those of which nothing is remembered are left out.
  mutating func existence(of accounts: [DID]) -> [DID: Bool] {
    var known: [DID: Bool] = [:]
    let now = now
    for account in accounts { known[account] = existence.exists(account, at: now) }
    return known
  }

  /// Remembers which accounts exist, and for a shorter time which do not.
  ///
  /// - Parameter asked: the ``generation`` in which was asked. Where anything was forgotten since then, nothing is
  ///   remembered: an answer that is not remembered costs a call, a wrong one more.
  mutating func learn(existing: Set<DID>, among accounts: [DID], askedIn asked: Int) {
    guard asked == generation else { return }
    let now = now
    for account in accounts {
      let exists = existing.contains(account)
      existence.insert(exists, for: account, until: now + (exists ? lifetime : absenceLifetime))
    }
  }

  // MARK: Forgetting

  /// Forgets one pair, from both sides, and whether its target exists.
  mutating func remove(actor: DID, target: DID) {
    generation += 1
    pairs.remove(PairKey(actor, target))
    existence.remove(target)
  }

  /// Forgets everything.
  mutating func removeAll() {
    generation += 1
    pairs.removeAll()
    existence.removeAll()
  }

  /// Forgets what has passed its time, and says how many answers that were.
  @discardableResult
  mutating func prune() -> Int {
    existence.removeExpired(at: now)
    return pairs.removeExpired(at: now)
  }
}

extension RelationshipCache {
  /// How long answers are kept, and how many.
  public struct Policy: Sendable, Hashable {
    /// For relationships; zero turns the cache off.
    public var lifetime: Duration
    /// For accounts that were not found: they may appear any moment.
    public var absenceLifetime: Duration
    /// How long a relationship whose time is over may still be shown while it is asked for anew; zero for
    /// never.
    public var staleLifetime: Duration
    /// The most answers kept, one for each pair of accounts; the longest unused one makes room.
    ///
    /// An answer takes 96 bytes, and eleven to twenty-one in the index, at the time it is learned: 250,000 take 28
    /// MB. Edges by list and other addresses that cannot be packed come on top, up to 128 bytes for each
    /// answer that may be kept; accounts whose existence was asked for, up to as many, at 51 to 61 bytes.
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

    /// Keeps nothing.
    public static let off = Policy(lifetime: .zero, absenceLifetime: .zero, capacity: 0)
  }

  /// What a cache has done so far.
  public struct Statistics: Sendable, Hashable {
    /// Questions answered from memory.
    public var hits = 0
    /// Those of them whose answer's time was over; see ``Policy/staleLifetime``.
    public var staleHits = 0
    /// Questions that were not answered from memory.
    public var misses = 0
    /// Answers that made room for others before their time.
    public var evictions = 0
    /// Answers kept now, those included whose time is over but that nothing has removed yet.
    public var count = 0
  }

  /// What is remembered of one pair.
  enum Lookup: Sendable, Equatable {
    case fresh(RelationshipFinding)
    /// Its time is over: it may be shown, and is to be asked for anew.
    case stale(RelationshipFinding)
    case none
  }

  /// What is remembered of whom an actor follows.
  struct Follows: Sendable {
    /// Whether each target is followed; a target that was not found is in neither ``known`` nor ``missing``.
    var known: [DID: Bool] = [:]
    /// Those of ``known`` that are to be asked for anew, in the order of the targets.
    var stale: [DID] = []
    /// Those that have to be asked for, in the order of the targets; one named twice may be here twice.
    var missing: [DID] = []
  }
}
