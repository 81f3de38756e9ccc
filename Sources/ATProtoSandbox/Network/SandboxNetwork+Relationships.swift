// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons

extension SandboxNetwork {
  /// What stands between two accounts: nothing where one of them is unknown, or where both are the same.
  ///
  /// Follows show even where a block exists (Q5), and whatever the accounts' status is (Q2).
  public func relationship(of actor: DID, with other: DID) -> SandboxRelationship {
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

  /// Whether either blocks the other, directly or by a list.
  func isBlocked(_ one: Int, _ other: Int) -> Bool {
    blocks.edge(from: one, to: other) != nil || blocks.edge(from: other, to: one) != nil
      || listBlocked(by: one, with: other) != nil || listBlocked(by: other, with: one) != nil
  }

  /// The latest list that the account blocks and the other one is on.
  private func listBlocked(by account: Int, with other: Int) -> Int? {
    for edge in listBlocks.edges(from: account) {
      let list = listBlocks.column(of: Int(edge))
      if listItems.edge(from: list, to: other) != nil { return list }
    }
    return nil
  }

  private func follow(from account: Int, to other: Int) -> ATURI? {
    follows.edge(from: account, to: other).map { edge in
      Identities.uri(
        dids[account], App.Bsky.Graph.Follow.nsid, microseconds: follows.microseconds(of: edge))
    }
  }

  private func block(from account: Int, to other: Int) -> ATURI? {
    blocks.edge(from: account, to: other).map { edge in
      Identities.uri(dids[account], App.Bsky.Graph.Block.nsid, microseconds: blocks.microseconds(of: edge))
    }
  }

  func uri(ofList list: Int) -> ATURI {
    Identities.uri(dids[lists[list].owner], App.Bsky.Graph.List.nsid, microseconds: UInt64(list))
  }

  /// The record that puts an account on a list.
  func uri(ofListItem edge: EdgeTable.Edge) -> ATURI {
    let owner = lists[listItems.row(of: edge)].owner
    return Identities.uri(
      dids[owner], App.Bsky.Graph.Listitem.nsid, microseconds: listItems.microseconds(of: edge))
  }
}
