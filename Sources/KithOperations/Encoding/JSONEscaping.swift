// SPDX-License-Identifier: Apache-2.0

/// Writes text as JSON bytes.
///
/// In addition to what JSON requires, invisible and bidirectional characters are escaped, so output is
/// harmless on a terminal; JSON parsers restore them.
extension [UInt8] {
  /// Appends a text as a quoted JSON string. Runs without escapes are copied at once.
  package mutating func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { appendEscaped($0) }
    append(UInt8(ascii: "\""))
  }

  /// Appends valid UTF-8, escaped as the content of a JSON string.
  package mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var run = 0
    var next = 0
    while next < text.count {
      if next + 8 <= text.count, UnsafeRawBufferPointer(text).eightArePlainInJSON(at: next) {
        next += 8
        continue
      }
      if text[next].isPlainInJSON {
        next += 1
        continue
      }
      let scalar = Unicode.Scalar(at: next, inValid: text)
      let end = next + UTF8.width(scalar)
      if !scalar.isHarmless {
        append(contentsOf: UnsafeBufferPointer(rebasing: text[run..<next]))
        appendEscape(of: scalar)
        run = end
      }
      next = end
    }
    append(contentsOf: UnsafeBufferPointer(rebasing: text[run...]))
  }

  private mutating func appendEscape(of scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append(contentsOf: #"\""#.utf8)
    case "\\": append(contentsOf: #"\\"#.utf8)
    case "\n": append(contentsOf: #"\n"#.utf8)
    case "\r": append(contentsOf: #"\r"#.utf8)
    case "\t": append(contentsOf: #"\t"#.utf8)
    default:
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        append(contentsOf: #"\u"#.utf8)
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
        append(contentsOf: digits.utf8)
      }
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether it needs no escapes in a JSON string.
  package var isPlainInJSON: Bool {
    let raw = UnsafeRawBufferPointer(self)
    var next = 0
    while next + 8 <= count {
      if !raw.eightArePlainInJSON(at: next) { return false }
      next += 8
    }
    while next < count {
      if !self[next].isPlainInJSON { return false }
      next += 1
    }
    return true
  }
}

extension UInt8 {
  /// Whether it needs no escape in a JSON string: printable ASCII except quote and backslash.
  fileprivate var isPlainInJSON: Bool {
    self >= 0x20 && self < 0x7f && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
  }
}

extension UnsafeRawBufferPointer {
  /// Whether eight bytes need no escapes in a JSON string, checked together (SWAR).
  fileprivate func eightArePlainInJSON(at offset: Int) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones &* 0x80
    let bytes = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    // A byte below `limit` borrows from its own high bit, if that is not already set.
    func areBelow(_ limit: UInt64, _ bytes: UInt64) -> UInt64 { (bytes &- ones &* limit) & ~bytes & highBits }
    func areEqual(_ byte: UInt64) -> UInt64 { areBelow(1, bytes ^ (ones &* byte)) }
    // Adding one to 0x7f, the only other control character, carries into the high bit.
    let beyondASCII = (bytes | (bytes &+ ones)) & highBits
    return beyondASCII | areBelow(0x20, bytes) | areEqual(0x22) | areEqual(0x5c) == 0
  }
}

extension Unicode.Scalar {
  /// Decodes the scalar at an offset of valid UTF-8.
  fileprivate init(at offset: Int, inValid text: UnsafeBufferPointer<UInt8>) {
    var bytes = text[offset...].makeIterator()
    var decoder = UTF8()
    if case .scalarValue(let scalar) = decoder.decode(&bytes) { self = scalar } else { self = "\u{FFFD}" }
  }

  fileprivate var isHarmless: Bool {
    if self == "\"" || self == "\\" { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    // The fillers of Hangul are letters, and invisible.
    case .otherLetter: !properties.isDefaultIgnorableCodePoint
    default: true
    }
  }
}
