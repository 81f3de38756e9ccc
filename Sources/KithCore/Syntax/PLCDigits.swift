// SPDX-License-Identifier: Apache-2.0

/// The 24 base32 digits of a `did:plc`, as 120 bits in 15 bytes.
///
/// The sixteenth byte is left for the tag of the enum that stores them. The digits have values in the order
/// of their characters, so the bits sort like the text.
struct PLCDigits: Hashable, Comparable, Sendable {
  /// Bits 119 to 56; the others hold the lower 32, 16 and 8 bits.
  private let first: UInt64
  private let second: UInt32
  private let third: UInt16
  private let fourth: UInt8

  /// The length of the whole DID in bytes.
  private static let length = 32
  /// `did:plc:` as a word, its first byte lowest.
  private static let prefixWord: UInt64 = 0x3A63_6C70_3A64_6964

  /// Parses a whole DID; nil if it is not `did:plc:` with 24 digits.
  init?(did bytes: UTF8Bytes) {
    guard bytes.count == Self.length, bytes.word(at: 0) == Self.prefixWord,
      let high = SortableBase32.decode(bytes.word(at: 8)),
      let middle = SortableBase32.decode(bytes.word(at: 16)),
      let low = SortableBase32.decode(bytes.word(at: 24))
    else { return nil }
    first = high << 24 | middle >> 16
    let lowBits = middle << 40 | low
    second = UInt32(truncatingIfNeeded: lowBits >> 24)
    third = UInt16(truncatingIfNeeded: lowBits >> 8)
    fourth = UInt8(truncatingIfNeeded: lowBits)
  }

  /// The whole DID as text.
  var did: String {
    String(unsafeUninitializedCapacity: Self.length) { buffer in
      spell(into: buffer)
      return Self.length
    }
  }

  /// Calls the closure with the whole DID as text.
  func withText(_ body: (UTF8Bytes) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.length) { buffer in
      spell(into: buffer)
      body(UTF8Bytes(buffer))
    }
  }

  /// The bits, those of the first digit highest.
  var bytes: [UInt8] {
    withUnsafeBytes(of: (first.bigEndian, lowBits.bigEndian)) { Array($0[0..<8]) + $0[9..<16] }
  }

  /// Restores a value from ``bytes``.
  init(bytes: some Sequence<UInt8>) {
    var (high, low): (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
    }
    first = high
    second = UInt32(truncatingIfNeeded: low >> 24)
    third = UInt16(truncatingIfNeeded: low >> 8)
    fourth = UInt8(truncatingIfNeeded: low)
  }

  private func spell(into buffer: UnsafeMutableBufferPointer<UInt8>) {
    let middle = first << 16 | lowBits >> 40
    let digits = (
      SortableBase32.encode(first >> 24), SortableBase32.encode(middle), SortableBase32.encode(lowBits)
    )
    let words = (
      Self.prefixWord.littleEndian, digits.0.littleEndian, digits.1.littleEndian, digits.2.littleEndian
    )
    withUnsafeBytes(of: words) { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
  }

  private var lowBits: UInt64 { UInt64(second) << 24 | UInt64(third) << 8 | UInt64(fourth) }

  static func < (lhs: PLCDigits, rhs: PLCDigits) -> Bool {
    (lhs.first, lhs.lowBits) < (rhs.first, rhs.lowBits)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(lowBits)
  }
}
