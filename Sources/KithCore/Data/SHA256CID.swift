// SPDX-License-Identifier: Apache-2.0

/// A CID of version 1 with a codec below 128 and a SHA-256 hash, stored inline.
struct SHA256CID: Hashable, Sendable {
  private let digest: (UInt64, UInt64, UInt64, UInt64)
  private let codec: UInt8

  private static let length = 36

  /// Parses a binary form; nil if it is another kind of CID.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length, bytes[0] == 1, bytes[1] < 0x80, bytes[2] == 0x12, bytes[3] == 32 else {
      return nil
    }
    func word(_ position: Int) -> UInt64 {
      bytes[(4 + position * 8)..<(12 + position * 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    digest = (word(0), word(1), word(2), word(3))
    codec = bytes[1]
  }

  var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.length) { buffer, count in
      for (index, byte) in [1, codec, 0x12, 32].enumerated() { buffer.initializeElement(at: index, to: byte) }
      var index = 4
      for word in [digest.0, digest.1, digest.2, digest.3] {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
          buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: word >> shift))
          index += 1
        }
      }
      count = Self.length
    }
  }

  static func == (lhs: SHA256CID, rhs: SHA256CID) -> Bool {
    lhs.digest == rhs.digest && lhs.codec == rhs.codec
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(digest.0)
    hasher.combine(digest.1)
    hasher.combine(codec)
  }
}
