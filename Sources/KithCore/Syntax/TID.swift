// SPDX-License-Identifier: Apache-2.0

/// A timestamp identifier: microseconds since 1970 and a clock id of ten bits (`3jzfcijpj2z2a`).
///
/// 13 digits of the sortable base32 alphabet, `[2-7a-j][2-7a-z]{12}`; sorts like its text. The writer claims
/// the time (Q15), and some servers use it as a counter, so it cannot be trusted.
/// Specification: <https://atproto.com/specs/tid>.
public struct TID: SyntaxIdentifier, ScannedIdentifier {
  private let value: UInt64

  /// The digits as a number, a compact form for storage.
  package var bits: UInt64 { value }

  private static let length = 13
  /// The last microsecond that fits in the 53 bits of the specification.
  static let latest: Int64 = 1 << 53 - 1

  static let subject = "TID"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    var value: UInt64 = 0
    for (offset, byte) in bytes.prefix(Self.length).enumerated() {
      guard let digit = SortableBase32.value(of: byte) else {
        throw SyntaxFault("only the digits 2 to 7 and a to z are allowed", at: offset)
      }
      guard offset > 0 || digit < 16 else { throw SyntaxFault("the first digit is above j", at: 0) }
      value = value << 5 | UInt64(digit)
    }
    guard bytes.count == Self.length else {
      throw SyntaxFault("it is not 13 digits long", at: Swift.min(bytes.count, Self.length))
    }
    self.value = value
  }

  /// Creates an identifier; only the lowest ten bits of the clock id are used.
  ///
  /// Times before 1970 or beyond 53 bits (the year 2255) are clamped.
  public init(at instant: Instant, clockID: UInt16) {
    let time = Swift.min(Swift.max(instant.microsecondsSinceEpoch, 0), Self.latest)
    value = UInt64(time) << 10 | UInt64(clockID & 0x3FF)
  }

  /// Restores a value from ``bits``.
  package init(bits: UInt64) { value = bits }

  /// The claimed time.
  public var instant: Instant { Instant(microsecondsSinceEpoch: Int64(value >> 10)) }

  /// The ten bits that distinguish clocks that run at the same time.
  public var clockID: UInt16 { UInt16(value & 0x3FF) }

  public var description: String {
    String(unsafeUninitializedCapacity: Self.length) { buffer in
      SortableBase32.encode(value, into: buffer[0..<Self.length])
      return Self.length
    }
  }
}

extension TID: Comparable {
  /// Orders by time, then by clock id, which is the order of the texts.
  public static func < (lhs: TID, rhs: TID) -> Bool { lhs.value < rhs.value }
}
