// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport

/// The history of follows in the graphs of other apps.
@Suite struct GraphSnapshotTests {
  private let network = FaultyNetwork(accounts: 100)

  private func changes(of actor: DID, by user: ServedUser) async throws -> [HistoryRow] {
    try await user.run(ListChanges(of: actor, HistoryFilter(graphs: [.tangled]), wantsNames: true)).rows
  }

  @Test func snapshotsOfAnAppTellWhoCameAndWhoLeft() async throws {
    let alice = try await ServedUser(on: network)
    let me = try alice.did("alice")
    let snapshot = TakeSnapshots(of: .these([me]), in: [.tangled])
    #expect(try await alice.run(snapshot).rows.map(\.snapshot.listing.side) == [.follows])
    try await alice.carryOut(ChangeAccounts(.follow(in: [.tangled, .bluesky]), .cast("judy")))
    try await alice.carryOut(ChangeAccounts(.unfollow(in: [.tangled]), .cast("bob")), confirmed: true)
    let taken = try await alice.run(snapshot).rows.map(\.snapshot)
    #expect(taken.map(\.listing.graph) == [.tangled])
    #expect(taken.map(\.counts.gained) == [1] && taken.map(\.counts.lost) == [1])
    let rows = try await changes(of: me, by: alice)
    let found = rows.map { row in
      [row.view?.handle?.description, row.change.kind.rawValue, row.change.loss?.cause.rawValue]
    }
    #expect(Set(found) == [["judy.test", "gained", nil], ["bob.test", "lost", "unfollowed"]])
    for change in rows.map(\.change) {
      #expect(change.listing.record(of: change.edge)?.collection == FollowGraph.tangled.collection)
    }
    // Bluesky's own history is another one.
    let failure = await FailureKind.thrown { try await alice.run(ListChanges(of: me)) }
    #expect(failure == .notFound)
  }

  @Test func aFollowerWhomAnIndexLosesIsAskedBeforeALossIsRecorded() async throws {
    let alice = try await ServedUser(on: network)
    let (me, bob) = (try alice.did("alice"), try alice.did("bob"))
    let snapshot = TakeSnapshots(of: .these([me]), sides: [.followers], in: [.tangled])
    func take() async throws -> [Snapshot.Counts] {
      try await alice.run(snapshot, in: try alice.indexedWorkspace()).rows.map(\.snapshot.counts)
    }
    #expect(try await take().map(\.listed) == [3])
    // The index forgets both; only Bob deletes his record.
    let (dave, collection) = (try network.number("dave"), FollowGraph.tangled.collection)
    network.live.state { $0.graph.otherLinks.forget(dave, in: collection) }
    let key = try #require(
      network.records(of: bob, in: collection).first { $0.value["subject"]?.string == "\(me)" }?.key)
    #expect(network.setRecords([key: nil], in: collection, of: bob))
    let taken = try await take()
    #expect(taken.map(\.lost) == [1] && taken.map(\.unconfirmed) == [1])
    let lost = try await changes(of: me, by: alice).map(\.change)
    #expect(lost.map(\.account) == [bob] && lost.map { $0.loss?.cause } == [.unfollowed])
  }
}
