// SPDX-License-Identifier: Apache-2.0

/// Detects and escapes texts that spreadsheets would run as formulas, quoted or not:
/// <https://owasp.org/www-community/attacks/CSV_Injection>.
///
/// A formula may begin a cell, or follow what separates cells where the comma does not: some spreadsheets split
/// at semicolons, tabs or bars, and all at line breaks. Blanks and quotes before it do not matter.
package enum SpreadsheetFormula {
  /// Marks a text as text.
  private static let apostrophe: Unicode.Scalar = "'"

  /// Some spreadsheets also accept the full-width forms of East Asian keyboards.
  private static let marks: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  private static let separators: Set<Unicode.Scalar> = [";", "|", "\t", "\r", "\n"]

  private typealias Scalars = Substring.UnicodeScalarView

  /// Escapes a cell if needed, with an apostrophe before each formula. The mapping is reversible.
  package static func defused(_ cell: String) -> String {
    guard cell.unicodeScalars.contains(where: marks.contains) else { return cell }
    return rewritten(cell) { remaining, text in if hides(in: remaining) { text.append(apostrophe) } }
  }

  /// The original text of an escaped cell.
  package static func undefused(_ cell: String) -> String {
    guard cell.unicodeScalars.contains(apostrophe) else { return cell }
    return rewritten(cell) { remaining, _ in
      if remaining.first == apostrophe, hides(in: remaining.dropFirst()) { remaining = remaining.dropFirst() }
    }
  }

  /// Copies a cell.
  ///
  /// - Parameter start: called with the rest wherever a spreadsheet could begin a cell.
  private static func rewritten(
    _ cell: String, start: (inout Scalars, inout String.UnicodeScalarView) -> Void
  ) -> String {
    var text = String.UnicodeScalarView()
    var remaining = Substring(cell).unicodeScalars
    start(&remaining, &text)
    while let scalar = remaining.popFirst() {
      text.append(scalar)
      if separators.contains(scalar) { start(&remaining, &text) }
    }
    return String(text)
  }

  /// Whether a text would run as a formula without the blanks and quotes before it.
  private static func hides(in text: Scalars) -> Bool {
    let start = text.first { marks.contains($0) || !isSkipped($0) }
    return start.map(marks.contains) ?? false
  }

  private static func isSkipped(_ scalar: Unicode.Scalar) -> Bool {
    scalar == apostrophe || scalar == "\"" || scalar.properties.isWhitespace
  }
}
