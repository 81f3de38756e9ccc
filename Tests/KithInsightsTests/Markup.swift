// SPDX-License-Identifier: Apache-2.0

/// Checks that text is well-formed XML, only for what images and pages need: tags, attributes, entities and
/// characters. HTML elements without an end tag are configurable.
struct Markup {
  struct Fault: Error, Equatable {
    let what: String
    init(_ what: String) { self.what = what }
  }

  private let bytes: [UInt8]
  private let voidElements: Set<String>
  private var position = 0
  private var open: [String] = []
  /// Number of occurrences of each element.
  private(set) var counts: [String: Int] = [:]
  /// The values of all attributes, by name.
  private(set) var attributes: [String: [String]] = [:]

  init(_ text: String, voidElements: Set<String> = []) throws {
    for scalar in text.unicodeScalars where !Self.isAllowed(scalar) {
      throw Fault("character \(scalar.value)")
    }
    bytes = Array(text.utf8)
    self.voidElements = voidElements
    while position < bytes.count { try step() }
    guard open.isEmpty else { throw Fault("open: \(open)") }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x20...0x7E, 0xA0...0x200D, 0x2010...0x2027, 0x202F...0x2065, 0x2070...0xD7FF, 0xE000...0xFDCF,
      0xFDF0...0xFFFD, 0x1_0000...0x1_FFFD, 0x2_0000...0x2_FFFD:
      true
    default: false
    }
  }

  private mutating func step() throws {
    switch bytes[position] {
    case UInt8(ascii: "<"): try tag()
    case UInt8(ascii: "&"): try entity()
    // In a style, `>` is only a child selector.
    case UInt8(ascii: ">") where open.last != "style": throw Fault("a bare >")
    default: position += 1
    }
  }

  private mutating func entity() throws {
    let text = String(decoding: bytes[position...].prefix(8), as: UTF8.self)
    let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"]
    guard let found = known.first(where: text.hasPrefix) else { throw Fault("entity \(text)") }
    position += found.utf8.count
  }

  private mutating func tag() throws {
    var end = position
    var quote: UInt8?
    while end < bytes.count, quote != nil || bytes[end] != UInt8(ascii: ">") {
      if bytes[end] == UInt8(ascii: "\"") { quote = quote == nil ? bytes[end] : nil }
      end += 1
    }
    guard end < bytes.count else { throw Fault("a tag without end") }
    let text = String(decoding: bytes[position + 1..<end], as: UTF8.self)
    position = end + 1
    if text.hasPrefix("!doctype") { return }
    if text.hasPrefix("/") {
      guard open.popLast() == String(text.dropFirst()) else { throw Fault("end of \(text)") }
      return
    }
    let name = String(text.prefix { $0.isLetter || $0.isNumber })
    guard !name.isEmpty else { throw Fault("tag \(text)") }
    counts[name, default: 0] += 1
    try read(attributes: String(text.dropFirst(name.count)), of: name)
    if !text.hasSuffix("/"), !voidElements.contains(name) { open.append(name) }
  }

  private mutating func read(attributes text: String, of element: String) throws {
    var rest = Substring(text.hasSuffix("/") ? String(text.dropLast()) : text)
    var seen = Set<String>()
    while let first = rest.first {
      guard first == " " else { throw Fault("attributes of \(element): \(rest)") }
      rest = rest.dropFirst()
      let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" })
      rest = rest.dropFirst(name.count)
      guard !name.isEmpty, seen.insert(name).inserted, rest.hasPrefix("=\"") else {
        throw Fault("attribute \(name) of \(element)")
      }
      let value = rest.dropFirst(2).prefix { $0 != "\"" }
      guard !value.contains("<") else { throw Fault("a bare < in \(name)") }
      attributes[name, default: []].append(String(value))
      rest = rest.dropFirst(3 + value.count)
    }
  }
}
