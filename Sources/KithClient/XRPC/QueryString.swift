// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Encodes query items for a URL.
enum QueryString {
  /// Percent-encodes and joins the items; empty without items.
  ///
  /// Colons and slashes are not escaped, as RFC 3986 allows in a query: most values are DIDs and AT-URIs, and
  /// this saves 120 bytes for thirty DIDs.
  static func encode(_ items: [XRPCQueryItem]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.count * 48)
    for item in items {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      var name = item.name
      name.withUTF8 { append($0, to: &bytes) }
      bytes.append(UInt8(ascii: "="))
      item.withValue { text, isPlain in
        if isPlain { bytes.append(contentsOf: text) } else { append(text, to: &bytes) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
    let count = plain.prefixCount(of: text)
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<count]))
    for byte in text[count...] {
      if plain.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), hexadecimal(byte >> 4), hexadecimal(byte & 0xf)]
      }
    }
  }

  private static let plain = ASCIISet.alphanumerics.union("-._~:/")

  private static func hexadecimal(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
  }
}
