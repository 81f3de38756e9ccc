// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting
import Relationships
import TestSupport
import Testing

@testable import kith

@Suite struct PredicateTests {
  private func info(_ edges: String) -> RelationshipInfo {
    func edge(_ letter: Character) -> ATURI? {
      edges.contains(letter) ? ATURI("at://\(Accounts.did(1))/app.bsky.graph.follow/3jzfcijpj2z2a") : nil
    }
    return RelationshipInfo(
      actor: Accounts.did(1), target: Accounts.did(2), following: edge("f"), followedBy: edge("F"),
      blocking: edge("b"), blockedBy: edge("B"), blockingByList: edge("l"), blockedByList: edge("L"),
      checkedAt: Datetime(microsecondsSinceEpoch: 0), source: .appview)
  }

  @Test(arguments: [
    ("", ["none"]), ("f", ["following"]), ("F", ["followed-by"]),
    ("fF", ["following", "followed-by", "mutual"]), ("b", ["blocking"]), ("l", ["blocking"]),
    ("B", ["blocked-by"]), ("L", ["blocked-by"]),
    ("fFbL", ["following", "followed-by", "mutual", "blocking", "blocked-by"]),
  ])
  func holdsForExactlyTheseEdges(edges: String, predicates: [String]) {
    let info = info(edges)
    #expect(Predicate.allCases.filter { $0.holds(for: info) }.map(\.rawValue) == predicates)
  }
}
