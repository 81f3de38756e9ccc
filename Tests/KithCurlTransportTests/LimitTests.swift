// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCurlTransport
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

  /// Compressed data without content: empty stored blocks of deflate within gzip, and frames of zstd that are
  /// to be skipped. Nothing reaches the body, so only the bytes as received can be counted.
  @Test(
    arguments: [
      ("gzip", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], [0, 0, 0, 0xff, 0xff]),
      ("zstd", [], [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]),
    ] as [(String, [UInt8], [UInt8])])
  func boundsBytesWithoutContent(encoding: String, start: [UInt8], block: [UInt8]) async throws {
    let (ends, end) = AsyncStream.makeStream(of: Int.self)
    let server = try ScriptedServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\n\r\n")
      connection.write(start)
      let blocks = [UInt8](Array(repeating: block, count: 20_000).joined())
      var sent = 0
      while sent < 1 << 28, connection.write(blocks) { sent += blocks.count }
      end.yield(sent)
    }
    let code = await code { try await transport.get(server, limits: Limits(responseBytes: 50_000)) }
    #expect(code == .responseTooLarge)
    for await sent in ends {
      #expect(sent < 1 << 27)
      break
    }
  }

  /// Extensions of chunks never end, or come with each of endless chunks; over a new connection, and over one
  /// that was used before.
  @Test(
    arguments: [
      "1;" + String(repeating: "x", count: 60_000),
      String(repeating: "1;abcdefghijklmnop\r\nx\r\n", count: 3_000),
    ], [false, true])
  func boundsExtensionsOfChunks(piece: String, isPooled: Bool) async throws {
    let (ends, end) = AsyncStream.makeStream(of: Int.self)
    let server = try ScriptedServer { connection in
      if isPooled {
        guard connection.readRequest() != nil else { return }
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n")
        connection.write([UInt8](repeating: 0, count: 90_000))
      }
      guard connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      var sent = 0
      while sent < 1 << 28, connection.write(piece) { sent += piece.utf8.count }
      end.yield(sent)
    }
    if isPooled {
      #expect(try await transport.get(server, limits: Limits(responseBytes: 100_000)).body.count == 90_000)
    }
    let code = await code { try await transport.get(server, limits: Limits(responseBytes: 50_000)) }
    #expect(code == .responseTooLarge)
    for await sent in ends {
      #expect(sent < 1 << 27)
      break
    }
  }

  /// A server may send chunks of two bytes, and a connection that has carried much may carry more.
  @Test func takesSmallChunksOnAnOldConnection() async throws {
    let server = try ScriptedServer { connection in
      while connection.readRequest() != nil {
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.write(String(repeating: "2\r\nok\r\n", count: 25_000) + "0\r\n\r\n")
      }
    }
    for _ in 0..<8 {
      let answer = try await transport.get(server, limits: Limits(responseBytes: 50_000))
      #expect(answer.body.count == 50_000)
    }
  }

  /// What fits neither the limit nor its allowance is refused; what does, is not.
  @Test(arguments: [(100_000, true), (200_000, false)])
  func allowsForTheFramingOfCompression(padding: Int, isTaken: Bool) async throws {
    let gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
    let empty = [UInt8](Array(repeating: [0, 0, 0, 0xff, 0xff], count: padding / 5).joined())
    // A last block that holds "ok", its checksum and its length.
    let end: [UInt8] = [1, 2, 0, 0xfd, 0xff, 0x6f, 0x6b, 0x47, 0xdd, 0xdc, 0x79, 2, 0, 0, 0]
    let server = try ScriptedServer.once(
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + gzip + empty + end)
    let limits = Limits(responseBytes: 50_000)
    if isTaken {
      #expect(try await transport.get(server, limits: limits).text == "ok")
    } else {
      #expect(await code { try await transport.get(server, limits: limits) } == .responseTooLarge)
    }
  }
}
