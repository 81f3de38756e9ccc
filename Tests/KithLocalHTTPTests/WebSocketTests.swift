// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import TestSupport
import Testing

@testable import KithLocalHTTP

@Suite(.timeLimit(.minutes(1))) struct WebSocketTests {
  private typealias Handler = @Sendable (any WebSocketConnection) async throws -> Void
  private struct Broken: Error {}

  private let clock = ManualClock()

  private func serving(
    _ handler: Handler?, _ body: (TestClient, Task<Void, Never>) async throws -> Void
  ) async throws {
    let listener = try HTTPListener(port: 0, clock: clock)
    let server = Task { [handler] in
      await listener.serve { request in .webSocket(subprotocol: request.subprotocols.first, handler) }
    }
    let client = try TestClient(port: listener.port)
    do { try await body(client, server) } catch { Issue.record(error) }
    client.shutDown()
    server.cancel()
    await server.value
    client.close()
  }

  /// Answers every message with itself.
  private static let echo: Handler = { connection in
    while let message = try await connection.next() { try await connection.send(message) }
  }

  private static let opened = """
    HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n
    """

  private static func masked(_ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    WebSocketFrame.bytes(opcode, payload, isFinal: isFinal, mask: 0x1234_5678)
  }

  private static func closing(_ code: WebSocketCloseCode, _ reason: String = "") -> [UInt8] {
    WebSocketFrame.bytes(.close, WebSocketFrame.closePayload(code, reason), mask: nil)
  }

  // MARK: - The handshake

  @Test func theHandshakeIsThatOfTheSpecification() async throws {
    try await serving({ _ in }) { client, _ in
      client.askForWebSocket(
        "Sec-WebSocket-Protocol: chat, superchat\r\n", followedBy: Self.masked(.close, [3, 232]))
      let answer = Self.opened + "Sec-WebSocket-Protocol: chat\r\n\r\n"
      #expect(await client.readBytes() == Array(answer.utf8) + Self.closing(.normal))
    }
  }

  @Test(
    arguments: [
      ("GET /live", "POST /live", "405 Method Not Allowed", "Allow: GET"),
      ("HTTP/1.1", "HTTP/1.0", "426 Upgrade Required", "Upgrade: websocket"),
      ("Upgrade: websocket\r\n", "", "426 Upgrade Required", "Upgrade: websocket"),
      ("keep-alive, Upgrade", "keep-alive", "426 Upgrade Required", "Connection: Upgrade"),
      ("Version: 13", "Version: 8", "426 Upgrade Required", "Sec-WebSocket-Version: 13"),
      ("Sec-WebSocket-Version: 13\r\n", "", "426 Upgrade Required", "Sec-WebSocket-Version: 13"),
      ("Key: dGhlIHNhbXBsZSBub25jZQ==", "Key: dGhlIHNhbXBs", "400 Bad Request", "text/plain"),
      ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", "400 Bad Request", "text/plain"),
    ])
  func aRequestForSomethingElseIsRefused(
    part: String, instead: String, status: String, field: String
  ) async throws {
    try await serving({ _ in Issue.record("it was opened") }) { client, _ in
      let request = TestClient.upgrade()
      let range = try #require(request.firstRange(of: part))
      client.write(request[..<range.lowerBound] + instead + request[range.upperBound...])
      // The text after the head ends with the only bare line break.
      let answer = String(decoding: await client.readSome() ?? [], as: UTF8.self)
      #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n") && answer.contains(field))
    }
  }

  // MARK: - Messages

  @Test func messagesGoInBothDirections() async throws {
    try await serving(Self.echo) { client, _ in
      client.askForWebSocket()
      #expect(await client.readSome() == Array("\(Self.opened)\r\n".utf8))
      let webSocket = FramedWebSocket(client.channel, .client)
      for message in [
        WebSocketMessage.text("häuser"), .binary(Array(repeating: 7, count: 300_000)), .text(""),
      ] {
        try await webSocket.send(message)
        #expect(try await webSocket.next() == message)
      }
      let received = webSocket.bytesReceived
      try await webSocket.ping()
      try await eventually { webSocket.bytesReceived > received }
      await webSocket.close(WebSocketCloseCode(3_000), "over")
      let end = await #expect(throws: WebSocketError.self) { try await webSocket.next() }
      #expect(end?.code == .closed && end?.closeCode == WebSocketCloseCode(3_000))
      // The limits of HTTP are over: no time runs.
      #expect(clock.sleeperCount == 0)
    }
  }

  @Test func whatFollowsTheRequestBelongsToTheWebSocket() async throws {
    try await serving(Self.echo) { client, _ in
      client.askForWebSocket(
        followedBy: Self.masked(.text, Array("a".utf8), isFinal: false) + Self.masked(.ping, [1])
          + Self.masked(.continuation, Array("b".utf8)))
      let frames =
        WebSocketFrame.bytes(.pong, [1], mask: nil) + WebSocketFrame.bytes(.text, Array("ab".utf8), mask: nil)
      var answer: [UInt8] = []
      while answer.count < Self.opened.utf8.count + 2 + frames.count {
        answer += try #require(await client.readSome())
      }
      #expect(answer == Array("\(Self.opened)\r\n".utf8) + frames)
      client.write(Self.masked(.close, []))
      #expect(await client.readBytes() == Self.closing(.normal))
    }
  }

  @Test func aFrameWithoutAMaskIsAViolation() async throws {
    try await serving(Self.echo) { client, _ in
      client.askForWebSocket(followedBy: WebSocketFrame.bytes(.text, [0x61], mask: nil))
      let answer = await client.readBytes().dropFirst("\(Self.opened)\r\n".utf8.count)
      #expect(Array(answer) == Self.closing(.protocolError, "a client did not mask a frame"))
    }
  }

  // MARK: - The end

  @Test func aHandlerThatFailsDropsTheConnection() async throws {
    try await serving({ connection in
      try await connection.send(.text("a"))
      throw Broken()
    }) { client, _ in
      client.askForWebSocket()
      let frame = WebSocketFrame.bytes(.text, [0x61], mask: nil)
      #expect(await client.readBytes() == Array("\(Self.opened)\r\n".utf8) + frame)
    }
  }

  @Test func theClientIsToldThatTheServerStops() async throws {
    try await serving({ connection in
      try await connection.send(.text("a"))
      while try await connection.next() != nil {}
    }) { client, server in
      client.askForWebSocket()
      let frame = WebSocketFrame.bytes(.text, [0x61], mask: nil)
      var answer = await client.readSome() ?? []
      if answer.count < Self.opened.utf8.count + 3 { answer += await client.readSome() ?? [] }
      #expect(answer == Array("\(Self.opened)\r\n".utf8) + frame)
      server.cancel()
      #expect(await client.readBytes() == Self.closing(.goingAway, "the server stops"))
    }
  }

  @Test func aHandlerEndsWhenTheClientLeaves() async throws {
    let (ends, end) = AsyncStream<WebSocketError.Code?>.makeStream()
    try await serving({ connection in
      do { while try await connection.next() != nil {} } catch {
        end.yield((error as? WebSocketError)?.code)
        throw error
      }
    }) { client, _ in
      client.askForWebSocket()
      _ = await client.readSome()
      client.shutDown()
      for await code in ends {
        #expect(code == .abandoned)
        break
      }
    }
  }

  @Test func aClientThatDoesNotReadIsDropped() async throws {
    let isEnded = PosixMutex(false)
    try await serving({ connection in
      defer { isEnded.withLock { $0 = true } }
      while true { try await connection.send(.binary(Array(repeating: 7, count: 1 << 20))) }
    }) { client, _ in
      client.askForWebSocket()
      // The system may take one more message meanwhile, so that the next one waits.
      try await eventually {
        if clock.slept.last == .seconds(5) { clock.advance(by: .seconds(5)) }
        return isEnded.withLock(\.self)
      }
    }
  }

  @Test func aClientThatDoesNotAnswerACloseFrameIsNotWaitedForLong() async throws {
    try await serving({ _ in }) { client, _ in
      client.askForWebSocket()
      try await eventually { clock.slept.last == .seconds(5) }
      clock.advance(by: .seconds(5))
      #expect(await client.readBytes() == Array("\(Self.opened)\r\n".utf8) + Self.closing(.normal))
    }
  }

  @Test func aSilentServerDoesNotAnswerPings() async throws {
    try await serving(nil) { client, server in
      client.askForWebSocket(followedBy: Self.masked(.ping, []))
      #expect(await client.readSome() == Array("\(Self.opened)\r\n".utf8))
      server.cancel()
      #expect(await client.readBytes().isEmpty)
    }
  }
}
