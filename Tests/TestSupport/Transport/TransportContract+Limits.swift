// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import KithClient
internal import Testing

extension TransportContract {
  private typealias Limits = TransportRequest.Limits

  static let limits = [
    Rule("accepts a response as large as the limit", acceptsAResponseAsLargeAsTheLimit),
    Rule("counts the limit after decompression", countsTheLimitAfterDecompression),
    Rule("cuts off a response without end", cutsOffAResponseWithoutEnd),
    Rule("ends when no head comes", endsWhenNoHeadComes),
    Rule("ends when the body stalls", endsWhenTheBodyStalls),
    Rule("ends at the total although bytes keep coming", endsAtTheTotal),
    Rule("ends if the connection is not accepted", endsIfTheConnectionIsNotAccepted),
    Rule("continues after a timeout", continuesAfterATimeout),
  ]

  /// Lets a server pause: FoundationNetworking reads as long as there is something to read, and does nothing
  /// else meanwhile.
  private static func pause() { Thread.sleep(forTimeInterval: 0.001) }

  private func acceptsAResponseAsLargeAsTheLimit() async throws {
    let server = try ScriptedServer.answering { _ in String(repeating: "x", count: 50_000) }
    let transport = make()
    #expect(try await transport.get(server, limits: Limits(responseBytes: 50_000)).body.count == 50_000)
    let code = await code { try await transport.get(server, limits: Limits(responseBytes: 49_999)) }
    #expect(code == .responseTooLarge)
  }

  /// One mebibyte of zeros in a kibibyte of gzip.
  private static let bomb: [UInt8] = {
    let start: [UInt8] = [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xed, 0xc1, 0x31, 1, 0, 0, 0, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 8, 0x5f,
      0xa0,
    ]
    let end: [UInt8] = [0x3e, 3, 0x1c, 0xea, 0x38, 0xa7, 0, 0, 0x10, 0]
    return start + [UInt8](repeating: 0, count: 1051 - start.count - end.count) + end
  }()

  private func countsTheLimitAfterDecompression() async throws {
    let server = try ScriptedServer.once(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1051\r\n\r\n".utf8) + Self.bomb)
    let transport = make()
    let code = await code { try await transport.get(server, limits: Limits(responseBytes: 100_000)) }
    #expect(code == .responseTooLarge)
    #expect(try await transport.get(server, limits: Limits(responseBytes: 1 << 20)).body.count == 1 << 20)
  }

  private func cutsOffAResponseWithoutEnd() async throws {
    let (closed, close) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      while connection.write([UInt8](repeating: 0, count: 1_000)) { Self.pause() }
      close.yield()
    }
    let transport = make()
    let code = await code { try await transport.get(server, limits: Limits(responseBytes: 50_000)) }
    #expect(code == .responseTooLarge)
    for await _ in closed { break }
  }

  private func endsWhenNoHeadComes() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.waitForClose()
    }
    let limits = Limits(connect: .milliseconds(50), stall: .milliseconds(50))
    #expect(await code { try await make().get(server, limits: limits) } == .timedOut)
  }

  private func endsWhenTheBodyStalls() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
      connection.waitForClose()
    }
    let code = await code { try await make().get(server, limits: Limits(stall: .milliseconds(50))) }
    #expect(code == .timedOut)
  }

  private func endsAtTheTotal() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.readRequest()
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.write("1\r\nx\r\n") { Self.pause() }
    }
    let limits = Limits(total: .milliseconds(100), responseBytes: 1 << 40)
    #expect(await code { try await make().get(server, limits: limits) } == .timedOut)
  }

  private func endsIfTheConnectionIsNotAccepted() async throws {
    let server = try SilentListener()
    let limits = Limits(connect: .milliseconds(50), stall: .milliseconds(50))
    #expect(await code { try await make().send(.get(server.authority, limits: limits)) } == .timedOut)
  }

  private func continuesAfterATimeout() async throws {
    let server = try ScriptedServer { connection in
      while let request = connection.readRequest() {
        if request.target == "/slow" { return connection.waitForClose() }
        connection.answer("ok")
      }
    }
    let transport = make()
    let limits = Limits(connect: .milliseconds(30), stall: .milliseconds(30))
    #expect(await code { try await transport.get(server, "/slow", limits: limits) } == .timedOut)
    #expect(try await transport.get(server, "/fast").text == "ok")
  }
}
