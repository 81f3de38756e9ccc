// SPDX-License-Identifier: Apache-2.0

/// Parses a document of the data model strictly, in one pass, into nodes.
///
/// Accepts JSON by RFC 8259 with further limits: no byte order mark; no duplicate name in an object; at most
/// 128 nested arrays and objects; less than 512 MiB; and the limits of ``JSONBounds``. Numbers that are not
/// 64-bit integers get their own kind. `-0` is zero, and an integer may have decimals that are all zero, such
/// as `5.0`, but no exponent. The scanner does not recurse and takes 16 bytes for each value and each name.
struct JSONScanner {
  /// The document; escapes are decoded in place, behind the current position.
  let bytes: UnsafeMutableBufferPointer<UInt8>
  var position = 0
  var nodes: JSONNodes
  /// The innermost open array or object, and the number of open ones.
  var container = JSONNode.none
  private var depth = 0
  /// The position of the current element or member in its array or object.
  private(set) var element: UInt32 = 0
  /// Whether the name of a member is being read, not its value.
  private(set) var isAtName = false
  /// The duplicate name, if one was found at the end of an object.
  var repeatedName: Int?
  /// The bit set of the names read so far in the innermost open object.
  var marks: UInt64 = 0
  /// The bit sets of the containers around it; those of arrays are unused.
  private var outerMarks: [UInt64] = []
  private let bounds: JSONBounds
  /// The maximum number of elements of the innermost open array.
  private var mostElements = Int.max

  /// The maximum number of nested arrays and objects.
  static let mostNesting = 128
  /// Ensures that a position in an array fits in the 28 bits of a node's tag: an element takes two bytes.
  static let mostBytes = 1 << 29

  init(bytes: UnsafeMutableBufferPointer<UInt8>, bounds: JSONBounds = JSONBounds()) {
    self.bytes = bytes
    self.bounds = bounds
    // Enough for a typical response.
    nodes = JSONNodes(capacity: min(bytes.count / 12, bounds.nodes) + 8)
    outerMarks.reserveCapacity(Self.mostNesting)
  }

  /// Parses the whole document.
  mutating func scan() throws(JSONFault) {
    guard bytes.count < Self.mostBytes else { throw JSONFault(.tooLong, at: Self.mostBytes) }
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      throw JSONFault(.byteOrderMark, at: 0)
    }
    while true {
      if try scanValue(), try closeOrContinue() { break }
    }
    skipSpace()
    guard position == bytes.count else { throw JSONFault(.somethingFollows, at: position) }
  }

  @inline(__always)
  mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Scans a value, or opens an array or object that is not empty. Returns whether the value is complete.
  @inline(__always)
  private mutating func scanValue() throws(JSONFault) -> Bool {
    skipSpace()
    guard position < bytes.count else { throw ended }
    switch bytes[position] {
    case UInt8(ascii: "\""):
      let (start, length) = try scanString()
      append(.string, at: start, extent: length)
    case UInt8(ascii: "{"): return try open(.object, until: "}")
    case UInt8(ascii: "["): return try open(.array, until: "]")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let start = position
      let (kind, length) = try scanNumber()
      append(kind, at: start, extent: length)
    case UInt8(ascii: "t"): try scan(word: "true", .bool)
    case UInt8(ascii: "f"): try scan(word: "false", .bool)
    case UInt8(ascii: "n"): try scan(word: "null", .null)
    default: throw JSONFault(.expectedValue, at: position)
    }
    return true
  }

  @inline(__always)
  private mutating func append(_ kind: JSONNode.Kind, at offset: Int, extent: Int) {
    nodes.append(JSONNode(kind, at: offset, extent: extent, in: container, position: element))
  }

  private mutating func scan(word: StaticString, _ kind: JSONNode.Kind) throws(JSONFault) {
    let length = word.utf8CodeUnitCount
    guard position + length <= bytes.count,
      text(at: position, length).isSame(as: UTF8Bytes(start: word.utf8Start, count: length))
    else { throw JSONFault(.expectedValue, at: position) }
    append(kind, at: position, extent: length)
    position += length
  }

  /// Opens an array or object and scans the name of the first member. Returns whether it is empty.
  private mutating func open(_ kind: JSONNode.Kind, until end: Unicode.Scalar) throws(JSONFault) -> Bool {
    guard depth < Self.mostNesting else {
      throw JSONFault(.tooDeep, at: position)
    }
    append(kind, at: position, extent: nodes.count + 1)
    position += 1
    skipSpace()
    if position < bytes.count, bytes[position] == UInt8(ascii: end) {
      position += 1
      return true
    }
    container = UInt32(truncatingIfNeeded: nodes.count - 1)
    depth += 1
    element = 0
    outerMarks.append(marks)
    marks = 0
    boundElements(of: kind)
    if kind == .object { try scanName() }
    return false
  }

  /// Closes the containers that end after a value and moves to the next value. Returns whether the document
  /// is complete.
  @inline(__always)
  private mutating func closeOrContinue() throws(JSONFault) -> Bool {
    while container != JSONNode.none {
      let isObject = nodes[Int(container)].kind == .object
      skipSpace()
      guard position < bytes.count else { throw ended }
      switch bytes[position] {
      case UInt8(ascii: ","):
        position += 1
        element += 1
        if element >= mostElements || nodes.count >= bounds.nodes { throw tooMany }
        if isObject { try scanName() }
        return false
      case UInt8(ascii: "}") where isObject:
        position += 1
        if element >= Self.mostNamesCompared { try refuseRepeatedNames() }
      case UInt8(ascii: "]") where !isObject: position += 1
      default: throw JSONFault(isObject ? .expectedCommaOrBrace : .expectedCommaOrBracket, at: position)
      }
      close()
    }
    return true
  }

  private mutating func close() {
    let closed = Int(container)
    nodes[closed].extent = UInt32(truncatingIfNeeded: nodes.count)
    container = nodes[closed].parent
    element = UInt32(truncatingIfNeeded: nodes[closed].position)
    marks = outerMarks.removeLast()
    depth -= 1
    if container != JSONNode.none { boundElements(of: nodes[Int(container)].kind) }
  }

  /// The list of a response is the response itself or a member of it.
  @inline(__always)
  private mutating func boundElements(of kind: JSONNode.Kind) {
    mostElements = kind == .array && depth <= 2 ? bounds.elements : .max
  }

  private var tooMany: JSONFault {
    element >= mostElements
      ? JSONFault(.tooManyElements, at: position, bound: bounds.elements)
      : JSONFault(.tooManyNodes, at: position, bound: bounds.nodes)
  }

  /// Scans the name of a member and the colon after it.
  @inline(__always)
  private mutating func scanName() throws(JSONFault) {
    isAtName = true
    skipSpace()
    guard position < bytes.count else { throw ended }
    guard bytes[position] == UInt8(ascii: "\"") else { throw JSONFault(.expectedName, at: position) }
    let (start, length) = try scanString()
    nodes.append(JSONNode(name: text(at: start, length), at: start, in: container))
    isAtName = false
    try checkName()
    skipSpace()
    guard position < bytes.count else { throw ended }
    guard bytes[position] == UInt8(ascii: ":") else { throw JSONFault(.expectedColon, at: position) }
    position += 1
  }

  /// Returns the text of a string or name.
  @inline(__always)
  func text(at start: Int, _ length: Int) -> UTF8Bytes {
    UTF8Bytes(UnsafeMutableBufferPointer(rebasing: bytes[start..<start + length]))
  }

  var ended: JSONFault { JSONFault(.endsTooEarly, at: bytes.count) }
}
