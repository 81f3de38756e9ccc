// SPDX-License-Identifier: Apache-2.0

/// A language tag by BCP 47 (`ja`, `pt-BR`, `zh-Hant`).
///
/// A primary subtag of two or three lower-case letters (or `i`, or `x` for private use), then subtags of 1 to
/// 8 letters and digits, joined by hyphens; at most 128 bytes. No variant and no extension occurs twice. The
/// order of subtags and their registration are not checked.
/// Specification: <https://www.rfc-editor.org/rfc/rfc5646#section-2.1>.
public struct LanguageTag: SyntaxIdentifier, ScannedIdentifier {
  /// The tag as written.
  public let description: String

  static let subject = "language tag"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    try Self.check(bytes)
    description = String(decoding: bytes, as: UTF8.self)
  }

  private static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    let most = 128
    guard bytes.count <= most else { throw SyntaxFault("longer than 128 bytes", at: most) }
    let primary = bytes.prefix { $0 != UInt8(ascii: "-") }
    if primary.count == 1 {
      guard [UInt8(ascii: "i"), UInt8(ascii: "x"), UInt8(ascii: "X")].contains(bytes[0]) else {
        throw SyntaxFault("the primary subtag is a single letter other than i and x", at: 0)
      }
      guard bytes.count > 1 else { throw SyntaxFault("nothing after the first subtag", at: 1) }
    } else {
      if let odd = primary.firstIndex(where: { !$0.isLowercaseLetter }) {
        throw SyntaxFault("the primary subtag must be lower-case letters", at: odd)
      }
      guard 2...3 ~= primary.count else {
        throw SyntaxFault("the primary subtag is not two or three letters long", at: min(primary.count, 3))
      }
    }
    var order = SubtagOrder(first: primary)
    var start = primary.endIndex + 1
    while start <= bytes.count {
      let subtag = bytes[start...].prefix { $0 != UInt8(ascii: "-") }
      if let odd = subtag.firstIndex(where: { !$0.isAlphanumeric }) {
        throw SyntaxFault("only letters, digits and hyphens are allowed", at: odd)
      }
      guard !subtag.isEmpty else { throw SyntaxFault("a subtag is empty", at: start) }
      guard subtag.count <= 8 else { throw SyntaxFault("a subtag is longer than 8 bytes", at: start + 8) }
      try order.consume(subtag)
      start = subtag.endIndex + 1
    }
  }
}

/// The restrictions that the subtags seen so far put on the following ones.
private struct SubtagOrder {
  private enum Section {
    case variants, extensions, privateUse
  }

  private var section: Section
  private var variants: [[UInt8]] = []
  private var singletons: [UInt8] = []

  init(first primary: UTF8Bytes.SubSequence) {
    section = primary.count == 1 && primary.first != UInt8(ascii: "i") ? .privateUse : .variants
  }

  mutating func consume(_ subtag: UTF8Bytes.SubSequence) throws(SyntaxFault) {
    guard section != .privateUse, let first = subtag.first else { return }
    if subtag.count == 1 {
      let singleton = first.lowercased
      if singleton == UInt8(ascii: "x") {
        section = .privateUse
      } else if singletons.contains(singleton) {
        throw SyntaxFault("an extension occurs twice", at: subtag.startIndex)
      } else {
        section = .extensions
        singletons.append(singleton)
      }
    } else if section == .variants, subtag.count >= 5 || subtag.count == 4 && first.isDigit {
      let variant = subtag.map(\.lowercased)
      if variants.contains(variant) {
        throw SyntaxFault("a variant occurs twice", at: subtag.startIndex)
      }
      variants.append(variant)
    }
  }
}
