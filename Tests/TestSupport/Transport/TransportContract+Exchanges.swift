// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithClient
internal import Testing

extension TransportContract {
  static let exchanges = [
    Rule("brings status, fields and body", bringsStatusFieldsAndBody),
    Rule("takes any status as a response", takesAnyStatus),
    Rule("takes responses without body", takesResponsesWithoutBody),
    Rule("skips interim responses", skipsInterimResponses),
    Rule("joins chunks", joinsChunks),
    Rule("decompresses gzip", decompresses),
    Rule("sends the fields that it is given", sendsFields),
    Rule("breaks no line for a hostile value", breaksNoLine),
    Rule("sends a body with its length", sendsABody),
    Rule("announces an empty body when posting nothing", announcesAnEmptyBody),
    Rule("keeps methods apart", keepsMethodsApart),
    Rule("performs many exchanges at once", performsManyAtOnce),
    Rule("reuses connections", reusesConnections),
  ]

  private func bringsStatusFieldsAndBody() async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil {
        connection.answer("{}", status: "404 Not Here", fields: "X-Some: a\r\nx-some: b\r\nEmpty:\r\n")
      }
    }
    let answer = try await make().get(server, "/xrpc/a.b.c?x=%20y&x=z")
    #expect(answer.head.status.code == 404)
    let some = answer.head.headerFields.filter { $0.name.canonicalName == "x-some" }.map(\.value)
    #expect(some.flatMap { $0.split(separator: ", ") }.sorted() == ["a", "b"])
    #expect(answer.head.headerFields.contains { $0.name.canonicalName == "empty" && $0.value.isEmpty })
    #expect(answer.text == "{}")
    #expect(server.requests.map(\.target) == ["/xrpc/a.b.c?x=%20y&x=z"])
  }

  private func takesAnyStatus() async throws {
    let server = try ScriptedServer { connection in
      while let request = connection.readRequest() {
        let status = request.target.dropFirst()
        connection.answer(
          String(status), status: "\(status) Words",
          fields: status == "401" ? "WWW-Authenticate: Basic realm=\"x\"\r\n" : "")
      }
    }
    let transport = make()
    for status in [200, 201, 400, 401, 407, 429, 500, 503, 599] {
      let answer = try await transport.get(server, "/\(status)")
      #expect(answer.head.status.code == status)
      #expect(answer.text == "\(status)")
    }
    // FoundationNetworking loses the body of a redirect without a location.
    #expect(try await transport.get(server, "/302").head.status.code == 302)
  }

  private func takesResponsesWithoutBody() async throws {
    for status in ["204 No Content", "304 Not Modified", "200 OK\r\nContent-Length: 0"] {
      let server = try ScriptedServer { connection in
        while connection.readRequest() != nil { connection.write("HTTP/1.1 \(status)\r\n\r\n") }
      }
      let transport = make()
      for _ in 0..<2 { #expect(try await transport.get(server).body.isEmpty) }
    }
  }

  private func skipsInterimResponses() async throws {
    let server = try ScriptedServer.once(
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)
    let transport = make()
    let answer = try await transport.get(server)
    #expect(answer.head.status.code == 200)
    #expect(answer.head.headerFields.count == 1)
    #expect(answer.text == "x")
    let stream = try await transport.open(.get(server.authority))
    #expect(stream.head.status.code == 200)
    #expect(try await stream.body.text() == "x")
  }

  private func joinsChunks() async throws {
    let server = try ScriptedServer.once(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n".utf8)
    #expect(try await make().get(server).text == "abcde")
  }

  private func decompresses() async throws {
    let bytes = try #require(
      [UInt8](hex: "1f8b08000000000002034bcecf2d284a2d2e4e4d01001e4b56970a000000"))
    let server = try ScriptedServer.once(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8)
        + bytes)
    #expect(try await make().get(server).text == "compressed")
    let offered = server.requests.first?.fields.first { $0.hasPrefix("accept-encoding:") }
    #expect(offered?.contains("gzip") == true)
  }

  private func sendsFields() async throws {
    let server = try ScriptedServer.answering()
    var request = TransportRequest.post(server.authority, body: "{}")
    request.head.headerFields = [.accept: "application/json", .contentType: "application/json"]
    request.head.headerFields[.authorization] = "Bearer token"
    _ = try await make().send(request)
    let fields = try #require(server.requests.first).fields
    for field in [
      "accept: application/json", "content-type: application/json", "authorization: bearer token",
      "content-length: 2", "host: \(server.authority)",
    ] { #expect(fields.contains(field)) }
    #expect(!fields.contains { $0.hasPrefix("cookie") })
    #expect(fields.contains { $0.hasPrefix("user-agent: kith/") })
  }

  private func breaksNoLine() async throws {
    let server = try ScriptedServer.answering()
    var request = TransportRequest.get(server.authority)
    request.head.headerFields[.accept] = "text/html\r\nX-Injected: 1\r\n\r\nGET /second HTTP/1.1"
    _ = try await make().send(request)
    let received = try #require(server.requests.first)
    #expect(!received.fields.contains { $0.hasPrefix("x-injected") })
    #expect(server.requests.count == 1)
  }

  private func sendsABody() async throws {
    let transport = make()
    for size in [0, 1, 300_000] {
      let body = String(repeating: "x", count: size)
      let server = try ScriptedServer.answering { String($0.body.count) }
      #expect(try await transport.send(.post(server.authority, body: body)).text == String(size))
      let request = try #require(server.requests.first)
      #expect(request.body == Array(body.utf8))
      #expect(request.fields.contains("content-length: \(size)"))
    }
  }

  private func announcesAnEmptyBody() async throws {
    let server = try ScriptedServer.answering()
    _ = try await make().send(.post(server.authority, body: nil))
    #expect(server.requests.first?.fields.contains("content-length: 0") == true)
  }

  private func keepsMethodsApart() async throws {
    try await Self.keepMethodsApart(over: make())
  }

  /// Sends requests of many methods one after another, and expects each to have its own body and answer.
  ///
  /// - Returns: The server, which knows how many connections that took.
  @discardableResult
  package static func keepMethodsApart(over transport: any HTTPTransport) async throws -> ScriptedServer {
    let server = try ScriptedServer { connection in
      while let request = connection.readRequest() {
        let method = request.head.prefix { $0 != " " }
        connection.write("HTTP/1.1 200 OK\r\nX-Method: \(method)\r\nContent-Length: 2\r\n\r\n")
        if method != "HEAD" { connection.write("ok") }
      }
    }
    let name = try #require(HTTPField.Name("X-Method"))
    let methods: [HTTPRequest.Method] = [.get, .post, .head, .put, .get, .delete, .head, .post, .get]
    for method in methods {
      var request = TransportRequest.get(server.authority)
      request.head.method = method
      if method == .post || method == .put { request.body = Array("body".utf8) }
      let answer = try await transport.send(request)
      #expect(answer.head.headerFields[name] == method.rawValue)
      #expect(answer.text == (method == .head ? "" : "ok"))
      #expect(server.requests.last?.body.count == (request.body?.count ?? 0))
    }
    return server
  }

  private func performsManyAtOnce() async throws {
    let server = try ScriptedServer.answering { String($0.target) }
    let transport = make()
    let answers = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<60 { group.addTask { try await transport.get(server, "/\(number)").text } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(answers == Set((0..<60).map { "/\($0)" }))
    #expect(server.requests.count == 60)
  }

  private func reusesConnections() async throws {
    let server = try ScriptedServer.answering()
    let transport = make()
    for _ in 0..<3 { #expect(try await transport.get(server).text == "ok") }
    #expect(server.connections == 1)
  }
}
