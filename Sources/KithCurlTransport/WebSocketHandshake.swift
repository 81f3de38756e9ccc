// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithCrypto

/// The request with which a connection becomes a WebSocket, and the server's answer.
///
/// Specification: RFC 6455, section 4.1.
struct WebSocketHandshake {
  /// The longest head of an answer.
  private static let headLimit = 64 << 10

  private let host: String
  private let head: [UInt8]
  /// What the server has to answer to the key.
  private let accept: String
  private let offered: [String]
  private let limits: TransportRequest.Limits

  /// Prepares a request.
  init(_ request: TransportRequest, _ exchange: CurlExchange, userAgent: String) {
    let key = WebSocketKey.random()
    host = exchange.host
    accept = WebSocketKey.accept(key)
    offered = request.head.headerFields[values: .secWebSocketProtocol].flatMap(\.listed)
    limits = request.limits
    var lines = [
      "GET \(exchange.target ?? "/") HTTP/1.1", "Host: \(exchange.host)", "Upgrade: websocket",
      "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)",
      "User-Agent: \(userAgent)",
    ]
    lines += request.head.headerFields.map { "\($0.name.rawName): \($0.value)" }
    head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// Sends the request and reads the answer.
  func perform(over connection: CurlConnection, limits: WebSocketLimits) async throws -> WebSocketAnswer {
    try await connection.write(head)
    var received: [UInt8] = []
    var answer = try await readHead(&received, connection)
    while (100..<200).contains(answer.status.code), answer.status.code != 101 {
      answer = try await readHead(&received, connection)
    }
    guard answer.status.code == 101 else {
      let body = RefusalBody(answer, most: self.limits.responseBytes, host: host)
      return .refused(TransportResponse(head: answer, body: try await body.read(after: received, connection)))
    }
    let subprotocol = try check(answer)
    connection.settle()
    return .opened(
      FramedWebSocket(connection, .client, beginning: received, limits: limits), subprotocol: subprotocol)
  }

  /// Removes a head from what was received, and reads more until it is complete.
  private func readHead(_ received: inout [UInt8], _ connection: CurlConnection) async throws -> HTTPResponse
  {
    let length = try await received.grow(
      from: connection, most: Self.headLimit, host: host, until: { $0.endOfHead(from: $1) })
    guard let length else {
      throw TransportError(.connectionLost, host: host, detail: "it ended before the head of the answer")
    }
    guard let head = HTTPResponse(head: Array(received[..<length])) else {
      throw TransportError(.malformedResponse, host: host, detail: "its head cannot be parsed")
    }
    received.removeFirst(length)
    return head
  }

  /// - Returns: the subprotocol, one of those that were offered.
  private func check(_ answer: HTTPResponse) throws(TransportError) -> String? {
    func malformed(_ detail: String) -> TransportError {
      TransportError(.malformedResponse, host: host, detail: detail)
    }
    let fields = answer.headerFields
    guard fields[values: .upgrade].flatMap(\.listed).contains(where: { $0.lowercased() == "websocket" }),
      fields[values: .connection].flatMap(\.listed).contains(where: { $0.lowercased() == "upgrade" })
    else { throw malformed("it did not upgrade to a WebSocket") }
    guard fields[.secWebSocketAccept] == accept else { throw malformed("its Sec-WebSocket-Accept is wrong") }
    guard fields[.secWebSocketExtensions] == nil else {
      throw malformed("it chose an extension that was not offered")
    }
    guard let chosen = fields[.secWebSocketProtocol] else { return nil }
    guard offered.contains(chosen) else { throw malformed("it chose a subprotocol that was not offered") }
    return chosen
  }
}

/// The body of an answer other than 101, which says why.
private struct RefusalBody {
  private enum Framing { case length(Int), chunks, toTheEnd }

  private let framing: Framing
  private let most: Int
  private let host: String

  init(_ answer: HTTPResponse, most: Int, host: String) {
    let coding = answer.headerFields[.transferEncoding]?.lowercased()
    if coding?.contains("chunked") == true {
      framing = .chunks
    } else if let length = answer.headerFields[.contentLength].flatMap({ Int($0) }) {
      framing = .length(max(0, length))
    } else {
      framing = .toTheEnd
    }
    (self.most, self.host) = (most, host)
  }

  func read(after beginning: [UInt8], _ connection: CurlConnection) async throws -> [UInt8] {
    var bytes = beginning
    switch framing {
    case .length(let length):
      let end = try await bytes.grow(
        from: connection, most: most, host: host, until: { bytes, _ in bytes.count >= length ? length : nil })
      guard let end else { throw TransportError(.truncatedBody, host: host) }
      return Array(bytes[..<end])
    case .toTheEnd:
      _ = try await bytes.grow(from: connection, most: most, host: host, until: { _, _ in nil })
      return bytes
    case .chunks:
      var body: [UInt8] = []
      while true {
        let line = try await bytes.grow(
          from: connection, most: most, host: host, until: { $0.endOfLine(from: $1) })
        guard let line, let size = Int(chunkSize: bytes[..<line]) else {
          throw TransportError(.truncatedBody, host: host)
        }
        guard size > 0 else { return body }
        guard size <= most - body.count else {
          throw TransportError(.responseTooLarge, host: host, detail: "more than \(most) bytes")
        }
        // The line, the chunk and the line break after it.
        let needed = line + size + 2
        let end = try await bytes.grow(
          from: connection, most: most, host: host,
          until: { bytes, _ in bytes.count >= needed ? needed : nil })
        guard end != nil else { throw TransportError(.truncatedBody, host: host) }
        body += bytes[line..<line + size]
        bytes.removeFirst(needed)
      }
    }
  }
}

extension [UInt8] {
  /// Reads until something is found, given all bytes and from where they are new; nil if the connection ends before.
  fileprivate mutating func grow(
    from connection: CurlConnection, most: Int, host: String, until find: ([UInt8], Int) -> Int?
  ) async throws -> Int? {
    var seen = 0
    while true {
      if let found = find(self, seen) { return found }
      guard count <= most else {
        throw TransportError(.responseTooLarge, host: host, detail: "more than \(most) bytes")
      }
      seen = count
      guard let piece = try await connection.read() else { return nil }
      self += piece
    }
  }

  /// Where what follows an empty line begins.
  fileprivate func endOfHead(from seen: Int) -> Int? {
    var place = Swift.max(0, seen - 3)
    while let end = self[place...].firstIndex(of: UInt8(ascii: "\n")) {
      let before = self[..<end].last == UInt8(ascii: "\r") ? end - 1 : end
      if before > 0, self[before - 1] == UInt8(ascii: "\n") { return end + 1 }
      place = end + 1
    }
    return nil
  }

  fileprivate func endOfLine(from seen: Int) -> Int? {
    firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
  }
}

extension Int {
  /// Reads the line before a chunk: its size in hexadecimal digits, and extensions.
  fileprivate init?(chunkSize line: ArraySlice<UInt8>) {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 > 0x20 }
    guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else { return nil }
    self = size
  }
}

extension String {
  /// The elements of a field that is a list.
  fileprivate var listed: [String] {
    split(separator: ",").map { String($0.drop { $0 == " " || $0 == "\t" }) }.map { text in
      var text = text
      while text.last == " " || text.last == "\t" { text.removeLast() }
      return text
    }
  }
}
