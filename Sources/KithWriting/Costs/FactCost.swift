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
  ///
  /// - Parameter areMost: whether only some of the changes may be left, such as after a filter: of few accounts, all are
  ///   asked about.
  init(
    of changes: some Collection<ChangeIntent>, and counted: [CountedChanges] = [], by account: DID,
    atMost areMost: Bool = false
  ) {
    let wanted = FactRequirements(changes)
    let order: [NSID] = [.follow, .block, .listblock, .list, .listitem]
    collections = FactRequirements(changes + counted.map(\.example)).records.keys.sorted { one, other in
      let places = [one, other].map { order.firstIndex(of: $0) ?? order.endIndex }
      return (places[0], "\(one)") < (places[1], "\(other)")
    }
    let others = counted.map { (needs: FactRequirements([$0.example]), count: $0.count) }
    func calls(_ accounts: Set<DID>, _ more: (FactRequirements) -> Bool) -> Int {
      let unnamed = others.reduce(0) { $0 + (more($1.needs) ? $1.count : 0) }
      return CostPlan.batches(
        accounts.subtracting([account]).count + unnamed, of: AppViewRelationshipSource.targetsPerCall)
    }
    let isFew = wanted.areFew(with: others.reduce(0) { $0 + ($1.needs.asksRelationship ? $1.count : 0) })
    let relationships = wanted.relationships(ofAll: isFew)
    let asked = calls(relationships) { isFew ? $0.asksRelationship : !$0.relationships(ofAll: false).isEmpty }
    let guests = calls(wanted.guests { _ in true }) { needs in !needs.guests { _ in true }.isEmpty }
    let unfollows = calls(wanted.unfollows.subtracting(relationships)) { needs in
      !isFew && !needs.unfollows.isEmpty
    }
    let asksFew =
      !isFew && areMost && (wanted.asksRelationship || others.contains { $0.needs.asksRelationship })
    let few =
      asksFew
      ? CostPlan.batches(FactRequirements.fewAccounts, of: AppViewRelationshipSource.targetsPerCall) : 0
    relationshipCalls = asked + guests + unfollows + few
    relationshipCallsAreCertain = relationshipCalls == asked
    let mutes = others.reduce(wanted.mutes.count) { $0 + ($1.needs.mutes.isEmpty ? 0 : $1.count) }
    muteCalls = CostPlan.batches(mutes, of: HandleResolver.batchSize)
    listMuteCalls = wanted.listMutes.count
  }
}
