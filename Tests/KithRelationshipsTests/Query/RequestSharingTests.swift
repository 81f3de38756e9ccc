// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite(.timeLimit(.minutes(1))) struct RequestSharingTests {
  private let clock = ManualClock()
  private let actor = Accounts.did(0)
  private let turnstile = Turnstile(isOpen: false)

  private func service(
    _ source: ScriptedSource, policy: RelationshipCache.Policy = .init()
  ) throws -> FollowRelationshipService {
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: ScriptedTransport([]),
      time: clock.timeSource())
    return FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client), cachePolicy: policy,
      time: clock.gatheringTimeSource())
  }

  private func first(of changes: some AsyncSequence<RelationshipChange, Never>) async -> RelationshipChange? {
    for await change in changes { return change }
    return nil
  }

  /// Ends the gather window once the loader waits for it.
  private func endGathering() async {
    await clock.untilAsleep(1)
    clock.advance(by: .milliseconds(2))
  }

  @Test func requestsTheTargetsOf1020TasksInThirtyFourCalls() async throws {
    let source = ScriptedSource(turnstile: turnstile)
    let service = try service(source)
    let follows = try await withThrowingTaskGroup { group in
      for target in Accounts.dids(1..<1_021) {
        group.addTask { [actor] in try await service.isFollowing(actor: actor, target: target) }
      }
      await turnstile.untilArrived(8)
      turnstile.open()
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(follows == 1_020)
    #expect(source.asked.count == 34)
  }

  @Test func requestsOneTargetOf1020ActorsInThirtyFourCalls() async throws {
    let source = ScriptedSource(turnstile: turnstile) { center, others in
      // The answer is about the account in the middle: those with an even number are followed back.
      ScriptedSource.follows(center, others) { $0.description.utf8.last.map { $0 % 2 == 0 } ?? false }
    }
    let service = try service(source)
    let target = Accounts.did(0)
    let infos = try await withThrowingTaskGroup { group in
      for actor in Accounts.dids(1..<1_021) {
        group.addTask { try await service.getRelationship(actor: actor, target: target) }
      }
      await turnstile.untilArrived(8)
      turnstile.open()
      return try await group.reduce(into: [RelationshipInfo]()) { $0.append($1) }
    }
    #expect(source.asked.count == 34)
    #expect(infos.count == 1_020)
    #expect(infos.allSatisfy { $0.target == target && $0.following == nil })
    #expect(
      infos.allSatisfy { info in
        let isEven = info.actor.description.utf8.last.map { $0 % 2 == 0 } ?? false
        return info.isFollowedBy == isEven
      })
  }

  @Test func answersTheLastOfFiftyEqualQueries() async throws {
    let source = ScriptedSource(turnstile: turnstile)
    let service = try service(source)
    let tasks = (0..<50).map { _ in
      Task { [actor] in try await service.isFollowing(actor: actor, target: Accounts.did(1)) }
    }
    await endGathering()
    await turnstile.untilArrived(1)
    for task in tasks.dropLast() { task.cancel() }
    for task in tasks.dropLast() {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    turnstile.open()
    #expect(try await tasks[49].value)
    #expect(source.asked == [[Accounts.did(1)]])
  }

  @Test func cancelsACallWithoutWaiters() async throws {
    let source = ScriptedSource(turnstile: turnstile)
    let service = try service(source)
    let task = Task { [actor] in try await service.isFollowing(actor: actor, target: Accounts.did(1)) }
    await endGathering()
    await turnstile.untilArrived(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await turnstile.untilEmpty()
    turnstile.open()
    async let again = service.isFollowing(actor: actor, target: Accounts.did(1))
    await endGathering()
    #expect(try await again)
    #expect(source.asked.count == 2)
  }

  @Test func sharesABatchInProgress() async throws {
    let source = ScriptedSource(turnstile: turnstile)
    let service = try service(source)
    async let batch = service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<11))
    await turnstile.untilArrived(1)
    async let overlapping = service.batchCheckFollows(actor: actor, targets: Accounts.dids(5..<15))
    await turnstile.untilArrived(2)
    // From the other end: there is nothing left to request.
    async let single = service.isFollowing(actor: Accounts.did(7), target: actor)
    try await eventually { await service.cacheStatistics.misses >= 21 }
    turnstile.open()
    #expect(try await batch.count == 10)
    #expect(try await overlapping.count == 10)
    #expect(try await !single)
    #expect(source.asked == [Accounts.dids(1..<11), Accounts.dids(11..<15)])
  }

  @Test func reportsAChangeFromTheEndOfTheCaller() async throws {
    let source = ScriptedSource { center, others in
      ScriptedSource.follows(center, others) { _ in center == Accounts.did(5) }
    }
    let service = try service(source)
    let changes = service.changes
    let (one, other) = (Accounts.did(5), Accounts.did(6))
    async let before = service.isFollowing(actor: one, target: other)
    await endGathering()
    #expect(try await before)
    clock.advance(by: .seconds(400))
    // The second query comes from the other end, and the follow is gone.
    async let after = service.isFollowing(actor: other, target: one)
    await endGathering()
    #expect(try await !after)
    guard case .changed(let old, let new) = await first(of: changes) else {
      Issue.record("no change was reported")
      return
    }
    #expect(new.actor == other && old.actor == other)
    #expect(old.isFollowedBy && !new.isFollowedBy)
  }

  @Test func requestsAgainAfterAnInvalidationDuringACall() async throws {
    let isFollowed = Turnstile()
    let source = ScriptedSource(turnstile: turnstile) { center, others in
      ScriptedSource.follows(center, others) { _ in isFollowed.arrivals > 0 }
    }
    let service = try service(source)
    let (actor, target) = (actor, Accounts.did(1))
    async let before = service.isFollowing(actor: actor, target: target)
    await endGathering()
    await turnstile.untilArrived(1)
    await service.invalidate(actor: actor, target: target)
    async let after = service.isFollowing(actor: actor, target: target)
    await endGathering()
    await turnstile.untilArrived(2)
    turnstile.release(0)
    #expect(try await !before)
    try await isFollowed.pass {}
    turnstile.open()
    #expect(try await after)
    #expect(try await service.isFollowing(actor: actor, target: target))
    #expect(source.asked.count == 2)
  }

  // MARK: Stale answers

  @Test func refreshesAFewOfManyStaleAnswersAtATime() async throws {
    let source = ScriptedSource()
    let service = try service(source, policy: .init(lifetime: .seconds(60), staleLifetime: .seconds(600)))
    let targets = Accounts.dids(1..<1_001)
    _ = try await service.batchCheckFollows(actor: actor, targets: targets)
    let calls = source.asked.count
    clock.advance(by: .seconds(61))
    #expect(try await service.batchCheckFollows(actor: actor, targets: targets).count == 1_000)
    #expect(source.asked.count <= calls + 4)
  }

  @Test func returnsAStaleAnswerAtOnceAndReportsTheNewOne() async throws {
    let unfollowed = Turnstile(isOpen: true)
    let source = ScriptedSource { center, others in
      ScriptedSource.follows(center, others) { _ in unfollowed.arrivals == 0 }
    }
    let service = try service(source, policy: .init(lifetime: .seconds(60), staleLifetime: .seconds(600)))
    async let first = service.isFollowing(actor: actor, target: Accounts.did(1))
    await endGathering()
    #expect(try await first)
    let changes = service.changes
    clock.advance(by: .seconds(61))
    try await unfollowed.pass {}
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(1)))
    #expect(
      try await service.batchCheckFollows(actor: actor, targets: [Accounts.did(1)]).values.first == true)
    await endGathering()
    guard case .changed(let old, let new) = await self.first(of: changes) else {
      Issue.record("no change was reported")
      return
    }
    #expect(old.isFollowing && !new.isFollowing)
    #expect(source.asked.count == 2)
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(1)) == false)
  }
}
