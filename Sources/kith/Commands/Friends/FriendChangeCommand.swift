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

  /// Which requests are answered; nil for a command that answers none.
  var answer: AnswerOptions? { get }
}

extension FriendChangeCommand {
  var answer: AnswerOptions? { nil }

  mutating func validate() throws {
    try checkActors()
    try answer?.validate(for: actors, sources)
  }

  func prepare(
    _ found: SelectedAccounts, as account: AuthorizedAccount, _ context: CommandContext
  ) async throws -> PreparedChanges {
    let changes = try await FriendChanges(
      kind(at: context.time.instant), of: found, asking: answer?.kind, version: answer?.version, as: account,
      in: context.workspace)
    var prepared = PreparedChanges(requests: changes.requests, narrowing: changes.checked)
    prepared.preview = { changes.isFirst($0) ? [.friendsArePublic] : [] }
    let now = Datetime(at: context.time.instant)
    if !changes.unseen.isEmpty, !options.dryRun {
      // A yes that was given before the request was shown is not about the request, nor is one below a plan that shows
      // only a part of them.
      guard !options.yes, context.confirmation.isPossible,
        changes.requests.count <= ChangeRelationships.mostRowsAsked
      else {
        throw CommandFault(.usage, .requestsUnseen(changes.unseen, at: now))
      }
      prepared.concern = { _ in
        changes.requests.count == 1 ? changes.unseen.first?.request.words(at: now) ?? "" : ""
      }
    }
    return prepared
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
