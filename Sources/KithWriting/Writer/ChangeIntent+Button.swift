// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

extension ChangeIntent {
  /// The change that a tap on a follow button asks for, for ``RelationshipWriter/make(_:)``.
  ///
  /// - Returns: nil for what changes nothing: to open a list, or to check again.
  public init?(_ action: FollowButton.Action, about account: DID) {
    switch action {
    case .follow: self = .follow(account)
    case .unfollow: self = .unfollow(account)
    case .unblock: self = .unblock(account)
    case .request: self = .friends(.request(account, FriendRequestDraft(.follow)))
    case .cancelRequest: self = .friends(.cancel(account))
    case .openList, .checkAgain: return nil
    }
  }
}
