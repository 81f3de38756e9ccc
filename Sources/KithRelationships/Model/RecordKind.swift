// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// A kind of record that Kith has rules for: an edge, a list, a post and others.
package struct RecordKind: Sendable, Hashable {
  /// The collection of the records.
  package let collection: NSID
  /// Whether the key of a record follows from what it is about, so that there cannot be a second one.
  package let hasFixedKey: Bool
  /// The kind of edge that the records are; nil for records that have no subject.
  package let edge: EdgeKind?

  private init(_ collection: NSID, hasFixedKey: Bool = false) {
    (self.collection, self.hasFixedKey, edge) = (collection, hasFixedKey, nil)
  }

  private init(_ edge: EdgeKind) {
    (collection, hasFixedKey, self.edge) = (edge.collection, edge == .friendRequest, edge)
  }

  /// All of them. Follows of other apps are ``FollowGraph``'s.
  package static let known: [RecordKind] =
    EdgeKind.known.map { RecordKind($0) } + [
      RecordKind(.list), RecordKind(.post), RecordKind(.threadgate), RecordKind(.postgate),
      RecordKind(.profile, hasFixedKey: true), RecordKind(FriendAnswer.collection, hasFixedKey: true),
      RecordKind(FriendPolicy.collection, hasFixedKey: true),
    ]

  private static let byCollection = Dictionary(uniqueKeysWithValues: known.map { ($0.collection, $0) })

  /// The kind of the records in a collection; nil if Kith has no rules for them.
  package init?(of collection: NSID) {
    guard let known = Self.byCollection[collection] else { return nil }
    self = known
  }

  /// Whether records of a collection can be changed as records, whatever they say: Kith has no rules for them, and they are
  /// not follows.
  package static func isOpen(_ collection: NSID) -> Bool {
    RecordKind(of: collection) == nil && !FollowGraph.isLikely(collection)
  }
}
