// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import TestSupport
import Testing

@testable import KithURLSessionTransport

@Suite struct SessionTests {
  let transport = URLSessionTransport()

  @Test func claimsNothingThatItCannotEnforce() {
    #expect(transport.capabilities == [])
  }

  @Test func namesItselfAndTheContact() async throws {
    let server = try ScriptedServer.answering()
    let transport = URLSessionTransport(.init(product: "kith/9.9", contact: "mailto:me@example.com"))
    _ = try await transport.get(server)
    #expect(server.requests.first?.fields.contains("user-agent: kith/9.9 (+mailto:me@example.com)") == true)
  }

  @Test func keepsNoCookies() async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil { connection.answer("", fields: "Set-Cookie: a=b; Path=/\r\n") }
    }
    let cookie = try #require(HTTPField.Name("Set-Cookie"))
    for _ in 0..<2 {
      #expect(try await transport.get(server).head.headerFields[cookie] == "a=b; Path=/")
    }
    #expect(server.requests.count == 2)
    #expect(!server.requests.contains { $0.fields.contains { $0.hasPrefix("cookie") } })
  }

  @Test func keepsNoResponses() async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil {
        connection.answer("ok", fields: "Cache-Control: max-age=1000\r\nETag: \"1\"\r\n")
      }
    }
    for _ in 0..<2 { #expect(try await transport.get(server).text == "ok") }
    #expect(server.requests.count == 2)
    #expect(!server.requests.contains { $0.fields.contains { $0.hasPrefix("if-none-match") } })
  }

  @Test(arguments: ["Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"1\""])
  func answersNoChallenge(challenge: String) async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil {
        connection.answer("no", status: "401 No", fields: "WWW-Authenticate: \(challenge)\r\n")
      }
    }
    for _ in 0..<2 {
      let answer = try await transport.get(server)
      #expect(answer.head.status.code == 401)
      #expect(answer.text == "no")
    }
    #expect(server.requests.count == 2)
    #expect(!server.requests.contains { $0.fields.contains { $0.hasPrefix("authorization") } })
  }

  @Test func sendsNoBodyWithAGet() async throws {
    var request = TransportRequest.get("127.0.0.1:1")
    request.body = []
    #expect(await code { try await transport.send(request) } == .invalidRequest)
  }

  @Test func countsBodies() async throws {
    let server = try ScriptedServer.answering { _ in "0123456789" }
    let metrics = try await transport.send(.post(server.authority, body: "abc")).metrics
    #expect(metrics.bytesSent == 3)
    #expect(metrics.bytesReceived == 10)
    #expect(metrics.elapsed > .zero)
  }

  @Test func failsAStreamWhoseReaderIsTooSlow() async throws {
    let (sent, send) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      while connection.write([UInt8](repeating: 0, count: 10_000)) { Thread.sleep(forTimeInterval: 0.001) }
      send.yield()
    }
    let transport = URLSessionTransport(.init(), time: .system, unreadLimit: 100_000)
    let stream = try await transport.open(.get(server.authority))
    // The server is cut off before anything is read.
    for await _ in sent { break }
    var count = 0
    let error = await #expect(throws: TransportError.self) {
      for try await chunk in stream.body { count += chunk.count }
    }
    #expect(error?.code == .responseTooLarge)
    #expect(count > 100_000)
    #expect(count < 1_000_000)
  }

  @Test(.timeLimit(.minutes(1))) func measuresTheLimitsWithItsClock() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    let clock = ManualClock()
    let transport = URLSessionTransport(time: clock.timeSource())
    async let code = code { try await transport.get(server, limits: .init(stall: .seconds(15))) }
    await clock.untilAsleep(1)
    clock.advance(by: .seconds(15))
    await clock.untilAsleep(1)
    clock.advance(by: .seconds(9))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(await code == .timedOut)
  }
}
