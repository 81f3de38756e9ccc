// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// The last known relationships in memory: pass one to two services in turn to test a start of the app.
public actor InMemoryLastKnownRelationships: LastKnownRelationships {
  private struct Pair: Hashable {
    let accounts: Set<DID>
    init(_ one: DID, _ other: DID) { accounts = [one, other] }
  }

  private var known: [Pair: RelationshipInfo] = [:]

  /// Creates a store with these relationships.
  public init(_ relationships: [RelationshipInfo] = []) {
    for relationship in relationships {
      known[Pair(relationship.actor, relationship.target)] = relationship
    }
  }

  /// All relationships that are kept, most recent first.
  public var all: [RelationshipInfo] { known.values.sorted { $0.checkedAt.instant > $1.checkedAt.instant } }

  public func relationships(checkedSince moment: Datetime, atMost count: Int) -> [RelationshipInfo] {
    Array(all.prefix { $0.checkedAt.instant >= moment.instant }.prefix(count))
  }

  public func keep(_ relationships: [RelationshipInfo]) {
    for relationship in relationships {
      let pair = Pair(relationship.actor, relationship.target)
      if let earlier = known[pair], earlier.checkedAt.instant > relationship.checkedAt.instant { continue }
      known[pair] = relationship
    }
  }

  public func remove(_ pairs: [(DID, DID)]) {
    for (one, other) in pairs { known[Pair(one, other)] = nil }
  }

  public func removeAll() { known = [:] }
}
