// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import HTTPTypes
import TestSupport
import Testing

@Suite struct LimitTests {
  typealias Limits = TransportRequest.Limits
  let transport = CurlTransport.direct()

  @Test func boundsTheHead() async throws {
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n")
      for number in 0..<400 {
        connection.write("X-\(number): " + String(repeating: "x", count: 1000) + "\r\n")
      }
      connection.waitForClose()
    }
    #expect(await code { try await transport.get(server) } == .responseTooLarge)
  }

  @Test func boundsALineOfTheHead() async throws {
    let server = try ScriptedServer.once(
      Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 400_000))
    #expect(await code { try await transport.get(server) } == .responseTooLarge)
  }

  /// Fewer bytes than the limit, but more fields than `HTTPFields` supports; and folded lines, each of which
  /// would copy those before it.
  @Test(arguments: [("a:\n", 65_535), (" x\n", 80_000)])
  func boundsTheLinesOfTheHead(line: String, count: Int) async throws {
    let flood = "HTTP/1.1 200 OK\na:\n" + String(repeating: line, count: count) + "\nok"
    let server = try ScriptedServer.once(flood.utf8)
    #expect(await code { try await transport.get(server) } == .responseTooLarge)
  }

  @Test(arguments: [(998, true), (999, false)])
  func takesAThousandLinesOfHeads(fields: Int, isTaken: Bool) async throws {
    let head = "HTTP/1.1 200 OK\n" + String(repeating: "a:\n", count: fields)
    let server = try ScriptedServer.once("\(head)\nok".utf8)
    if isTaken {
      #expect(try await transport.get(server).head.headerFields.count == fields)
    } else {
      #expect(await code { try await transport.get(server) } == .responseTooLarge)
    }
  }

  /// Without a stall: the time to connect has a limit of its own.
  @Test func endsIfTheConnectionIsNotAccepted() async throws {
    let server = try SilentListener()
    let limits = Limits(connect: .milliseconds(50))
    #expect(
      await code { try await transport.send(.get(server.authority, limits: limits)) } == .timedOut)
  }

  @Test func cutsOffAFlood() async throws {
    let (closed, close) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      while connection.write([UInt8](repeating: 0, count: 1_000)) {}
      close.yield()
    }
    let code = await code { try await transport.get(server, limits: Limits(responseBytes: 50_000)) }
    #expect(code == .responseTooLarge)
    for await _ in closed { break }
  }

  @Test func endsAtTheTotalInAFloodOfSmallPieces() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.write("1\r\nx\r\n") {}
    }
    let limits = Limits(total: .milliseconds(100), responseBytes: 1 << 40)
    #expect(await code { try await transport.get(server, limits: limits) } == .timedOut)
  }
}
