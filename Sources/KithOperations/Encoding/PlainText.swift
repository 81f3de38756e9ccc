// SPDX-License-Identifier: Apache-2.0

/// A text as people mean it, from a file or a program that writes it in its own way.
package struct PlainText: Sendable, Hashable {
  /// The text without a byte order mark at its beginning, with line feeds at the ends of lines.
  package let text: String
  /// The first control character in it, other than tabs and line feeds; nil if there is none.
  package let control: Unicode.Scalar?

  package init(_ text: String) {
    let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    self.text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    control = self.text.unicodeScalars.first {
      $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
    }
  }
}
