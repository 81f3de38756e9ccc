// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Responses that attack by size, encoding or header, or that do not match the request.
@Suite struct HostileAnswerTests {
  private typealias Run = HostileRun

  @Test func aResponseOfTwoGigabytesIsCutOff() async throws {
    let server = try HostileServer { _, connection in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n")
      connection.writeForever([UInt8](repeating: UInt8(ascii: " "), count: 64 << 10))
    }
    try await Run(server).expectNothing("transport.responseTooLarge")
    #expect(server.requests.count == 1)
  }

  @Test func endlessChunksAreCutOff() async throws {
    let server = try HostileServer { _, connection in
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "4000\r\n" + String(repeating: "[", count: 0x4000) + "\r\n"
      connection.writeForever(Array(chunk.utf8))
    }
    try await Run(server).expectNothing("transport.responseTooLarge")
  }

  /// Sixty-four mebibytes of spaces.
  private static let brotliBomb =
    "y///PwAkQOKxQHLv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4LQPf+j///fwBIAMRhAeje"
    + "//H//w8ACYA4LADd+z/+//8BIAEQhwWge/83"

  /// The same with zeros. A reader that continues finds the end missing.
  private static let gzipBomb: [UInt8] =
    [
      0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xed, 0xc1, 0x31, 1, 0, 0, 0, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 8, 0x5f,
      0xa0,
    ] + [UInt8](repeating: 0, count: 64 << 10)

  @Test func compressionBombsAreNotUnpacked() async throws {
    let brotli = try #require(Data(base64Encoded: Self.brotliBomb))
    for (coding, bomb) in [("br", [UInt8](brotli)), ("gzip", Self.gzipBomb)] {
      try await Run(bytes: bomb, fields: "Content-Encoding: \(coding)\r\n").expectNothing(
        "transport.responseTooLarge")
    }
  }

  @Test(arguments: ["gzip", "br", "gzip, gzip, gzip, gzip, gzip, gzip, gzip", "nonsense"])
  func brokenCompressionBreaksTheProtocol(coding: String) async throws {
    try await Run(body: Run.body(), fields: "Content-Encoding: \(coding)\r\n").expectNothing(
      "transport.malformedResponse")
  }

  @Test func aFloodOfHeaderFieldsIsCutOff() async throws {
    let server = try HostileServer { _, connection in
      connection.write("HTTP/1.1 200 OK\r\n")
      connection.writeForever(Array("X-Flood: \(String(repeating: "x", count: 1_000))\r\n".utf8))
    }
    try await Run(server).expectNothing("transport.responseTooLarge")
  }

  @Test func anEndlessHeaderFieldIsCutOff() async throws {
    let server = try HostileServer { _, connection in
      connection.write("HTTP/1.1 200 OK\r\nX-Flood: ")
      connection.writeForever([UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10))
    }
    try await Run(server).expectNothing("transport.responseTooLarge")
  }

  @Test func endlessInterimResponsesAreCutOff() async throws {
    for interim in ["HTTP/1.1 100 Continue", "HTTP/1.1 103 Early Hints\r\nLink: <x>"] {
      let server = try HostileServer { _, connection in
        connection.writeForever(Array("\(interim)\r\n\r\n".utf8))
      }
      try await Run(server).expectNothing("transport.responseTooLarge")
    }
  }

  @Test func endlessTrailersAreCutOff() async throws {
    let server = try HostileServer { _, connection in
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
      connection.writeForever(Array("X-Flood: \(String(repeating: "x", count: 1_000))\r\n".utf8))
    }
    try await Run(server).expectNothing("transport.responseTooLarge")
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{0}\u{0}", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/9.9 200 OK\r\n\r\n{}", "HTTP/1.1 xyz OK\r\n\r\n{}",
  ])
  func bytesThatAreNotHTTPBreakTheProtocol(bytes: String) async throws {
    try await Run(HostileServer(bytes: Array(bytes.utf8))).expectNothing("transport.malformedResponse")
  }

  @Test(arguments: ["fffffffffffffffff\r\n{}", "-1\r\n{}", "xyz\r\n{}", "5\r\n{}"])
  func invalidChunksGiveNoAnswer(chunks: String) async throws {
    let bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)".utf8)
    try await Run(HostileServer(bytes: bytes)).expectNothing("transport.truncatedBody", status: 69)
  }

  @Test func redirectLoopsAreNotFollowed() async throws {
    let server = try HostileServer { _, connection in
      connection.answer("", status: "302 Found", fields: "Location: /xrpc/\u{1B}[2J\r\n")
    }
    try await Run(server).expectNothing("xrpc.refused", status: 69)
    #expect(server.requests.count == 1)
  }

  /// `HostileRowTests` has more rows and answers.
  @Test func aWrongRowFailsAloneAndAnAnswerOfAnotherShapeWhole() async throws {
    let row = Run.row(0).replacing("\"\(Run.edge(0))\"", with: "5")
    try await Run(body: Run.body(first: row)).expectOnlyFirstFails(at: "relationships[0].following")
    try await Run(body: "{}").expectNothing("lexicon.mismatch")
  }
}
