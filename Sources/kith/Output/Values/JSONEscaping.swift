// SPDX-License-Identifier: Apache-2.0

/// Text as JSON, on its way out as bytes.
///
/// Beyond what JSON asks for, invisible and direction-changing characters are escaped, so that output
/// which ends on a terminal after all does no harm there; a reader of JSON gets them back as they were.
extension [UInt8] {
  /// Appends a text as a JSON string, in quotes. What needs no escape is taken in runs.
  mutating func appendJSON(_ text: String) {
    append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { appendEscaped($0) }
    append(UInt8(ascii: "\""))
  }

  /// Appends UTF-8 that is known to be valid as it stands between the quotes of a JSON string.
  mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
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
  /// Whether all of it stands for itself between the quotes of a JSON string.
  var isPlainInJSON: Bool {
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
  /// Whether it stands for itself within a JSON string: visible ASCII, but no quote and no backslash.
  fileprivate var isPlainInJSON: Bool {
    self >= 0x20 && self < 0x7f && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
  }
}

extension UnsafeRawBufferPointer {
  /// Whether eight bytes stand for themselves within a JSON string, looked at all at once.
  fileprivate func eightArePlainInJSON(at offset: Int) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones &* 0x80
    let bytes = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    // A byte below `limit` borrows from its own high bit, as long as that is not set already.
    func areBelow(_ limit: UInt64, _ bytes: UInt64) -> UInt64 { (bytes &- ones &* limit) & ~bytes & highBits }
    func areEqual(_ byte: UInt64) -> UInt64 { areBelow(1, bytes ^ (ones &* byte)) }
    // 0x7f, the only control character above, is what adding one carries into the high bit.
    let beyondASCII = (bytes | (bytes &+ ones)) & highBits
    return beyondASCII | areBelow(0x20, bytes) | areEqual(0x22) | areEqual(0x5c) == 0
  }
}

extension Unicode.Scalar {
  /// Reads the scalar that begins at an offset of UTF-8 which is known to be valid.
  fileprivate init(at offset: Int, inValid text: UnsafeBufferPointer<UInt8>) {
    var bytes = text[offset...].makeIterator()
    var decoder = UTF8()
    if case .scalarValue(let scalar) = decoder.decode(&bytes) { self = scalar } else { self = "\u{FFFD}" }
  }

  fileprivate var isHarmless: Bool {
    if self == "\"" || self == "\\" { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
