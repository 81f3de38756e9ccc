// SPDX-License-Identifier: Apache-2.0

/// Parses requests from the bytes of a connection, in chunks of any size. Specification: RFC 9112.
struct HTTPRequestParser {
  /// The limit for a request's head; thirty of the longest DIDs fit.
  private static let mostHeadBytes = 128 << 10
  /// The limit for a request's body.
  private static let mostBodyBytes = 2 << 20

  private var buffer: [UInt8] = []
  /// Where to continue the search for the end of the head.
  private var searched = 0
  /// A head whose body has not been received yet.
  private var pending: (request: HTTPRequest, bodyBytes: Int)?

  mutating func received(_ bytes: [UInt8]) { buffer += bytes }

  /// Returns the next complete request; nil if more bytes are needed.
  ///
  /// - Throws: ``XRPCFault`` for an invalid request; the rest of the connection is then unusable.
  mutating func next() throws(XRPCFault) -> HTTPRequest? {
    if pending == nil { pending = try nextHead() }
    guard let (head, bodyBytes) = pending, buffer.count >= bodyBytes else { return nil }
    pending = nil
    var request = head
    request.body = Array(buffer[..<bodyBytes])
    buffer.removeFirst(bodyBytes)
    return request
  }

  private mutating func nextHead() throws(XRPCFault) -> (HTTPRequest, Int)? {
    guard let end = endOfHead() else {
      guard buffer.count <= Self.mostHeadBytes else {
        throw XRPCFault(status: 431, name: "InvalidRequest", message: "the request's head is too large")
      }
      return nil
    }
    guard let head = String(validating: buffer[..<end], as: UTF8.self) else {
      throw .invalidRequest("the request's head is not UTF-8")
    }
    buffer.removeFirst(end)
    searched = 0
    return try Self.parse(head)
  }

  /// The offset after the empty line; nil if there is none yet.
  private mutating func endOfHead() -> Int? {
    let newline = UInt8(ascii: "\n")
    while let found = buffer[searched...].firstIndex(of: newline) {
      let next = found + 1
      if next < buffer.count, buffer[next] == newline { return next + 1 }
      if next + 1 < buffer.count, buffer[next] == UInt8(ascii: "\r"), buffer[next + 1] == newline {
        return next + 2
      }
      if next + 1 >= buffer.count { return nil }
      searched = next
    }
    searched = buffer.count
    return nil
  }

  private static func parse(_ head: String) throws(XRPCFault) -> (HTTPRequest, Int) {
    // CR LF is one Character, so this splits at CR LF as well as at a bare LF.
    let lines = head.split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      throw .invalidRequest("not an HTTP/1.1 request")
    }
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var request = HTTPRequest(
      method: String(words[0]), path: String(target[0]), query: target.count > 1 ? String(target[1]) : "",
      keepsAlive: words[2] == "HTTP/1.1")
    var bodyBytes = 0
    for line in lines.dropFirst() {
      let field = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard field.count == 2 else { throw .invalidRequest("a header field has no colon") }
      let value = Self.trimmed(field[1])
      switch field[0].lowercased() {
      case "host": request.host = value
      case "origin": request.origin = value
      case "authorization": request.authorization = value
      case "content-type": request.contentType = value
      case "connection": request.keepsAlive = value.lowercased() != "close" && request.keepsAlive
      case "transfer-encoding":
        throw XRPCFault(status: 411, name: "InvalidRequest", message: "Content-Length is required")
      case "content-length":
        guard let length = Int(value), length >= 0 else {
          throw .invalidRequest("Content-Length is not a number")
        }
        guard length <= mostBodyBytes else {
          throw XRPCFault(status: 413, name: "PayloadTooLarge", message: "request entity too large")
        }
        bodyBytes = length
      default: break
      }
    }
    return (request, bodyBytes)
  }

  /// Trims spaces and tabs.
  private static func trimmed(_ text: Substring) -> String {
    func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
    let start = text.drop(while: isSpace)
    let end = start.lastIndex { !isSpace($0) }
    return end.map { String(start[...$0]) } ?? ""
  }
}
