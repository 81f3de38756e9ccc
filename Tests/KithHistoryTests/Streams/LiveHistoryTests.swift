// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithHistory

/// Listings that are followed by the stream of a sandbox.
@Suite(.timeLimit(.minutes(1))) struct LiveHistoryTests {
  private let scene = LiveScene()
  private var actor: DID { scene.actor }

  @Test func tellsWhoFollowsUnfollowsAndBlocks() async throws {
    let (followers, others) = try await scene.people()
    let (new, old, hostile) = (others[0], followers[0], followers[1])
    let task = scene.start()
    await scene.until("connected")
    scene.act { $0.follow(from: new.did, to: actor) }
    await scene.until("followers \(new.handle) gained")
    scene.act { $0.unfollow(from: new.did, to: actor) }
    scene.act { $0.unfollow(from: old.did, to: actor) }
    scene.act { $0.block(from: hostile.did, to: actor) }
    await scene.until("followers \(hostile.handle) lost blocked-by")
    scene.act { $0.block(from: others[1].did, to: actor) }
    await scene.until("\(others[1].handle) blocks \(scene.account.handle)")
    scene.act { $0.unblock(from: hostile.did, to: actor) }
    scene.act { $0.follow(from: actor, to: new.did) }
    await scene.until("follows \(new.handle) gained")
    await scene.stop(task)
    #expect(
      scene.changes.filter { !$0.hasPrefix("read") } == [
        "followers \(new.handle) gained", "followers \(new.handle) lost unfollowed",
        "followers \(old.handle) lost unfollowed", "followers \(hostile.handle) lost blocked-by",
        "\(others[1].handle) blocks \(scene.account.handle)", "followers \(hostile.handle) returned",
        "follows \(new.handle) gained",
      ])
  }

  /// A first run, in which an account follows.
  private func runUntilAGain(of account: SandboxTransport.Account) async {
    let run = scene.start()
    await scene.until("connected")
    scene.act { $0.follow(from: account.did, to: actor) }
    await scene.until("followers \(account.handle) gained")
    await scene.stop(run)
  }

  @Test func continuesWhereItStopped() async throws {
    let (_, others) = try await scene.people()
    await runUntilAGain(of: others[0])
    scene.act { $0.follow(from: others[1].did, to: actor) }
    scene.act { $0.unfollow(from: others[0].did, to: actor) }
    let second = scene.start()
    await scene.until("followers \(others[0].handle) lost unfollowed")
    scene.sandbox.dropStreams()
    scene.act { $0.follow(from: others[2].did, to: actor) }
    await scene.until("disconnected")
    // Two tasks sleep: the one that connects again, and none else, as the connection is closed.
    await scene.clock.untilAsleep(1)
    scene.later(.seconds(1))
    await scene.until("followers \(others[2].handle) gained")
    await scene.stop(second)
    #expect(
      scene.changes.filter { !$0.hasPrefix("read") } == [
        "followers \(others[0].handle) gained", "followers \(others[1].handle) gained",
        "followers \(others[0].handle) lost unfollowed", "followers \(others[2].handle) gained",
      ])
    #expect(scene.changes.filter { $0.hasPrefix("read") }.count == 3, "one snapshot of each listing")
  }

  @Test func readsEverythingAfterAGap() async throws {
    let (followers, others) = try await scene.people()
    await runUntilAGain(of: others[0])
    scene.act { $0.follow(from: others[1].did, to: actor) }
    scene.act { $0.unfollow(from: followers[0].did, to: actor) }
    scene.sandbox.forgetEvents()
    scene.act { $0.follow(from: others[2].did, to: actor) }
    let second = scene.start()
    await scene.until("read followers complete", times: 2)
    await scene.until("read follows complete", times: 2)
    await scene.until("read blocks complete", times: 2)
    await scene.stop(second)
    #expect(scene.told.withLock { $0.contains("gap cursor-too-old") })
    let (listed, truth) = (await scene.listed(scene.followers), try await scene.truth(scene.followers))
    #expect(listed == truth && listed.contains(others[1].did))
    let gaps = await scene.store.gaps(of: scene.followers)
    #expect(gaps.count == 1 && gaps.allSatisfy { $0.closedAt != nil })
    #expect(scene.changes.filter { $0.contains("lost") } == [])
  }

  /// With another record than before, of which only a server knows the key.
  @Test func anUnfollowTellsWhoFollowedAgainInAGap() async throws {
    let (followers, others) = try await scene.people()
    await runUntilAGain(of: others[0])
    scene.act { $0.unfollow(from: followers[0].did, to: actor) }
    scene.act { $0.follow(from: followers[0].did, to: actor) }
    scene.sandbox.forgetEvents()
    scene.act { $0.follow(from: others[1].did, to: actor) }
    let second = scene.start()
    await scene.until("read followers complete", times: 2)
    scene.act { $0.unfollow(from: followers[0].did, to: actor) }
    scene.act { $0.follow(from: others[2].did, to: actor) }
    await scene.until("followers \(others[2].handle) gained")
    await scene.stop(second)
    let lost = scene.changes.filter { $0.contains("lost") }
    #expect(lost == ["followers \(followers[0].handle) lost unfollowed"])
  }

  @Test func aSecondReaderTakesOver() async throws {
    let (_, others) = try await scene.people()
    let first = scene.start(named: "1: ")
    await scene.until("1: connected")
    let second = scene.start(named: "2: ")
    await scene.until("2: connected")
    scene.act { $0.follow(from: others[0].did, to: actor) }
    await scene.until("2: followers \(others[0].handle) gained")
    let error = await #expect(throws: HistoryError.self) { try await first.value }
    #expect(error?.code == .replaced)
    await scene.stop(second)
    #expect(scene.changes.filter { $0.contains("gained") } == ["2: followers \(others[0].handle) gained"])
  }

  // MARK: Questions

  /// The subject of a block from before this run is not known.
  @Test func asksWhetherABlockIsGone() async throws {
    let (followers, _) = try await scene.people()
    let first = scene.start()
    await scene.until("connected")
    scene.act { $0.block(from: followers[0].did, to: actor) }
    await scene.until("followers \(followers[0].handle) lost blocked-by")
    await scene.stop(first)
    let second = scene.start()
    await scene.until("connected", times: 2)
    scene.act { $0.unblock(from: followers[0].did, to: actor) }
    await scene.until("followers \(followers[0].handle) returned")
    await scene.stop(second)
  }

  @Test func aFailedQuestionStaysOpen() async throws {
    let (followers, others) = try await scene.people()
    scene.failing.withLock { $0 = ["app.bsky.graph.getRelationships"] }
    let first = scene.start()
    await scene.until("connected")
    scene.act { $0.unfollow(from: followers[0].did, to: actor) }
    scene.act { $0.follow(from: others[0].did, to: actor) }
    await scene.until("followers \(others[0].handle) gained")
    // The silence of the connection, and the next round of questions.
    await scene.clock.untilAsleep(2)
    #expect(scene.changes.filter { $0.contains("lost") } == [])
    await scene.stop(first)
    // The next run raises it again.
    let second = scene.start()
    await scene.until("connected", times: 2)
    await scene.clock.untilAsleep(2)
    scene.failing.withLock { $0 = [] }
    try await eventually {
      scene.later(.milliseconds(100))
      return scene.changes.contains("followers \(followers[0].handle) lost unfollowed without key")
    }
    await scene.stop(second)
    #expect(scene.changes.filter { $0.contains("lost") }.count == 1)
    #expect(scene.changes.filter { $0.contains("gained") }.count == 1)
  }

  /// The events are in the history, and what they ask is not known yet.
  @Test func aQuestionIsRaisedAgainAfterTheProcessEnded() async throws {
    let (followers, _) = try await scene.people()
    scene.failing.withLock { $0 = ["app.bsky.graph.getRelationships"] }
    let live = scene.history(in: MortalStore(scene.store))
    let first = Task { [scene] in
      try await live.run([scene.followers]) {
        if case .connected = $0 { scene.told.withLock { $0.append("up") } }
      }
    }
    await scene.until("up")
    scene.act { $0.unfollow(from: followers[0].did, to: actor) }
    await #expect(throws: MortalStore.Ended.self) { try await first.value }
    scene.failing.withLock { $0 = [] }
    let second = scene.start([.followers])
    await scene.until("followers \(followers[0].handle) lost unfollowed without key")
    await scene.stop(second)
  }

  @Test func aRepositoryThatBrokeMakesNoNoise() async throws {
    let (followers, others) = try await scene.people()
    let task = scene.start()
    await scene.until("connected")
    scene.act { $0.breakRepository(of: followers[0].did, withRecords: true) }
    scene.act { $0.breakRepository(of: followers[1].did, withRecords: false) }
    scene.act { $0.breakRepository(of: actor, withRecords: true) }
    scene.later(.seconds(50))
    scene.later(.seconds(11))
    scene.act { $0.follow(from: others[0].did, to: actor) }
    await scene.until("followers \(others[0].handle) gained")
    await scene.stop(task)
    #expect(
      scene.changes.filter { !$0.hasPrefix("read") } == ["followers \(others[0].handle) gained"])
  }

  // MARK: Model

  /// Wherever it is cut, and whatever the host forgets, the graph is that of reading everything, and none is lost that did
  /// not leave.
  @Test(arguments: Array(1...10) + [1178])
  func leadsToTheGraphOfReadingEverything(seed: Int) async throws {
    let scene = LiveScene(seed: UInt64(seed))
    var random = SeededGenerator(seed: UInt64(seed))
    let (followers, others) = try await scene.people()
    let people = followers.prefix(6) + others
    var (left, inactive) = (Set<String>(), Set<DID>())
    func isKnown(_ account: DID) async -> Bool {
      await !scene.store.intervals(of: scene.followers, about: account).isEmpty
    }
    var (task, rounds) = (scene.start(), 1)
    for _ in 0..<60 {
      let account = people[Int.random(in: 0..<people.count, using: &random)]
      let move = Int.random(in: 0..<16, using: &random)
      switch move {
      // An account that is not active writes nothing.
      case 0..<12 where inactive.contains(account.did): break
      case 0..<4: scene.act { $0.follow(from: account.did, to: scene.actor) }
      case 4..<7:
        left.insert("\(account.handle)")
        scene.act { $0.unfollow(from: account.did, to: scene.actor) }
      case 7: scene.act { $0.block(from: account.did, to: scene.actor) }
      // A follower that came and hid itself while nothing was followed shows at the next snapshot only.
      case 8 where await isKnown(account.did): scene.act { $0.unblock(from: account.did, to: scene.actor) }
      case 9: scene.act { $0.follow(from: scene.actor, to: account.did) }
      case 10: scene.act { $0.unfollow(from: scene.actor, to: account.did) }
      case 11: scene.act { $0.breakRepository(of: account.did, withRecords: .random(using: &random)) }
      case 14:
        inactive.insert(account.did)
        scene.act { $0.set(isActive: false, account.did) }
      case 15 where await isKnown(account.did):
        inactive.remove(account.did)
        scene.act { $0.set(isActive: true, account.did) }
      case 8, 15: break
      case 12:
        await scene.until("connected", times: rounds)
        await scene.stop(task)
        rounds += 1
        if Bool.random(using: &random) { scene.sandbox.forgetEvents() }
        task = scene.start()
      default:
        await scene.until("connected", times: rounds)
        await scene.stop(task)
        rounds += 1
        // Another instance, which was not there for a while.
        scene.later(.seconds(200))
        scene.sandbox.restartStream()
        task = scene.start()
      }
    }
    scene.later(.seconds(70))
    try await scene.settle(1)
    await scene.stop(task)
    for side in [HistoryListing.Side.followers, .follows] {
      let listing = HistoryListing(side, of: scene.actor)
      let (listed, truth) = (await scene.listed(listing), try await scene.truth(listing))
      let wrong = scene.sandbox.accounts.filter { listed.contains($0.did) != truth.contains($0.did) }
      #expect(wrong.map(\.handle) == [], "\(side)")
    }
    let lost = scene.changes.filter { $0.hasPrefix("followers") && $0.contains("lost unfollowed") }
    let names = Set(lost.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) })
    #expect(names.isSubset(of: left))
  }
}
