// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
public import KithWriting

/// What a person should know before a plan is carried out. A plan with a concern is asked about, whatever its rule says.
public enum ChangeConcern: Sendable {
  /// The accounts were found by signals such as handle and name, not by a proof.
  case foundBySignals
  /// Requests that are accepted were not shown before.
  case unseenRequests([UnseenRequest], at: Datetime)
  /// The number of members of the lists that the account follows, and would not see any more.
  case hidesFollowed(Int)
  /// The number of members of the lists, whose blocks end; nil if it is unknown.
  case unblocks(members: Int?)
  /// What stays below posts that are deleted.
  case replies(RepliesLeft, below: Int)
  /// What is published: who may reply, and whether the same was published a short time ago.
  case publishes(PostComposition, repetition: ChangeNote?)
  /// A list is made equal to a set of accounts.
  case keepsEqual(list: String)
}

/// A request that is to be accepted although neither its version nor its kind is known to be wanted.
public struct UnseenRequest: Sendable, Hashable {
  /// The name of the account that asks.
  public let name: String
  /// The request as it is now.
  public let request: FriendRequest
}
