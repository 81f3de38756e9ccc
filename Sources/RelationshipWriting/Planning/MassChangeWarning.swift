// SPDX-License-Identifier: Apache-2.0

internal import Relationships

/// What to say before very many follows or unfollows: they are taken for spam, whatever they are (Q27).
public struct MassChangeWarning: Sendable, Hashable {
  /// Follows that would be made.
  public let follows: Int
  /// Follows that would be removed.
  public let unfollows: Int
  /// Whom the account follows now, where that is known.
  public let following: Int?

  /// More than these draw attention; moderators of starter packs name the same number (Q27).
  public static let mostFollows = 200

  /// Warns of more than ``mostFollows`` changes, and of fifty or more that are over half of all follows.
  ///
  /// - Returns: nil where there is nothing to warn of.
  public init?(follows: Int, unfollows: Int = 0, following: Int? = nil) {
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
    let share = following.map { ", where the account follows \($0)" } ?? ""
    return
      "\(changes)\(share): the community guidelines count bulk following and unfollowing as spam, and accounts "
      + "that do so may be labelled or taken down <https://bsky.social/about/support/community-guidelines>"
  }
}
