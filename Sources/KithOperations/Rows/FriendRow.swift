// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// A friend or a mutual.
public struct FriendRow: OperationRow {
  /// How two accounts are related.
  public enum Basis: String, Sendable, CaseIterable {
    /// One has asked, and the other one has accepted.
    case consent
    /// They follow each other.
    case mutuals
  }

  /// The account.
  public var view: AccountView
  /// Whether they are friends by consent, or follow each other.
  public let basis: Basis
  /// When the request was accepted, or the account was followed.
  public let since: Datetime?
  /// The request; nil for a mutual.
  public let request: ATURI?
  /// Its acceptance; nil for a mutual.
  public let answer: ATURI?

  init(_ friend: Friend, named view: AccountView?) {
    self.view = view ?? AccountView(friend.account)
    basis = .consent
    since = friend.since
    (request, answer) = (friend.request.uri, friend.answer.uri)
  }

  init(mutual view: AccountView) {
    self.view = view
    basis = .mutuals
    since = view.since
    (request, answer) = (nil, nil)
  }

  public static let fieldNames = ["did", "handle", "displayName", "by", "since", "request", "answer"]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(basis.rawValue)
    fields.text(since?.description)
    fields.text(request?.description)
    fields.text(answer?.description)
  }
}

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

/// The policy of an account.
public struct FriendPolicyRow: OperationRow {
  /// The account.
  public let view: AccountView
  /// Its policy; nil if it does not take part.
  public let policy: FriendPolicy?
  /// Whether it wants to be asked before it is followed on Weaver.
  public let approvesOnWeaver: Bool

  public static let fieldNames = [
    "did", "handle", "takesPart", "whoMayAsk", "requireApproval", "requestLifetime", "approvesOnWeaver",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.flag(policy != nil)
    fields.text(policy?.whoMayAsk.word)
    fields.flag(policy?.requiresApproval)
    fields.number(policy?.requestLifetime.map { Int($0.components.seconds) })
    fields.flag(approvesOnWeaver)
  }
}
