// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCurlTransport
import TestSupport
import Testing

@Suite struct ExchangeTests {
  let transport = CurlTransport.direct()

  @Test func keepsTheReasonAndRepeatedFields() async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil {
        connection.answer("{}", status: "404 Not Here", fields: "X-Some: a\r\nx-some: b\r\n")
      }
    }
    let answer = try await transport.get(server)
    #expect(answer.head.status == .init(code: 404, reasonPhrase: "Not Here"))
    #expect(answer.head.headerFields.filter { $0.name.canonicalName == "x-some" }.map(\.value) == ["a", "b"])
  }

  @Test func namesItselfAndTheContact() async throws {
    let server = try ScriptedServer.answering()
    let transport = CurlTransport(
      CurlTransport.Configuration(product: "kith/9.9", contact: "mailto:me@example.com", proxy: .none))
    _ = try await transport.get(server)
    #expect(server.requests.first?.fields.contains("user-agent: kith/9.9 (+mailto:me@example.com)") == true)
  }

  @Test func sendsFieldsAsGivenAndNoOthers() async throws {
    let server = try ScriptedServer.answering()
    var request = TransportRequest.post(server.authority, body: "{}")
    request.head.headerFields = [.accept: "application/json", .contentType: "application/json", .cookie: ""]
    _ = try await transport.send(request)
    let names = try #require(server.requests.first).fields.map { $0.prefix { $0 != ":" } }
    #expect(
      names.sorted()
        == ["accept", "accept-encoding", "content-length", "content-type", "cookie", "host", "user-agent"])
  }

  @Test(arguments: [0, 1, 300_000])
  func addsNoFieldsForABody(size: Int) async throws {
    let server = try ScriptedServer.answering()
    _ = try await transport.send(.post(server.authority, body: String(repeating: "x", count: size)))
    let request = try #require(server.requests.first)
    #expect(!request.fields.contains { $0.hasPrefix("content-type") || $0.hasPrefix("expect") })
  }

  @Test func keepsTheMethodsOfOneHandleApart() async throws {
    let server = try await TransportContract.keepMethodsApart(over: transport)
    #expect(server.connections == 1)
  }

  @Test func countsWhatWentOverTheWire() async throws {
    let server = try ScriptedServer.answering { _ in "0123456789" }
    let first = try await transport.send(.post(server.authority, body: "abc")).metrics
    let second = try await transport.send(.post(server.authority, body: "abcdef")).metrics
    let heads = server.requests.map { $0.head.utf8.count + 4 }
    #expect(first.bytesSent == heads[0] + 3)
    #expect(second.bytesSent == heads[1] + 6)
    #expect(first.bytesReceived == "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789".utf8.count)
    #expect(first.connectionsOpened == 1)
    #expect(second.connectionsOpened == 0)
    #expect(first.elapsed > .zero)
  }

  @Test func leavesTrailersOut() async throws {
    let server = try ScriptedServer.once(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-Late: 1\r\n\r\n".utf8)
    let answer = try await transport.get(server)
    #expect(answer.text == "ab")
    #expect(answer.head.headerFields.count == 1)
  }

  @Test(arguments: ["204 No Content", "304 Not Modified"])
  func reusesTheConnectionOfAnAnswerWithoutBody(status: String) async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil { connection.write("HTTP/1.1 \(status)\r\n\r\n") }
    }
    for _ in 0..<2 { #expect(try await transport.get(server).body.isEmpty) }
    #expect(server.connections == 1)
  }

  @Test(arguments: [
    ("br", "8b0480636f6d7072657373656403"),
    ("zstd", "28b52ffd200a510000636f6d70726573736564"),
  ])
  func decompresses(encoding: String, hex: String) async throws {
    let bytes = try #require([UInt8](hex: hex))
    let server = try ScriptedServer.once(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8)
        + bytes)
    let answer = try await transport.get(server)
    #expect(answer.text == "compressed")
    let offered = server.requests.first?.fields.first { $0.hasPrefix("accept-encoding:") }
    #expect(offered?.contains(encoding) == true)
  }

  @Test func keepsConnectionsAndTheirNumberPerHost() async throws {
    let server = try ScriptedServer.answering()
    let transport = CurlTransport(CurlTransport.Configuration(proxy: .none, connectionsPerHost: 3))
    let answers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<60 { group.addTask { try await transport.get(server).text } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers == Array(repeating: "ok", count: 60))
    #expect((1...3).contains(server.connections))
    #expect(server.requests.count == 60)
  }

  @Test func addsUpTheCostOfRedirects() async throws {
    let server = try ScriptedServer { connection in
      while let request = connection.readRequest() {
        let isFirst = request.target == "/from"
        connection.answer(
          "", status: isFirst ? "302 Found" : "200 OK", fields: isFirst ? "Location: /to\r\n" : "")
      }
    }
    let direct = try await transport.get(server, "/to").metrics
    let followed = try await transport.send(.get(server.authority, "/from", redirects: .follow(most: 1)))
    #expect(followed.metrics.bytesReceived > direct.bytesReceived)
    #expect(followed.metrics.bytesSent > direct.bytesSent)
  }
}
