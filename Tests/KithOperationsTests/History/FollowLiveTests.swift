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

/// Accounts of a served network that are followed live.
@Suite(.timeLimit(.minutes(1))) struct FollowLiveTests {
  /// What a run has said so far.
  private struct Heard {
    var rows: [LiveRow] = []
    var notes: [String] = []
    var read = 0
  }

  private let clock = ManualClock()
  private let network: FaultyNetwork
  private let user: ServedUser
  private let heard = Watched(Heard())
  private let alice, bob, carol: DID

  init() async throws {
    network = FaultyNetwork(clock: clock)
    user = try await ServedUser(nil, on: network)
    (alice, bob, carol) = (try user.did("alice"), try user.did("bob"), try user.did("carol"))
    for account in [bob, carol] { network.live.unlink(.follow, from: account, to: alice) }
    network.live.link(.follow, from: bob, to: alice)
    clock.advance(by: .seconds(100))
  }

  private func start(
    _ live: FollowLive, rows: (@Sendable ([LiveRow]) throws -> Void)? = nil
  ) -> Task<FollowLive.Outcome, any Error> {
    Task { [user, heard] in
      try await live.run(
        in: user.workspace(),
        Reporter(
          rows: { new in
            try rows?(new)
            heard.withLock { $0.rows += new }
          },
          note: { note in heard.withLock { $0.notes.append(note.code) } },
          progress: { progress in
            if case .following(let progress) = progress { heard.withLock { $0.read = progress.read } }
          }))
    }
  }

  private func act(_ body: (LiveNetwork) -> Void) {
    clock.advance(by: .seconds(1))
    body(network.live)
  }

  private func isConnected() async { await heard.until { $0.notes.contains("streamConnected") } }

  private var events: [String] {
    heard.withLock { heard in
      heard.rows.map { row in
        "\(row.name) \(row.view?.handle?.description ?? "unnamed")"
      }
    }
  }

  @Test func tellsWhatHappensAndKeepsThePlace() async throws {
    let first = start(FollowLive(of: .these([alice])))
    await isConnected()
    act { $0.unlink(.follow, from: bob, to: alice) }
    act { $0.link(.follow, from: carol, to: alice) }
    await heard.until { $0.rows.count == 2 }
    first.cancel()
    let outcome = try await first.value
    #expect(outcome.ending == .interrupted(.cancelled))
    #expect(outcome.events == ["lost": 1, "gained": 1] && outcome.rows.count == 2 && outcome.gaps == 0)
    #expect(outcome.cursor?.host == "jetstream.test")
    // What happens between two runs is told by the second.
    act { $0.link(.block, from: carol, to: alice) }
    let second = start(FollowLive(of: .these([alice])))
    await heard.until { $0.rows.count == 3 }
    second.cancel()
    _ = try await second.value
    #expect(events == ["lost bob.test", "gained carol.test", "lost carol.test"])
    let causes = heard.withLock { $0.rows.map { row in row.change?.loss?.cause } }
    #expect(causes == [.unfollowed, nil, .blockedBy])
    #expect(heard.withLock { $0.notes } == ["streamConnected", "streamConnected"])
    let history = try await user.run(ListChanges(of: alice))
    #expect(history.outcome.kinds == [.gained: 1, .lost: 2])
  }

  @Test func leavesOutWhatIsUndoneBeforeItSettles() async throws {
    let run = start(FollowLive(of: .these([alice]), settle: .seconds(60)))
    await isConnected()
    act { $0.link(.follow, from: carol, to: alice) }
    act { $0.unlink(.follow, from: carol, to: alice) }
    act { $0.unlink(.follow, from: bob, to: alice) }
    await heard.until { $0.read == 3 }
    #expect(events == [])
    // The silence of the connection, the events of carol, and of bob.
    await clock.untilAsleep(2)
    clock.advance(by: .seconds(58))
    await clock.untilAsleep(2)
    #expect(events == [])
    clock.advance(by: .seconds(2))
    await heard.until { $0.rows.count == 1 }
    #expect(events == ["lost bob.test"])
    run.cancel()
    #expect(try await run.value.rows.count == 1)
    #expect(try await user.run(ListChanges(of: alice)).outcome.rows.count == 3, "the history keeps all of it")
  }

  @Test func anOutageIsNotedOnce() async throws {
    let run = start(FollowLive(of: .these([alice])))
    await isConnected()
    network.begin(.serverError)
    network.stream.dropReaders()
    try await eventually {
      clock.advance(by: .seconds(10))
      return network.requests > 3
    }
    network.begin(.none)
    try await eventually {
      clock.advance(by: .seconds(10))
      return heard.withLock { $0.notes.count } > 2
    }
    #expect(heard.withLock { $0.notes } == ["streamConnected", "streamBroken", "streamConnected"])
    run.cancel()
    _ = try await run.value
  }

  @Test func saysThatEventsWereMissed() async throws {
    let first = start(FollowLive(of: .these([alice])))
    await isConnected()
    act { $0.link(.follow, from: carol, to: alice) }
    await heard.until { $0.rows.count == 1 }
    first.cancel()
    _ = try await first.value
    act { $0.unlink(.follow, from: bob, to: alice) }
    network.stream.forget()
    act { $0.unlink(.follow, from: carol, to: alice) }
    let second = start(FollowLive(of: .these([alice])))
    await heard.until { $0.notes.contains("streamGap") }
    second.cancel()
    #expect(try await second.value.gaps == 1)
  }

  @Test func endsWithItsReader() async throws {
    struct Gone: Error {}
    let run = start(FollowLive(of: .these([alice]))) { _ in throw Gone() }
    await isConnected()
    act { $0.link(.follow, from: carol, to: alice) }
    let outcome = try await run.value
    #expect(outcome.ending == .interrupted(.closed))
  }

  @Test func thereMustBeAccounts() async throws {
    let run = try await user.run(FollowLive(of: .watched))
    #expect(run.outcome.ending == .partly(.notFound) && run.outcome.accounts == 0)
  }

  @Test func aFollowedAccountCostsNothingToBegin() async throws {
    let live = FollowLive(of: .these([alice]))
    let before = try await live.cost(in: user.workspace()) { _ in }
    let run = start(live)
    await isConnected()
    run.cancel()
    _ = try await run.value
    let after = try await live.cost(in: user.workspace()) { _ in }
    #expect(before.steps.contains { $0.name == "app.bsky.graph.getRelationships" })
    #expect(!after.steps.contains { $0.name == "app.bsky.graph.getRelationships" })
  }
}

extension LiveRow {
  fileprivate var change: HistoryChange? { if case .changed(let change) = event { change } else { nil } }
}
