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

  /// The name of the control character, such as `U+001B`; nil if there is none.
  package var controlName: String? {
    control.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }
  }

  /// Returns a text as it may be published.
  ///
  /// - Parameter field: the field of the record, for the error.
  /// - Throws: `ValidationError` for a control character.
  package static func published(_ text: String, as field: String) throws(ValidationError) -> String {
    let plain = PlainText(text)
    guard let name = plain.controlName else { return plain.text }
    throw ValidationError(path: field, reason: fault(name))
  }

  /// What is wrong with a text that has a control character, as a phrase after the name of the text.
  package static func fault(_ name: String) -> String {
    "has the control character \(name), which apps do not show; remove it"
  }
}
