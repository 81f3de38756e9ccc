// SPDX-License-Identifier: Apache-2.0

internal import KithRelationships

/// A warning before very many follows or unfollows, which count as spam whatever their purpose (Q27).
public struct MassChangeWarning: Sendable, Hashable {
  /// Follows that would be created.
  public let follows: Int
  /// Follows that would be deleted.
  public let unfollows: Int
  /// How many accounts the account follows now, if known.
  public let following: Int?

  /// More changes than this draw attention; moderators of starter packs name the same number (Q27).
  package static let mostFollows = 200

  /// Creates a warning for more than ``mostFollows`` changes, or for at least 50 that are over half of all
  /// follows.
  ///
  /// - Returns: nil if there is nothing to warn about.
  package init?(follows: Int, unfollows: Int = 0, following: Int? = nil) {
    let changes = follows + unfollows
    let isBigShare = changes >= 50 && following.map { 2 * changes > $0 } == true
    guard changes > Self.mostFollows || isBigShare else { return nil }
    self.follows = follows
    self.unfollows = unfollows
    self.following = following
  }
}

extension MassChangeWarning: CustomStringConvertible {
  public var description: String {
    let changes = [(follows, "follow"), (unfollows, "unfollow")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " and ")
    let share = following.map { " (the account follows \($0))" } ?? ""
    return
      "\(changes)\(share): the community guidelines count bulk following and unfollowing as spam, and accounts "
      + "that do so may be labelled or taken down <https://bsky.social/about/support/community-guidelines>"
  }
}
