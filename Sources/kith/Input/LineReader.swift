// SPDX-License-Identifier: Apache-2.0

/// One entry a line. Blank lines are no entries; a byte order mark and carriage returns are dropped.
struct LineReader: RecordReader {
  /// No identifier is longer than 2,048 bytes, nor a URL around one by much: more is kept of a line only to
  /// show what was wrong with it.
  static let longestLine = 8_192

  private typealias Bytes = UnsafeBufferPointer<UInt8>

  private let longestLine: Int
  /// The beginning of a line whose end has not come.
  private var partial: [UInt8] = []
  private var line = 1

  /// - Parameter longestLine: what a line holds beyond it is dropped.
  init(longestLine: Int = Self.longestLine) { self.longestLine = longestLine }

  mutating func received(_ piece: [UInt8]) throws(CommandFault) -> [TextRecord] {
    var records: [TextRecord] = []
    piece.withUnsafeBufferPointer { piece in
      var start = 0
      for (end, byte) in piece.enumerated() where byte == UInt8(ascii: "\n") {
        if let record = entry(endingWith: Bytes(rebasing: piece[start..<end])) { records.append(record) }
        line += 1
        start = end + 1
      }
      keep(Bytes(rebasing: piece[start...]))
    }
    return records
  }

  mutating func ended() throws(CommandFault) -> [TextRecord] {
    entry(endingWith: Bytes(start: nil, count: 0)).map { [$0] } ?? []
  }

  private mutating func keep(_ bytes: Bytes) {
    partial.append(contentsOf: bytes.prefix(longestLine - partial.count))
  }

  private mutating func entry(endingWith bytes: Bytes) -> TextRecord? {
    if partial.isEmpty { return entry(Bytes(rebasing: bytes.prefix(longestLine))) }
    keep(bytes)
    defer { partial.removeAll(keepingCapacity: true) }
    return partial.withUnsafeBufferPointer { entry($0) }
  }

  private func entry(_ bytes: Bytes) -> TextRecord? {
    var start = 0
    if line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    var end = bytes.count
    while end > start, bytes[end - 1] == UInt8(ascii: "\r") || bytes[end - 1].isBlank { end -= 1 }
    let text = Bytes(rebasing: bytes[start..<end])
    // What does not end with a blank is either empty or none.
    return text.isEmpty ? nil : TextRecord(text: String(decoding: text, as: UTF8.self), line: line)
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
