// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// A command that asks, answers or ends: names and listings of accounts, and what is done about each.
protocol FriendChangeCommand: ActorChangeCommand {
  /// What is done about each account.
  func kind(at now: Instant) -> FriendChanges.Kind
}

extension FriendChangeCommand {
  func prepare(
    _ found: SelectedAccounts, as account: AuthorizedAccount, _ context: CommandContext
  ) async throws -> PreparedChanges {
    let changes = try await FriendChanges(
      kind(at: context.time.instant), of: found, as: account, in: context.workspace)
    return PreparedChanges(
      requests: changes.requests, narrowing: changes.checked,
      preview: { changes.isFirst($0) ? [.friendsArePublic] : [] })
  }

  /// How the change looks before the requests are read; its cost is the same.
  func change(_ actor: DID) -> ChangeIntent { kind(at: .epoch).change(actor) }

  func addPreparation(to plan: inout CostPlan) {
    switch kind(at: .epoch) {
    case .accept, .decline: plan.addFriendRecords(targets: plan.targets, each: 1)
    case .cancel, .remove: break
    case .request: plan.addFriendRecords(targets: plan.targets, each: 2)
    }
  }
}
