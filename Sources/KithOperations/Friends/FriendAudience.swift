// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
import KithWriting

/// What has to change so that a list has the friends of an account and no others.
public struct FriendAudience: Sendable {
  /// The changes that make the list equal to the friends.
  public private(set) var requests: [RequestedChange] = []
  /// How many friends there are.
  public private(set) var friends = 0
  /// Of how many accounts it could not be found out whether they are friends. They are neither added nor removed.
  public private(set) var undecided = 0
  /// The failure of a server that left something unknown; nil if there was none.
  public let fault: RelationshipError?

  /// Reads the friends and the members of a list.
  ///
  /// - Throws: `RepositoryError` if the own records cannot be read, ``OperationError``, `CancellationError`.
  public init(of list: ATURI, for account: AuthorizedAccount, in workspace: Workspace) async throws {
    var members: Set<DID> = []
    // The AppView may not show a member that was added a moment ago.
    for try await row in RecordReader(of: account.did, client: account.repository).members(of: list) {
      if case .success(let view) = row { members.insert(view.account) }
    }
    self.init(of: list, with: members, for: try await workspace.friendships().friends(of: account.did))
  }

  /// Compares the members of a list with friends.
  package init(of list: ATURI, with members: Set<DID>, for found: FriendList) {
    fault = found.fault
    friends = found.friends.count
    undecided = found.undecidedAccounts.count
    let wanted = Set(found.friends.map(\.account))
    for friend in found.friends where !members.contains(friend.account) {
      requests.append(
        RequestedChange(friend.account.description, .success(.add(friend.account, to: list))))
    }
    for member in members.subtracting(wanted).subtracting(found.undecidedAccounts).sorted(by: {
      "\($0)" < "\($1)"
    }) {
      requests.append(RequestedChange(member.description, .success(.remove(member, from: list))))
    }
  }
}
