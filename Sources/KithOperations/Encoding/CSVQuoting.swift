// SPDX-License-Identifier: Apache-2.0

/// Writes CSV cells (RFC 4180) as bytes.
extension [UInt8] {
  /// What happens to characters that must not reach a terminal.
  package enum CSVText {
    /// They are replaced even in files, whose cells may end up on a terminal.
    case cleaned
    /// They are escaped, so that import reads the text back unchanged.
    case escaped
    /// They are kept, for import.
    case verbatim
  }

  /// Appends a text as a cell, with quotes if needed. Texts that a spreadsheet would run as formulas get
  /// apostrophes.
  ///
  /// - Parameter raw: whether to add no apostrophes.
  package mutating func appendCSV(_ text: String, raw: Bool, as form: CSVText = .cleaned) {
    let quote = UInt8(ascii: "\"")
    var cell =
      switch form {
      case .cleaned: TerminalText.clean(text)
      case .escaped: EscapedText.escaped(text)
      case .verbatim: EscapedText.escaped(text, keepsUnsafe: true)
      }
    if !raw { cell = SpreadsheetFormula.defused(cell) }
    cell.withUTF8 { bytes in
      guard bytes.contains(where: \.needsQuotesInCSV) else { return append(contentsOf: bytes) }
      append(quote)
      for byte in bytes {
        if byte == quote { append(quote) }
        append(byte)
      }
      append(quote)
    }
  }
}

extension UInt8 {
  fileprivate var needsQuotesInCSV: Bool {
    switch self {
    case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }
}
