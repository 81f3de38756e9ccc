// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// Scans a string or name, with both quotes. Returns the start and the length of its text.
  @inline(__always)
  mutating func scanString() throws(JSONFault) -> (start: Int, length: Int) {
    position += 1
    let start = position
    while true {
      skipPlain()
      guard position < bytes.count else { throw ended }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return (start, position - 1 - start)
      case 0x80...: try skipScalar()
      case UInt8(ascii: "\\"): return (start, try unescape(from: start))
      default: throw JSONFault(.controlCharacter, at: position)
      }
    }
  }

  /// Moves to the next byte that is special: a quote, a backslash, a control character or a non-ASCII byte.
  @inline(__always)
  private mutating func skipPlain() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs = ones &* 0x80
    while position + 8 <= bytes.count {
      let word = UTF8Bytes(bytes).word(at: position)
      // `(x - 1) & ~x` sets the high bit of each zero byte; bits above the lowest one set may be wrong.
      let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
      let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
      let controls = (word &- ones &* 0x20) & ~word
      let special =
        (controls | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | word) & highs
      if special != 0 {
        position += special.trailingZeroBitCount / 8
        return
      }
      position += 8
    }
    while position < bytes.count {
      switch bytes[position] {
      case 0x20...0x21, 0x23...0x5B, 0x5D...0x7F: position += 1
      default: return
      }
    }
  }

  /// Skips one scalar of two to four bytes, as in table 3-7 of the Unicode standard. Half of a surrogate pair
  /// becomes U+FFFD, which has as many bytes.
  @inline(__always)
  private mutating func skipScalar() throws(JSONFault) {
    let lead = bytes[position]
    if lead == 0xED, replaceHalf() { return }
    var second: ClosedRange<UInt8> = 0x80...0xBF
    let count: Int
    switch lead {
    case 0xC2...0xDF: count = 2
    case 0xE0...0xEF:
      count = 3
      if lead == 0xE0 { second = 0xA0...0xBF } else if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      count = 4
      if lead == 0xF0 { second = 0x90...0xBF } else if lead == 0xF4 { second = 0x80...0x8F }
    default: throw notUTF8
    }
    guard position + count <= bytes.count, second ~= bytes[position + 1] else { throw notUTF8 }
    for index in position + 2..<position + count where bytes[index] & 0xC0 != 0x80 { throw notUTF8 }
    position += count
  }

  /// Replaces half of a surrogate pair that was written in three bytes, as UTF-8 forbids, and skips it.
  private mutating func replaceHalf() -> Bool {
    guard position + 3 <= bytes.count, 0xA0...0xBF ~= bytes[position + 1], bytes[position + 2] & 0xC0 == 0x80
    else { return false }
    for unit in String(Unicode.Scalar.replacement).utf8 {
      bytes[position] = unit
      position += 1
    }
    return true
  }

  private var notUTF8: JSONFault { JSONFault(.notUTF8, at: position) }

  /// Decodes the rest of a string from its first escape on, in place. Returns the length of the text, which
  /// is never longer than its escaped form.
  private mutating func unescape(from start: Int) throws(JSONFault) -> Int {
    var end = position
    while true {
      let plain = position
      skipPlain()
      for index in plain..<position {
        bytes[end] = bytes[index]
        end += 1
      }
      guard position < bytes.count else { throw ended }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return end - start
      case UInt8(ascii: "\\"):
        for unit in String(try scanEscape()).utf8 {
          bytes[end] = unit
          end += 1
        }
      case 0x80...:
        let first = position
        try skipScalar()
        for index in first..<position {
          bytes[end] = bytes[index]
          end += 1
        }
      default: throw JSONFault(.controlCharacter, at: position)
      }
    }
  }

  /// Scans one escape, or the two escapes of a surrogate pair. Half of a pair becomes U+FFFD, as in other
  /// readers: programs cut texts within an emoji, and one such text must not hide all others of a document.
  private mutating func scanEscape() throws(JSONFault) -> Unicode.Scalar {
    let start = position
    guard position + 1 < bytes.count else { throw ended }
    let kind = bytes[position + 1]
    position += 2
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(kind)
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "u"): break
    default: throw JSONFault(.unknownEscape, at: start)
    }
    let unit = try scanHexDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let end = position
    guard UTF16.isLeadSurrogate(unit), position + 2 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return .replacement }
    position += 2
    let trail = try scanHexDigits()
    guard UTF16.isTrailSurrogate(trail),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00))
    else {
      // What follows is an escape of its own.
      position = end
      return .replacement
    }
    return scalar
  }

  private mutating func scanHexDigits() throws(JSONFault) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count else { throw ended }
      let byte = bytes[position]
      switch byte {
      case _ where byte.isDigit: value = value << 4 | UInt16(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        value = value << 4 | UInt16((byte | 0x20) - UInt8(ascii: "a") + 10)
      default: throw JSONFault(.expectedHexDigit, at: position)
      }
      position += 1
    }
    return value
  }
}

extension Unicode.Scalar {
  /// What stands for something that is not a character.
  fileprivate static let replacement: Unicode.Scalar = "\u{FFFD}"
}
