// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithCore

/// Compares decoding eight digits at once with one at a time.
@Suite struct SortableBase32Tests {
  private static let zeros = UInt64(UInt8(ascii: "2")) &* 0x0101_0101_0101_0101

  @Test(arguments: 0..<8) func readsAndWritesEachDigitAtEachPlace(place: Int) throws {
    for value: UInt64 in 0..<32 {
      let bits = value << (35 - 5 * UInt64(place))
      let digits = Self.zeros.with(SortableBase32.digit(value), at: place)
      #expect(SortableBase32.encode(bits) == digits)
      #expect(SortableBase32.decode(digits) == bits)
    }
  }

  @Test(arguments: 0..<8) func rejectsEveryByteThatIsNotADigit(place: Int) throws {
    for byte in UInt8.min...UInt8.max {
      for others in [Self.zeros, .max, 0, UInt64(UInt8(ascii: "z")) &* 0x0101_0101_0101_0101] {
        let isDigit = SortableBase32.value(of: byte) != nil && others != .max && others != 0
        #expect((SortableBase32.decode(others.with(byte, at: place)) != nil) == isDigit)
      }
    }
  }

  @Test func keepsFortyBits() throws {
    var random = SeededGenerator(seed: 32)
    for _ in 0..<1_000 {
      let bits = random.next() >> 24
      #expect(SortableBase32.decode(SortableBase32.encode(bits)) == bits)
    }
  }
}

extension UInt64 {
  /// Returns the word with another byte at an index, counted from the lowest.
  fileprivate func with(_ byte: UInt8, at place: Int) -> UInt64 {
    let shift = UInt64(8 * place)
    return self & ~(0xFF << shift) | UInt64(byte) << shift
  }
}
