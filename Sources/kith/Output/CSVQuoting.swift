// SPDX-License-Identifier: Apache-2.0

/// Writes CSV cells (RFC 4180) as bytes.
extension [UInt8] {
  /// Appends a text as a cell, with quotes if needed.
  ///
  /// Control, bidirectional and line-breaking characters are replaced even in files, whose cells may end up
  /// on a terminal. Cells that a spreadsheet would run as formulas get a leading apostrophe.
  /// - Parameters:
  ///   - raw: whether to add no apostrophes.
  ///   - verbatim: whether to replace no characters.
  mutating func appendCSV(_ text: String, raw: Bool, verbatim: Bool = false) {
    let quote = UInt8(ascii: "\"")
    var cell = raw ? text : SpreadsheetFormula.defused(text)
    if !verbatim { cell = TerminalText.clean(cell) }
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
