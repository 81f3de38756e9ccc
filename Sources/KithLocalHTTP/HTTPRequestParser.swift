// SPDX-License-Identifier: Apache-2.0

internal import KithLocalMessages

/// Parses requests from the bytes of a connection, in chunks of any size. Specification: RFC 9112.
///
/// Messages with `Transfer-Encoding` are refused: no client of a local server needs them.
struct HTTPRequestParser {
  private let limits: LocalHTTPLimits
  private var buffer: [UInt8] = []
  /// Where to continue the search for the end of the head.
  private var searched = 0
  /// A head whose body has not been received yet.
  private var pending: (request: LocalRequest, bodyBytes: Int)?

  init(limits: LocalHTTPLimits = LocalHTTPLimits()) { self.limits = limits }

  /// Whether a request has begun.
  var isInRequest: Bool { pending != nil || !buffer.isEmpty }

  /// What has come after the last complete request.
  var rest: [UInt8] { buffer }

  mutating func received(_ bytes: [UInt8]) { buffer += bytes }

  /// Returns the next complete request; nil if more bytes are needed.
  mutating func next() throws(RequestFault) -> LocalRequest? {
    if pending == nil { pending = try nextHead() }
    guard let (head, bodyBytes) = pending, buffer.count >= bodyBytes else { return nil }
    pending = nil
    var request = head
    request.body = Array(buffer[..<bodyBytes])
    buffer.removeFirst(bodyBytes)
    return request
  }

  private mutating func nextHead() throws(RequestFault) -> (LocalRequest, Int)? {
    let end = endOfHead()
    guard (end ?? buffer.count) <= limits.headBytes else {
      throw RequestFault(status: 431, reason: "the head is larger than \(limits.headBytes) bytes")
    }
    guard let end else { return nil }
    guard let head = String(validating: buffer[..<end], as: UTF8.self) else {
      throw .malformed("the head is not UTF-8")
    }
    buffer.removeFirst(end)
    searched = 0
    return try parse(head)
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

  private func parse(_ head: String) throws(RequestFault) -> (LocalRequest, Int) {
    let lines = head.utf8.split(separator: UInt8(ascii: "\n")).map { line in
      line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
    let words = lines.first?.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) ?? []
    let version = words.last.flatMap { String($0) }
    guard words.count == 3, version == "HTTP/1.1" || version == "HTTP/1.0",
      let method = String(words[0]), !method.isEmpty, words[1].first == UInt8(ascii: "/")
    else {
      throw .malformed("this is not a request of HTTP/1.1 for a path")
    }
    let target = words[1].split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    var request = LocalRequest(
      method: method, path: String(target[0]) ?? "",
      query: target.count > 1 ? String(target[1]) ?? "" : "", keepsAlive: version == "HTTP/1.1")
    request.fields = try fields(lines.dropFirst().filter { !$0.isEmpty })
    guard request["transfer-encoding"] == nil else {
      throw RequestFault(status: 411, reason: "Content-Length is required")
    }
    if request["connection"]?.lowercased() == "close" { request.keepsAlive = false }
    return (request, try bodyBytes(of: request))
  }

  private func fields(_ lines: [Substring.UTF8View]) throws(RequestFault) -> [HeaderField] {
    guard lines.count <= limits.fields else {
      throw RequestFault(status: 431, reason: "the head has more than \(limits.fields) fields")
    }
    var fields: [HeaderField] = []
    for line in lines {
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      // A space before the colon, or a line that continues the last, is read in two ways by two servers.
      guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
        throw .malformed("a field of the head is not a name, a colon and a value")
      }
      guard !parts[1].contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7f }) else {
        throw .malformed("a field of the head has a control character")
      }
      fields.append(
        HeaderField(name: String(parts[0]) ?? "", value: String(Self.trimmed(parts[1])) ?? ""))
    }
    return fields
  }

  private func bodyBytes(of request: LocalRequest) throws(RequestFault) -> Int {
    let stated = Set(request.fields.filter { $0.name.lowercased() == "content-length" }.map(\.value))
    guard let text = stated.first else { return 0 }
    guard stated.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformed("Content-Length is not a number")
    }
    guard let length = Int(text), length <= limits.bodyBytes else {
      throw RequestFault(status: 413, reason: "the body is larger than \(limits.bodyBytes) bytes")
    }
    return length
  }

  /// Trims spaces and tabs.
  private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var remaining = text.drop(while: isSpace)
    while let last = remaining.last, isSpace(last) { remaining.removeLast() }
    return remaining
  }
}
