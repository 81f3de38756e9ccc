// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Who is close in a graph, and why.
@Suite struct NeighbourGraphTests {
  private func graph(_ hubs: [(hub: Int, follows: [Int], degree: Int)]) -> NeighbourGraph {
    var graph = NeighbourGraph()
    for (hub, follows, degree) in hubs {
      graph.add(.account(Accounts.did(hub)), follows.map(Accounts.did), degree: degree)
    }
    return graph
  }

  private func accounts(
    _ graph: NeighbourGraph, _ order: NeighbourGraph.Order, without excluded: [Int] = []
  ) -> [DID] {
    graph.closest(10, by: order, excluding: Set(excluded.map(Accounts.did))).map(\.account)
  }

  @Test func aHubThatFollowsFewSaysMoreThanOneThatFollowsThousands() {
    let graph = graph([(1, [10], 3), (2, [11], 5_000), (3, [11], 5_000)])
    #expect(accounts(graph, .score) == [Accounts.did(10), Accounts.did(11)])
    #expect(accounts(graph, .paths) == [Accounts.did(11), Accounts.did(10)])
  }

  @Test func theScoreIsTheAdamicAdarIndex() throws {
    let graph = graph([(1, [10, 20], 2), (2, [10], 8)])
    let closest = graph.closest(1, by: .score, excluding: [])
    let closeness = try #require(closest.first?.closeness)
    // 1/ln 2 + 1/ln 8
    #expect(abs(closeness.score - (1 / 0.693_147_18 + 1 / 2.079_441_54)) < 0.000_01)
    #expect(closeness.paths == 2)
    #expect(closeness.hubs == [.account(Accounts.did(1)), .account(Accounts.did(2))])
  }

  @Test func aHubWithASingleAccountDoesNotWeighInfinitely() {
    let closest = graph([(1, [10], 1), (2, [], 0)]).closest(5, by: .score, excluding: [])
    #expect(closest.map(\.account) == [Accounts.did(10)])
    #expect(closest.first?.closeness.score.isFinite == true)
  }

  @Test func accountsOfAHubCountOnceHoweverOftenTheyAreListed() {
    let closest = graph([(1, [10, 10, 10], 3)]).closest(5, by: .paths, excluding: [])
    #expect(closest.map(\.closeness.paths) == [1])
  }

  @Test func excludedAccountsAreLeftOut() {
    #expect(accounts(graph([(1, [10, 11, 12], 3)]), .paths, without: [11, 99]).count == 2)
    #expect(accounts(NeighbourGraph(), .score).isEmpty)
    #expect(graph([(1, [10], 1)]).closest(-1, by: .score, excluding: []).isEmpty)
  }

  @Test func listsSpeakForAnAccountButAreNoPaths() throws {
    let list = try #require(ATURI("at://\(Accounts.did(5))/app.bsky.graph.list/3jzfcijpj2z2a"))
    var graph = graph([(1, [10], 100)])
    graph.add(.list(list), [Accounts.did(10), Accounts.did(11)], degree: 2)
    let closest = graph.closest(5, by: .score, excluding: [])
    #expect(closest.map(\.account) == [Accounts.did(10), Accounts.did(11)])
    #expect(closest[0].closeness.hubs == [.list(list), .account(Accounts.did(1))])
    #expect(closest.map(\.closeness.paths) == [1, 0])
    // No account that is followed follows it.
    #expect(accounts(graph, .paths) == [Accounts.did(10)])
  }

  @Test func namesOnlyTheMostTellingHubs() throws {
    let graph = graph((1...20).map { ($0, [100], 1_000 - $0) })
    let hubs = try #require(graph.closest(1, by: .score, excluding: []).first?.closeness.hubs)
    #expect(hubs == (13...20).reversed().map { .account(Accounts.did($0)) })
  }
}
