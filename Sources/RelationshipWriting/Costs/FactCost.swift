// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import Relationships

/// What a ``FactLoader`` asks for some changes, from the changes alone.
struct FactCost: Sendable, Hashable {
  /// Collections of the own repository that are listed.
  var collections: [NSID]
  /// Whether a few follows are asked for singly where the whole collection is larger than a page.
  var asksSingly: Bool
  /// The most calls to an AppView about pairs. Accounts to unfollow that turn out not to be followed are asked
  /// about besides; accounts to put on a list, only where that is one to moderate by.
  var relationshipCalls: Int
  /// Whether exactly so many are made, whatever is found.
  var relationshipCallsAreCertain: Bool
  /// Calls to an AppView about mutes of accounts, and about mutes of lists.
  var muteCalls: Int
  var listMuteCalls: Int

  /// The cost of ``FactLoader/knowledge(for:knowing:)`` for these changes of an account.
  init(of changes: some Collection<ChangeIntent>, by account: DID) {
    let wanted = FactRequirements(changes)
    collections = []
    if wanted.parts.contains(.follows) { collections.append(.follow) }
    if wanted.parts.contains(.blocks) { collections.append(.block) }
    if wanted.parts.contains(.listBlocks) { collections.append(.listblock) }
    if wanted.parts.contains(.lists) { collections.append(.list) }
    if wanted.parts.contains(.listItems) { collections.append(.listitem) }
    asksSingly = wanted.asksSingly
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
