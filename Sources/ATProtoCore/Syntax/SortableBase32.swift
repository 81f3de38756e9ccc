// SPDX-License-Identifier: Apache-2.0

/// Base32 with the digits `234567abcdefghijklmnopqrstuvwxyz`: texts of equal length sort as their values.
enum SortableBase32 {
  /// The value of a digit, 0 to 31, or nil for any other byte.
  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "2")...UInt8(ascii: "7"): digit &- UInt8(ascii: "2")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit &- UInt8(ascii: "a") &+ 6
    default: nil
    }
  }

  /// The digit of the five lowest bits.
  static func digit(_ value: UInt64) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value & 31)
    return value < 6 ? UInt8(ascii: "2") &+ value : UInt8(ascii: "a") &+ (value &- 6)
  }

  /// Reads up to twelve digits, or nil where a byte is none.
  static func decode(_ digits: some Collection<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = Self.value(of: byte) else { return nil }
      value = value << 5 | UInt64(digit)
    }
    return value
  }

  /// Writes the lowest `buffer.count` × 5 bits, highest digit first.
  static func encode(_ value: UInt64, into buffer: UnsafeMutableBufferPointer<UInt8>.SubSequence) {
    var value = value
    var index = buffer.endIndex
    while index > buffer.startIndex {
      index -= 1
      buffer.base.initializeElement(at: index, to: digit(value))
      value >>= 5
    }
  }
}
