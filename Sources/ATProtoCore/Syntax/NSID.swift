// SPDX-License-Identifier: Apache-2.0

/// A namespaced identifier: the name of a lexicon, a method or a collection (`app.bsky.graph.follow`).
///
/// At least three segments, 317 bytes in all. The authority's segments are domain labels of 1 to 63
/// letters, digits and inner hyphens, the first not starting with a digit; the name is 1 to 63 letters
/// and digits and starts with a letter. Compared byte by byte.
/// Specification: <https://atproto.com/specs/nsid>.
public struct NSID: SyntaxIdentifier {
  /// The identifier as written.
  public let description: String

  public init(parsing text: some StringProtocol) throws(SyntaxError) {
    let bytes = text.utf8
    func fault(_ reason: String, at offset: Int) -> SyntaxError {
      SyntaxError("NSID", reason, at: offset, in: text)
    }
    guard bytes.count <= 317 else { throw fault("longer than 317 bytes", at: 317) }
    var segments = 0
    var start = 0
    var offset = 0
    var previous: UInt8 = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "."):
        if offset == start { throw fault("a segment is empty", at: offset) }
        if previous == UInt8(ascii: "-") { throw fault("a segment ends with a hyphen", at: offset - 1) }
        segments += 1
        start = offset + 1
      case UInt8(ascii: "-"):
        if offset == start { throw fault("a segment starts with a hyphen", at: offset) }
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if offset == 0 { throw fault("it starts with a digit", at: 0) }
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
      default: throw fault("only letters, digits, hyphens and dots may occur", at: offset)
      }
      if offset - start >= 63 { throw fault("a segment is longer than 63 bytes", at: offset) }
      previous = byte
      offset += 1
    }
    if offset == start { throw fault("a segment is empty", at: offset) }
    guard segments >= 2 else { throw fault("fewer than three segments", at: offset) }
    for (position, byte) in bytes.dropFirst(start).enumerated() {
      if byte == UInt8(ascii: "-") { throw fault("the name has a hyphen", at: start + position) }
      if position == 0, byte <= UInt8(ascii: "9") { throw fault("the name starts with a digit", at: start) }
    }
    description = String(text)
  }

  /// For names that generated code spells out of a lexicon that was validated when it was generated.
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

  /// All segments but the last, as they stand: `app.bsky.graph`.
  public var authority: Substring {
    description[..<(description.lastIndex(of: ".") ?? description.endIndex)]
  }
}
