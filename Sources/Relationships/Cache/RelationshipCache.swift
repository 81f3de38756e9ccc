// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// Remembers answers for a time: bounded, and never a failure.
public actor RelationshipCache {
  /// How long answers are kept, and how many.
  public struct Policy: Sendable, Hashable {
    /// For relationships; zero turns the cache off.
    public var lifetime: Duration
    /// For accounts that were not found: they may appear any moment.
    public var absenceLifetime: Duration
    /// The most answers kept; the longest unused one makes room.
    public var capacity: Int

    /// Five minutes, one minute for absences, 100,000 answers.
    public init(
      lifetime: Duration = .seconds(300), absenceLifetime: Duration = .seconds(60), capacity: Int = 100_000
    ) {
      self.lifetime = lifetime
      self.absenceLifetime = min(absenceLifetime, lifetime)
      self.capacity = capacity
    }

    /// Keeps nothing.
    public static let off = Policy(lifetime: .zero, absenceLifetime: .zero, capacity: 0)
  }

  /// What a cache has done so far.
  public struct Statistics: Sendable, Hashable {
    /// Questions answered from memory.
    public var hits = 0
    /// Questions that were not.
    public var misses = 0
    /// Answers that made room for others before their time.
    public var evictions = 0
    /// Answers kept now, those included whose time is over but that nothing has removed yet.
    public var count = 0
  }

  private struct Pair: Hashable, Sendable {
    let actor: DID
    let target: DID
  }

  private let policy: Policy
  private let time: TimeSource
  private var entries: ExpiringCache<Pair, RelationshipFinding>
  /// Whether accounts exist, where somebody asked: the AppView's answers about pairs do not tell (Q2).
  private var existence: ExpiringCache<DID, Bool>
  private var counters = Statistics()
  /// How often something was forgotten on request.
  public private(set) var generation = 0

  /// Makes an empty cache.
  init(policy: Policy, time: TimeSource) {
    self.policy = policy
    self.time = time
    let capacity = policy.lifetime > .zero ? policy.capacity : 0
    entries = ExpiringCache(capacity: capacity)
    existence = ExpiringCache(capacity: capacity)
  }

  /// What has been counted so far.
  var statistics: Statistics {
    var now = counters
    now.count = entries.count
    return now
  }

  /// What is remembered of each target, told to come from the cache; targets without an answer are left out.
  func findings(of actor: DID, with targets: [DID]) -> [DID: RelationshipFinding] {
    var found: [DID: RelationshipFinding] = [:]
    let now = time.now
    for target in targets {
      switch entries.value(for: Pair(actor: actor, target: target), at: now) {
      case .known(let info): found[target] = .known(info.from(.cache))
      case .notFound: found[target] = .notFound
      case .failed, nil: break
      }
    }
    counters.hits += found.count
    counters.misses += targets.count - found.count
    return found
  }

  /// Remembers what was learned, and tells which relationships are not what they were before.
  ///
  /// An answer whose time is over still counts as what was known before.
  /// - Parameters:
  ///   - targets: those to remember, in the order in which changes are told.
  ///   - asked: the ``generation`` in which the question was asked. Nothing is remembered when something was
  ///     forgotten since then: the answer may be older than what made somebody forget.
  func learn(
    _ findings: [DID: RelationshipFinding], of actor: DID, with targets: [DID], askedIn asked: Int
  ) -> [RelationshipChange] {
    guard asked == generation else { return [] }
    var changes: [RelationshipChange] = []
    let now = time.now
    for target in targets {
      guard let finding = findings[target] else { continue }
      let pair = Pair(actor: actor, target: target)
      let lifetime: Duration
      switch finding {
      case .known(let info):
        if case .known(let before) = entries.lastValue(for: pair), !before.holdsSameFacts(as: info) {
          changes.append(.changed(from: before, to: info))
        }
        lifetime = policy.lifetime
      case .notFound:
        lifetime = policy.absenceLifetime
      case .failed:
        continue
      }
      if entries.insert(finding, for: pair, until: now + lifetime) { counters.evictions += 1 }
    }
    return changes
  }

  /// Whether each account exists; those of which nothing is remembered are left out.
  func existence(of accounts: [DID]) -> [DID: Bool] {
    var known: [DID: Bool] = [:]
    let now = time.now
    for account in accounts { known[account] = existence.value(for: account, at: now) }
    return known
  }

  /// Remembers which accounts exist, and for a shorter time which do not; `asked` as in
  /// ``learn(_:of:with:askedIn:)``.
  func learn(existing: Set<DID>, among accounts: [DID], askedIn asked: Int) {
    guard asked == generation else { return }
    let now = time.now
    for account in accounts {
      let exists = existing.contains(account)
      existence.insert(
        exists, for: account, until: now + (exists ? policy.lifetime : policy.absenceLifetime))
    }
  }

  /// Forgets one pair, and whether its target exists.
  func remove(actor: DID, target: DID) {
    generation += 1
    entries.remove(Pair(actor: actor, target: target))
    existence.remove(target)
  }

  /// Forgets everything.
  func removeAll() {
    generation += 1
    entries.removeAll()
    existence.removeAll()
  }

  /// Forgets what has passed its time, and says how many answers that were.
  @discardableResult
  func prune() -> Int {
    existence.removeExpired(at: time.now)
    return entries.removeExpired(at: time.now)
  }
}
