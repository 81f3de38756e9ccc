// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// The sandbox as its users meet it: over HTTP.
@Suite(.timeLimit(.minutes(1))) struct SandboxTests {
  private let network = SandboxNetwork(configuration: SandboxNetwork.Configuration(accounts: 100))
  private let transport = CurlTransport()

  private func ask(
    _ endpoints: Sandbox.Endpoints, _ path: String, method: HTTPRequest.Method = .get
  ) async throws -> TransportResponse {
    let authority = String(endpoints.appview.dropFirst("http://".count))
    let head = HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
    return try await transport.send(TransportRequest(head: head))
  }

  private func isServing(_ endpoints: Sandbox.Endpoints) async -> Bool {
    (try? await ask(endpoints, "/xrpc/_health"))?.head.status == .ok
  }

  @Test func answersOverHTTP() async throws {
    let sandbox = Sandbox(network: network)
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let answer = try await ask(endpoints, "/xrpc/app.bsky.actor.getProfile?actor=alice.test")
    #expect(answer.head.status == .ok)
    #expect(answer.head.headerFields[.contentType] == "application/json; charset=utf-8")
    #expect(String(decoding: answer.body, as: UTF8.self).contains("\"handle\":\"alice.test\""))
    let missing = try await ask(endpoints, "/xrpc/app.bsky.actor.getProfile")
    #expect(missing.head.status == .badRequest)
    let head = try await ask(
      endpoints, "/xrpc/app.bsky.actor.getProfile?actor=alice.test", method: .head)
    #expect(head.head.headerFields[.contentLength] == "\(answer.body.count)" && head.body.isEmpty)
    await server.stop()
  }

  @Test func keepsConnectionsAlive() async throws {
    let sandbox = Sandbox(network: network)
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    var opened = 0
    for _ in 0..<20 { opened += try await ask(endpoints, "/xrpc/_health").metrics.connectionsOpened }
    #expect(opened == 1)
    await server.stop()
  }

  @Test func countsRequests() async throws {
    let sandbox = Sandbox(network: network)
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    for _ in 0..<3 { _ = try await ask(endpoints, "/xrpc/app.bsky.actor.getProfile?actor=bob.test") }
    _ = try await ask(endpoints, "/xrpc/app.bsky.actor.getProfile")
    _ = try await ask(endpoints, "/nothing")
    #expect(sandbox.statistics.calls == ["app.bsky.actor.getProfile": 4, "other": 1])
    #expect(sandbox.statistics["app.bsky.actor.getProfile"] == 4)
    #expect(sandbox.statistics.total == 5)
    #expect(sandbox.statistics.mostInFlight == 1)
    sandbox.resetStatistics()
    #expect(sandbox.statistics.total == 0)
    await server.stop()
  }

  @Test func delaysConcurrentAnswersTogether() async throws {
    let clock = MeetingClock(parties: 4)
    let sandbox = Sandbox(
      network: network, configuration: Sandbox.Configuration(latency: .seconds(1_000), clock: clock))
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { _ = try await ask(endpoints, "/xrpc/_health") } }
      try await group.waitForAll()
    }
    #expect(sandbox.statistics.mostInFlight == 4)
    #expect(clock.slept == Array(repeating: .seconds(1_000), count: 4))
    await server.stop()
  }

  @Test func isGoneAfterStopping() async throws {
    let sandbox = Sandbox(network: network)
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    #expect(await isServing(endpoints))
    await server.stop()
    #expect(await !isServing(endpoints))
    await server.stop()
    // The port is free again, although a connection to it was open.
    let next = try ServedSandbox(Sandbox(network: network), port: server.port)
    #expect(next.endpoints == endpoints)
    await next.stop()
  }

  @Test func abortsAnswersInFlight() async throws {
    let clock = MeetingClock(parties: 2)
    let sandbox = Sandbox(
      network: network, configuration: Sandbox.Configuration(latency: .seconds(1), clock: clock))
    let server = try ServedSandbox(sandbox)
    let endpoints = server.endpoints
    let answer = Task { try await ask(endpoints, "/xrpc/_health") }
    try await eventually { sandbox.statistics.inFlight == 1 }
    await server.stop()
    #expect(sandbox.statistics.inFlight == 0)
    await #expect(throws: TransportError.self) { try await answer.value }
  }
}
