// SPDX-License-Identifier: Apache-2.0

/// A URI of any scheme (`https://example.com/`, `at://…`, `did:…`), as in the lexicon format `uri`.
///
/// A scheme of up to 80 letters, digits and `.` `+` `-`, starting with a letter; a colon; then at least one
/// character, no white space or control characters; at most 8,192 bytes. Scheme-specific rules are not
/// checked. Compared byte by byte.
/// Specification: <https://atproto.com/specs/lexicon#uri>.
public struct URI: SyntaxIdentifier, ScannedIdentifier {
  /// The URI as written.
  public let description: String

  static let subject = "URI"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    try Self.check(bytes)
    description = String(decoding: bytes, as: UTF8.self)
  }

  /// The scheme before the first colon, in lower case: `https`.
  public var scheme: String { description.prefix { $0 != ":" }.lowercased() }

  private static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    let most = 8_192
    guard bytes.count <= most else { throw SyntaxFault("longer than 8192 bytes", at: most) }
    guard let first = bytes.first, first.isLetter else {
      throw SyntaxFault("it does not start with a letter", at: 0)
    }
    var colon = 1
    scheme: while colon < bytes.count {
      switch bytes[colon] {
      case UInt8(ascii: ":"): break scheme
      case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"): break
      case let byte where byte.isAlphanumeric: break
      default: throw SyntaxFault("only letters, digits and . + - are allowed in a scheme", at: colon)
      }
      colon += 1
      if colon > 80 { throw SyntaxFault("the scheme is longer than 80 bytes", at: 80) }
    }
    guard colon < bytes.count else { throw SyntaxFault("no colon after the scheme", at: colon) }
    guard colon + 1 < bytes.count else { throw SyntaxFault("nothing after the scheme", at: colon + 1) }
    var offset = colon + 1
    while offset + 8 <= bytes.count, !bytes.word(at: offset).hasSpaceOrControl { offset += 8 }
    if let odd = bytes[offset...].firstIndex(where: { $0 <= 0x20 || $0 == 0x7F }) {
      throw SyntaxFault("white space or a control character", at: odd)
    }
  }
}
