// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// Remembers answers for a time: bounded, and never a failure.
///
/// An answer about two accounts answers for both, without a call. What is fresh is told by every question,
/// what is stale only by those that tell it apart.
public actor RelationshipCache {
  let lifetime: CacheMoment
  private let absenceLifetime: CacheMoment
  private let time: TimeSource
  var pairs: PairCache
  /// Whether accounts exist, where somebody asked: the AppView's answers about pairs do not tell (Q2).
  private var existence: ExistenceCache
  private var forgottenPairs = ForgottenLog<PairKey>()
  private var forgottenAccounts = ForgottenLog<DID>()
  private var counters = Statistics()
  private let overlay: OptimisticOverlay

  /// Makes an empty cache.
  ///
  /// - Parameter overlay: what accounts have just done, which answers may not show yet.
  init(policy: Policy, time: TimeSource, overlay: OptimisticOverlay? = nil) {
    self.overlay = overlay ?? OptimisticOverlay(time: time)
    lifetime = CacheMoment(policy.lifetime)
    absenceLifetime = CacheMoment(policy.absenceLifetime)
    self.time = time
    let capacity = policy.lifetime > .zero ? policy.capacity : 0
    pairs = PairCache(capacity: capacity, staleLifetime: policy.staleLifetime)
    existence = ExistenceCache(capacity: capacity)
  }

  /// How often something was forgotten on request: what ``learn(_:of:with:askedIn:tell:)`` wants to hear.
  var generation: Int { forgottenPairs.generation }

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
  func isFollowing(_ actor: DID, _ target: DID) -> Bool? {
    if actor == target { return false }
    guard let (position, age) = pairs.find(actor, target, at: now), age == .fresh,
      let follows = pairs.isFollowing(actor, at: position)
    else { return nil }
    counters.hits += 1
    return follows
  }

  /// What is remembered of one target.
  func finding(of actor: DID, with target: DID) -> Lookup {
    guard let (position, age) = pairs.find(actor, target, at: now),
      let finding = pairs.finding(of: actor, at: position)
    else {
      counters.misses += 1
      return .none
    }
    count(age)
    return age == .fresh ? .fresh(finding) : .stale(finding)
  }

  /// What is remembered of each target, told to come from the cache, and which of it is stale.
  func findingsOfAnyAge(of actor: DID, with targets: [DID]) -> Remembered {
    var found = Remembered(known: Dictionary(minimumCapacity: min(targets.count, pairs.count)))
    let now = now
    for target in targets {
      guard let (position, age) = pairs.find(actor, target, at: now),
        let finding = pairs.finding(of: actor, at: position)
      else {
        counters.misses += 1
        continue
      }
      count(age)
      if found.known.updateValue(finding, forKey: target) == nil, age == .stale { found.stale.append(target) }
    }
    return found
  }

  /// Whom of the targets the actor follows, as far as it is remembered, in one call for any number of them.
  ///
  /// The actor itself is not followed (Q4). Only answers count, as hits: whoever asks on counts the rest.
  func follows(of actor: DID, among targets: [DID]) -> Follows {
    let found = pairs.follows(of: actor, among: targets, at: now)
    counters.hits += targets.count - found.missing.count
    counters.staleHits += found.stale.count
    return found
  }

  private func count(_ age: PairCache.Age) {
    counters.hits += 1
    if age == .stale { counters.staleHits += 1 }
  }

  /// Remembers what was learned, and tells which relationships are not what they were before, before anybody else
  /// can change them again.
  ///
  /// An answer whose time is over still counts as what was known before. An account's relationship with
  /// itself is not remembered, nor an answer about others than was asked.
  /// - Parameters:
  ///   - targets: those to remember, in the order in which changes are told.
  ///   - asked: the ``generation`` in which the question was asked. A pair that was forgotten since then is
  ///     not remembered: the answer may be older than what made somebody forget.
  ///   - tell: hears all changes at once; is not called where there are none.
  func learn(
    _ findings: Findings, of actor: DID, with targets: [DID], askedIn asked: Int,
    tell: ([RelationshipChange]) -> Void
  ) {
    var changes: [RelationshipChange] = []
    let (now, hasForgotten, hasOverlay) = (now, asked != generation, !overlay.isEmpty)
    for (position, target) in targets.enumerated() {
      guard let finding = findings.finding(of: target, near: position) else { continue }
      if hasForgotten, forgottenPairs.hasForgotten(PairKey(actor, target), since: asked) { continue }
      switch finding {
      case .known(let info):
        guard info.actor == actor, info.target == target else { continue }
        // Somebody may have done something since the answer was given.
        let info = hasOverlay ? overlay.shown(info) : info
        let outcome = pairs.insert(info, until: now + lifetime)
        counters.evictions += outcome.evictions
        if let former = outcome.former { changes.append(.changed(from: former, to: info)) }
      case .notFound:
        counters.evictions += pairs.insertAbsence(
          of: target, from: actor, until: now + absenceLifetime)
      case .failed:
        continue
      }
    }
    if !changes.isEmpty { tell(changes) }
  }

  // MARK: Existence

  /// Whether each account exists; those of which nothing is remembered are left out.
  func existence(of accounts: [DID]) -> [DID: Bool] {
    var known: [DID: Bool] = [:]
    let now = now
    for account in accounts { known[account] = existence.exists(account, at: now) }
    return known
  }

  /// Remembers which accounts exist, and for a shorter time which do not; `asked` as in
  /// ``learn(_:of:with:askedIn:tell:)``.
  func learn(existing: Set<DID>, among accounts: [DID], askedIn asked: Int) {
    let now = now
    for account in accounts where !forgottenAccounts.hasForgotten(account, since: asked) {
      let exists = existing.contains(account)
      existence.insert(exists, for: account, until: now + (exists ? lifetime : absenceLifetime))
    }
  }

  // MARK: Forgetting

  /// Forgets one pair, from both sides, and whether its target exists.
  func remove(actor: DID, target: DID) {
    forgottenPairs.forget(PairKey(actor, target))
    forgottenAccounts.forget(target)
    pairs.remove(PairKey(actor, target))
    existence.remove(target)
  }

  /// Forgets everything.
  func removeAll() {
    forgottenPairs.forgetAll()
    forgottenAccounts.forgetAll()
    pairs.removeAll()
    existence.removeAll()
  }

  /// Forgets what has passed its time, and says how many answers that were.
  @discardableResult
  func prune() -> Int {
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
    /// An answer takes 96 bytes, and five to eleven in the index, at the time it is learned: 250,000 take 27
    /// MB. Edges by list and other addresses that cannot be packed come on top, up to 128 bytes for each
    /// answer that may be kept; accounts whose existence was asked for, up to as many, at 45 to 51 bytes.
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

  /// What is remembered of many targets.
  struct Remembered: Sendable {
    /// Those of which something is remembered, told to come from the cache.
    var known: [DID: RelationshipFinding] = [:]
    /// Those of them that are to be asked for anew, in the order of the targets.
    var stale: [DID] = []
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

extension RelationshipCache {
  /// Changes what is remembered of a pair, as its actor's own doing makes it, and tells so before anybody else
  /// can change it again. Does nothing where nothing is remembered.
  ///
  /// It stays as old as it was: what the other account does is no better known for it.
  func move(
    _ actor: DID, _ target: DID, _ edit: (RelationshipInfo) -> RelationshipInfo,
    tell: (_ before: RelationshipInfo, _ now: RelationshipInfo) -> Void
  ) {
    guard let (position, _) = pairs.find(actor, target, at: now),
      case .known(let before)? = pairs.finding(of: actor, at: position)
    else { return }
    let moved = edit(before)
    guard !moved.holdsSameFacts(as: before) else { return }
    _ = pairs.insert(moved, until: pairs.expiry(at: position))
    tell(before, moved)
  }
}
