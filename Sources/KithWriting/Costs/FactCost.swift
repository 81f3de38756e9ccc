// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons
internal import KithRelationships

/// What a ``FactLoader`` asks for some changes, derived from the changes alone.
struct FactCost: Sendable, Hashable {
  /// Collections of the account's own repository that are read.
  var collections: [NSID]
  /// The most calls to an AppView about pairs. It includes accounts to unfollow that turn out not to be
  /// followed, and accounts to add to a list, which are only looked up for a moderation list.
  var relationshipCalls: Int
  /// Whether exactly this many calls are made, whatever the answers.
  var relationshipCallsAreCertain: Bool
  /// Calls to an AppView about muted accounts.
  var muteCalls: Int
  /// Calls to an AppView about muted lists.
  var listMuteCalls: Int

  /// Computes the cost of ``FactLoader/knowledge(for:verifying:progress:)`` for these changes of an account.
  init(of changes: some Collection<ChangeIntent>, by account: DID) {
    let wanted = FactRequirements(changes)
    let order: [NSID] = [.follow, .block, .listblock, .list, .listitem]
    collections = wanted.records.keys.sorted { one, other in
      let places = [one, other].map { order.firstIndex(of: $0) ?? order.endIndex }
      return (places[0], "\(one)") < (places[1], "\(other)")
    }
    func calls(_ accounts: Set<DID>) -> Int {
      CostPlan.batches(
        accounts.subtracting([account]).count, of: AppViewRelationshipSource.targetsPerCall)
    }
    let asked = calls(wanted.relationships)
    relationshipCalls =
      asked + calls(wanted.guests { _ in true }) + calls(wanted.unfollows.subtracting(wanted.relationships))
    relationshipCallsAreCertain = relationshipCalls == asked
    muteCalls = CostPlan.batches(wanted.mutes.count, of: HandleResolver.batchSize)
    listMuteCalls = wanted.listMutes.count
  }
}
