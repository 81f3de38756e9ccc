// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// Reads on which terms an account takes part in friend requests.
public struct ShowFriendPolicy: KithOperation {
  public static let name = "showFriendPolicy"

  /// The account.
  public var actor: ATIdentifier

  /// Creates the operation.
  public init(of actor: ATIdentifier) { self.actor = actor }

  /// What was found.
  public struct Outcome: OperationOutcome {
    /// The policy; nil if the account does not take part.
    public let policy: FriendPolicy?

    public var ending: Ending { .done }
    public var fields: [OutputField] { [OutputField("takesPart", .bool(policy != nil))] }
  }

  /// Delivers one row.
  ///
  /// - Throws: `RepositoryError`, `IdentityError`, `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<FriendPolicyRow>) async throws -> Outcome {
    let owner = try await workspace.identities.did(of: actor)
    let friends = workspace.friendships()
    let policy = try await friends.policy(of: owner)
    let isGated = try await friends.approvesFollowersOnWeaver(owner)
    let view = try await workspace.names().views(of: [owner], asking: true)[owner]
    try await report.rows([
      FriendPolicyRow(view: view ?? AccountView(owner), policy: policy, approvesOnWeaver: isGated)
    ])
    return Outcome(policy: policy)
  }
}
