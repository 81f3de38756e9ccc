// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import HTTPTypes
import Testing

@Suite struct FailureTests {
  let transport = CurlTransport.direct()

  @Test func reportsThatNoProcessListens() async throws {
    var authority = ""
    do { authority = try ScriptedServer.answering().authority }
    // The server is gone, and its port is closed.
    let error = await #expect(throws: TransportError.self) {
      for _ in 0..<1000 { _ = try await transport.send(.get(authority)) }
    }
    #expect(error?.host == authority)
    #expect(error.map { [.cannotConnect, .connectionLost].contains($0.code) } == true)
  }

  @Test func reportsThatANameHasNoAddress() async throws {
    // Longer than a label may be, so no name server is asked.
    let name = String(repeating: "x", count: 64) + ".invalid"
    #expect(await code { try await transport.send(.get(name)) } == .cannotResolveHost)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123", TransportError.Code.truncatedBody),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .truncatedBody),
    ("", .connectionLost),
    ("HTTP/1.1 200 O", .connectionLost),
    ("SSH-2.0-OpenSSH\r\n", .malformedResponse),
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nBad Name: x\r\n\r\n0123456789", .malformedResponse),
    ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope", .malformedResponse),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", .truncatedBody),
  ])
  func reportsHowAResponseIsBroken(bytes: String, expected: TransportError.Code) async throws {
    let server = try ScriptedServer.once(bytes.utf8)
    #expect(await code { try await transport.get(server) } == expected)
  }

  @Test func reportsAReset() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.reset()
    }
    #expect(await code { try await transport.get(server) } == .connectionLost)
  }

  @Test(arguments: [true, false])
  func aHandshakeThatIsCutOffMayBeTriedAgain(byReset: Bool) async throws {
    let server = try ScriptedServer { connection in
      connection.waitForBytes()
      if byReset { connection.reset() }
    }
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: server.authority, path: "/"))
    let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
    #expect(error?.code == .cannotConnect, "\(String(describing: error))")
    #expect(error?.isTransient == true)
  }

  @Test func doesNotRetryAServerWithoutTLS() async throws {
    let server = try ScriptedServer { connection in
      connection.waitForBytes()
      connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: server.authority, path: "/"))
    #expect(await code { try await transport.send(request) } == .tlsFailure)
  }

  @Test(arguments: [HTTPRequest.Method.get, .head])
  func asksAgainWhenAPooledConnectionIsDead(method: HTTPRequest.Method) async throws {
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.answer("")
      // The second request of the first connection arrives and gets no response.
      if connection.number == 0 { _ = connection.readRequest() }
    }
    var request = TransportRequest.get(server.authority)
    request.head.method = method
    for _ in 0..<2 { #expect(try await transport.send(request).head.status == .ok) }
    #expect(server.requests.map(\.connection) == [0, 0, 1])
  }

  /// libcurl counts retries per handle, and gives up after five.
  @Test func asksAgainAsOftenAsConnectionsDie() async throws {
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.answer("ok")
      _ = connection.readRequest()
    }
    for _ in 0..<20 { #expect(try await transport.get(server).text == "ok") }
  }

  @Test(arguments: ["body", nil])
  func neverSendsAPostTwice(body: String?) async throws {
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.answer("ok")
      if connection.number == 0 { _ = connection.readRequest() }
    }
    _ = try await transport.get(server)
    let code = await code { try await transport.send(.post(server.authority, body: body)) }
    #expect(code == .connectionLost)
    #expect(server.requests.count == 2)
  }

  @Test(arguments: [
    ("ftp", "example.com", "/"), ("http", "", "/"), ("http", "a@b", "/"), ("http", "a/b", "/"),
    ("http", "a b", "/"), ("http", "a:b", "/"), ("http", "a", "no-slash"), ("http", "a", "/with space"),
    ("http", "a", "/line\r\nbreak"), ("http", "a\r\nX: y", "/"),
  ])
  func rejectsWhatIsNotARequest(scheme: String, authority: String, path: String) async throws {
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))
    #expect(await code { try await transport.send(request) } == .invalidRequest)
  }

  @Test(arguments: [HTTPField.Name.contentLength, .transferEncoding])
  func refusesFramingOfTheCallers(name: HTTPField.Name) async throws {
    var request = TransportRequest.get("example.com")
    request.head.headerFields[name] = "chunked"
    #expect(await code { try await transport.send(request) } == .invalidRequest)
  }
}
