// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension NSID {
  static let follow = App.Bsky.Graph.Follow.nsid
  static let block = App.Bsky.Graph.Block.nsid
  static let listblock = App.Bsky.Graph.Listblock.nsid
  static let list = App.Bsky.Graph.List.nsid
  static let listitem = App.Bsky.Graph.Listitem.nsid
  static let starterpack = App.Bsky.Graph.Starterpack.nsid
}

extension ATURI {
  /// Whether it names a list by its owner's DID, as records do.
  var isList: Bool {
    guard case .did = authority else { return false }
    return collection == .list && recordKey != nil
  }
}

extension ATURI {
  /// The key of a `listblock` record of an account, by which some servers tell what blocks by list (Q6).
  func listBlockKey(of account: DID) -> RecordKey? {
    collection == .listblock && authority == .did(account) ? recordKey : nil
  }
}

extension RelationshipInfo {
  /// The list by which the actor blocks the target, where servers tell it in one field or in the other (Q6, Q7).
  var listThatBlocks: ATURI? {
    blockingByList ?? blocking.flatMap { $0.collection == .block ? nil : $0 }
  }
}
