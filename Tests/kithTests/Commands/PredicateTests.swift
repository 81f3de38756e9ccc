// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
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
      checkedAt: Datetime(at: 0), source: .appview)
  }

  @Test(arguments: [
    ("", ["none"]), ("f", ["following"]), ("F", ["followed-by"]),
    ("fF", ["following", "followed-by", "mutual"]), ("b", ["blocking"]), ("l", ["blocking"]),
    ("B", ["blocked-by"]), ("L", ["blocked-by"]),
    ("fFbL", ["following", "followed-by", "mutual", "blocking", "blocked-by"]),
  ])
  func holdsForExactlyTheseEdges(edges: String, predicates: [String]) throws {
    let facts = AccountFacts(info(edges), isShown: true)
    let relations = ["none", "following", "followed-by", "mutual", "blocking", "blocked-by"]
    #expect(
      try relations.filter { try QuestionOptions.predicate($0).holds(for: facts) == true }.sorted()
        == predicates.sorted())
  }

  /// An AppView that does not show an account cannot know that there is nothing between the two.
  @Test func noneIsUnknownForAnAccountThatIsNotShown() throws {
    for isShown in [false, nil] {
      #expect(
        try QuestionOptions.predicate("none").holds(for: AccountFacts(info(""), isShown: isShown)) == nil)
      #expect(
        try QuestionOptions.predicate("none").holds(for: AccountFacts(info("f"), isShown: isShown)) == false)
    }
  }

  @Test(arguments: ["", "mutual with bob.test", "followers > 5", "status is active", "mutal"])
  func asksForTheRelationshipAlone(text: String) {
    #expect(throws: (any Error).self) { try QuestionOptions.predicate(text) }
  }

  @Test func combinesPredicates() throws {
    let facts = AccountFacts(AccountView(Accounts.did(2)), relationships: [.actor: info("fFB")])
    #expect(try QuestionOptions.predicate("mutual and blocked-by").holds(for: facts) == true)
    #expect(try QuestionOptions.predicate("mutual and not blocked").holds(for: facts) == false)
  }
}
