// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons

/// Profiles as an AppView gave them, and what their account has wished and done since.
///
/// Kept apart: a profile is remembered as it came, and corrected whenever it is shown. So nothing has to be
/// reckoned back when a wish is refused.
struct ProfileCache: Sendable {
  typealias Profile = App.Bsky.Actor.Defs.ProfileViewDetailed

  private struct Wish {
    let follows: Bool
    /// Whether the account followed before; nil where no profile told.
    let before: Bool?

    /// By how much the own count of follows moves.
    var change: Int {
      guard let before, before != follows else { return 0 }
      return follows ? 1 : -1
    }
  }

  /// How long an AppView may lag behind.
  private static let longestLag = Duration.seconds(600)

  private let account: DID
  private let lifetime: Duration
  private let time: TimeSource
  private let overlay: OptimisticOverlay
  private var cache: ExpiringCache<DID, Profile>
  private var own = FollowCountCorrection(longestLag: Self.longestLag)
  private var wishes: [DID: Wish] = [:]

  init(account: DID, policy: ProfileService.Policy, time: TimeSource) {
    self.account = account
    self.time = time
    lifetime = policy.lifetime
    overlay = OptimisticOverlay(lifetime: Self.longestLag, time: time)
    cache = ExpiringCache(capacity: policy.lifetime > .zero ? policy.capacity : 0)
  }

  // MARK: Profiles

  /// Some ten times as large as profiles with a long description and many labels.
  private static let mostBytes = 16 << 10

  /// Whether a profile is small enough to be remembered: their number is bounded, and a server can put anything
  /// into one.
  private static func isUsual(_ profile: Profile) -> Bool {
    (try? JSONCoding.encode(profile)).map { $0.count <= mostBytes } ?? false
  }

  /// A profile whose counts can be added to, whatever the server says.
  private static func counted(_ profile: Profile) -> Profile {
    var profile = profile
    profile.followersCount = profile.followersCount?.asCount
    profile.followsCount = profile.followsCount?.asCount
    profile.postsCount = profile.postsCount?.asCount
    return profile
  }

  /// What is remembered, as it came, and of whom nothing is.
  mutating func remembered(_ accounts: [DID]) -> (profiles: [DID: Profile], missing: [DID]) {
    var profiles: [DID: Profile] = [:]
    var missing: [DID] = []
    var seen: Set<DID> = []
    let now = time.now
    for account in accounts where seen.insert(account).inserted {
      if let profile = cache.value(for: account, at: now) {
        profiles[account] = profile
      } else {
        missing.append(account)
      }
    }
    return (profiles, missing)
  }

  /// What is remembered of one, as it came.
  mutating func remembered(_ account: DID) -> Profile? { cache.value(for: account, at: time.now) }

  /// Takes note of a profile that has just come: remembers it, and ends what it confirms.
  ///
  /// - Parameters:
  ///   - askedAt: when the question was sent.
  ///   - isKept: false where somebody wanted it forgotten since then.
  mutating func learn(_ profile: Profile, askedAt: Duration, isKept: Bool = true) {
    let now = time.now
    let profile = Self.counted(profile)
    if profile.did == account {
      guard own.hear(profile.followsCount, askedAt: askedAt, at: now) else { return }
    } else if let viewer = profile.viewer {
      _ = overlay.heard(OptimisticOverlay.Shown(viewer), of: account, about: profile.did)
    }
    if isKept, Self.isUsual(profile) { cache.insert(profile, for: profile.did, until: now + lifetime) }
  }

  mutating func forget(_ account: DID) { cache.remove(account) }

  mutating func forgetAll() { cache = ExpiringCache(capacity: cache.capacity) }

  /// A profile as it stands by what was wished and done.
  func shown(_ profile: Profile) -> Profile {
    var profile = Self.counted(profile)
    if profile.did == account {
      profile.followsCount = profile.followsCount.map { ($0 + own.pending).asCount }
    } else if let viewer = profile.viewer {
      let told = OptimisticOverlay.Shown(viewer)
      let now = overlay.shown(told, of: account, about: profile.did)
      profile.viewer?.blocking = now.blocking
      profile.viewer?.muted = now.muted
      guard viewer.tellsFollows else { return profile }
      profile.viewer?.following = now.following
      let change = (now.following == nil ? 0 : 1) - (told.following == nil ? 0 : 1)
      profile.followersCount = profile.followersCount.map { ($0 + change).asCount }
    }
    return profile
  }

  // MARK: What the account does

  mutating func wish(_ wished: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about target: DID)
  {
    if kind == .edges {
      let former = endWish(ofFollowing: target)
      let before = former.map(\.before) ?? isFollowing(target)
      if let following = wished.following {
        let wish = Wish(follows: following.isWanted, before: before)
        wishes[target] = wish
        own.begin(wish.change, at: time.now)
      }
    }
    overlay.wish(wished, kind, of: account, about: target)
  }

  mutating func endWish(_ kind: OptimisticOverlay.Kind, about target: DID) {
    if kind == .edges { endWish(ofFollowing: target) }
    _ = overlay.refuse(kind, of: account, about: target)
  }

  mutating func take(_ taken: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about target: DID) {
    if let following = taken.following {
      let change = following.isWanted ? 1 : -1
      if wishes[target]?.change == change {
        // It has been pending since it was wished.
        wishes[target] = nil
      } else {
        endWish(ofFollowing: target)
        own.begin(change, at: time.now)
      }
    }
    overlay.take(taken, kind, of: account, about: target)
  }

  mutating func hold(_ held: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about target: DID) {
    if kind == .edges { endWish(ofFollowing: target) }
    overlay.take(held, kind, of: account, about: target)
  }

  @discardableResult private mutating func endWish(ofFollowing target: DID) -> Wish? {
    let wish = wishes.removeValue(forKey: target)
    if let wish { own.withdraw(wish.change) }
    return wish
  }

  /// Whether the account follows another one, where a remembered profile tells.
  private mutating func isFollowing(_ target: DID) -> Bool? {
    guard let viewer = remembered(target)?.viewer, viewer.tellsFollows else { return nil }
    return overlay.shown(OptimisticOverlay.Shown(viewer), of: account, about: target).following != nil
  }
}

extension App.Bsky.Actor.Defs.ViewerState {
  /// Whether it tells if the viewer follows the account: where a block stands between them, in either direction, it
  /// does not, though the count of followers may hold the viewer's record.
  fileprivate var tellsFollows: Bool { blockedBy != true && blocking == nil && blockingByList == nil }
}

extension OptimisticOverlay.Edge {
  /// Whether it is a record that is to be there.
  fileprivate var isWanted: Bool {
    switch self {
    case .there, .present: true
    case .gone, .absent: false
    }
  }
}

extension OptimisticOverlay.Shown {
  /// What a profile shows of what its viewer does.
  fileprivate init(_ viewer: App.Bsky.Actor.Defs.ViewerState) {
    self.init(following: viewer.following, blocking: viewer.blocking, muted: viewer.muted)
  }
}
