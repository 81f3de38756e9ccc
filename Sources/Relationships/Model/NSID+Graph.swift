// SPDX-License-Identifier: Apache-2.0

package import ATProtoCore
internal import ATProtoLexicons

extension NSID {
  package static let follow = App.Bsky.Graph.Follow.nsid
  package static let block = App.Bsky.Graph.Block.nsid
  package static let listblock = App.Bsky.Graph.Listblock.nsid
  package static let list = App.Bsky.Graph.List.nsid
  package static let listitem = App.Bsky.Graph.Listitem.nsid
  package static let starterpack = App.Bsky.Graph.Starterpack.nsid
}

extension ATURI {
  /// Whether it names a list by its owner's DID, as records do.
  package var isList: Bool {
    guard case .did = authority else { return false }
    return collection == .list && recordKey != nil
  }
}

extension ATURI {
  /// The key of a `listblock` record of an account, by which some servers tell what blocks by list (Q6).
  package func listBlockKey(of account: DID) -> RecordKey? {
    collection == .listblock && authority == .did(account) ? recordKey : nil
  }
}

extension RelationshipInfo {
  /// The list by which the actor blocks the target, where servers tell it in one field or in the other (Q6, Q7).
  package var listThatBlocks: ATURI? {
    blockingByList ?? blocking.flatMap { $0.collection == .block ? nil : $0 }
  }
}
