// SPDX-License-Identifier: Apache-2.0

/// One entry a line. Blank lines are no entries; a byte order mark and carriage returns are dropped.
struct LineReader: RecordReader {
  /// No identifier is longer than 2,048 bytes, nor a URL around one by much: more is kept of a line only to
  /// show what was wrong with it.
  static let longestLine = 8_192

  private let longestLine: Int
  /// The beginning of a line whose end has not come.
  private var partial: [UInt8] = []
  private var line = 1

  /// - Parameter longestLine: what a line holds beyond it is dropped.
  init(longestLine: Int = Self.longestLine) { self.longestLine = longestLine }

  mutating func received(_ piece: [UInt8]) throws(CommandFault) -> [TextRecord] {
    var records: [TextRecord] = []
    var rest = piece[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      if let record = entry(endingWith: rest[..<end]) { records.append(record) }
      line += 1
      rest = rest[(end + 1)...]
    }
    keep(rest)
    return records
  }

  mutating func ended() throws(CommandFault) -> [TextRecord] {
    entry(endingWith: []).map { [$0] } ?? []
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) {
    partial.append(contentsOf: bytes.prefix(longestLine - partial.count))
  }

  private mutating func entry(endingWith bytes: ArraySlice<UInt8>) -> TextRecord? {
    if partial.isEmpty { return entry(bytes.prefix(longestLine)) }
    keep(bytes)
    defer { partial.removeAll(keepingCapacity: true) }
    return entry(partial[...])
  }

  private func entry(_ bytes: ArraySlice<UInt8>) -> TextRecord? {
    var bytes = bytes
    if line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    while let last = bytes.last, last == UInt8(ascii: "\r") || last.isBlank { bytes.removeLast() }
    return bytes.allSatisfy(\.isBlank)
      ? nil : TextRecord(text: String(decoding: bytes, as: UTF8.self), line: line)
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
