// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons

extension SandboxNetwork {
  /// What stands between two accounts before anything was changed: nothing where one of them is unknown, or
  /// where both are the same.
  ///
  /// Follows show even where a block exists (Q5), and whatever the accounts' status is (Q2).
  public func relationship(of actor: DID, with other: DID) -> SandboxRelationship {
    LiveGraph(self).relationship(of: actor, with: other)
  }

  func uri(ofList list: Int) -> ATURI { Self.uri(ofList: list, of: dids[lists[list].owner]) }

  static func uri(ofList list: Int, of owner: DID) -> ATURI {
    Identities.uri(owner, App.Bsky.Graph.List.nsid, microseconds: UInt64(list))
  }
}
