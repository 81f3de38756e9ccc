// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons
internal import Relationships

/// What a ``FactLoader`` asks for some changes, derived from the changes alone.
struct FactCost: Sendable, Hashable {
  /// Collections of the account's own repository that are listed.
  var collections: [NSID]
  /// How many accounts are to be followed, if own follows are needed for nothing else; nil otherwise.
  var onlyFollowed: Int?
  /// The most calls to an AppView about pairs. It includes accounts to unfollow that turn out not to be
  /// followed, and accounts to add to a list, which are only looked up for a moderation list.
  var relationshipCalls: Int
  /// Whether exactly this many calls are made, whatever the answers.
  var relationshipCallsAreCertain: Bool
  /// Calls to an AppView about muted accounts.
  var muteCalls: Int
  /// Calls to an AppView about muted lists.
  var listMuteCalls: Int

  /// Computes the cost of ``FactLoader/knowledge(for:knowing:)`` for these changes of an account.
  init(of changes: some Collection<ChangeIntent>, by account: DID) {
    let wanted = FactRequirements(changes)
    collections = []
    if wanted.parts.contains(.follows) { collections.append(.follow) }
    if wanted.parts.contains(.blocks) { collections.append(.block) }
    if wanted.parts.contains(.listBlocks) { collections.append(.listblock) }
    if wanted.parts.contains(.lists) { collections.append(.list) }
    if wanted.parts.contains(.listItems) { collections.append(.listitem) }
    onlyFollowed = wanted.onlyFollows ? wanted.accounts.count : nil
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

/// What is asked about follows beside the listing, if that is longer than a page.
extension FactCost {
  struct FollowReads: Sendable, Hashable {
    /// Calls for the number of follows.
    var profiles = 0
    /// Calls about pairs in addition to ``FactCost/relationshipCalls``.
    var relationships = 0
    /// Records that are read one by one; nil if the number is unknown.
    var proofs: Int? = 0
  }

  /// What is asked if the account's repository has this many follows; nil if they are simply listed.
  func followReads(of count: Int?) -> FollowReads? {
    guard let accounts = onlyFollowed,
      (count ?? .max) >= RecordReader.pageSize
    else { return nil }
    if accounts <= FactLoader.fewFollows {
      return FollowReads(proofs: min(accounts, FactLoader.mostProofs))
    }
    let asked = CostPlan.batches(accounts, of: AppViewRelationshipSource.targetsPerCall)
    guard let count else { return FollowReads(profiles: 1, relationships: asked, proofs: nil) }
    guard let proofs = FactLoader.mostProofs(follows: count, asking: accounts) else {
      return FollowReads(profiles: 1)
    }
    return FollowReads(profiles: 1, relationships: asked, proofs: min(accounts, proofs))
  }
}
