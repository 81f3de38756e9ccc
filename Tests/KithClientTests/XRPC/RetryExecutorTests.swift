// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct RetryExecutorTests {
  /// What is wrong with a response, and whether it may be temporary.
  private struct Failure: Error, Hashable {
    var status: Int?
    var demanded: Duration? = .zero
  }

  private struct Other: Error {}

  private let clock: ManualClock
  private let limiter: HostLimiter
  private let lost = TransportError(.connectionLost, host: "host.test")
  private let unreachable = TransportError(.cannotConnect, host: "host.test")

  init() {
    clock = ManualClock(.skipping)
    limiter = HostLimiter(Traffic.Configuration(), time: clock.timeSource())
  }

  private func run(
    _ policy: RetryPolicy = RetryPolicy(), demanded: Duration? = .zero, isRepeatable: Bool = true,
    _ exchange: (Duration?) async throws -> TransportResponse,
    onRetry: (Failure, Duration) -> Void = { _, _ in }
  ) async throws -> TransportResponse {
    try await RetryExecutor(
      policy: policy, patience: .seconds(600), limiter: limiter, time: clock.timeSource(), random: { 1 }
    ).run(
      isRepeatable: isRepeatable, exchange,
      failure: { result in
        switch result {
        case .failure: Failure(demanded: demanded)
        case .success(let response):
          response.head.status.code < 300
            ? nil : Failure(status: response.head.status.code, demanded: demanded)
        }
      }, wait: \.demanded, onRetry: onRetry)
  }

  @Test func repeatsUntilItSucceeds() async throws {
    var attempts = 0
    var told: [Duration] = []
    let answer = try await run { _ in
      attempts += 1
      if attempts < 3 { throw unreachable }
      return TransportResponse(status: 200)
    } onRetry: { _, pause in
      told.append(pause)
    }
    #expect(answer.head.status.code == 200)
    #expect(clock.slept == [.milliseconds(200), .milliseconds(400)])
    #expect(told == clock.slept)
  }

  /// Four if the host never responded, two more if it was reached, all if it gave a good response before.
  @Test(arguments: [(false, false, 4), (true, false, 6), (true, true, 16)])
  func givesUpSoonerOnAHostThatItDoesNotKnow(wasReached: Bool, answeredWell: Bool, expected: Int) async throws
  {
    if answeredWell { _ = try await run { _ in TransportResponse(status: 200) } }
    var attempts = 0
    await #expect(throws: Failure.self) {
      try await run(RetryPolicy(budget: .seconds(600))) { _ in
        attempts += 1
        throw wasReached ? lost : unreachable
      }
    }
    #expect(attempts == expected)
  }

  @Test func leavesAloneWhatCannotPass() async {
    var attempts = 0
    await #expect(throws: Failure.self) {
      try await run(demanded: nil) { _ in
        attempts += 1
        throw lost
      }
    }
    #expect(attempts == 1)
    #expect(clock.slept.isEmpty)
  }

  @Test func repeatsNothingThatIsNotRepeatable() async {
    for status in [429, 503] {
      var attempts = 0
      await #expect(throws: Failure(status: status)) {
        try await run(isRepeatable: false) { _ in
          attempts += 1
          return TransportResponse(status: status)
        }
      }
      #expect(attempts == 1)
    }
  }

  @Test func passesOtherErrorsOnAndGivesThePermitBack() async {
    await #expect(throws: Other.self) { try await run { _ in throw Other() } }
    #expect(limiter.read { traffic, _ in traffic.inFlight } == 0)
  }

  @Test func countsTheTimeOfTheAttemptsThemselvesToTheBudget() async {
    var attempts = 0
    await #expect(throws: Failure.self) {
      try await run { _ in
        attempts += 1
        clock.advance(by: .seconds(31))
        throw unreachable
      }
    }
    #expect(attempts == 2)
  }

  @Test func passesTheTimeLeftToARetry() async throws {
    var rests: [Duration?] = []
    _ = try await run { rest in
      rests.append(rest)
      clock.advance(by: .seconds(20))
      if rests.count < 2 { throw unreachable }
      return TransportResponse(status: 200)
    }
    #expect(rests == [nil, .milliseconds(39_800)])
  }

  @Test func beginsNoAttemptThatHasNoTimeToSucceed() async {
    var attempts = 0
    await #expect(throws: Failure(status: 503)) {
      try await run { _ in
        attempts += 1
        clock.advance(by: .milliseconds(59_500))
        return TransportResponse(status: 503)
      }
    }
    #expect(attempts == 1)
  }

  /// How long to wait after a 429 depends on the patience.
  @Test func givesAnAttemptAfterARefusalTimeToSucceed() async throws {
    var rests: [Duration?] = []
    let fields = HTTPFields(named: ["Retry-After": "1"])
    _ = try await run(demanded: .seconds(1)) { rest in
      rests.append(rest)
      clock.advance(by: .milliseconds(29_800))
      return TransportResponse(status: rests.count < 4 ? 429 : 200, fields: fields)
    }
    #expect(rests == [nil, .milliseconds(30_200), .seconds(1), .seconds(1)])
  }

  /// An attempt that was cut short by the budget does not show what is wrong with the host.
  @Test func reportsTheFailureBeforeItsOwnTimeout() async {
    var attempts = 0
    await #expect(throws: Failure(status: 503)) {
      try await run { rest in
        attempts += 1
        clock.advance(by: rest ?? .seconds(50))
        if rest != nil { throw TransportError(.timedOut, host: "host.test") }
        return TransportResponse(status: 503)
      }
    }
    #expect(attempts == 2)
    #expect(limiter.read { traffic, _ in traffic.circuit.fault?.cause } == .status(503))
  }

  /// The limiter paces it: ten refusals in a row are more than the attempts at a host that never responded.
  @Test func doesNotCountARefusalAsAFailedAttempt() async throws {
    var refusals = 0
    let fields = HTTPFields(named: ["Retry-After": "1"])
    let answer = try await run(demanded: .seconds(1)) { _ in
      refusals += 1
      return TransportResponse(status: refusals < 10 ? 429 : 200, fields: fields)
    }
    #expect(answer.head.status.code == 200)
  }

  /// A server that always returns 429 with a wait of zero.
  @Test func losesItsPatienceWithAServerThatOnlyRefuses() async {
    var refusals = 0
    await #expect(throws: Failure(status: 429)) {
      try await run { _ in
        refusals += 1
        return TransportResponse(status: 429, fields: HTTPFields(named: ["Retry-After": "0"]))
      }
    }
    #expect(refusals == 6)
  }

  /// A million targets are 33,334 calls, each of which would wait for ten minutes.
  @Test func callsAfterOneThatWasOnlyRefusedFailAtOnce() async throws {
    var asked = 0
    func ask() async throws {
      _ = try await run { _ in
        asked += 1
        return TransportResponse(status: 429)
      }
    }
    await #expect(throws: Failure(status: 429)) { try await ask() }
    let (refusals, gaveUpAt) = (asked, clock.timeSource().now)
    for _ in 0..<1_000 { await #expect(throws: TrafficRefusal.self) { try await ask() } }
    #expect(asked == refusals)
    #expect(clock.timeSource().now == gaveUpAt)
    // The method is tried again after as much time as a call may wait.
    clock.advance(by: .seconds(661))
    await #expect(throws: Failure(status: 429)) { try await ask() }
    #expect(asked > refusals)
  }

  @Test func aGoodAnswerEndsTheRestAfterRefusals() async throws {
    limiter.gaveUp(nil, after: .seconds(600))
    await #expect(throws: TrafficRefusal.self) { _ = try await run { _ in TransportResponse(status: 200) } }
    clock.advance(by: .seconds(661))
    _ = try await run { _ in TransportResponse(status: 200) }
    #expect(limiter.read { $0.hold(at: $1) } == nil)
  }

  @Test func stopsWaitingWhenItIsCancelled() async {
    let still = ManualClock()
    let repeater = RetryExecutor(
      policy: RetryPolicy(), patience: .seconds(600),
      limiter: HostLimiter(Traffic.Configuration(), time: still.timeSource()), time: still.timeSource(),
      random: { 1 })
    let task = Task { [lost] in
      try await repeater.run(isRepeatable: true) { _ -> TransportResponse in
        throw lost
      } failure: { _ in
        Failure(demanded: .seconds(5))
      } wait: {
        $0.demanded
      } onRetry: { _, _ in
      }
    }
    await still.untilAsleep(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(still.sleeperCount == 0)
  }
}
