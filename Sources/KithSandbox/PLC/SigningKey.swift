// SPDX-License-Identifier: Apache-2.0

/// A public key as in DID documents: a compressed secp256k1 point in base58.
///
/// The bytes are derived from the account's DID. They have the length and the prefixes of a key, so that
/// clients can parse them, but they need not be a point on the curve, and nothing is signed with them.
struct SigningKey {
  let bytes: [UInt8]

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bytes: [UInt8] = [0xE7, 0x01]  // multicodec secp256k1-pub, as a varint
    bytes.append(random.next(below: 2) == 0 ? 2 : 3)  // the sign of y
    for _ in 0..<4 {
      let word = random.next()
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    self.bytes = bytes
  }

  /// Multibase base58btc: `zQ3sh…`.
  var multibase: String { "z" + Self.base58(bytes) }

  private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")

  private static func base58(_ bytes: [UInt8]) -> String {
    var digits: [Int] = []
    for byte in bytes {
      var carry = Int(byte)
      for place in digits.indices {
        carry += digits[place] << 8
        digits[place] = carry % 58
        carry /= 58
      }
      while carry > 0 {
        digits.append(carry % 58)
        carry /= 58
      }
    }
    let zeros = bytes.prefix { $0 == 0 }.count
    return String(repeating: alphabet[0], count: zeros) + String(digits.reversed().map { alphabet[$0] })
  }
}
