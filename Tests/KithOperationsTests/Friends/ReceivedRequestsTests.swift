// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport

/// Where requests are looked for, in which order they come, and which are left out.
@Suite struct ReceivedRequestsTests {
  private let network = FaultyNetwork(accounts: 100)

  @Test func theClosestComeFirstAndBlockedAccountsAreLeftOut() async throws {
    let alice = try await ServedUser(on: network)
    let inbox = try await alice.inbox()
    #expect(inbox.handles.first == "bob.test" && inbox.rows.first?.relation == "mutual")
    #expect(Set(inbox.handles) == ["bob.test", "dave.test", "judy.test"])
    #expect(inbox.outcome.known == 7 && inbox.outcome.accepted == 1 && inbox.outcome.expired == 1)
  }

  @Test func withoutAnIndexTheRepositoriesOfNeighboursAreAsked() async throws {
    let alice = try await ServedUser(on: network)
    // Grace's request has ended.
    let inbox = try await alice.inbox(.neighbours(after: 0, most: 100))
    #expect(Set(inbox.handles) == ["bob.test", "dave.test", "judy.test"])
    let named = try await alice.inbox(.accounts([alice.did("dave"), alice.did("grace")]))
    #expect(named.handles == ["dave.test"])
    #expect(try await alice.inbox(.neighbours(after: 0, most: 200), where: "mutual").rows.count == 1)
  }

  @Test func anIndexThatMissesARequestSaysThatOthersMayBeMissing() async throws {
    let alice = try await ServedUser(on: network)
    let dave = try network.number("dave")
    network.live.state { $0.graph.otherLinks.forget(dave, in: FriendRequest.collection) }
    #expect(try await !alice.inbox().handles.contains("dave.test"))
    #expect(try await alice.inbox(.accounts([alice.did("dave")])).handles == ["dave.test"])
  }

  @Test func aFloodOfRequestsIsRankedAndPagedAndOnlyThePageIsRead() async throws {
    let network = FaultyNetwork(accounts: 700)
    let alice = try await ServedUser(on: network)
    let own = try alice.did("alice")
    let request: DataValue = [
      "$type": .string("\(FriendRequest.collection)"), "subject": .string("\(own)"), "kind": "friend",
      "createdAt": "2026-01-01T00:00:00Z",
    ]
    for stranger in network.live.state({ $0.graph.network.dids }).suffix(640) {
      #expect(
        network.setRecords(
          [try RecordKey(parsing: "\(own)"): request], in: FriendRequest.collection, of: stranger))
    }
    var seen: Set<DID> = []
    for (page, after) in [(1, 0), (2, 0), (1, 500)] {
      let inbox = try await alice.inbox(.index(after: after), page: page)
      #expect(inbox.rows.count > 40 && inbox.rows.count <= 50)
      // What mutuals ask is on the first page, also where newer requests of others have pushed it out of the index's
      // first 500.
      if page == 1, after == 0 { #expect(inbox.handles.contains("bob.test")) }
      #expect((inbox.outcome.mutuals > 0) == (after == 0))
      let others = inbox.rows.filter { $0.relation != "mutual" }.map(\.view.account)
      #expect(seen.isDisjoint(with: others))
      seen.formUnion(others)
      #expect(inbox.outcome.known == 647 && inbox.outcome.looked == (after == 0 ? 500 : 147))
      #expect(inbox.outcome.hasMore == (after == 0))
      if page == 1 { #expect(inbox.rows.first?.relation == "mutual") }
    }
  }

  /// Of the three that have asked, Bob alone is a mutual of Alice.
  @Test func theInboxFollowsTheOwnPolicy() async throws {
    let alice = try await ServedUser(on: network)
    let all = try await alice.inbox().handles
    #expect(Set(all) == ["bob.test", "dave.test", "judy.test"])
    let policies: [(FriendPolicy.Audience, wanted: Set<String>, excluded: ClosedRange<Int>)] = [
      (.everyone, Set(all), 0...0), (.mutuals, ["bob.test"], 2...100), (.nobody, [], 3...100),
    ]
    for (audience, wanted, excluded) in policies {
      try await alice.setPolicy { $0.whoMayAsk = audience }
      let inbox = try await alice.inbox()
      #expect(Set(inbox.handles) == wanted && excluded.contains(inbox.outcome.excluded), "\(audience)")
    }
    // What is asked for by name is shown.
    #expect(try await alice.inbox(.accounts([alice.did("dave")])).handles == ["dave.test"])
    #expect(try await alice.inbox(.neighbours(after: 0, most: 100)).handles == [])
  }

  /// Grace has to approve her followers on Weaver: Judy is accepted there, and Alice waits.
  @Test func weaverIsReadAsASecondSource() async throws {
    let grace = try await ServedUser("grace", on: network)
    for (name, approves) in [("grace", true), ("bob", false)] {
      let shown = try await grace.run(ShowFriendPolicy(of: grace.actor(name)))
      #expect(shown.rows.map(\.approvesOnWeaver) == [approves])
    }
    #expect(try await grace.inbox().outcome.onWeaver == 1)
  }
}
