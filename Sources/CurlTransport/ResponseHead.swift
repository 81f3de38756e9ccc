// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPResponse {
  /// Parses a status line and field lines; nil when they are not HTTP.
  ///
  /// A folded line continues the value before it <https://www.rfc-editor.org/rfc/rfc9112#section-5.2>.
  init?(head: [UInt8]) {
    var rest = head[...]
    guard let status = Status(line: rest.popLine()) else { return nil }
    self.init(status: status)
    headerFields.reserveCapacity(16)
    while !rest.isEmpty {
      let line = rest.popLine()
      if line.isEmpty { continue }
      if line.first?.isBlank == true {
        guard let last = headerFields.indices.last else { return nil }
        headerFields[last].value += " " + String(decoding: line.trimmed, as: UTF8.self)
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
      else { return nil }
      headerFields.append(HTTPField(name: name, lenientValue: line[(colon + 1)...].trimmed))
    }
  }
}

extension HTTPResponse.Status {
  /// Parses `HTTP/1.1 200 OK` or `HTTP/2 200`.
  fileprivate init?(line: ArraySlice<UInt8>) {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
      let code = Int(String(decoding: parts[1], as: UTF8.self)), code >= 100
    else { return nil }
    self.init(code: code, reasonPhrase: parts.count == 3 ? String(decoding: parts[2], as: UTF8.self) : "")
  }
}

extension ArraySlice<UInt8> {
  /// Removes and returns the first line, without its end.
  fileprivate mutating func popLine() -> ArraySlice<UInt8> {
    let end = firstIndex(of: UInt8(ascii: "\n")) ?? endIndex
    var line = self[..<end]
    self = self[Swift.min(end + 1, endIndex)...]
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    return line
  }

  fileprivate var trimmed: ArraySlice<UInt8> {
    guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank })
    else { return self[endIndex...] }
    return self[first...last]
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
