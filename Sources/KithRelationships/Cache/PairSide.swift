// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The edges from one account of a pair to the other, packed.
struct PairSide: Equatable, Sendable {
  /// Which edges exist, and what is known about a mute.
  struct Facts: OptionSet, Sendable {
    let rawValue: UInt8

    static let follows = Facts(rawValue: 1)
    static let blocks = Facts(rawValue: 1 << 1)
    static let blocksByList = Facts(rawValue: 1 << 2)
    static let mutes = Facts(rawValue: 1 << 3)
    /// Whether ``mutes`` is known.
    static let knowsMutes = Facts(rawValue: 1 << 4)
    /// Whether the account's own changes are known, although the pair was not asked about.
    static let isOwn = Facts(rawValue: 1 << 5)
    /// Edges that both accounts can see.
    static let edges: Facts = [.follows, .blocks, .blocksByList]
  }

  var facts: Facts = []
  /// The record key of the follow, a TID; zero if there is no follow or its URI is one of the extras.
  var follow: UInt64 = 0
  /// The record key of the block; see ``follow``.
  var block: UInt64 = 0

  /// Whether the edges are the same; a mute is compared only if both sides know it.
  func holdsSameFacts(as other: PairSide) -> Bool {
    let mutes: Facts = facts.contains(.knowsMutes) && other.facts.contains(.knowsMutes) ? .mutes : []
    return facts.symmetricDifference(other.facts).isDisjoint(with: Facts.edges.union(mutes))
      && follow == other.follow && block == other.block
  }
}

/// Parts of an answer that do not fit into a fixed-size record, kept unchanged: record keys that are not
/// TIDs, URIs with a handle, lists (Q6), timestamps in another format than ours.
struct PairExtras: Sendable {
  /// Edges that can be extras; edges by list always are.
  enum Edge: Sendable { case follow, block, blockByList }

  struct Item: Equatable, Sendable {
    /// Whether the edge starts at the account that sorts first.
    let isFromLow: Bool
    let edge: Edge
    let uri: ATURI
  }

  /// In a fixed order, so equal extras compare equal.
  var items: [Item] = []
  var checkedAt: Datetime?

  var isEmpty: Bool { items.isEmpty && checkedAt == nil }

  /// Approximate size in bytes.
  var size: Int {
    let overhead = 64
    return items.reduce(overhead + (checkedAt?.description.utf8.count ?? 0)) {
      $0 + overhead + $1.uri.description.utf8.count
    }
  }

  func uri(fromLow isFromLow: Bool, _ edge: Edge) -> ATURI? {
    items.first { $0.isFromLow == isFromLow && $0.edge == edge }?.uri
  }
}
