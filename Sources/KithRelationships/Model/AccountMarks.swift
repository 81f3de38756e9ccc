// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// What an AppView says about an account besides its names and counts.
public struct AccountMarks: Sendable, Hashable, Codable {
  /// A label on an account or on its profile record.
  public struct Label: Sendable, Hashable, Codable {
    /// The value, such as `spam`. What it means is up to its source. Untrusted text.
    public let value: String
    /// The labeler, or the account itself.
    public let source: DID
    /// Whether it is on the profile record, not on the account.
    public let isOnProfile: Bool

    /// Creates a label.
    public init(_ value: String, by source: DID, isOnProfile: Bool = false) {
      (self.value, self.source, self.isOnProfile) = (value, source, isOnProfile)
    }
  }

  /// Active labels; negated ones are left out.
  public var labels: [Label]
  /// Whether the profile has a picture.
  public var hasAvatar: Bool
  /// Whether the AppView shows the account as verified.
  public var isVerified: Bool
  /// Whether the AppView lets the account verify others.
  public var isTrustedVerifier: Bool

  /// Creates marks.
  public init(
    labels: [Label] = [], hasAvatar: Bool = false, isVerified: Bool = false, isTrustedVerifier: Bool = false
  ) {
    self.labels = labels
    self.hasAvatar = hasAvatar
    self.isVerified = isVerified
    self.isTrustedVerifier = isTrustedVerifier
  }
}

/// The relationship of the signed-in account with another one, as the rows of a listing can carry it.
public struct ViewerRelationship: Sendable, Hashable, Codable {
  /// The relationship in one word, the strongest first: a block hides follows from its viewer (Q5).
  public enum Word: String, Sendable, Hashable, CaseIterable, Codable {
    /// It is the same account.
    case itself = "self"
    /// Both block each other, directly or by a list.
    case blockingEachOther = "blocking-each-other"
    /// The viewer blocks the account, directly or by a list.
    case blocking
    /// The account blocks the viewer, directly or by a list.
    case blockedBy = "blocked-by"
    case mutual
    /// The viewer follows the account.
    case following
    /// The account follows the viewer.
    case followedBy = "followed-by"
    case none
  }

  /// The relationship in one word.
  public var word: Word
  /// Whether the viewer mutes the account, directly or by a list; nil if unknown.
  public var muted: Bool?
  /// What the viewer mutes of the account, where it does not mute all of it.
  public var partlyMuted: Set<MuteScope> = []
  /// How many of the accounts that the viewer follows follow the account; nil unless the AppView says it, which it does in
  /// detailed profiles, and not in all (Q13).
  public var knownFollowers: Int?

  /// Whether the viewer follows the account, and no block hides it.
  public var isFollowing: Bool { word == .following || word == .mutual }

  /// Whether there is a block in either direction.
  public var isBlocked: Bool { [.blocking, .blockedBy, .blockingEachOther].contains(word) }

  /// Creates a relationship.
  public init(_ word: Word, muted: Bool? = nil, knownFollowers: Int? = nil) {
    (self.word, self.muted, self.knownFollowers) = (word, muted, knownFollowers)
  }

  package init(_ info: RelationshipInfo) {
    self.init(
      isSame: info.actor == info.target, isBlocking: info.isBlocking, isBlockedBy: info.isBlockedBy,
      isFollowing: info.isFollowing, isFollowedBy: info.isFollowedBy, muted: info.muted)
  }

  init(
    isSame: Bool = false, isBlocking: Bool, isBlockedBy: Bool, isFollowing: Bool, isFollowedBy: Bool,
    muted: Bool?
  ) {
    word =
      if isSame {
        .itself
      } else if isBlocking || isBlockedBy {
        isBlocking && isBlockedBy ? .blockingEachOther : isBlocking ? .blocking : .blockedBy
      } else if isFollowing || isFollowedBy {
        isFollowing && isFollowedBy ? .mutual : isFollowing ? .following : .followedBy
      } else {
        .none
      }
    self.muted = muted
  }
}
