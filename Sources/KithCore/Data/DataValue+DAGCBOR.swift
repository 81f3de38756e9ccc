// SPDX-License-Identifier: Apache-2.0

extension DataValue {
  /// The value as the protocol hashes it: DAG-CBOR, with the shortest integers and with the keys of an object by length,
  /// then by bytes; nil if it contains a link that has no binary form.
  package var dagCBOR: [UInt8]? {
    var encoder = CBOREncoder()
    return encoder.write(self) ? encoder.bytes : nil
  }
}

/// Writes the subset of CBOR (RFC 8949) that DAG-CBOR allows.
private struct CBOREncoder {
  private(set) var bytes: [UInt8] = []

  private enum Major: UInt8 {
    case unsigned, negative, bytes, text, array, map, tag
  }

  /// The tag of a CID, whose bytes follow a zero.
  private static let linkTag: UInt64 = 42

  /// Returns whether the value could be written.
  mutating func write(_ value: DataValue) -> Bool {
    switch value {
    case .null: bytes.append(0xf6)
    case .bool(let flag): bytes.append(flag ? 0xf5 : 0xf4)
    case .integer(let number):
      if number >= 0 { head(.unsigned, UInt64(number)) } else { head(.negative, UInt64(bitPattern: ~number)) }
    case .string(let text): write(text)
    case .bytes(let content): write(content, as: .bytes)
    case .link(let cid):
      guard let content = cid.bytes else { return false }
      head(.tag, Self.linkTag)
      write([0] + content, as: .bytes)
    case .array(let elements):
      head(.array, UInt64(elements.count))
      for element in elements where !write(element) { return false }
    case .object(let members):
      head(.map, UInt64(members.count))
      for (key, member) in members.sorted(by: { Self.isBefore($0.key, $1.key) }) {
        write(key)
        guard write(member) else { return false }
      }
    }
    return true
  }

  private mutating func write(_ text: String) { write(Array(text.utf8), as: .text) }

  private mutating func write(_ content: [UInt8], as major: Major) {
    head(major, UInt64(content.count))
    bytes += content
  }

  private mutating func head(_ major: Major, _ number: UInt64) {
    let kind = major.rawValue << 5
    switch number {
    case ..<24: bytes.append(kind | UInt8(number))
    case ...UInt64(UInt8.max): append(kind | 24, number, bytes: 1)
    case ...UInt64(UInt16.max): append(kind | 25, number, bytes: 2)
    case ...UInt64(UInt32.max): append(kind | 26, number, bytes: 4)
    default: append(kind | 27, number, bytes: 8)
    }
  }

  private mutating func append(_ head: UInt8, _ number: UInt64, bytes count: Int) {
    bytes.append(head)
    for place in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place)))
    }
  }

  private static func isBefore(_ key: String, _ other: String) -> Bool {
    let (key, other) = (key.utf8, other.utf8)
    return key.count == other.count ? key.lexicographicallyPrecedes(other) : key.count < other.count
  }
}
