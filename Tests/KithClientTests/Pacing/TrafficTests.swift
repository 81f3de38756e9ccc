// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithClient

/// The limiter as used by a client's calls.
@Suite(.timeLimit(.minutes(1))) struct TrafficTests {
  typealias Relationships = App.Bsky.Graph.GetRelationships

  private let clock = ManualClock(.skipping)
  private let meter = CallMeter()
  private let traffic: Traffic
  private let empty = TransportResponse(#"{"relationships":[]}"#)
  private let parameters = Relationships.Parameters(
    actor: .did(Accounts.did(0)), others: [.did(Accounts.did(1))])

  init() { traffic = Traffic(time: clock.timeSource()) }

  private func client(
    at service: String = "https://appview.test", seed: UInt64 = 1,
    _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) throws -> XRPCClient {
    let random = PosixMutex(SeededGenerator(seed: seed))
    return XRPCClient(
      service: try ServiceURL(parsing: service), transport: ScriptedTransport(answer),
      configuration: XRPCClient.Configuration(
        random: { random.withLock { Double.random(in: 0...1, using: &$0) } }),
      meter: meter, traffic: traffic, time: clock.timeSource())
  }

  /// Makes this many calls, eight at once, and returns their outcomes.
  private func ask(_ client: XRPCClient, times count: Int) async -> [Result<Void, any Error>] {
    await withTaskGroup(of: Result<Void, any Error>.self) { group in
      var outcomes: [Result<Void, any Error>] = []
      for number in 0..<count {
        if number >= 8, let outcome = await group.next() { outcomes.append(outcome) }
        group.addTask { [parameters] in
          do {
            _ = try await client.query(Relationships.self, parameters)
            return .success(())
          } catch {
            return .failure(error)
          }
        }
      }
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
  }

  private func failures(_ outcomes: [Result<Void, any Error>]) -> [XRPCError] {
    outcomes.compactMap { if case .failure(let error) = $0 { error as? XRPCError } else { nil } }
  }

  /// 100,000 targets against 3,000 calls in five minutes.
  @Test func asksForAHundredThousandTargetsWithoutARefusal() async throws {
    let server = LimitedServer(limit: 3_000, window: .seconds(300), words: .everything)
    let time = clock.timeSource()
    let client = try client { _ in
      try await time.sleep(for: .milliseconds(3))
      return server.answer(at: time.now, wall: time.instant)
    }
    let outcomes = await ask(client, times: 3_334)
    #expect(failures(outcomes).isEmpty)
    #expect(server.refusals.isEmpty)
    #expect(meter.cost.calls == 3_334)
    // The first window and the wait for the second. A skipping clock may skip once more, for a timer that was
    // set in the meantime; the exact wait is tested in the simulation of the pacing.
    #expect(time.now < .seconds(620))
  }

  @Test func doesNotAskAgainBeforeTheTimeOfARefusal() async throws {
    let server = LimitedServer(limit: 300, window: .seconds(300), words: .onlyRetryAfter)
    let time = clock.timeSource()
    let client = try client { _ in
      try await time.sleep(for: .milliseconds(3))
      return server.answer(at: time.now, wall: time.instant)
    }
    let outcomes = await ask(client, times: 400)
    #expect(failures(outcomes).isEmpty)
    #expect(server.refusals.count <= 8)
    #expect(meter.cost.retries == server.refusals.count)
  }

  @Test func reportsItsState() async throws {
    let fields = HTTPFields(named: [
      "RateLimit-Limit": "3000", "RateLimit-Remaining": "7", "RateLimit-Reset": "1760000090",
      "RateLimit-Policy": "3000;w=300",
    ])
    let client = try client { _ in TransportResponse(#"{"relationships":[]}"#, fields: fields) }
    #expect(traffic.state(of: client.service)?.limit == nil)
    _ = try await client.query(Relationships.self, parameters)
    let state = try #require(traffic.state(of: client.service))
    #expect(state.limit == 3_000 && state.limitWindow == .seconds(300) && state.remaining == 7)
    #expect(state.window == 8 && state.inFlight == 0 && state.waiting == 0)
    #expect(state.heldFor == .seconds(91) && state.untilReset == .seconds(91))
    #expect(state.restsFor == nil)
    #expect(Array(traffic.states.keys) == ["https://appview.test"])
    #expect(try traffic.state(of: ServiceURL(parsing: "https://other.test")) == nil)
  }

  @Test func saysThatACallWasNotSentAndWhenItMayBe() async throws {
    let fields = HTTPFields(named: [
      "RateLimit-Limit": "10", "RateLimit-Remaining": "0", "RateLimit-Reset": "1760003600",
    ])
    let client = try client { _ in TransportResponse(#"{"relationships":[]}"#, fields: fields) }
    _ = try await client.query(Relationships.self, parameters)
    let failure = try #require(failures(await ask(client, times: 1)).first)
    #expect(failure.code == .rateLimited && failure.retryAfter == .seconds(3_601) && !failure.wasSent)
    #expect(failure.message == TrafficRefusal.rateLimited(wait: .seconds(3_601)).words)
    #expect(meter.cost.calls == 1)
  }

  // MARK: Faults

  @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func bringsABatchHomeThoughThreeInTenFail(
    seed: UInt64
  ) async throws {
    let random = PosixMutex(SeededGenerator(seed: seed))
    let faults: [TransportError.Code] = [.connectionLost, .truncatedBody, .malformedResponse, .timedOut]
    let client = try client(seed: seed) { [empty] _ in
      let (isBad, kind) = random.withLock { ($0.next() % 10 < 3, Int($0.next() % 6)) }
      guard isBad else { return empty }
      guard kind < 4 else { return TransportResponse(status: 498 + kind) }
      throw TransportError(faults[kind], host: "appview.test")
    }
    #expect(failures(await ask(client, times: 100)).isEmpty)
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func outlastsTenSecondsWithoutAServer(seed: UInt64) async throws {
    let still = ManualClock()
    let time = still.timeSource()
    let random = PosixMutex(SeededGenerator(seed: seed))
    let served = PosixMutex(0)
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"),
      transport: ScriptedTransport { [empty] _ in
        if served.withLock({ $0 }) > 0, time.now < .seconds(10) {
          throw TransportError(.cannotConnect, host: "appview.test")
        }
        served.withLock { $0 += 1 }
        return empty
      },
      configuration: XRPCClient.Configuration(
        random: { random.withLock { Double.random(in: 0...1, using: &$0) } }), time: time)
    _ = try await client.query(Relationships.self, parameters)
    let batch = Task { await ask(client, times: 8) }
    // The clock only advances while all unfinished calls wait for it.
    while served.withLock({ $0 }) < 9, time.now < .seconds(70) {
      try Task.checkCancellation()
      if still.sleeperCount + served.withLock({ $0 }) == 9 { still.advance(by: .milliseconds(100)) }
      await Task.yield()
    }
    #expect(failures(await batch.value).isEmpty)
    #expect(time.now < .seconds(20))
  }

  @Test func spendsOneBudgetOnADeadHostAndNotOneForEachCall() async throws {
    let client = try client { _ in throw TransportError(.cannotConnect, host: "appview.test") }
    let failures = failures(await ask(client, times: 100))
    #expect(failures.count == 100)
    #expect(
      failures.allSatisfy {
        $0.code == .transport && ($0.underlying as? TransportError)?.code == .cannotConnect
      })
    // Eight at once, four attempts each, and a few probes, because the clock skips here.
    #expect(meter.cost.calls <= 40)
    let unsent = try #require(failures.last { !$0.wasSent })
    #expect(unsent.retryAfter != nil)
    #expect(try #require(traffic.state(of: client.service)).restsFor != nil)
  }

  @Test func leavesOtherHostsAlone() async throws {
    let dead = try client { _ in throw TransportError(.cannotConnect, host: "appview.test") }
    #expect(failures(await ask(dead, times: 1)).count == 1)
    let other = try client(at: "https://other.test") { [empty] _ in empty }
    #expect(failures(await ask(other, times: 3)).isEmpty)
  }

  /// A PDS returns 502 for a failing AppView (FACTS.md, proxied failures), while it works itself.
  @Test func aFailingAppViewDoesNotStopCallsToThePDSInFrontOfIt() async throws {
    let proxyField = try #require(HTTPField.Name("atproto-proxy"))
    let direct = try client { [empty] request in
      request.head.headerFields[proxyField] == nil ? empty : TransportResponse(status: 502)
    }
    let proxied = direct.signed(by: nil, proxy: try Self.appview)
    let failed = failures(await ask(proxied, times: 2))
    #expect(failed.count == 2 && failed.allSatisfy { $0.code == .unavailable })
    #expect(try #require(traffic.state(of: direct.service, proxy: Self.appview)).restsFor != nil)
    #expect(failures(await ask(direct, times: 3)).isEmpty)
    #expect(try #require(traffic.state(of: direct.service)).restsFor == nil)
  }

  @Test func aRefusalOfTheAppViewDoesNotHoldCallsToThePDSInFrontOfIt() async throws {
    let refusal = TransportResponse(status: 429, fields: HTTPFields(named: ["Retry-After": "900"]))
    let proxyField = try #require(HTTPField.Name("atproto-proxy"))
    let direct = try client { [empty] request in
      request.head.headerFields[proxyField] == nil ? empty : refusal
    }
    let proxied = direct.signed(by: nil, proxy: try Self.appview)
    #expect(failures(await ask(proxied, times: 1)).map(\.code) == [.rateLimited])
    #expect(failures(await ask(direct, times: 1)).isEmpty)
    #expect(try #require(traffic.state(of: direct.service)).heldFor == nil)
  }

  private static var appview: ServiceReference {
    get throws { try #require(ServiceReference(did: Accounts.did(9), service: "bsky_appview")) }
  }

  @Test func comesBackWhenTheHostDoes() async throws {
    let isUp = PosixMutex(false)
    let client = try client { [empty] _ in
      guard isUp.withLock({ $0 }) else { return TransportResponse(status: 503) }
      return empty
    }
    let lost = failures(await ask(client, times: 2))
    #expect(lost.count == 2)
    #expect(lost.allSatisfy { $0.code == .unavailable && $0.status == 503 })
    isUp.withLock { $0 = true }
    clock.advance(by: .seconds(60))
    #expect(failures(await ask(client, times: 20)).isEmpty)
    #expect(try #require(traffic.state(of: client.service)).restsFor == nil)
  }

  /// Two clients of one host share its window.
  @Test func boundsTheCallsOfAllClientsTogether() async throws {
    let turnstile = Turnstile(isOpen: false)
    let one = try client { [empty] _ in try await turnstile.pass { empty } }
    let other = try client { [empty] _ in try await turnstile.pass { empty } }
    async let first = ask(one, times: 8)
    async let second = ask(other, times: 8)
    await turnstile.untilArrived(8)
    try await eventually { try #require(traffic.state(of: one.service)).waiting == 8 }
    turnstile.open()
    #expect(failures(await first + second).isEmpty)
    #expect(turnstile.peak == 8)
  }
}
