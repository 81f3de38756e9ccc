// SPDX-License-Identifier: Apache-2.0

/// The TXT records of a DNS response.
///
/// Parses untrusted bytes: each offset is checked, and a name follows a limited number of pointers.
/// Specification: <https://www.rfc-editor.org/rfc/rfc1035#section-4>.
struct DNSAnswer {
  private struct Record {
    let owner: [UInt8]
    /// The target of a CNAME record; nil for TXT.
    let alias: [UInt8]?
    let text: [UInt8]
  }

  private let records: [Record]

  /// Parses a message; nil if it is malformed.
  init?(_ message: [UInt8]) {
    var reader = Reader(message)
    guard reader.skip(4), let questions = reader.number(), let answers = reader.number(), reader.skip(4)
    else {
      return nil
    }
    for _ in 0..<questions { guard reader.name() != nil, reader.skip(4) else { return nil } }
    var records: [Record] = []
    for _ in 0..<answers {
      guard let owner = reader.name(), let type = reader.number(), let kind = reader.number(), reader.skip(4),
        let length = reader.number(), reader.position + length <= message.count
      else { return nil }
      let end = reader.position + length
      switch (type, kind) {
      case (Self.aliasType, Self.internet):
        guard let alias = reader.name(), reader.position == end else { return nil }
        records.append(Record(owner: owner, alias: alias, text: []))
      case (Self.textType, Self.internet):
        guard let text = reader.strings(upTo: end) else { return nil }
        records.append(Record(owner: owner, alias: nil, text: text))
      default: reader.position = end
      }
    }
    self.records = records
  }

  /// Returns the texts of a name, or of the target of its aliases; the strings of each record are joined.
  func texts(of name: String) -> [String] {
    var names: Set<[UInt8]> = [Reader.canonical(name)]
    // The records may be in any order, so each alias may take another round.
    for _ in 0..<Self.mostAliases {
      let aliases = records.filter { names.contains($0.owner) }.compactMap(\.alias)
      guard !names.isSuperset(of: aliases) else { break }
      names.formUnion(aliases)
    }
    return records.filter { $0.alias == nil && names.contains($0.owner) }
      .map { String(decoding: $0.text, as: UTF8.self) }
  }

  private static let internet = 1
  private static let aliasType = 5
  private static let textType = 16
  private static let mostAliases = 8

  /// Reads a message sequentially.
  private struct Reader {
    private let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) -> Bool {
      guard position + count <= bytes.count else { return false }
      position += count
      return true
    }

    /// Reads a number of two bytes.
    mutating func number() -> Int? {
      guard position + 2 <= bytes.count else { return nil }
      defer { position += 2 }
      return Int(bytes[position]) << 8 | Int(bytes[position + 1])
    }

    /// Reads a name in lower case: each label with its length in front.
    mutating func name() -> [UInt8]? {
      var name: [UInt8] = []
      var place = position
      var jumps = 0
      while place < bytes.count {
        let length = Int(bytes[place])
        switch length {
        case 0:
          if jumps == 0 { position = place + 1 }
          return name
        case 1...63:
          guard place + 1 + length <= bytes.count, name.count + 1 + length <= 255 else { return nil }
          name.append(bytes[place])
          name += bytes[(place + 1)...(place + length)].map(Self.lowercased)
          place += 1 + length
        case 0xc0...:
          guard place + 1 < bytes.count, jumps < 16 else { return nil }
          if jumps == 0 { position = place + 2 }
          jumps += 1
          place = (length & 0x3f) << 8 | Int(bytes[place + 1])
        default: return nil
        }
      }
      return nil
    }

    /// Reads length-prefixed strings and joins them.
    mutating func strings(upTo end: Int) -> [UInt8]? {
      var text: [UInt8] = []
      while position < end {
        let next = position + 1 + Int(bytes[position])
        guard next <= end else { return nil }
        text += bytes[(position + 1)..<next]
        position = next
      }
      return text
    }

    /// Returns a name in the form of ``name()``.
    static func canonical(_ name: String) -> [UInt8] {
      name.split(separator: ".").flatMap { label in
        [UInt8(truncatingIfNeeded: label.utf8.count)] + label.utf8.map(lowercased)
      }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }
}
