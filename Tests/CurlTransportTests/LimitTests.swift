// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CurlTransport
import HTTPTypes
import Testing

@Suite struct LimitTests {
  typealias Limits = TransportRequest.Limits
  let transport = CurlTransport.direct()

  @Test func acceptsAResponseAsLargeAsTheLimit() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 50_000) }
    let answer = try await transport.get(server, limits: Limits(responseBytes: 50_000))
    #expect(answer.body.count == 50_000)
  }

  @Test func cutsOffAResponseBeyondTheLimit() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 50_001) }
    let code = await code { try await transport.get(server, limits: Limits(responseBytes: 50_000)) }
    #expect(code == .responseTooLarge)
  }

  /// One mebibyte of zeros in a kibibyte of gzip.
  static let bomb: [UInt8] = {
    let start: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xed, 0xc1, 0x31, 1, 0, 0, 0, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 8, 0x5f,
      0xa0,
    ]
    let end: [UInt8] = [0x3e, 3, 0x1c, 0xea, 0x38, 0xa7, 0, 0, 0x10, 0]
    return start + [UInt8](repeating: 0, count: 1051 - start.count - end.count) + end
  }()

  @Test(arguments: [(100_000, true), (1 << 20, false)])
  func countsTheCapAfterDecompression(cap: Int, isTooLarge: Bool) async throws {
    let server = try ScriptedServer.once(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1051\r\n\r\n".utf8) + Self.bomb)
    let limits = Limits(responseBytes: cap)
    if isTooLarge {
      #expect(await code { try await transport.get(server, limits: limits) } == .responseTooLarge)
    } else {
      #expect(try await transport.get(server, limits: limits).body.count == cap)
    }
  }

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

  @Test func endsWhenNoHeadComes() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    let code = await code { try await transport.get(server, limits: Limits(stall: .milliseconds(50))) }
    #expect(code == .timedOut)
  }

  @Test func endsWhenTheBodyStalls() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
      connection.waitForClose()
    }
    let code = await code { try await transport.get(server, limits: Limits(stall: .milliseconds(50))) }
    #expect(code == .timedOut)
  }

  @Test func endsAtTheTotalAlthoughBytesKeepComing() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.write("1\r\nx\r\n") {}
    }
    let limits = Limits(total: .milliseconds(100), responseBytes: 1 << 40)
    #expect(await code { try await transport.get(server, limits: limits) } == .timedOut)
  }

  @Test func endsIfTheConnectionIsNotAccepted() async throws {
    let server = try SilentListener()
    let limits = Limits(connect: .milliseconds(50))
    #expect(
      await code { try await transport.send(.get(server.authority, limits: limits)) } == .timedOut)
  }

  @Test func continuesAfterATimeout() async throws {
    let server = try ScriptedServer { connection in
      while let request = connection.readRequest() {
        if request.target == "/slow" { return connection.waitForClose() }
        connection.answer("ok")
      }
    }
    let slow = await code {
      try await transport.get(server, "/slow", limits: Limits(stall: .milliseconds(30)))
    }
    #expect(slow == .timedOut)
    #expect(try await transport.get(server, "/fast").text == "ok")
  }
}
