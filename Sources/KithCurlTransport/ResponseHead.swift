// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPResponse {
  /// Parses a status line and field lines; nil if they are not HTTP.
  ///
  /// A folded line continues the value before it <https://www.rfc-editor.org/rfc/rfc9112#section-5.2>. The
  /// caller must limit the number of lines: `HTTPFields` traps at 65,535 fields.
  init?(head: [UInt8]) {
    var remaining = head[...]
    guard let status = Status(line: remaining.popLine()) else { return nil }
    self.init(status: status)
    headerFields.reserveCapacity(16)
    // A field is created when its last line is known, because appending to the value of a field copies it.
    var field: (name: HTTPField.Name, value: [UInt8])?
    while !remaining.isEmpty {
      let line = remaining.popLine()
      if line.isEmpty { continue }
      if line.first?.isBlank == true {
        guard field != nil else { return nil }
        field?.value.append(UInt8(ascii: " "))
        field?.value.append(contentsOf: line.trimmed)
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
      else { return nil }
      if let field { headerFields.append(field) }
      field = (name, Array(line[(colon + 1)...].trimmed))
    }
    if let field { headerFields.append(field) }
  }
}

extension HTTPResponse {
  /// Whether `Content-Length`, if it counts, is one number, possibly repeated. libcurl ignores a number that
  /// is too large and takes whatever arrives until the connection ends, which may be cut off anywhere.
  /// <https://www.rfc-editor.org/rfc/rfc9110#section-8.6>
  var hasReadableLength: Bool {
    if headerFields.contains(.transferEncoding) { return true }
    let values = headerFields[values: .contentLength]
    // The most common form.
    if values.count == 1, Int64(values[0]).map({ $0 >= 0 }) == true { return true }
    let lengths = values.joined(separator: ",")
      .split { $0 == "," || $0 == " " || $0 == "\t" }
    return Set(lengths).count <= 1 && lengths.allSatisfy { Int64($0).map { $0 >= 0 } == true }
  }
}

extension HTTPFields {
  fileprivate mutating func append(_ field: (name: HTTPField.Name, value: [UInt8])) {
    append(HTTPField(name: field.name, lenientValue: field.value))
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
  /// Removes and returns the first line, without its line end.
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
