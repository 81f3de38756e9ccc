// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons

extension NSID {
  /// `app.bsky.feed.post`.
  package static let post = App.Bsky.Feed.Post.nsid
  /// `app.bsky.actor.profile`.
  package static let profile = App.Bsky.Actor.Profile.nsid
  /// `app.bsky.feed.threadgate`: who may answer a post.
  package static let threadgate = NSID(generated: "app.bsky.feed.threadgate")
  /// `app.bsky.feed.postgate`: who may quote a post.
  package static let postgate = NSID(generated: "app.bsky.feed.postgate")
  package static let follow = App.Bsky.Graph.Follow.nsid
  package static let block = App.Bsky.Graph.Block.nsid
  package static let listblock = App.Bsky.Graph.Listblock.nsid
  package static let list = App.Bsky.Graph.List.nsid
  package static let listitem = App.Bsky.Graph.Listitem.nsid
  package static let starterpack = App.Bsky.Graph.Starterpack.nsid
}

extension ATURI {
  /// Whether this is the URI of a list with its owner's DID, as in records.
  package var isList: Bool {
    guard case .did = authority else { return false }
    return collection == .list && recordKey != nil
  }
}

extension ATURI {
  /// The key of an account's `listblock` record, which some servers return as the cause of a block by list
  /// (Q6).
  package func listBlockKey(of account: DID) -> RecordKey? {
    collection == .listblock && authority == .did(account) ? recordKey : nil
  }
}

extension RelationshipInfo {
  /// The list by which the actor blocks the target, from either of the fields that servers use (Q6, Q7).
  package var listThatBlocks: ATURI? {
    blockingByList ?? blocking.flatMap { $0.collection == .block ? nil : $0 }
  }
}
