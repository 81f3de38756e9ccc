// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons

/// Profiles as an AppView gave them, and what their account has wished and done since.
///
/// Kept apart: a profile is remembered as it came, and corrected whenever it is shown. So nothing has to be
/// reckoned back when a wish is refused.
struct ProfileShelf: Sendable {
  typealias Profile = App.Bsky.Actor.Defs.ProfileViewDetailed

  /// How the account's own count of follows stands to what the AppView said last.
  private struct OwnFollows {
    /// What the AppView said; nil where it was not asked.
    var said: Int?
    /// Follows made, less those removed, which that does not count.
    var moved = 0
    /// When the AppView will have caught up in any case.
    var end = Duration.zero
  }

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
  private let overlay: OwnEdgeOverlay
  private var cache: ExpiringCache<DID, Profile>
  private var own = OwnFollows()
  private var wishes: [DID: Wish] = [:]

  init(account: DID, policy: ProfileService.Policy, time: TimeSource) {
    self.account = account
    self.time = time
    lifetime = policy.lifetime
    overlay = OwnEdgeOverlay(lifetime: Self.longestLag, time: time)
    cache = ExpiringCache(capacity: policy.lifetime > .zero ? policy.capacity : 0)
  }

  // MARK: Profiles

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

  /// Remembers a profile that has just come, and ends what it confirms.
  mutating func learn(_ profile: Profile) {
    let now = time.now
    cache.insert(profile, for: profile.did, until: now + lifetime)
    if profile.did == account {
      // An AppView that says what it said before has not caught up.
      if own.said == nil || profile.followsCount != own.said || now >= own.end { own.moved = 0 }
      own.said = profile.followsCount
    } else if let viewer = profile.viewer, viewer.tellsFollows {
      _ = overlay.heard(OwnEdgeOverlay.Shown(viewer), of: account, about: profile.did)
    }
  }

  mutating func forget(_ account: DID) { cache.remove(account) }

  mutating func forgetAll() { cache = ExpiringCache(capacity: cache.capacity) }

  /// A profile as it stands by what was wished and done.
  func shown(_ profile: Profile) -> Profile {
    var profile = profile
    if profile.did == account {
      let wished = wishes.values.reduce(0) { $0 + $1.change }
      profile.followsCount = profile.followsCount.map { max(0, $0 + own.moved + wished) }
    } else if let viewer = profile.viewer, viewer.tellsFollows {
      let (told, now) = (
        OwnEdgeOverlay.Shown(viewer),
        overlay.shown(OwnEdgeOverlay.Shown(viewer), of: account, about: profile.did)
      )
      profile.viewer?.following = now.following
      profile.viewer?.blocking = now.blocking
      profile.viewer?.muted = now.muted
      let change = (now.following == nil ? 0 : 1) - (told.following == nil ? 0 : 1)
      profile.followersCount = profile.followersCount.map { max(0, $0 + change) }
    }
    return profile
  }

  // MARK: What the account does

  mutating func wish(_ wished: OwnEdgeOverlay.Expected, about target: DID) {
    let before = wishes.removeValue(forKey: target).map(\.before) ?? isFollowing(target)
    if let following = wished.following { wishes[target] = Wish(follows: following.isWanted, before: before) }
    overlay.wish(wished, of: account, about: target)
  }

  mutating func endWish(about target: DID) {
    wishes[target] = nil
    _ = overlay.refuse(of: account, about: target)
  }

  mutating func take(_ taken: OwnEdgeOverlay.Expected, about target: DID) {
    if let following = taken.following {
      own.moved += following.isWanted ? 1 : -1
      own.end = time.now + Self.longestLag
    }
    hold(taken, about: target)
  }

  mutating func hold(_ held: OwnEdgeOverlay.Expected, about target: DID) {
    wishes[target] = nil
    overlay.take(held, of: account, about: target)
  }

  /// Whether the account follows another one, where a remembered profile tells.
  private func isFollowing(_ target: DID) -> Bool? {
    guard let viewer = cache.lastValue(for: target)?.viewer, viewer.tellsFollows else { return nil }
    return overlay.shown(OwnEdgeOverlay.Shown(viewer), of: account, about: target).following != nil
  }
}

extension App.Bsky.Actor.Defs.ViewerState {
  /// Whether it tells if the viewer follows the account: of one that blocks the viewer it does not, though the
  /// count of followers holds the viewer's record.
  fileprivate var tellsFollows: Bool { blockedBy != true }
}

extension OwnEdgeOverlay.Edge {
  /// Whether it is a record that is to be there.
  fileprivate var isWanted: Bool {
    switch self {
    case .there, .present: true
    case .gone, .absent: false
    }
  }
}

extension OwnEdgeOverlay.Shown {
  /// What a profile shows of what its viewer does.
  fileprivate init(_ viewer: App.Bsky.Actor.Defs.ViewerState) {
    self.init(following: viewer.following, blocking: viewer.blocking, muted: viewer.muted)
  }
}
