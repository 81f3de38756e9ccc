// SPDX-License-Identifier: Apache-2.0

import KithCore

/// Reads one entry per line. Skips blank lines, a byte order mark and carriage returns.
public struct LineReader: TextRecordReader {
  /// The longest line. Identifiers have at most 2,048 bytes; a longer line is only kept to report what is
  /// wrong.
  public static let longestLine = 8_192

  private typealias Bytes = UnsafeBufferPointer<UInt8>

  private let longestLine: Int
  /// The start of an incomplete line.
  private var partial: [UInt8] = []
  private var line = 1

  /// - Parameter longestLine: the length to which lines are cut.
  public init(longestLine: Int = Self.longestLine) { self.longestLine = longestLine }

  public mutating func received(_ piece: [UInt8]) throws(OperationError) -> [TextRecord] {
    var records: [TextRecord] = []
    piece.withUnsafeBufferPointer { piece in
      var remaining = piece
      while let end = remaining.firstIndex(ofByte: 0x0A) {
        if let record = entry(endingWith: Bytes(rebasing: remaining[..<end])) { records.append(record) }
        line += 1
        remaining = Bytes(rebasing: remaining[(end + 1)...])
      }
      keep(remaining)
    }
    return records
  }

  public mutating func ended() throws(OperationError) -> [TextRecord] {
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
    if line == 1, bytes.starts(with: CSVHeader.byteOrderMark) { start = 3 }
    var end = bytes.count
    while end > start, bytes[end - 1] == UInt8(ascii: "\r") || bytes[end - 1].isBlank { end -= 1 }
    let text = Bytes(rebasing: bytes[start..<end])
    // Trailing blanks are removed, so a blank line is empty here.
    return text.isEmpty ? nil : TextRecord(text, line: line)
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
