// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing

@testable import KithClient

@Suite(.timeLimit(.minutes(1))) struct HostLimiterTests {
  private let clock = ManualClock()
  private let limiter: HostLimiter
  private let patience = Duration.seconds(600)
  private let dead = TransportError(.cannotConnect, host: "host.test")

  init() { limiter = HostLimiter(Traffic.Configuration(ceiling: 2), time: clock.timeSource()) }

  private func untilWaiting(_ count: Int) async throws {
    try await eventually { limiter.read { traffic, _ in traffic.waiting } >= count }
  }

  private func enter() -> Task<HostLimiter.Entry, any Error> {
    Task { [limiter, patience] in try await limiter.enter(patience: patience) }
  }

  @Test func holdsBackWhoComesWhenTheWindowIsFull() async throws {
    let first = try await limiter.enter(patience: patience)
    _ = try await limiter.enter(patience: patience)
    let third = enter()
    try await untilWaiting(1)
    clock.advance(by: .seconds(2))
    limiter.leave(first.permit, .answered(nil))
    #expect(try await third.value.waited == .seconds(2))
    #expect(clock.slept.isEmpty, "a timer ran although no call waited for a time")
  }

  @Test func letsTheCancelledGoAtOnceAndKeepsTheirPlaceFree() async throws {
    let first = try await limiter.enter(patience: patience)
    _ = try await limiter.enter(patience: patience)
    let waiting = enter()
    try await untilWaiting(1)
    let next = enter()
    try await untilWaiting(2)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    limiter.leave(first.permit, .answered(nil))
    _ = try await next.value
    #expect(limiter.read { traffic, _ in traffic.inFlight } == 2)
    #expect(limiter.read { traffic, _ in traffic.waiting == 0 })
  }

  @Test func refusesToQueueWhoIsCancelledAlready() async throws {
    _ = try await limiter.enter(patience: patience)
    _ = try await limiter.enter(patience: patience)
    let task = Task { [limiter, patience] in
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await limiter.enter(patience: patience)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(limiter.read { traffic, _ in traffic.waiting == 0 })
  }

  @Test func wakesThoseWhoWaitWhenTheRateLimitEnds() async throws {
    let first = try await limiter.enter(patience: patience)
    limiter.leave(first.permit, .refused(RateLimit(retryAfter: .seconds(100))))
    let waiting = enter()
    await clock.untilAsleep(1)
    #expect(limiter.state.heldFor == .seconds(101))
    #expect(limiter.state.waiting == 1)
    clock.advance(by: .seconds(100))
    #expect(limiter.read { traffic, _ in traffic.waiting } == 1)
    clock.advance(by: .seconds(1))
    #expect(try await waiting.value.waited == .seconds(101))
    #expect(clock.sleeperCount == 0)
  }

  @Test func stopsItsTimerWithoutWaiters() async throws {
    let first = try await limiter.enter(patience: patience)
    limiter.leave(first.permit, .refused(RateLimit(retryAfter: .seconds(100))))
    let waiting = enter()
    await clock.untilAsleep(1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await clock.untilAwake()
    #expect(clock.sleeperCount == 0)
  }

  @Test func endsTheRestOfCallsWhenTheHostIsGivenUp() async throws {
    let resting = Task { [limiter] in try await limiter.backOff(for: .seconds(30)) }
    await clock.untilAsleep(1)
    limiter.gaveUp(.transport(dead), mark: 0)
    try await resting.value
    #expect(clock.sleeperCount == 0)
    await #expect(throws: TrafficRefusal.self) { try await limiter.enter(patience: patience) }
    // A wait between attempts does not begin now either.
    try await limiter.backOff(for: .seconds(30))
  }

  @Test func endsARestWhenItsTaskIsCancelled() async throws {
    let resting = Task { [limiter] in try await limiter.backOff(for: .seconds(30)) }
    await clock.untilAsleep(1)
    resting.cancel()
    await #expect(throws: CancellationError.self) { try await resting.value }
  }

  /// Many tasks on many threads, some of them cancelled: never more than two inside, and no waiter is lost.
  @Test func keepsItsBoundUnderContention() async throws {
    let inside = Turnstile()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2_000 {
        group.addTask { [limiter, patience] in
          let work = Task {
            let entry = try await limiter.enter(patience: patience)
            try? await inside.pass { await Task.yield() }
            limiter.leave(entry.permit, number % 7 == 0 ? .abandoned : .answered(nil))
          }
          if number % 3 == 0 { work.cancel() }
          _ = await work.result
        }
      }
    }
    #expect(inside.peak <= 2)
    #expect(inside.arrivals >= 1_333)
    #expect(limiter.read { traffic, _ in traffic.inFlight } == 0)
    #expect(limiter.read { traffic, _ in traffic.waiting == 0 })
  }

  /// As in a batch whose accounts name dead servers of their own.
  @Test func deadHostsAreForgottenOnceTheyMayBeTriedAgain() {
    let clock = ManualClock()
    let traffic = Traffic(time: clock.timeSource())
    let fault = HostFault.transport(TransportError(.cannotConnect, host: "host.test"))
    for number in 0..<2_000 {
      traffic.limiter(for: "https://host\(number).test").gaveUp(fault, mark: 0)
      clock.advance(by: .milliseconds(100))
    }
    #expect(traffic.states.count <= 256)
    // The circuits of thirty hosts have just opened, and no probe may go yet.
    #expect(traffic.states["https://host1999.test"]?.restsFor != nil)
  }

  /// What a progress line shows between two attempts.
  @Test func saysWhenAFailedCallIsRepeated() async throws {
    #expect(limiter.state.retriesIn == nil)
    let rests = [5, 3].map { seconds in
      Task { [limiter] in try await limiter.backOff(for: .seconds(seconds)) }
    }
    await clock.untilAsleep(2)
    #expect(limiter.state.retriesIn == .seconds(3))
    clock.advance(by: .seconds(2))
    #expect(limiter.state.retriesIn == .seconds(1))
    let entry = try await limiter.enter(patience: patience)
    #expect(limiter.state.retriesIn == nil)
    limiter.leave(entry.permit, .answered(nil))
    clock.advance(by: .seconds(10))
    for rest in rests { try await rest.value }
    #expect(limiter.state.retriesIn == nil)
  }
}
