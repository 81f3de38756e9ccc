// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Each run counts the calls that it asked for, and no others.
@Suite(.timeLimit(.minutes(1))) struct CallsOfRunsTests {
  private let clock = ManualClock()
  private let actor = Accounts.did(0)
  private let turnstile = Turnstile()
  /// The runs that the calls were counted for, in order.
  private let counted = Watched<[CallMeter?]>([])
  private let first = CallMeter()
  private let second = CallMeter()

  private func service(
    concurrency: Int = 8, gathering window: Duration = .milliseconds(2)
  ) -> FollowRelationshipService {
    let source = ScriptedSource(turnstile: turnstile) { [counted] center, others in
      counted.withLock { $0.append(CallMeter.ofRun) }
      return ScriptedSource.follows(center, others) { _ in true }
    }
    return FollowRelationshipService(
      source: source, cachePolicy: .init(lifetime: .seconds(60), staleLifetime: .seconds(600)),
      configuration: .init(concurrency: concurrency, gatherWindow: window), time: clock.gatheringTimeSource())
  }

  private func ask(
    _ service: FollowRelationshipService, about target: Int, in run: CallMeter
  ) -> Task<Bool, any Error> {
    CallMeter.$ofRun.withValue(run) {
      Task { [actor] in try await service.isFollowing(actor: actor, target: Accounts.did(target)) }
    }
  }

  private func expect(_ runs: CallMeter?...) {
    #expect(
      counted.withLock { $0.map { $0.map(ObjectIdentifier.init) } }
        == runs.map { $0.map(ObjectIdentifier.init) })
  }

  /// Leaves the timer of a run that asks for nothing now.
  private func leaveATimer(of run: CallMeter, in service: FollowRelationshipService) async {
    let cancelled = ask(service, about: 900, in: run)
    await clock.untilAsleep(1)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test func aCallThatTheTimerOfAnotherRunBegins() async throws {
    let service = service()
    await leaveATimer(of: first, in: service)
    let answer = ask(service, about: 1, in: second)
    try await eventually { await service.cacheStatistics.misses == 2 }
    clock.advance(by: .milliseconds(2))
    #expect(try await answer.value)
    expect(second)
  }

  @Test func aRefreshThatTheTimerOfAnotherRunBegins() async throws {
    let service = service()
    let asked = ask(service, about: 1, in: first)
    await clock.untilAsleep(1)
    clock.advance(by: .milliseconds(2))
    #expect(try await asked.value)
    clock.advance(by: .seconds(61))
    await leaveATimer(of: first, in: service)
    #expect(try await ask(service, about: 1, in: second).value)
    clock.advance(by: .milliseconds(2))
    await counted.until { $0.count == 2 }
    expect(first, second)
  }

  @Test func aCallThatWaitsForOneOfAnotherRun() async throws {
    let service = service(concurrency: 1, gathering: .zero)
    turnstile.close()
    let held = ask(service, about: 1, in: first)
    await turnstile.untilArrived(1)
    let waiting = ask(service, about: 2, in: second)
    try await eventually { await service.cacheStatistics.misses == 2 }
    turnstile.open()
    #expect(try await held.value)
    #expect(try await waiting.value)
    expect(first, second)
  }

  /// What a run does with the answer is its own.
  @Test func whatFollowsOnASharedCall() async throws {
    let service = service(gathering: .zero)
    let loader = service.loader
    turnstile.close()
    let held = ask(service, about: 1, in: first)
    await turnstile.untilArrived(1)
    let (caller, heard) = (loader.newCaller(), Watched<[CallMeter?]>([]))
    CallMeter.$ofRun.withValue(second) {
      loader.join(caller) { _ in heard.withLock { $0.append(CallMeter.ofRun) } }
    }
    _ = loader.request(
      actor, about: [.init(actor, Accounts.did(1), slot: 0, due: nil)], for: caller)
    turnstile.open()
    #expect(try await held.value)
    await heard.until { $0.count == 1 }
    #expect(heard.withLock { $0[0] === second })
    expect(first)
  }

  @Test func aCallForAnObserverThatAnotherRunMakesNecessary() async throws {
    let service = service(gathering: .zero)
    var shown = CallMeter.$ofRun.withValue(first) {
      service.observe(actor: actor, target: Accounts.did(1)).makeAsyncIterator()
    }
    while let relationship = await shown.next(), relationship.state != .fresh {}
    await CallMeter.$ofRun.withValue(second) {
      await service.invalidate(actor: actor, target: Accounts.did(1))
    }
    await counted.until { $0.count == 2 }
    expect(first, first)
  }
}
