// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

/// Profiles from an AppView, and by how much the account's own changes since move its count of follows.
///
/// A profile is cached unchanged and corrected whenever it is shown, so a refused intent needs no recalculation.
struct ProfileCache: Sendable {
  typealias Profile = App.Bsky.Actor.Defs.ProfileViewDetailed

  private struct PendingFollow {
    let follows: Bool
    /// Whether the account followed before; nil if no profile was known.
    let before: Bool?

    /// By how much the account's count of follows changes.
    var change: Int {
      guard let before, before != follows else { return 0 }
      return follows ? 1 : -1
    }
  }

  /// A cached profile.
  private struct Kept {
    let profile: Profile
    /// When it was requested, on the wall clock.
    let askedAt: Instant
  }

  /// By how much a stream told that the counts of an account changed.
  private struct Move {
    let followers: Int
    let follows: Int
    let at: Instant
  }

  /// For answers that are under way when a stream tells of a change.
  private static let shortestMemory = Duration.seconds(60)
  /// The most changes of the counts of one account; with more, its profile is requested again.
  private static let mostMoves = 10_000
  /// The most keys of records that the account made or deleted.
  private static let mostOwnRecords = 1_000

  private let account: DID
  private let lifetime: Duration
  private let time: TimeSource
  private let overlay: OptimisticOverlay
  private var cache: ExpiringCache<DID, Kept>
  private var own = FollowCountCorrection(longestLag: OptimisticOverlay.longestLag)
  private var pendingFollows: [DID: PendingFollow] = [:]
  /// What streams told, by account, the oldest first.
  private var moves: [DID: [Move]] = [:]
  /// Records of the account that ``own`` counts as made or deleted, so that a stream does not count them again.
  private var ownRecords: Set<RecordKey> = []

  init(account: DID, policy: ProfileService.Policy, overlay: OptimisticOverlay, time: TimeSource) {
    self.account = account
    self.time = time
    lifetime = policy.lifetime
    self.overlay = overlay
    cache = ExpiringCache(capacity: policy.lifetime > .zero ? policy.capacity : 0)
  }

  // MARK: Profiles

  /// About ten times the size of a profile with a long description and many labels.
  private static let mostBytes = 16 << 10

  /// Whether a profile is small enough for the cache, whose number of entries is bounded; a server can put
  /// anything into a profile.
  private static func isUsual(_ profile: Profile) -> Bool {
    (try? JSONCoding.encode(profile)).map { $0.count <= mostBytes } ?? false
  }

  /// A profile with counts in a safe range, whatever the server sent.
  private static func counted(_ profile: Profile) -> Profile {
    var profile = profile
    profile.followersCount = profile.followersCount?.asCount
    profile.followsCount = profile.followsCount?.asCount
    profile.postsCount = profile.postsCount?.asCount
    return profile
  }

  /// Cached profiles, unchanged, and the accounts without one.
  mutating func cached(_ accounts: [DID]) -> (profiles: [DID: Profile], missing: [DID]) {
    var profiles: [DID: Profile] = [:]
    var missing: [DID] = []
    var seen: Set<DID> = []
    let now = time.now
    for account in accounts where seen.insert(account).inserted {
      if let kept = cache.value(for: account, at: now) {
        profiles[account] = kept.profile
      } else {
        missing.append(account)
      }
    }
    return (profiles, missing)
  }

  /// The cached profile of one account, unchanged.
  mutating func cached(_ account: DID) -> Profile? { cache.value(for: account, at: time.now)?.profile }

  /// The cached profile of one account, with what has changed since it was requested.
  mutating func shown(_ account: DID) -> Profile? {
    guard let kept = cache.value(for: account, at: time.now) else { return nil }
    var profile = corrected(kept.profile)
    for move in moves[account] ?? [] where move.at > kept.askedAt {
      profile.followersCount = profile.followersCount.map { ($0 + move.followers).asCount }
      profile.followsCount = profile.followsCount.map { ($0 + move.follows).asCount }
    }
    return profile
  }

  /// Processes a new profile: caches it and ends the expectations that it confirms.
  ///
  /// - Parameters:
  ///   - askedAt: when the request was sent.
  ///   - isKept: false if the profile was invalidated since the request.
  mutating func store(_ profile: Profile, askedAt: Duration, isKept: Bool = true) {
    let now = time.now
    let profile = Self.counted(profile)
    if profile.did == account {
      guard own.reconcile(profile.followsCount, askedAt: askedAt, at: now) else { return }
    } else if let viewer = profile.viewer {
      _ = overlay.reconcile(OptimisticOverlay.Shown(viewer), of: account, about: profile.did)
    }
    guard isKept, Self.isUsual(profile) else { return }
    let kept = Kept(profile: profile, askedAt: time.instant - (now - askedAt))
    cache.insert(kept, for: profile.did, until: now + lifetime)
  }

  mutating func forget(_ account: DID) { cache.remove(account) }

  mutating func forgetAll() { cache = ExpiringCache(capacity: cache.capacity) }

  /// A profile with pending and completed changes applied.
  func corrected(_ profile: Profile) -> Profile {
    var profile = Self.counted(profile)
    if profile.did == account {
      profile.followsCount = profile.followsCount.map { ($0 + own.pending).asCount }
    } else if let viewer = profile.viewer {
      let told = OptimisticOverlay.Shown(viewer)
      let now = overlay.overlaid(told, of: account, about: profile.did)
      profile.viewer?.blocking = now.blocking
      profile.viewer?.muted = now.muted
      guard viewer.tellsFollows else { return profile }
      profile.viewer?.following = now.following
      let change = (now.following == nil ? 0 : 1) - (told.following == nil ? 0 : 1)
      profile.followersCount = profile.followersCount.map { ($0 + change).asCount }
    }
    return profile
  }

  // MARK: Changes by the account

  /// Moves the account's count of follows, by what is shown before a change.
  mutating func count(_ change: OptimisticOverlay.FollowChange, about target: DID) {
    if case .taken(let following) = change { noteRecords(following) }
    switch change {
    case .taken(let following) where pendingFollows[target]?.change == (following.isWanted ? 1 : -1):
      // The change has been pending since the intent was added.
      pendingFollows[target] = nil
    case .taken(let following):
      _ = dropPending(about: target)
      own.begin(following.isWanted ? 1 : -1, at: time.now)
    case .wanted(let following):
      guard let intent = replacePending(about: target, by: following) else { return }
      pendingFollows[target] = intent
      own.begin(intent.change, at: time.now)
    case .held(let following):
      // A profile that shows the opposite is older than the repository, and so is the count beside it.
      guard let held = replacePending(about: target, by: following) else { return }
      own.begin(held.change, at: time.now)
    }
  }

  private mutating func noteRecords(_ following: OptimisticOverlay.Edge) {
    if ownRecords.count >= Self.mostOwnRecords { ownRecords = [] }
    switch following {
    case .there(let edge), .present(let edge): if let key = edge.recordKey { ownRecords.insert(key) }
    case .gone(let keys): ownRecords.formUnion(keys)
    case .unrecorded, .absent: break
    }
  }

  /// Ends what is pending; returns what comes in its place, beside what was shown before either.
  private mutating func replacePending(
    about target: DID, by following: OptimisticOverlay.Edge?
  ) -> PendingFollow? {
    let former = dropPending(about: target)
    guard let following else { return nil }
    return PendingFollow(follows: following.isWanted, before: former.map(\.before) ?? isFollowing(target))
  }

  private mutating func dropPending(about target: DID) -> PendingFollow? {
    let intent = pendingFollows.removeValue(forKey: target)
    if let intent { own.withdraw(intent.change) }
    return intent
  }

  // MARK: Changes that a stream told

  /// Counts what a stream told, to be added to profiles that were requested before.
  mutating func count(_ edge: ObservedEdge) {
    guard let count = edge.count, let subject = edge.subject else { return }
    if edge.author == account {
      // What the account did itself is counted by its outcome, and of another profile, by what that shows.
      if pendingFollows[subject] != nil || count.account != account { return }
      switch edge.change {
      case .made(let key), .gone(let key), .doubtful(let key?): if ownRecords.contains(key) { return }
      case .doubtful(nil): break
      }
    }
    let isFollows = count.account == edge.author
    add(
      Move(followers: isFollows ? 0 : count.step, follows: isFollows ? count.step : 0, at: edge.at),
      to: count.account)
  }

  private mutating func add(_ move: Move, to account: DID) {
    let oldest = time.instant - max(lifetime, Self.shortestMemory)
    if let known = moves[account] {
      let old = known.prefix { $0.at < oldest }.count
      if old > 0 { moves[account]?.removeFirst(old) }
      if known.count - old >= Self.mostMoves {
        cache.remove(account)
        moves[account] = nil
      }
    }
    moves[account, default: []].append(move)
  }

  /// Whether the account follows another one, if a cached profile shows it.
  private mutating func isFollowing(_ target: DID) -> Bool? {
    guard let viewer = cached(target)?.viewer, viewer.tellsFollows else { return nil }
    return overlay.overlaid(OptimisticOverlay.Shown(viewer), of: account, about: target).following != nil
  }
}

extension App.Bsky.Actor.Defs.ViewerState {
  /// Whether it shows if the viewer follows the account. It does not if there is a block between them, in
  /// either direction, although the count of followers may include the viewer's record.
  fileprivate var tellsFollows: Bool { blockedBy != true && blocking == nil && blockingByList == nil }
}

extension OptimisticOverlay.Edge {
  /// Whether a record should exist.
  fileprivate var isWanted: Bool {
    switch self {
    case .there, .present: true
    case .gone, .unrecorded, .absent: false
    }
  }
}

extension OptimisticOverlay.Shown {
  /// The viewer's own edges in a profile.
  fileprivate init(_ viewer: App.Bsky.Actor.Defs.ViewerState) {
    self.init(following: viewer.following, blocking: viewer.blocking, muted: viewer.muted)
  }
}
