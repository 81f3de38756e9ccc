// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One entry a line. Blank lines are no entries; a byte order mark and carriage returns are dropped.
struct LineReader: TextRecordReader {
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
      var rest = piece
      while let end = rest.endOfLine {
        if let record = entry(endingWith: Bytes(rebasing: rest[..<end])) { records.append(record) }
        line += 1
        rest = Bytes(rebasing: rest[(end + 1)...])
      }
      keep(rest)
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
    return text.isEmpty ? nil : TextRecord(text, line: line)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Where the first line feed stands; nil where there is none.
  fileprivate var endOfLine: Int? {
    guard let start = UnsafeRawPointer(baseAddress), let end = memchr(start, 0x0A, count) else { return nil }
    return UnsafeRawPointer(end) - start
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
