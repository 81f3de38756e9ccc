// SPDX-License-Identifier: Apache-2.0

/// Text in CSV that import reads back unchanged, although a terminal may see it: unsafe characters are written
/// as `\u{1B}`.
package enum EscapedText {
  /// Escapes a text. A backslash that ``unescaped(_:)`` would take for an escape is escaped itself.
  ///
  /// - Parameter keepsUnsafe: whether only those backslashes are escaped.
  package static func escaped(_ text: String, keepsUnsafe: Bool = false) -> String {
    let text = protected(text)
    return keepsUnsafe ? text : TerminalText.rewritten(text) { escape(of: $0) }
  }

  /// The original of an escaped text.
  package static func unescaped(_ text: String) -> String {
    rewritten(text) { $0 }
  }

  private static func protected(_ text: String) -> String {
    rewritten(text) { _ in nil }
  }

  private static func escape(of scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  }

  /// Copies a text.
  ///
  /// - Parameter replace: the character in place of an escape; nil to keep the escape as text.
  private static func rewritten(_ text: String, _ replace: (Unicode.Scalar) -> Unicode.Scalar?) -> String {
    guard text.unicodeScalars.contains("\\") else { return text }
    var rewritten = String.UnicodeScalarView()
    var remaining = Substring(text).unicodeScalars
    while let scalar = remaining.popFirst() {
      guard scalar == "\\", let (escaped, length) = escape(in: remaining) else {
        rewritten.append(scalar)
        continue
      }
      if let original = replace(escaped) {
        rewritten.append(original)
        remaining = remaining.dropFirst(length)
      } else {
        rewritten.append(contentsOf: escape(of: "\\").unicodeScalars)
      }
    }
    return String(rewritten)
  }

  /// The character of an escape, and the length of the escape after its backslash; nil if there is none.
  private static func escape(in remaining: Substring.UnicodeScalarView) -> (Unicode.Scalar, Int)? {
    guard remaining.starts(with: "u{".unicodeScalars) else { return nil }
    let digits = remaining.dropFirst(2).prefix(7).prefix { $0.properties.isASCIIHexDigit }
    guard (1...6).contains(digits.count), remaining.dropFirst(2 + digits.count).first == "}",
      let scalar = UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init),
      scalar == "\\" || TerminalText.mayBeUnsafe(scalar)
    else { return nil }
    return (scalar, digits.count + 3)
  }
}
