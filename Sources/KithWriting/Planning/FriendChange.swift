// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// A change of friend requests, of answers to them, or of the policy.
public enum FriendChange: Sendable, Hashable {
  /// Ask an account. A request of another kind, or with another end, replaces the former one and voids its answer.
  case request(DID, FriendRequestDraft)
  /// Withdraw the request to an account, answered or not.
  case cancel(DID)
  /// Accept the request of an account, as it was read.
  case accept(DID, Friendship.RequestState)
  /// Decline the request of an account, as it was read. Only the journal says so; an acceptance is taken back.
  case decline(DID, Friendship.RequestState)
  /// End a friendship: withdraw the request to an account, and take back what was accepted of its requests.
  case remove(DID)
  /// Delete what was accepted of versions of the requests of an account that it has withdrawn. Nothing is declined.
  case takeBack(DID, Set<RecordVersion>)
  /// Declare a policy; with nil, the account takes no part any more. The account is one's own.
  case policy(DID, FriendPolicy?)

  /// The account that it is about.
  public var account: DID {
    switch self {
    case .request(let account, _), .cancel(let account), .accept(let account, _), .decline(let account, _),
      .remove(let account), .takeBack(let account, _), .policy(let account, _):
      account
    }
  }

  var title: String {
    switch self {
    case .request: "request"
    case .cancel: "cancel request"
    case .accept: "accept request"
    case .decline: "decline request"
    case .remove: "end friendship"
    case .takeBack: "remove acceptance"
    case .policy(_, nil): "leave friend requests"
    case .policy: "set friend policy"
    }
  }

  var needs: Set<SubjectFacts.Part> {
    switch self {
    case .request, .cancel: [.edges(.friendRequest)]
    case .accept, .decline, .takeBack: [.records(FriendAnswer.collection)]
    case .remove: [.edges(.friendRequest), .records(FriendAnswer.collection)]
    case .policy: [.records(FriendPolicy.collection)]
    }
  }
}
