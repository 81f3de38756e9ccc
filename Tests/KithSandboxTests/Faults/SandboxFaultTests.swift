// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// Faults as a client meets them over HTTP.
@Suite(.timeLimit(.minutes(1))) struct SandboxFaultTests {
  private typealias Kind = SandboxFaults.Kind
  private static let network = SandboxNetwork(configuration: SandboxNetwork.Configuration(accounts: 100))
  private static let profile = "/xrpc/app.bsky.actor.getProfile?actor=alice.test"
  private let transport = CurlTransport()

  private func sandbox(
    _ kinds: Set<Kind>, rate: Double = 1, clock: any Clock<Duration> = ContinuousClock()
  ) -> Sandbox {
    Sandbox(
      network: Self.network,
      configuration: Sandbox.Configuration(
        clock: clock, faults: SandboxFaults(rate: rate, kinds: kinds, pause: .zero)))
  }

  private func ask(
    _ endpoints: Sandbox.Endpoints, _ path: String = profile,
    limits: TransportRequest.Limits = TransportRequest.Limits()
  ) async throws -> TransportResponse {
    let authority = String(endpoints.appview.dropFirst("http://".count))
    let head = HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
    return try await transport.send(TransportRequest(head: head, limits: limits))
  }

  /// The outcomes of some answers, one after the other.
  private func outcomes(
    _ endpoints: Sandbox.Endpoints, _ count: Int, limits: TransportRequest.Limits = TransportRequest.Limits()
  ) async -> [Result<TransportResponse, TransportError>] {
    var outcomes: [Result<TransportResponse, TransportError>] = []
    for _ in 0..<count {
      do {
        outcomes.append(.success(try await ask(endpoints, limits: limits)))
      } catch let error as TransportError {
        outcomes.append(.failure(error))
      } catch {
        Issue.record(error)
      }
    }
    return outcomes
  }

  private func code(_ outcome: Result<TransportResponse, TransportError>) -> TransportError.Code? {
    if case .failure(let error) = outcome { error.code } else { nil }
  }

  @Test(arguments: [
    ("500", 500, "application/json; charset=utf-8", #"{"error":"InternalServerError""#),
    ("502", 502, "text/plain; charset=utf-8", "502 Bad Gateway"),
    ("503", 503, "text/plain; charset=utf-8", "503 Service Unavailable"),
    ("html", 200, "text/html; charset=utf-8", "<!DOCTYPE html>"),
  ])
  func answersWithTheConfiguredFault(kind: String, status: Int, type: String, start: String) async throws {
    let sandbox = sandbox([try #require(Kind(rawValue: kind))])
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let answer = try await ask(endpoints)
    #expect(answer.head.status.code == status)
    #expect(answer.head.headerFields[.contentType] == type)
    #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix(start))
    // Whatever the answer says, the connection is still usable.
    #expect(try await ask(endpoints).metrics.connectionsOpened == 0)
    await server.stop()
  }

  @Test func breaksConnections() async throws {
    let resetting = sandbox([.reset])
    let resetServer = try ServedSandbox(resetting)
    let resets = await outcomes(resetServer.endpoints, 24).map(code)
    #expect(Set(resets) == [.connectionLost, .truncatedBody])
    #expect(resetting.statistics.faults == [.reset: 24])
    await resetServer.stop()
    let server = try ServedSandbox(sandbox([.truncate]))
    let endpoints = server.endpoints
    #expect(Set(await outcomes(endpoints, 6).map(code)) == [.truncatedBody])
    await server.stop()
  }

  @Test func resetsRatherThanEndsAConnection() async throws {
    let server = try ServedSandbox(sandbox([.reset]))
    let outcomes = await outcomes(server.endpoints, 8)
    for case .failure(let error) in outcomes { #expect(error.detail.contains("reset by peer")) }
    await server.stop()
  }

  @Test func sendsGarbage() async throws {
    let server = try ServedSandbox(sandbox([.garbage]))
    let outcomes = await outcomes(server.endpoints, 30)
    #expect(Set(outcomes.map(code)) == [nil, .malformedResponse])
    for case .success(let answer) in outcomes {
      #expect(answer.head.status == .ok)
      #expect(throws: (any Error).self) { try JSONCoding.decode(DataValue.self, from: answer.body) }
    }
    await server.stop()
  }

  @Test func stallsUntilTheClientLeaves() async throws {
    let sandbox = sandbox([.stall])
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let limits = TransportRequest.Limits(stall: .milliseconds(20))
    #expect(Set(await outcomes(endpoints, 6, limits: limits).map(code)) == [.timedOut])
    await server.stop()
  }

  @Test func stopsInTheMiddleOfAStall() async throws {
    let sandbox = sandbox([.stall])
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let answer = Task { try await ask(endpoints) }
    try await eventually { !sandbox.statistics.faults.isEmpty }
    await server.stop()
    await #expect(throws: TransportError.self) { try await answer.value }
  }

  @Test func pausesBetweenThePiecesOfASlowAnswer() async throws {
    let clock = MeetingClock(parties: 1)
    let slow = Sandbox(
      network: Self.network,
      configuration: Sandbox.Configuration(
        faults: SandboxFaults(rate: 1, kinds: [.slow], pause: .seconds(1_000))))
    let slowServer = try ServedSandbox(slow, pausing: clock)
    let server = try ServedSandbox(sandbox([], rate: 0))
    let answer = try await ask(slowServer.endpoints)
    // Pictures are at the address of each server.
    func text(_ answer: TransportResponse, of endpoints: Sandbox.Endpoints) -> String {
      String(decoding: answer.body, as: UTF8.self).replacing(endpoints.appview, with: "")
    }
    let whole = try await ask(server.endpoints)
    #expect(text(answer, of: slowServer.endpoints) == text(whole, of: server.endpoints))
    #expect(clock.slept == Array(repeating: .seconds(1_000), count: 7))
    await slowServer.stop()
    await server.stop()
  }

  @Test func exemptsHealthChecks() async throws {
    let sandbox = sandbox([.internalServerError])
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    #expect(try await ask(endpoints, "/xrpc/_health").head.status == .ok)
    #expect(try await ask(endpoints, "/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa").head.status.code == 500)
    #expect(sandbox.statistics.faults == [.internalServerError: 1])
    sandbox.resetStatistics()
    #expect(sandbox.statistics.faults.isEmpty)
    await server.stop()
  }

  @Test func givesTheSameRequestsTheSameFaults() async throws {
    var runs: [[Int]] = []
    for _ in 0..<2 {
      let sandbox = sandbox([.internalServerError, .badGateway], rate: 0.5)
      let server = try ServedSandbox(sandbox)
      let endpoints = server.endpoints
      // All at once, so they arrive in any order.
      let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
        for number in 0..<40 {
          let path = "/xrpc/app.bsky.actor.getProfile?actor=did:web:number-\(number).test"
          group.addTask { (number, try await ask(endpoints, path).head.status.code) }
        }
        return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      runs.append((0..<40).map { statuses[$0] ?? 0 })
      await server.stop()
    }
    #expect(runs[0] == runs[1])
    #expect(Set(runs[0]) == [400, 500, 502])
  }

  @Test func reportsItsRateLimitLikeTheReferenceServer() async throws {
    let wall = PosixMutex<Instant>(1_760_000_000_900_000)
    let sandbox = Sandbox(
      network: Self.network,
      configuration: Sandbox.Configuration(
        rateLimit: SandboxRateLimit(answers: 2, seconds: 300), wall: { wall.withLock { $0 } }))
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    for remaining in [1, 0] {
      let answer = try await ask(endpoints)
      let limit = try #require(RateLimit(answer.head.headerFields, at: 1_760_000_000_000_000))
      #expect(answer.head.status == .ok)
      #expect(limit.limit == 2 && limit.remaining == remaining && limit.window == .seconds(300))
      #expect(limit.untilReset == .seconds(300) && limit.retryAfter == nil)
    }
    wall.withLock { $0 += 50_000_000 }
    let refusal = try await ask(endpoints)
    #expect(refusal.head.status == .tooManyRequests)
    #expect(
      String(decoding: refusal.body, as: UTF8.self)
        == #"{"error":"RateLimitExceeded","message":"Rate Limit Exceeded"}"#)
    #expect(refusal.head.headerFields[.retryAfter] == "250")
    #expect(try await ask(endpoints, "/xrpc/_health").head.status == .ok)
    #expect(sandbox.statistics.refused == 1)
    wall.withLock { $0 += 250_000_000 }
    #expect(try await ask(endpoints).head.status == .ok)
    await server.stop()
  }
}
