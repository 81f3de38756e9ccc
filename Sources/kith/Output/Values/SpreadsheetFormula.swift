// SPDX-License-Identifier: Apache-2.0

/// Detects and escapes cells that spreadsheets would run as formulas, quoted or not:
/// <https://owasp.org/www-community/attacks/CSV_Injection>.
enum SpreadsheetFormula {
  /// Marks a cell as text.
  private static let apostrophe = "'"

  /// Some spreadsheets also accept the full-width forms of East Asian keyboards.
  private static let marks: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  /// Whether a cell would run as a formula.
  private static func begins(_ cell: some StringProtocol) -> Bool {
    cell.unicodeScalars.first.map(marks.contains) ?? false
  }

  /// Whether a cell would run as a formula without its leading apostrophes.
  private static func hides(in cell: some StringProtocol) -> Bool {
    begins(cell.drop { $0 == "'" })
  }

  /// Escapes a cell if needed. The mapping is reversible.
  static func defused(_ cell: String) -> String { hides(in: cell) ? apostrophe + cell : cell }

  /// The original text of an escaped cell.
  static func undefused(_ cell: String) -> String {
    cell.hasPrefix(apostrophe) && hides(in: cell.dropFirst()) ? String(cell.dropFirst()) : cell
  }
}
