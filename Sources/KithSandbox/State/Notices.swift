// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// What the AppView keeps about the notifications of all accounts: when they were seen, settings, subscriptions.
struct Notices: Sendable {
  typealias Preferences = App.Bsky.Notification.Defs.Preferences
  typealias Subscription = App.Bsky.Notification.Defs.ActivitySubscription

  private var seen: [Int: Instant] = [:]
  private var preferences: [Int: Preferences] = [:]
  private var subscriptions: [Int: [(account: Int, subscription: Subscription)]] = [:]

  /// When an account has last seen its notifications; nil if never.
  func seenAt(by viewer: Int) -> Instant? { seen[viewer] }

  mutating func see(by viewer: Int, at moment: Instant) { seen[viewer] = moment }

  func preferences(of viewer: Int) -> Preferences { preferences[viewer] ?? Self.usual }

  mutating func set(_ new: Preferences, of viewer: Int) { preferences[viewer] = new }

  /// The accounts whose posts an account is told of, the latest first.
  func subscriptions(of viewer: Int) -> [Int] { (subscriptions[viewer] ?? []).reversed().map(\.account) }

  /// Subscribes to an account, or ends that if neither posts nor replies are wanted.
  mutating func subscribe(_ viewer: Int, to account: Int, _ subscription: Subscription) {
    subscriptions[viewer, default: []].removeAll { $0.account == account }
    guard subscription.post || subscription.reply else { return }
    subscriptions[viewer, default: []].append((account, subscription))
  }

  /// The settings of an account that has set none.
  private static var usual: Preferences {
    let all = App.Bsky.Notification.Defs.FilterablePreference(include: .all, list: true, push: true)
    let plain = App.Bsky.Notification.Defs.Preference(list: true, push: true)
    return Preferences(
      chat: App.Bsky.Notification.Defs.ChatPreference(include: .accepted, push: true), follow: all, like: all,
      likeViaRepost: all, mention: all, quote: all, reply: all, repost: all, repostViaRepost: all,
      starterpackJoined: plain, subscribedPost: plain, unverified: plain, verified: plain)
  }
}
