// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithClient
internal import Testing

extension TransportContract {
  static let failures = [
    Rule("reports that no process listens", reportsThatNoProcessListens),
    Rule("reports that a name has no address", reportsThatANameHasNoAddress),
    Rule("reports how a response is cut off", reportsHowAResponseIsCutOff),
    Rule("reports that a response is not HTTP", reportsThatAResponseIsNotHTTP),
    Rule("reports a malformed response", reportsAMalformedResponse),
    Rule("reports a reset", reportsAReset),
    Rule("reports a server without TLS", reportsAServerWithoutTLS),
    Rule("asks again when a pooled connection is dead", asksAgainWhenAPooledConnectionIsDead),
    Rule("never sends a POST twice", neverSendsAPostTwice),
    Rule("rejects what is not a request", rejectsWhatIsNotARequest),
    Rule("refuses framing of the caller's", refusesFramingOfTheCallers),
  ]

  private func reportsThatNoProcessListens() async throws {
    var authority = ""
    do { authority = try ScriptedServer.answering().authority }
    // The server is gone, and its port is closed.
    let transport = make()
    let error = await #expect(throws: TransportError.self) {
      for _ in 0..<1000 { _ = try await transport.send(.get(authority)) }
    }
    #expect(error?.host == authority)
    #expect(error.map { [.cannotConnect, .connectionLost].contains($0.code) } == true)
  }

  private func reportsThatANameHasNoAddress() async throws {
    // Longer than a label may be, so no name server is asked.
    let name = String(repeating: "x", count: 64) + ".invalid"
    #expect(await code { try await make().send(.get(name)) } == .cannotResolveHost)
  }

  private func reportsHowAResponseIsCutOff() async throws {
    for (bytes, expected) in [
      ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123", TransportError.Code.truncatedBody),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .truncatedBody),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", .truncatedBody),
      ("", .connectionLost), ("HTTP/1.1 200 O", .connectionLost),
    ] {
      let server = try ScriptedServer.once(bytes.utf8)
      #expect(await code { try await make().get(server) } == expected, "\(bytes)")
    }
  }

  private func reportsThatAResponseIsNotHTTP() async throws {
    let server = try ScriptedServer.once("SSH-2.0-OpenSSH\r\n".utf8)
    #expect(await code { try await make().get(server) } == .malformedResponse)
  }

  /// `URLSession` has no code of its own for these, and reports a broken connection.
  private func reportsAMalformedResponse() async throws {
    for bytes in [
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nBad Name: x\r\n\r\n0123456789",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nno colon\r\n\r\n0123456789",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
    ] {
      let server = try ScriptedServer.once(bytes.utf8)
      let error = await #expect(throws: TransportError.self) { try await make().get(server) }
      #expect(
        error.map { [.malformedResponse, .connectionLost, .truncatedBody].contains($0.code) } == true)
      #expect(error?.isTransient == true)
    }
  }

  private func reportsAReset() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.reset()
    }
    let transport = make()
    #expect(await code { try await transport.get(server) } == .connectionLost)
    let error = await #expect(throws: TransportError.self) {
      try await transport.open(.get(server.authority))
    }
    #expect(error?.code == .connectionLost)
  }

  private func reportsAServerWithoutTLS() async throws {
    let server = try ScriptedServer { connection in
      connection.waitForBytes()
      connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      connection.waitForClose()
    }
    let request = TransportRequest(
      head: HTTPRequest(method: .get, scheme: "https", authority: server.authority, path: "/"))
    let error = await #expect(throws: TransportError.self) { try await make().send(request) }
    // FoundationNetworking has no code for it.
    #expect(error.map { [.tlsFailure, .connectionLost].contains($0.code) } == true)
  }

  private func asksAgainWhenAPooledConnectionIsDead() async throws {
    for method in [HTTPRequest.Method.get, .head] {
      let server = try ScriptedServer { connection in
        guard connection.readRequest() != nil else { return }
        connection.answer("")
        // The second request of the first connection arrives and gets no response.
        if connection.number == 0 { _ = connection.readRequest() }
      }
      var request = TransportRequest.get(server.authority)
      request.head.method = method
      let transport = make()
      for _ in 0..<2 { #expect(try await transport.send(request).head.status == .ok) }
      #expect(server.requests.map(\.connection) == [0, 0, 1])
    }
  }

  /// The connection breaks after the request has arrived, whether it is the first or a pooled one.
  private func neverSendsAPostTwice() async throws {
    for body in ["body", nil] {
      let server = try ScriptedServer { connection in
        while let request = connection.readRequest(), request.head.hasPrefix("GET ") {
          connection.answer("ok")
        }
      }
      let transport = make()
      _ = try await transport.get(server)
      let code = await code { try await transport.send(.post(server.authority, body: body)) }
      #expect(code == .connectionLost)
      #expect(server.requests.count == 2)
    }
  }

  private func rejectsWhatIsNotARequest() async throws {
    let transport = make()
    for (scheme, authority, path) in [
      ("ftp", "example.com", "/"), ("http", "", "/"), ("http", "a@b", "/"), ("http", "a/b", "/"),
      ("http", "a b", "/"), ("http", "a:b", "/"), ("http", "a", "no-slash"), ("http", "a", "/with space"),
      ("http", "a", "/line\r\nbreak"), ("http", "a\r\nX: y", "/"),
    ] {
      let request = TransportRequest(
        head: HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path))
      #expect(await code { try await transport.send(request) } == .invalidRequest, "\(authority)\(path)")
    }
  }

  private func refusesFramingOfTheCallers() async throws {
    for name in [HTTPField.Name.contentLength, .transferEncoding] {
      var request = TransportRequest.get("example.com")
      request.head.headerFields[name] = "chunked"
      #expect(await code { try await make().send(request) } == .invalidRequest)
    }
  }
}
