// SPDX-License-Identifier: Apache-2.0

/// Multibase base32: the letter `b`, then RFC 4648 in lower case without padding.
package enum Base32 {
  /// Decodes text that starts with `b`; rejects digits and trailing bits that an encoder would not write.
  static func decode(_ text: UTF8Bytes) throws(SyntaxFault) -> [UInt8] {
    guard text.first == UInt8(ascii: "b") else { throw SyntaxFault("it does not start with b", at: 0) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 5 / 8)
    var buffer: UInt32 = 0
    var bits = 0
    for offset in 1..<text.count {
      guard let digit = value(of: text[offset]) else {
        throw SyntaxFault("base32 has only the digits a to z and 2 to 7", at: offset)
      }
      buffer = buffer << 5 | digit
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    guard bits < 5, buffer & (1 << UInt32(bits) - 1) == 0 else {
      throw SyntaxFault("the last base32 digit has unused bits set", at: text.count - 1)
    }
    return bytes
  }

  /// Encodes bytes, with the leading `b`.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    let count = 1 + (bytes.count * 8 + 4) / 5
    return String(unsafeUninitializedCapacity: count) { text in
      text.initializeElement(at: 0, to: UInt8(ascii: "b"))
      var index = 1
      var buffer: UInt32 = 0
      var bits: UInt32 = 0
      for byte in bytes {
        buffer = buffer << 8 | UInt32(byte)
        bits += 8
        while bits >= 5 {
          bits -= 5
          text.initializeElement(at: index, to: digit(buffer >> bits))
          index += 1
        }
      }
      if bits > 0 {
        text.initializeElement(at: index, to: digit(buffer << (5 - bits)))
        index += 1
      }
      return index
    }
  }

  /// Returns the offset in the text at which the byte of this index starts.
  static func textOffset(ofByte index: Int) -> Int { 1 + index * 8 / 5 }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a"))
    case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(digit - UInt8(ascii: "2") + 26)
    default: nil
    }
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value & 31)
    return value < 26 ? UInt8(ascii: "a") + value : UInt8(ascii: "2") + value - 26
  }
}
