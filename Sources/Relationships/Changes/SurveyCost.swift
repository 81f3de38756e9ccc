// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
public import ATProtoCore

/// What it costs to learn what changes need, before anything is asked.
public struct SurveyCost: Sendable, Hashable {
  /// Collections of the own repository that are listed: a call for every 100 records of each, and at most
  /// servers one more.
  public var collections: [NSID]
  /// Whether a few follows are asked for singly where the whole collection is larger than a page: a call for the
  /// newest page, and one for each that the AppView says is followed, ten at most.
  public var asksSingly: Bool
  /// Calls to an AppView about pairs. Who is to be followed no more, but is not followed, is asked about besides;
  /// who is to be put on a list, only where that is one to moderate by.
  public var relationshipCalls: Int
  /// Calls to an AppView about mutes, of accounts and of lists.
  public var muteCalls: Int
}

extension GraphSurvey {
  /// What ``knowledge(for:knowing:)`` costs for these changes.
  public static func cost(of changes: some Collection<GraphChange>) -> SurveyCost {
    let wanted = WantedKnowledge(changes)
    var collections: [NSID] = []
    if wanted.parts.contains(.follows) { collections.append(.follow) }
    if wanted.parts.contains(.blocks) { collections.append(.block) }
    if wanted.parts.contains(.listBlocks) { collections.append(.listblock) }
    if wanted.parts.contains(.lists) { collections.append(.list) }
    if wanted.parts.contains(.listItems) { collections.append(.listitem) }
    let pairs = wanted.relationships.union(wanted.guests { _ in true })
    func calls(_ count: Int, of size: Int) -> Int { (count + size - 1) / size }
    return SurveyCost(
      collections: collections, asksSingly: wanted.asksSingly,
      relationshipCalls: calls(pairs.count, of: AppViewRelationshipSource.targetsPerCall),
      muteCalls: calls(wanted.mutes.count, of: HandleResolver.batchSize) + wanted.listMutes.count)
  }
}
