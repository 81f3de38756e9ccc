// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCurlTransport
import TestSupport
import Testing

@Suite struct FailureTests {
  let transport = CurlTransport.direct()

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nBad Name: x\r\n\r\n0123456789",
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
    "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nok",
  ])
  func tellsAMalformedResponseFromABrokenConnection(bytes: String) async throws {
    let server = try ScriptedServer.once(bytes.utf8)
    #expect(await code { try await transport.get(server) } == .malformedResponse)
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
    let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
    #expect(error?.code == .tlsFailure)
    #expect(error?.isTransient == false)
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
}
