// SPDX-License-Identifier: Apache-2.0

/// A namespaced identifier: the name of a lexicon, a method or a collection (`app.bsky.graph.follow`).
///
/// At least three segments, at most 317 bytes. The authority's segments are domain labels of 1 to 63 letters,
/// digits and inner hyphens, the first not starting with a digit; the name is 1 to 63 letters and digits and
/// starts with a letter. Compared byte by byte.
/// Specification: <https://atproto.com/specs/nsid>.
public struct NSID: SyntaxIdentifier, ScannedIdentifier {
  /// The identifier as written.
  public let description: String

  static let subject = "NSID"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    try Self.check(bytes)
    description = String(decoding: bytes, as: UTF8.self)
  }

  /// Creates a name from generated code; lexgen has validated it.
  @inlinable
  public init(generated text: StaticString) {
    self.init(unchecked: text.description)
  }

  @usableFromInline
  init(unchecked text: String) { description = text }

  /// The last segment: `follow`.
  public var name: Substring {
    description[
      description.lastIndex(of: ".").map(description.index(after:)).map { $0... } ?? description.startIndex...
    ]
  }

  /// All segments but the last: `app.bsky.graph`.
  public var authority: Substring {
    description[..<(description.lastIndex(of: ".") ?? description.endIndex)]
  }

  static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    let most = 317
    guard bytes.count <= most else { throw SyntaxFault("longer than 317 bytes", at: most) }
    var dots = 0
    var start = 0
    for offset in 0..<bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "."):
        if offset == start { throw SyntaxFault("a segment is empty", at: offset) }
        if bytes[offset - 1] == UInt8(ascii: "-") {
          throw SyntaxFault("a segment ends with a hyphen", at: offset - 1)
        }
        dots += 1
        start = offset + 1
      case UInt8(ascii: "-"):
        if offset == start { throw SyntaxFault("a segment starts with a hyphen", at: offset) }
      case let byte where byte.isDigit:
        if offset == 0 { throw SyntaxFault("it starts with a digit", at: 0) }
      case let byte where byte.isLetter: break
      default: throw SyntaxFault("only letters, digits, hyphens and dots are allowed", at: offset)
      }
      if offset - start >= 63 { throw SyntaxFault("a segment is longer than 63 bytes", at: offset) }
    }
    if start == bytes.count { throw SyntaxFault("a segment is empty", at: start) }
    guard dots >= 2 else { throw SyntaxFault("fewer than three segments", at: bytes.count) }
    if bytes[start].isDigit { throw SyntaxFault("the name starts with a digit", at: start) }
    if let hyphen = bytes[start...].firstIndex(of: UInt8(ascii: "-")) {
      throw SyntaxFault("the name has a hyphen", at: hyphen)
    }
  }
}
