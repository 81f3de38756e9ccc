// SPDX-License-Identifier: Apache-2.0

/// A set of ASCII characters, stored as 128 bits.
package struct ASCIISet: Sendable {
  private let low: UInt64
  private let high: UInt64

  package static let alphanumerics = ASCIISet(low: 0x03FF_0000_0000_0000, high: 0x07FF_FFFE_07FF_FFFE)

  private init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// Returns this set with more characters.
  package func union(_ characters: StaticString) -> ASCIISet {
    var (low, high) = (low, high)
    characters.withUTF8Buffer { bytes in
      for byte in bytes where byte < 128 {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
      }
    }
    return ASCIISet(low: low, high: high)
  }

  /// Returns the number of bytes before the first one that is not in the set.
  package func prefixCount(of text: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    while count < text.count, contains(text[count]) { count += 1 }
    return count
  }

  @inline(__always)
  package func contains(_ byte: UInt8) -> Bool {
    byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
  }
}

extension UInt64 {
  /// Whether one of its eight bytes is ASCII white space or a control character. May be true for a byte just
  /// above one that is, so a hit needs an exact check.
  @inlinable @inline(__always)
  package var hasSpaceOrControl: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let deletes = self ^ ones &* 0x7F
    return ((self &- ones &* 0x21) & ~self | (deletes &- ones) & ~deletes) & ones &* 0x80 != 0
  }
}
