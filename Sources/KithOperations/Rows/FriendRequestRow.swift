// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships

/// A request that an account has received or sent.
public struct FriendRequestRow: OperationRow {
  /// What became of a request.
  public enum State: String, Sendable {
    /// It can be accepted.
    case open
    /// It was accepted.
    case accepted
    /// It was not accepted in time.
    case expired
    /// One of the two accounts blocks the other.
    case void
    /// The other account's server does not tell.
    case unknown
  }

  /// The other account.
  public var view: AccountView
  /// The request.
  public let request: FriendRequest
  /// What became of it.
  public let state: State
  /// Its acceptance; nil if there is none.
  public let answer: FriendAnswer?
  /// How the two accounts follow each other; nil if unknown.
  public let relationship: RelationshipInfo?
  /// How many whole days ago it was written; 0 for one from the future.
  public let age: Int

  init(
    _ request: FriendRequest, _ state: State, answer: FriendAnswer? = nil, with view: AccountView,
    _ relationship: RelationshipInfo?, now: Instant
  ) {
    self.view = view
    self.request = request
    self.state = state
    self.answer = answer
    self.relationship = relationship
    age = max(0, Int((now - request.createdAt.instant).components.seconds / 86_400))
  }

  /// How the two accounts follow each other: mutual, following, follower or none; nil if unknown.
  public var relation: String? {
    relationship.map { info in
      info.mutual ? "mutual" : info.isFollowing ? "following" : info.isFollowedBy ? "follower" : "none"
    }
  }

  public static let fieldNames = [
    "did", "handle", "displayName", "followers", "follows", "posts", "kind", "state", "relation", "createdAt",
    "expiresAt", "age", "record", "cid", "answer",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.number(view.counts?.followers)
    fields.number(view.counts?.follows)
    fields.number(view.counts?.posts)
    fields.text(request.kind.rawValue)
    fields.text(state == .unknown ? nil : state.rawValue)
    fields.text(relation)
    fields.text(request.createdAt.description)
    fields.text(request.expiresAt?.description)
    fields.number(age)
    fields.text(request.uri.description)
    fields.text(request.cid.description)
    fields.text(answer?.uri.description)
  }
}
