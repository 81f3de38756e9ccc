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
    collections = []
    if wanted.parts.contains(.follows) { collections.append(.follow) }
    if wanted.parts.contains(.blocks) { collections.append(.block) }
    if wanted.parts.contains(.listBlocks) { collections.append(.listblock) }
    if wanted.parts.contains(.lists) { collections.append(.list) }
    if wanted.parts.contains(.listItems) { collections.append(.listitem) }
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
