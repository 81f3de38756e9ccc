// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScriptedWebSocketTests {
  private struct Broken: Error {}

  private static let request = TransportRequest(
    head: HTTPRequest(method: .get, scheme: "https", authority: "live.test", path: "/subscribe"))

  /// The client's side of a connection whose server is a function.
  private func connected(
    limits: WebSocketLimits = WebSocketLimits(),
    to server: @escaping @Sendable (any WebSocketConnection) async throws -> Void
  ) async throws -> any WebSocketConnection {
    let transport = ScriptedTransport(webSockets: { _, limits in .scripted(limits: limits, server) }) { _ in
      .json("{}")
    }
    #expect(transport.capabilities.contains(.webSocket))
    guard case .opened(let connection, nil) = try await transport.openWebSocket(Self.request, limits: limits)
    else {
      throw Broken()
    }
    return connection
  }

  @Test func messagesGoInBothDirections() async throws {
    let client = try await connected { server in
      while let message = try await server.next() { try await server.send(message) }
    }
    try await client.send(.text("a"))
    try await client.send(.binary([1]))
    #expect(try await client.next() == .text("a"))
    #expect(try await client.next() == .binary([1]))
    await client.close()
    #expect(try await client.next() == nil)
    let late = await #expect(throws: WebSocketError.self) { try await client.send(.text("late")) }
    #expect(late?.code == .closed)
  }

  @Test func theServerEndsTheConnectionInThreeWays() async throws {
    let ended = try await connected { try await $0.send(.text("a")) }
    #expect(try await ended.next() == .text("a"))
    #expect(try await ended.next() == nil)
    let closed = try await connected { await $0.close(.goingAway, "restart") }
    let closing = await #expect(throws: WebSocketError.self) { try await closed.next() }
    #expect(closing?.code == .closed && closing?.closeCode == .goingAway)
    let dropped = try await connected { server in
      try await server.send(.text("a"))
      throw Broken()
    }
    #expect(try await dropped.next() == .text("a"))
    let drop = await #expect(throws: WebSocketError.self) { try await dropped.next() }
    #expect(drop?.code == .abandoned && drop?.closeCode == nil)
  }

  @Test func releasingOrCancellingTheClientEndsTheServer() async throws {
    let (ends, end) = AsyncStream<WebSocketError.Code?>.makeStream()
    let server: @Sendable (any WebSocketConnection) async throws -> Void = { server in
      let error = await #expect(throws: WebSocketError.self) { try await server.next() }
      end.yield(error?.code)
    }
    var endings = ends.makeAsyncIterator()
    _ = try await connected(to: server)
    #expect(await endings.next() == .abandoned)
    let client = try await connected(to: server)
    let reading = Task { try await client.next() }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(await endings.next() == .abandoned)
  }

  @Test func aReaderThatIsTooSlowIsDisconnected() async throws {
    let (ends, end) = AsyncStream<WebSocketCloseCode?>.makeStream()
    let client = try await connected(limits: WebSocketLimits(waitingMessages: 3)) { server in
      for number in 0..<4 { try await server.send(.text("\(number)")) }
      let error = await #expect(throws: WebSocketError.self) { try await server.next() }
      end.yield(error?.closeCode)
    }
    for await code in ends {
      #expect(code == .policyViolation)
      break
    }
    for number in 0..<3 { #expect(try await client.next() == .text("\(number)")) }
    let slow = await #expect(throws: WebSocketError.self) { try await client.next() }
    #expect(slow?.code == .tooSlow)
  }

  @Test func withoutAScriptNoWebSocketIsOpened() async throws {
    let transport = ScriptedTransport { _ in .json("{}") }
    let error = await #expect(throws: TransportError.self) {
      try await transport.openWebSocket(Self.request, limits: WebSocketLimits())
    }
    #expect(error?.code == .unsupported && transport.requests.isEmpty)
  }
}
