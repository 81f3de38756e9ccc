// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension LiveGraph {
  /// The relationship of two accounts; empty if one of them is unknown, or if both are the same.
  ///
  /// Follows are shown despite blocks (Q5), and whatever the status of the accounts (Q2). The list record is
  /// not checked: a deleted list still blocks (Q6).
  func relationship(of actor: DID, with other: DID) -> SandboxRelationship {
    guard let actor = index(of: actor), let other = index(of: other), actor != other else {
      return SandboxRelationship()
    }
    var relationship = SandboxRelationship()
    relationship.following = follow(from: actor, to: other)
    relationship.followedBy = follow(from: other, to: actor)
    relationship.blocking = block(from: actor, to: other)
    relationship.blockedBy = block(from: other, to: actor)
    relationship.blockingByList = listBlocked(by: actor, with: other).map(uri(ofList:))
    relationship.blockedByList = listBlocked(by: other, with: actor).map(uri(ofList:))
    return relationship
  }

  /// Whether either blocks the other, directly or through a list.
  func isBlocked(_ one: Int, _ other: Int) -> Bool {
    blocks.edge(from: one, to: other) != nil || blocks.edge(from: other, to: one) != nil
      || listBlocked(by: one, with: other) != nil || listBlocked(by: other, with: one) != nil
  }

  /// The latest list that the account blocks and the other is on, among those that pass.
  func listBlocked(by account: Int, with other: Int, where passes: (Int) -> Bool = { _ in true }) -> Int? {
    if unindexed.contains(account) { return nil }
    for edge in listBlocks.edges(from: account) {
      let list = listBlocks.column(of: Int(edge))
      if listItems.edge(from: list, to: other) != nil, passes(list) { return list }
    }
    return nil
  }

  func follow(from account: Int, to other: Int) -> ATURI? {
    if unindexed.contains(account) { return nil }
    return follows.edge(from: account, to: other).map { edge in
      uri(account, App.Bsky.Graph.Follow.nsid, follows.key(of: edge))
    }
  }

  func block(from account: Int, to other: Int) -> ATURI? {
    if unindexed.contains(account) { return nil }
    return blocks.edge(from: account, to: other).map { edge in
      uri(account, App.Bsky.Graph.Block.nsid, blocks.key(of: edge))
    }
  }

  /// The record that puts an account on a list.
  func uri(ofListItem edge: LiveEdges.Edge) -> ATURI {
    ATURI(
      authority: uri(ofList: listItems.row(of: edge)).authority,
      collection: App.Bsky.Graph.Listitem.nsid, recordKey: listItems.key(of: edge))
  }

  /// The record with which an account blocks a list.
  func uri(ofListBlock edge: LiveEdges.Edge) -> ATURI {
    uri(listBlocks.row(of: edge), App.Bsky.Graph.Listblock.nsid, listBlocks.key(of: edge))
  }

  private func uri(_ account: Int, _ collection: NSID, _ key: RecordKey) -> ATURI {
    network.uri(of: SandboxRecordName(collection: collection, key: key), in: account)
  }
}
