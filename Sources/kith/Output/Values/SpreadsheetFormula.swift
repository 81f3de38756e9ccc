// SPDX-License-Identifier: Apache-2.0

/// What spreadsheets take for a formula, be it in quotes or not:
/// <https://owasp.org/www-community/attacks/CSV_Injection>.
enum SpreadsheetFormula {
  /// Stands before a cell that is text, whatever it begins with.
  static let apostrophe = "'"

  /// Some spreadsheets also take the wide forms of East Asian keyboards.
  private static let marks: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]

  /// Whether a cell would be run.
  static func begins(_ cell: some StringProtocol) -> Bool {
    cell.unicodeScalars.first.map(marks.contains) ?? false
  }

  /// A cell without the apostrophe that keeps it from being run.
  static func undefused(_ cell: String) -> String {
    cell.hasPrefix(apostrophe) && begins(cell.dropFirst()) ? String(cell.dropFirst()) : cell
  }
}
