// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships
import KithWriting

/// Declares who may send friend requests to the account, or takes that back.
public struct SetFriendPolicy: ChangeSource {
  public static let name = "setFriendPolicy"

  /// What is declared; what is nil stays.
  public struct Edit: Sendable, Hashable {
    public var whoMayAsk: FriendPolicy.Audience?
    public var requiresApproval: Bool?
    /// How long requests can be accepted; an inner nil for no end.
    public var requestLifetime: Duration??

    public init() {}
  }

  /// The changes; nil to delete the policy.
  public var edit: Edit?

  public init(_ edit: Edit?) { self.edit = edit }

  public let title = ChangeTitle("policy", "declared", imperative: "Change the policy of")

  public var confirmation: ConfirmationRule { ConfirmationRule() }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let account = preparation.account.did
    var policy: FriendPolicy?
    if let edit {
      var edited = try await preparation.workspace.friendships().policy(of: account) ?? FriendPolicy()
      edited.whoMayAsk = edit.whoMayAsk ?? edited.whoMayAsk
      edited.requiresApproval = edit.requiresApproval ?? edited.requiresApproval
      edited.requestLifetime = edit.requestLifetime ?? edited.requestLifetime
      policy = edited
    }
    var prepared = PreparedChanges([
      RequestedChange(account.description, .success(.friends(.policy(account, policy))))
    ])
    prepared.notes = { [edit] _ in edit == nil ? [] : [.friendsArePublic] }
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    let account = estimate.account.did
    estimate.addRecord(of: FriendPolicy.collection)
    estimate.add(.friends(.policy(account, edit == nil ? nil : FriendPolicy())))
  }
}
