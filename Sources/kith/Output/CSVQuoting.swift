// SPDX-License-Identifier: Apache-2.0

/// Cells of CSV by RFC 4180, on their way out as bytes.
extension [UInt8] {
  /// Appends a cell, in quotes where it needs them.
  mutating func appendCSV(_ cell: String) {
    let quote = UInt8(ascii: "\"")
    var cell = cell
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
