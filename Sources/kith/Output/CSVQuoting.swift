// SPDX-License-Identifier: Apache-2.0

/// Cells of CSV by RFC 4180, on their way out as bytes.
extension [UInt8] {
  /// Appends a text as a cell, in quotes where it needs them.
  ///
  /// Control, bidirectional and line-breaking characters are replaced, wherever the output goes: what `cut` takes
  /// from a file ends on a terminal, too. A cell that a spreadsheet would run gets an apostrophe before it.
  /// - Parameters:
  ///   - raw: no apostrophe is put anywhere.
  ///   - verbatim: no character is replaced.
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
