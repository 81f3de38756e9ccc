// SPDX-License-Identifier: Apache-2.0

/// One entry a line. Blank lines are no entries; a byte order mark and carriage returns are dropped.
struct LineReader: RecordReader {
  /// No identifier is longer than 2,048 bytes, nor a URL around one by much: more is kept of a line only to
  /// show what was wrong with it.
  static let longestLine = 8_192

  private var partial: [UInt8] = []
  private var line = 1

  mutating func received(_ piece: [UInt8]) throws(CommandFault) -> [TextRecord] {
    var records: [TextRecord] = []
    for byte in piece {
      if byte == UInt8(ascii: "\n") {
        if let record = take() { records.append(record) }
        line += 1
      } else if partial.count < Self.longestLine {
        partial.append(byte)
      }
    }
    return records
  }

  mutating func ended() throws(CommandFault) -> [TextRecord] {
    take().map { [$0] } ?? []
  }

  private mutating func take() -> TextRecord? {
    defer { partial.removeAll(keepingCapacity: true) }
    var bytes = partial[...]
    if line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    while let last = bytes.last,
      last == UInt8(ascii: "\r") || last == UInt8(ascii: " ") || last == UInt8(ascii: "\t")
    {
      bytes.removeLast()
    }
    let isBlank = bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return isBlank ? nil : TextRecord(text: String(decoding: bytes, as: UTF8.self), line: line)
  }
}
