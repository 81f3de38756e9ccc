// SPDX-License-Identifier: Apache-2.0

/// What spreadsheets take for a formula, be it in quotes or not:
/// <https://owasp.org/www-community/attacks/CSV_Injection>.
enum SpreadsheetFormula {
  /// Stands before a cell that is text, whatever it begins with.
  private static let apostrophe = "'"

  /// Some spreadsheets also take the wide forms of East Asian keyboards.
  private static let marks: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  /// Whether a cell would be run.
  private static func begins(_ cell: some StringProtocol) -> Bool {
    cell.unicodeScalars.first.map(marks.contains) ?? false
  }

  /// Whether a cell would be run but for apostrophes before it.
  private static func hides(in cell: some StringProtocol) -> Bool {
    begins(cell.drop { $0 == "'" })
  }

  /// A cell that is text, whatever it begins with. Every text gives another cell.
  static func defused(_ cell: String) -> String { hides(in: cell) ? apostrophe + cell : cell }

  /// The text that was defused.
  static func undefused(_ cell: String) -> String {
    cell.hasPrefix(apostrophe) && hides(in: cell.dropFirst()) ? String(cell.dropFirst()) : cell
  }
}
