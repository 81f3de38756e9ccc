// SPDX-License-Identifier: Apache-2.0

/// Base32 with the digits `234567abcdefghijklmnopqrstuvwxyz`: texts of equal length sort like their values.
enum SortableBase32 {
  /// Returns the value of a digit, 0 to 31; nil for any other byte.
  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "2")...UInt8(ascii: "7"): digit &- UInt8(ascii: "2")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit &- UInt8(ascii: "a") &+ 6
    default: nil
    }
  }

  /// Returns the digit for the five lowest bits.
  static func digit(_ value: UInt64) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value & 31)
    return value < 6 ? UInt8(ascii: "2") &+ value : UInt8(ascii: "a") &+ (value &- 6)
  }

  /// Decodes eight digits, the first of them lowest in memory, to 40 bits; nil if a byte is not a digit.
  ///
  /// All digits at once: each is a byte of a word, and the bits of all bytes are then moved together.
  static func decode(_ digits: UInt64) -> UInt64? {
    let letters = digits & (ones &* 0x40)
    // Subtracts 0x5B from a letter and 0x32 from a figure.
    var value = digits.byteSwapped &- ones &* 0x32 &- (letters.byteSwapped >> 6) &* 0x29
    value &= ones &* 0x1F
    value = (value & 0x1F00_1F00_1F00_1F00) >> 3 | value & 0x001F_001F_001F_001F
    value = (value & 0x03FF_0000_03FF_0000) >> 6 | value & 0x0000_03FF_0000_03FF
    value = (value & 0x000F_FFFF_0000_0000) >> 12 | value & 0x0000_0000_000F_FFFF
    // A byte that is not a digit does not survive the round trip.
    return encode(value) == digits ? value : nil
  }

  /// Returns the digits of the lowest 40 bits, the first of them lowest in memory.
  static func encode(_ value: UInt64) -> UInt64 {
    var digits = (value & 0x00FF_FFF0_0000) << 12 | value & 0x000F_FFFF
    digits = (digits & 0x000F_FC00_000F_FC00) << 6 | digits & 0x0000_03FF_0000_03FF
    digits = (digits & 0x03E0_03E0_03E0_03E0) << 3 | digits & 0x001F_001F_001F_001F
    // Values from 6 on carry into the high bit and are letters.
    let letters = (digits &+ ones &* 0x7A) >> 7 & ones
    return (digits &+ ones &* 0x32 &+ letters &* 0x29).byteSwapped
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101

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
