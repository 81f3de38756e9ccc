// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
public import KithWriting

/// Which plans are asked about before they are carried out.
///
/// Whatever the rule is, very many follows or unfollows are asked about, and so is what a source has a concern about.
public struct ConfirmationRule: Sendable, Hashable {
  /// The fewest changes that are asked about, whoever has chosen them; nil to ask by ``choice`` alone.
  public var fewest: Int?
  /// Who has chosen the accounts: several that the user has not named are asked about.
  public var choice: TargetChoice

  public init(from fewest: Int? = nil, chosenBy choice: TargetChoice = .named) {
    (self.fewest, self.choice) = (fewest, choice)
  }

  /// Every plan that changes something.
  public static let always = ConfirmationRule(from: 1)

  /// Whether a plan is asked about.
  ///
  /// - Parameter agreed: how many of its changes were agreed to in a question of their own.
  func asks(about plan: ChangePlan, agreedTo agreed: Int) -> Bool {
    if let fewest, plan.affected >= fewest + agreed { return true }
    return choice.needsAnswer(to: plan)
      || plan.warning.map { $0.follows > MassChangeWarning.mostFollows } ?? false
  }
}

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
  case publishes(PublishPosts.Composition, repetition: ChangeNote?)
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
