// SPDX-License-Identifier: Apache-2.0

/// The 24 base32 digits of a `did:plc`, as 120 bits in 15 bytes.
///
/// The sixteenth byte is left to the tag of the enum that holds them. The digits are valued in the order
/// of their characters, so that the bits sort as the text does.
struct PLCDigits: Hashable, Comparable, Sendable {
  /// Bits 119 to 56; below them 32, 16 and 8 bits.
  private let first: UInt64
  private let second: UInt32
  private let third: UInt16
  private let fourth: UInt8

  /// Bytes of the whole DID.
  private static let length = 32
  private static let prefix: StaticString = "did:plc:"
  /// The prefix, its first byte lowest.
  private static let prefixWord: UInt64 = 0x3A63_6C70_3A64_6964

  /// Reads a whole DID, or nil where it is not `did:plc:` with 24 digits.
  init?(did bytes: UTF8Bytes) {
    guard bytes.count == Self.length, bytes.word(at: 0) == Self.prefixWord,
      let high = SortableBase32.decode(bytes[8..<20]), let low = SortableBase32.decode(bytes[20..<32])
    else { return nil }
    first = high << 4 | low >> 56
    second = UInt32(truncatingIfNeeded: low >> 24)
    third = UInt16(truncatingIfNeeded: low >> 8)
    fourth = UInt8(truncatingIfNeeded: low)
  }

  /// The whole DID as text.
  var did: String {
    String(unsafeUninitializedCapacity: Self.length) { buffer in
      spell(into: buffer)
      return Self.length
    }
  }

  /// Hands over the whole DID as text.
  func withText(_ body: (UTF8Bytes) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.length) { buffer in
      spell(into: buffer)
      body(UTF8Bytes(buffer))
    }
  }

  private func spell(into buffer: UnsafeMutableBufferPointer<UInt8>) {
    _ = buffer.initialize(from: UTF8Bytes(start: Self.prefix.utf8Start, count: 8))
    SortableBase32.encode(first >> 4, into: buffer[8..<20])
    SortableBase32.encode(first << 56 | rest, into: buffer[20..<32])
  }

  private var rest: UInt64 { UInt64(second) << 24 | UInt64(third) << 8 | UInt64(fourth) }

  static func == (lhs: PLCDigits, rhs: PLCDigits) -> Bool {
    lhs.first == rhs.first && lhs.rest == rhs.rest
  }

  static func < (lhs: PLCDigits, rhs: PLCDigits) -> Bool {
    (lhs.first, lhs.rest) < (rhs.first, rhs.rest)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(rest)
  }
}
