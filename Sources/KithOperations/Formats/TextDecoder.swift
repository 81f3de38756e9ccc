// SPDX-License-Identifier: Apache-2.0

/// Turns the bytes of a text file, piece by piece, into UTF-8 whose lines end with line feeds.
///
/// Spreadsheets also write UTF-16 ("Unicode text"), with or without a byte order mark, and old ones end lines with a
/// carriage return alone. A file whose first line break is LF or CRLF is not changed.
public struct TextDecoder: Sendable {
  private enum Encoding { case utf8, utf16BigEndian, utf16LittleEndian }
  private enum LineBreak { case lineFeed, carriageReturn }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private var encoding: Encoding?
  private var lineBreak: LineBreak?
  /// The beginning of an incomplete character.
  private var remaining: [UInt8] = []
  /// Whether the last piece ended with a carriage return that may belong to a CRLF.
  private var hasPendingReturn = false

  public init() {}

  /// Decodes the complete characters of the next piece.
  public mutating func decode(_ piece: [UInt8]) -> [UInt8] {
    if encoding == .utf8, lineBreak == .lineFeed { return piece }
    let bytes = remaining + piece
    remaining = []
    if encoding == nil {
      guard bytes.count >= 2 else {
        remaining = bytes
        return []
      }
      encoding = Self.encoding(of: bytes)
    }
    return withLineFeeds(encoding == .utf8 ? bytes : transcoded(bytes))
  }

  /// The rest of the text at the end of the file.
  public mutating func finish() -> [UInt8] {
    var end = withLineFeeds(remaining)
    remaining = []
    if hasPendingReturn { end.append(Self.lineFeed) }
    hasPendingReturn = false
    return end
  }

  /// The encoding by the byte order mark, or by a zero beside an ASCII character, which UTF-8 does not have.
  private static func encoding(of bytes: [UInt8]) -> Encoding {
    switch (bytes[0], bytes[1]) {
    case (0xFE, 0xFF), (0, 1...0x7F): .utf16BigEndian
    case (0xFF, 0xFE), (1...0x7F, 0): .utf16LittleEndian
    default: .utf8
    }
  }

  private mutating func transcoded(_ bytes: [UInt8]) -> [UInt8] {
    let high = encoding == .utf16BigEndian ? 0 : 1
    var units = stride(from: 0, to: bytes.count - 1, by: 2).map { start in
      UInt16(bytes[start + high]) << 8 | UInt16(bytes[start + 1 - high])
    }
    var complete = units.count * 2
    if let last = units.last, UTF16.isLeadSurrogate(last) {
      units.removeLast()
      complete -= 2
    }
    remaining = Array(bytes[complete...])
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private mutating func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    if hasPendingReturn, !bytes.isEmpty {
      bytes.insert(Self.carriageReturn, at: 0)
      hasPendingReturn = false
    }
    if lineBreak == nil,
      let first = bytes.firstIndex(where: { $0 == Self.lineFeed || $0 == Self.carriageReturn })
    {
      if bytes[first] == Self.lineFeed {
        lineBreak = .lineFeed
      } else if first + 1 < bytes.count {
        lineBreak = bytes[first + 1] == Self.lineFeed ? .lineFeed : .carriageReturn
      } else {
        bytes.removeLast()
        hasPendingReturn = true
      }
    }
    guard lineBreak == .carriageReturn else { return bytes }
    return bytes.map { $0 == Self.carriageReturn ? Self.lineFeed : $0 }
  }
}
