// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct RelationshipInfoTests {
  private static let uri = ATURI("at://did:web:a.test/app.bsky.graph.follow/3k2a")

  private func info(_ edges: Set<String>) -> RelationshipInfo {
    func edge(_ name: String) -> ATURI? { edges.contains(name) ? Self.uri : nil }
    return RelationshipInfo(
      actor: Accounts.did(0), target: Accounts.did(1), following: edge("following"),
      followedBy: edge("followedBy"), blocking: edge("blocking"), blockedBy: edge("blockedBy"),
      blockingByList: edge("blockingByList"), blockedByList: edge("blockedByList"),
      checkedAt: Datetime(at: 0), source: .appview)
  }

  /// Everything derived from the edges, for each of their 64 combinations (Q5).
  @Test func derivesEverythingFromTheEdges() {
    let names = ["following", "followedBy", "blocking", "blockedBy", "blockingByList", "blockedByList"]
    for bits in 0..<64 {
      let edges = Set(names.indices.filter { bits & (1 << $0) != 0 }.map { names[$0] })
      let info = info(edges)
      #expect(info.isFollowing == edges.contains("following"))
      #expect(info.isFollowedBy == edges.contains("followedBy"))
      #expect(info.mutual == edges.isSuperset(of: ["following", "followedBy"]))
      #expect(info.isBlocking == !edges.isDisjoint(with: ["blocking", "blockingByList"]))
      #expect(info.isBlockedBy == !edges.isDisjoint(with: ["blockedBy", "blockedByList"]))
      #expect(info.blocked == (info.isBlocking || info.isBlockedBy))
      #expect(info.isEmpty == edges.isEmpty)
    }
  }

  @Test func comparesFactsAndNotTheirSource() {
    #expect(info(["following"]).from(.cache).hasSameFacts(as: info(["following"])))
    #expect(info(["following"]).from(.cache) != info(["following"]))
    for name in ["following", "followedBy", "blocking", "blockedBy", "blockingByList", "blockedByList"] {
      #expect(!info([name]).hasSameFacts(as: info([])))
    }
  }
}
