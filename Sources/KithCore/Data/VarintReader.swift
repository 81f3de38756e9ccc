// SPDX-License-Identifier: Apache-2.0

/// Reads the unsigned varints that a binary CID starts with.
struct VarintReader {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads one number of up to 63 bits, which must be in its shortest form.
  mutating func next() throws(SyntaxFault) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    for position in 0..<9 {
      guard offset < bytes.count else { throw SyntaxFault("it ends too early", at: offset) }
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) << UInt64(position * 7)
      if byte < 0x80 {
        guard byte > 0 || position == 0 else {
          throw SyntaxFault("a number has leading zeros", at: offset - 1)
        }
        return value
      }
    }
    throw SyntaxFault("a number is too large", at: start)
  }
}
