// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport

/// What profiles count and what the history lists.
@Suite(.timeLimit(.minutes(1))) struct CountListingsTests {
  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let alice, bob: DID

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(nil, on: network)
    (alice, bob) = (try user.did("alice"), try user.did("bob"))
    network.live.unlink(.follow, from: bob, to: alice)
    clock.advance(by: .seconds(100))
  }

  @Test func countedAndListedStayApart() async throws {
    let before = try await user.run(CountListings(of: [alice, bob]))
    #expect(before.rows.map(\.listing.side) == [.followers, .follows, .followers, .follows])
    #expect(before.rows.allSatisfy { $0.listed == nil && $0.streamed == nil && $0.count == $0.counted })
    #expect(
      before.rows.compactMap { $0.view?.handle?.description } == [
        "alice.test", "alice.test", "bob.test", "bob.test",
      ])
    #expect(before.calls == ["app.bsky.actor.getProfiles": 1])
    let snapshots = try await user.run(TakeSnapshots(of: .these([alice])))
    let listed = Dictionary(
      snapshots.rows.map { ($0.snapshot.listing.side, $0.snapshot.counts.listed) }
    ) { first, _ in first }
    let after = try await user.run(CountListings(of: [alice]))
    #expect(after.rows.map { $0.listed?.count } == [listed[.followers], listed[.follows]])
    #expect(after.rows.allSatisfy { $0.listed?.source == .snapshot && $0.listed?.unknownSince == nil })
    // Hidden followers are counted, and not listed.
    #expect(after.rows[0].counted != after.rows[0].listed?.count)
  }

  @Test func aLiveCountIsThatOfTheProfileAndWhatCameSince() async throws {
    try await user.run(
      TakeSnapshots(of: .these([alice]), sides: [.followers, .follows, .blocks], .init(isFull: true))
    )
    .outcome.rows.interruption.map { throw $0 }
    let heard = Watched((rows: [ListingCountRow](), isConnected: false))
    let workspace = user.workspace()
    let task = Task { [alice] in
      try await CountListings(of: [alice], isLive: true).run(
        in: workspace,
        Reporter(
          rows: { rows in heard.withLock { $0.rows += rows } },
          note: { note in if note.code == "streamConnected" { heard.withLock { $0.isConnected = true } } }))
    }
    await heard.until { $0.isConnected }
    let first = try #require(heard.withLock { $0.rows.first })
    let (counted, listed) = (try #require(first.counted), try #require(first.listed?.count))
    clock.advance(by: .seconds(1))
    network.live.link(.follow, from: bob, to: alice)
    await heard.until { $0.rows.last?.streamed == 1 && $0.rows.last?.listed?.count == listed + 1 }
    clock.advance(by: .seconds(1))
    network.live.unlink(.follow, from: bob, to: alice)
    await heard.until { $0.rows.last?.streamed == 0 && $0.rows.last?.listed?.count == listed }
    clock.advance(by: .seconds(1))
    network.live.link(.follow, from: alice, to: try user.did("niaj"))
    await heard.until { $0.rows.last?.listing.side == .follows && $0.rows.last?.streamed == 1 }
    task.cancel()
    #expect(try await task.value.ending == .interrupted(.cancelled))
    #expect(heard.withLock { $0.rows.allSatisfy { $0.listing.side == .follows || $0.counted == counted } })
    #expect(workspace.meter.costByMethod["app.bsky.actor.getProfiles"]?.calls == 1)
  }
}
