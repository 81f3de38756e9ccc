// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What one account of a pair does to the other, packed.
struct PairSide: Equatable, Sendable {
  /// Which edges there are, and what is known of a mute.
  struct Facts: OptionSet, Sendable {
    let rawValue: UInt8

    static let follows = Facts(rawValue: 1)
    static let blocks = Facts(rawValue: 1 << 1)
    static let blocksByList = Facts(rawValue: 1 << 2)
    static let mutes = Facts(rawValue: 1 << 3)
    /// Whether ``mutes`` says anything.
    static let knowsMutes = Facts(rawValue: 1 << 4)
    /// All that both accounts can see.
    static let edges: Facts = [.follows, .blocks, .blocksByList]
  }

  var facts: Facts = []
  /// The record key of the follow, a TID; zero where there is no follow, or an odd one.
  var follow: UInt64 = 0
  /// The record key of the block, as for ``follow``.
  var block: UInt64 = 0

  /// Whether the other says the same; a mute that either does not know says nothing.
  func holdsSameFacts(as other: PairSide) -> Bool {
    let mutes: Facts = facts.contains(.knowsMutes) && other.facts.contains(.knowsMutes) ? .mutes : []
    return facts.symmetricDifference(other.facts).isDisjoint(with: Facts.edges.union(mutes))
      && follow == other.follow && block == other.block
  }
}

/// What does not fit into a record of fixed size, kept as it was: record keys that are no TIDs, addresses by
/// handle, lists (Q6), moments in another spelling than our own.
struct PairOddities: Sendable {
  /// The edges that can be odd; those by list always are.
  enum Edge: Sendable { case follow, block, blockByList }

  struct Item: Equatable, Sendable {
    /// Whether the edge starts at the account that sorts first.
    let isFromLow: Bool
    let edge: Edge
    let uri: ATURI
  }

  /// In a fixed order, so that equal oddities are equal.
  var items: [Item] = []
  var checkedAt: Datetime?

  var isEmpty: Bool { items.isEmpty && checkedAt == nil }

  /// About how many bytes it takes.
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
