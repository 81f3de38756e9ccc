// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithCrypto
import TestSupport
import Testing

@testable import KithCurlTransport

@Suite("WebSockets over libcurl", .timeLimit(.minutes(1)))
struct WebSocketTests {
  private let transport = CurlTransport.direct()

  private func request(
    _ authority: String, scheme: String = "http", path: String = "/subscribe?a=b", fields: HTTPFields = [:],
    limits: TransportRequest.Limits = .init(), reach: TransportRequest.Reach = .anywhere
  ) -> TransportRequest {
    TransportRequest(
      head: HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path, headerFields: fields),
      limits: limits, reach: reach)
  }

  private func open(
    _ request: TransportRequest, over other: CurlTransport? = nil
  ) async throws -> WebSocketAnswer {
    try await (other ?? transport).openWebSocket(request, limits: WebSocketLimits())
  }

  /// The key of a request's handshake.
  private static func key(_ request: ScriptedServer.Request) -> String {
    request.head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }.map {
      String($0.dropFirst(19))
    } ?? ""
  }

  private static func accept(_ connection: ScriptedConnection, fields: String = "") -> Bool {
    guard let request = connection.readRequest() else { return false }
    return connection.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(WebSocketKey.accept(key(request)))\r\n\(fields)\r\n")
  }

  private static func text(_ words: String) -> [UInt8] {
    WebSocketFrame.bytes(.text, Array(words.utf8), mask: nil)
  }

  @Test func sendsAHandshakeAndReadsWhatFollowsIt() async throws {
    let server = try ScriptedServer { connection in
      guard Self.accept(connection, fields: "Sec-WebSocket-Protocol: two\r\n") else { return }
      connection.write(
        Self.text("one") + Self.text("two") + WebSocketFrame.bytes(.close, [0x03, 0xE8], mask: nil))
      while connection.readRequest() != nil {}
    }
    var fields = HTTPFields()
    fields[.secWebSocketProtocol] = "one, two"
    guard case .opened(let socket, "two") = try await open(request(server.authority, fields: fields)) else {
      Issue.record("it was not opened with the second subprotocol")
      return
    }
    #expect(try await socket.next() == .text("one"))
    #expect(try await socket.next() == .text("two"))
    #expect(try await socket.next() == nil)
    let head = try #require(server.requests.first).head.split(separator: "\r\n").map(String.init)
    #expect(head.first == "GET /subscribe?a=b HTTP/1.1")
    for line in [
      "Host: \(server.authority)", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Protocol: one, two", "User-Agent: kith/0.2.0",
    ] {
      #expect(head.contains(line), "\(line)")
    }
  }

  @Test(arguments: [
    ("Content-Length: 5\r\n", "tooOld"),
    ("Transfer-Encoding: chunked\r\n", "3\r\ntoo\r\n2;x=y\r\nOl\r\n0\r\n\r\n"),
    ("Connection: close\r\n", "tooOl"),
  ])
  func aRefusalHasItsBody(fields: String, body: String) async throws {
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write(
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 400 Bad Request\r\n\(fields)\r\n\(body)")
    }
    guard case .refused(let answer) = try await open(request(server.authority)) else {
      Issue.record("it was opened")
      return
    }
    #expect(answer.head.status.code == 400)
    #expect(String(decoding: answer.body, as: UTF8.self) == "tooOl")
  }

  @Test(arguments: [
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n",
    "Connection: Upgrade\r\n", "Upgrade: h2c\r\nConnection: Upgrade\r\n", "",
  ])
  func anAnswerThatIsNoWebSocketIsRefused(fields: String) async throws {
    let server = try ScriptedServer.once("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n".utf8)
    #expect(await code { try await open(request(server.authority)) } == .malformedResponse)
  }

  @Test(arguments: ["Sec-WebSocket-Protocol: other\r\n", "Sec-WebSocket-Extensions: permessage-deflate\r\n"])
  func whatWasNotOfferedMayNotBeChosen(fields: String) async throws {
    let server = try ScriptedServer { _ = Self.accept($0, fields: fields) }
    #expect(await code { try await open(request(server.authority)) } == .malformedResponse)
  }

  @Test func aHeadWithoutAnEndIsBounded() async throws {
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil, connection.write("HTTP/1.1 101 Switching Protocols\r\n") else {
        return
      }
      while connection.write("X: \(String(repeating: "x", count: 1_000))\r\n") {}
    }
    #expect(await code { try await open(request(server.authority)) } == .responseTooLarge)
  }

  @Test func aBodyOfARefusalIsBounded() async throws {
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil, connection.write("HTTP/1.1 400 Bad Request\r\n\r\n") else {
        return
      }
      while connection.write(String(repeating: "x", count: 1_000)) {}
    }
    let small = TransportRequest.Limits(responseBytes: 10_000)
    #expect(await code { try await open(request(server.authority, limits: small)) } == .responseTooLarge)
  }

  @Test func anAnswerHasToComeInTime() async throws {
    let server = try ScriptedServer { connection in while connection.readRequest() != nil {} }
    let short = TransportRequest.Limits(total: .milliseconds(50))
    #expect(await code { try await open(request(server.authority, limits: short)) } == .timedOut)
  }

  @Test func nothingListens() async throws {
    let authority = try ScriptedServer { _ in }.authority
    #expect(await code { try await open(request(authority)) } == .cannotConnect)
  }

  @Test(arguments: ["http", "https"])
  func throughAProxyItIsATunnel(scheme: String) async throws {
    let proxy = try ScriptedServer { connection in
      guard connection.readRequest() != nil, connection.write("HTTP/1.1 200 OK\r\n\r\n") else { return }
      guard scheme == "http", Self.accept(connection) else { return }
      connection.write(Self.text("through"))
      while connection.readRequest() != nil {}
    }
    let tunnelled = CurlTransport(.init(proxy: .url("http://\(proxy.authority)", except: [])))
    let port = scheme == "http" ? 80 : 443
    if scheme == "http" {
      guard case .opened(let socket, _) = try await open(request("stream.invalid"), over: tunnelled) else {
        return
      }
      #expect(try await socket.next() == .text("through"))
      #expect(proxy.requests.map(\.target) == ["stream.invalid:\(port)", "/subscribe?a=b"])
    } else {
      // The proxy ends the connection instead of speaking TLS.
      let found = await code { try await open(request("stream.invalid", scheme: "https"), over: tunnelled) }
      #expect(found != nil)
      #expect(proxy.requests.map(\.target) == ["stream.invalid:\(port)"])
    }
  }

  @Test func aHostThatTheUserDidNotNameIsReachedAtPublicAddressesOnly() async throws {
    let server = try ScriptedServer { _ = Self.accept($0) }
    #expect(await code { try await open(request(server.authority, reach: .publicOnly)) } == .forbiddenAddress)
    let network = HostNetwork(connected: { [] }) { _ in [] }
    let named = CurlTransport(.init(proxy: .none), network: network)
    let local = request("localhost:443", scheme: "https", reach: .publicOnly)
    #expect(await code { try await open(local, over: named) } == .forbiddenAddress)
    #expect(server.connections == 0)
  }

  @Test func aSlowReaderOfBytesSlowsTheServerDownAndLosesNothing() async throws {
    let count = 40
    let payload = [UInt8](repeating: 7, count: 100_000)
    let server = try ScriptedServer { connection in
      guard Self.accept(connection) else { return }
      for _ in 0..<count { connection.write(WebSocketFrame.bytes(.binary, payload, mask: nil)) }
      while connection.readRequest() != nil {}
    }
    guard case .opened(let socket, _) = try await open(request(server.authority)) else { return }
    for _ in 0..<count { #expect(try await socket.next() == .binary(payload)) }
  }

  @Test func closingTheTransportEndsItsWebSockets() async throws {
    let server = try ScriptedServer { connection in
      guard Self.accept(connection) else { return }
      while connection.readRequest() != nil {}
    }
    let other = CurlTransport.direct()
    guard case .opened(let socket, _) = try await open(request(server.authority), over: other) else { return }
    other.close()
    #expect(await code { try await socket.next() } == .closed)
    #expect(await code { try await open(request(server.authority), over: other) } == .closed)
  }

  @Test func releasingAWebSocketEndsItsConnection() async throws {
    let ended = Turnstile()
    let server = try ScriptedServer { connection in
      guard Self.accept(connection) else { return }
      while connection.readRequest() != nil {}
      Task { try await ended.pass {} }
    }
    var answer: WebSocketAnswer? = try await open(request(server.authority))
    #expect(answer != nil)
    answer = nil
    await ended.untilArrived(1)
  }

  @Test func aServerThatGoesOnSendingDoesNotKeepAClosedConnection() async throws {
    let ended = Turnstile()
    let payload = WebSocketFrame.bytes(.binary, [UInt8](repeating: 7, count: 100_000), mask: nil)
    let server = try ScriptedServer { connection in
      guard Self.accept(connection) else { return }
      while connection.write(payload) {}
      Task { try await ended.pass {} }
    }
    guard case .opened(let socket, _) = try await open(request(server.authority)) else { return }
    _ = try await socket.next()
    socket.drop()
    await ended.untilArrived(1)
  }
}
