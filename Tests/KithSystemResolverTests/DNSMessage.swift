// SPDX-License-Identifier: Apache-2.0

/// Puts answers of the DNS together, sound ones and others.
struct DNSMessage {
  /// A record of an answer: its owner, its type, and its data as it stands in the message.
  struct Record {
    let owner: String
    let type: UInt16
    let data: [UInt8]

    static func text(_ owner: String, _ strings: String...) -> Record {
      Record(owner: owner, type: 16, data: strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })
    }

    static func alias(_ owner: String, of name: String) -> Record {
      Record(owner: owner, type: 5, data: DNSMessage.name(name))
    }
  }

  /// The answer to a question about TXT records.
  ///
  /// - Parameter code: 0 for success, 2 for a failure, 3 for a name that does not exist.
  static func answer(
    id: [UInt8] = [0, 0], to name: String, _ records: [Record], code: UInt8 = 0
  ) -> [UInt8] {
    var bytes = id + [0x81, 0x80 | code] + number(1) + number(UInt16(records.count)) + [0, 0, 0, 0]
    bytes += Self.name(name) + number(16) + number(1)
    for record in records {
      // The name of the question is pointed at, as servers do.
      bytes += record.owner == name ? [0xc0, 12] : Self.name(record.owner)
      bytes +=
        number(record.type) + number(1) + [0, 0, 0, 60] + number(UInt16(record.data.count)) + record.data
    }
    return bytes
  }

  static func name(_ name: String) -> [UInt8] {
    name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
}
