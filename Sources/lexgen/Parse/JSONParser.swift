// SPDX-License-Identifier: Apache-2.0

/// Parses JSON text (RFC 8259) strictly; a duplicate member name is an error.
struct JSONParser {
  /// Why a text is not valid JSON.
  struct Fault: Error, CustomStringConvertible {
    let reason: String
    let line: Int
    var description: String { "line \(line): \(reason)" }
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func parse(_ bytes: [UInt8]) throws(Fault) -> JSONValue {
    var parser = JSONParser(bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    if parser.position < bytes.count { throw parser.fault("unexpected data after the document") }
    return value
  }

  private func fault(_ reason: String) -> Fault {
    Fault(reason: reason, line: 1 + bytes.prefix(position).count { $0 == UInt8(ascii: "\n") })
  }

  private mutating func skipSpace() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  /// Returns the next byte that is not white space, without consuming it.
  private mutating func peek() throws(Fault) -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw fault("the document ends too early") }
    return bytes[position]
  }

  private mutating func consume(_ character: Unicode.Scalar) throws(Fault) {
    guard try peek() == UInt8(ascii: character) else { throw fault("\"\(character)\" is missing") }
    position += 1
  }

  private mutating func value(depth: Int) throws(Fault) -> JSONValue {
    if depth > 64 { throw fault("nested deeper than 64 levels") }
    switch try peek() {
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    case UInt8(ascii: "["): return .array(try elements(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    default: return try word()
    }
  }

  private mutating func members(depth: Int) throws(Fault) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    try consume("{")
    if try peek() == UInt8(ascii: "}") {
      position += 1
      return members
    }
    while true {
      guard try peek() == UInt8(ascii: "\"") else { throw fault("a member has no name") }
      let name = try string()
      if members.contains(where: { $0.name == name }) { throw fault("\"\(name)\" occurs twice") }
      try consume(":")
      members.append(JSONValue.Member(name: name, value: try value(depth: depth + 1)))
      guard try peek() == UInt8(ascii: ",") else { break }
      position += 1
    }
    try consume("}")
    return members
  }

  private mutating func elements(depth: Int) throws(Fault) -> [JSONValue] {
    var elements: [JSONValue] = []
    try consume("[")
    if try peek() == UInt8(ascii: "]") {
      position += 1
      return elements
    }
    while true {
      elements.append(try value(depth: depth + 1))
      guard try peek() == UInt8(ascii: ",") else { break }
      position += 1
    }
    try consume("]")
    return elements
  }

  /// Parses `true`, `false`, `null` or a number.
  private mutating func word() throws(Fault) -> JSONValue {
    let start = position
    while position < bytes.count, !Array(" \t\r\n,]}:\"[{".utf8).contains(bytes[position]) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    switch text {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    default: break
    }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      text.utf8.allSatisfy({ Array("0123456789+-.eE".utf8).contains($0) }),
      digits == "0" || first != 0x30
        || digits.dropFirst().first == "."
    else {
      throw fault("\"\(text)\" is not a JSON value")
    }
    return Int(text).map(JSONValue.integer) ?? .otherNumber(text)
  }

  private mutating func string() throws(Fault) -> String {
    try consume("\"")
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let valid = String(validating: text, as: UTF8.self) else {
          throw fault("a string is not UTF-8")
        }
        return valid
      case UInt8(ascii: "\\"): text.append(contentsOf: String(try escaped()).utf8)
      case 0..<0x20: throw fault("a string contains a control character")
      default: text.append(byte)
      }
    }
    throw fault("a string does not end")
  }

  private mutating func escaped() throws(Fault) -> Unicode.Scalar {
    guard position < bytes.count else { throw fault("a string does not end") }
    defer { position += 1 }
    switch bytes[position] {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "u"): return try hexScalar()
    case let byte where Array("\"\\/".utf8).contains(byte): return Unicode.Scalar(byte)
    default: throw fault("an unknown escape sequence")
    }
  }

  /// Parses `XXXX` after `\u`, and a second `\uXXXX` if it is the first half of a pair; ends on the last
  /// digit.
  private mutating func hexScalar() throws(Fault) -> Unicode.Scalar {
    func unit(at start: Int) -> UInt16? {
      guard start + 4 <= bytes.count else { return nil }
      return UInt16(String(decoding: bytes[start..<(start + 4)], as: UTF8.self), radix: 16)
    }
    guard let high = unit(at: position + 1) else { throw fault("\\u needs four hex digits") }
    position += 4
    if let scalar = Unicode.Scalar(high) { return scalar }
    guard position + 2 < bytes.count, bytes[position + 1] == UInt8(ascii: "\\"),
      bytes[position + 2] == UInt8(ascii: "u"), let low = unit(at: position + 3), UTF16.isLeadSurrogate(high),
      UTF16.isTrailSurrogate(low)
    else { throw fault("an unpaired surrogate") }
    position += 6
    let value = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00)
    guard let scalar = Unicode.Scalar(value) else { throw fault("an unpaired surrogate") }
    return scalar
  }
}
