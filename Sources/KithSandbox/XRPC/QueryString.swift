// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Decodes the percent-encoding of URLs, strictly.
enum QueryString {
  /// Parses the part after the `?` of a URL; a `+` is a space.
  ///
  /// - Throws: ``XRPCFault`` for an invalid escape or invalid UTF-8.
  static func items(of text: some StringProtocol) throws(XRPCFault) -> [XRPCQueryItem] {
    var items: [XRPCQueryItem] = []
    for item in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decode(parts[0], plus: UInt8(ascii: " "))
      items.append(XRPCQueryItem(name, parts.count > 1 ? try decode(parts[1], plus: UInt8(ascii: " ")) : ""))
    }
    return items
  }

  /// Decodes one component.
  static func decode(
    _ text: some Sequence<UInt8>, plus: UInt8 = UInt8(ascii: "+")
  ) throws(XRPCFault) -> String {
    var bytes: [UInt8] = []
    var input = text.makeIterator()
    while let byte = input.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = input.next().flatMap(hexDigit), let low = input.next().flatMap(hexDigit) else {
          throw .invalidRequest("a % in the URL is not followed by two hexadecimal digits")
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+"): bytes.append(plus)
      default: bytes.append(byte)
      }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw .invalidRequest("the URL is not UTF-8")
    }
    return decoded
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
