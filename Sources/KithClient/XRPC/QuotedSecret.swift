// SPDX-License-Identifier: Apache-2.0

/// Finds a password in a text, also if a server quotes a part of it, or in another form.
///
/// Forms: upper and lower case, and percent, JSON, HTML, base64 and hexadecimal encodings, also one in
/// another.
struct QuotedSecret: Sendable {
  /// A part of this many bytes counts as a quote; of a shorter secret the whole.
  private static let shortestPart = 4
  /// How often a text is decoded: a server may encode what is encoded already.
  private static let mostRounds = 4

  private let parts: Set<ArraySlice<UInt8>>
  private let length: Int

  /// Nil for an empty secret.
  init?(_ secret: String) {
    let bytes = Array(secret.lowercased().utf8)
    guard !bytes.isEmpty else { return nil }
    length = min(bytes.count, Self.shortestPart)
    parts = Set(Self.windows(of: length, in: bytes))
  }

  /// Whether a part of the secret occurs in the text.
  func occurs(in text: String) -> Bool {
    // A backslash of the secret itself is not an escape.
    [true, false].contains { occurs(in: Array(text.utf8), decodingJSON: $0) }
  }

  private func occurs(in bytes: [UInt8], decodingJSON: Bool) -> Bool {
    var bytes = bytes
    for _ in 0..<Self.mostRounds {
      if occurs(in: bytes) || EncodedText.binaries(in: bytes).contains(where: occurs) { return true }
      let decoded = EncodedText.decoded(bytes, withJSON: decodingJSON)
      if decoded == bytes { return false }
      bytes = decoded
    }
    return occurs(in: bytes)
  }

  private func occurs(in bytes: [UInt8]) -> Bool {
    let folded = Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8)
    return Self.windows(of: length, in: folded).contains(where: parts.contains)
  }

  private static func windows(of length: Int, in bytes: [UInt8]) -> some Sequence<ArraySlice<UInt8>> {
    (0..<max(0, bytes.count - length + 1)).lazy.map { bytes[$0..<$0 + length] }
  }
}

/// The encodings in which servers quote what they received.
enum EncodedText {
  /// Replaces percent escapes, escapes of JSON and character references of HTML, each once; a plus sign stays,
  /// as it may be one.
  ///
  /// - Parameter withJSON: whether a backslash starts an escape.
  static func decoded(_ bytes: [UInt8], withJSON: Bool) -> [UInt8] {
    var decoded: [UInt8] = []
    var remaining = bytes[...]
    while let first = remaining.first {
      if withJSON || first != UInt8(ascii: "\\"), let (replacement, length) = escape(at: remaining) {
        decoded += replacement
        remaining = remaining.dropFirst(length)
      } else {
        decoded.append(first)
        remaining = remaining.dropFirst()
      }
    }
    return decoded
  }

  /// What runs of base64 and hexadecimal digits stand for, wherever in the run they begin.
  static func binaries(in bytes: [UInt8]) -> [[UInt8]] {
    bytes.split { base64Value($0) == nil }.flatMap { run -> [[UInt8]] in
      guard run.count >= 4 else { return [] }
      let base64 = (0..<4).map { base64Decoded(run.dropFirst($0)) }
      let hex = run.allSatisfy { hexValue($0) != nil } ? (0..<2).map { hexDecoded(run.dropFirst($0)) } : []
      return base64 + hex
    }
  }

  private static func escape(at bytes: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    switch bytes.first {
    case UInt8(ascii: "%"): number(bytes.dropFirst(), digits: 2).map { ([UInt8(truncatingIfNeeded: $0)], 3) }
    case UInt8(ascii: "\\"): jsonEscape(bytes.dropFirst())
    case UInt8(ascii: "&"): reference(bytes.dropFirst())
    default: nil
    }
  }

  private static func jsonEscape(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    switch bytes.first {
    case UInt8(ascii: "u"): number(bytes.dropFirst(), digits: 4).map { (utf8($0), 6) }
    case UInt8(ascii: "x"): number(bytes.dropFirst(), digits: 2).map { (utf8($0), 4) }
    case UInt8(ascii: "n"): ([0x0a], 2)
    case UInt8(ascii: "r"): ([0x0d], 2)
    case UInt8(ascii: "t"): ([0x09], 2)
    case let byte?: ([byte], 2)
    case nil: nil
    }
  }

  private static let names: [String: UInt8] = [
    "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
    "apos": UInt8(ascii: "'"),
  ]

  private static func reference(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    let body = bytes.prefix(10).prefix { $0 != UInt8(ascii: ";") }
    guard body.count < 10, body.endIndex < bytes.endIndex else { return nil }
    let text = String(decoding: body, as: UTF8.self)
    let length = body.count + 2
    if let byte = names[text] { return ([byte], length) }
    guard text.hasPrefix("#") else { return nil }
    let digits = text.dropFirst()
    let isHex = digits.hasPrefix("x") || digits.hasPrefix("X")
    return (isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)).map { (utf8($0), length) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>, digits: Int) -> UInt32? {
    let values = bytes.prefix(digits).compactMap(hexValue)
    return values.count == digits ? values.reduce(0) { $0 << 4 | UInt32($1) } : nil
  }

  private static func utf8(_ value: UInt32) -> [UInt8] {
    Unicode.Scalar(value).map { Array(String($0).utf8) } ?? []
  }

  private static func hexDecoded(_ digits: ArraySlice<UInt8>) -> [UInt8] {
    let values = digits.compactMap(hexValue)
    return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static func base64Decoded(_ digits: ArraySlice<UInt8>) -> [UInt8] {
    var (buffer, bits) = (UInt32(0), 0)
    var decoded: [UInt8] = []
    for value in digits.compactMap(base64Value) {
      buffer = (buffer << 6 | UInt32(value)) & 0xffff
      bits += 6
      if bits >= 8 {
        bits -= 8
        decoded.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return decoded
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Of both alphabets (RFC 4648).
  private static func base64Value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
