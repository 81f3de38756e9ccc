// SPDX-License-Identifier: Apache-2.0

/// The names and values of a query or a form, in their order.
///
/// Specification: WHATWG URL, `application/x-www-form-urlencoded`; read strictly.
package struct QueryItems: Sendable, Hashable {
  /// Why a text is not a query.
  package enum Fault: Error, Hashable {
    /// A `%` is not followed by two hexadecimal digits.
    case invalidEscape
    case notUTF8
  }

  /// A name and its value, which is empty if there is none.
  package struct Item: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  package let items: [Item]

  init(_ items: [Item]) { self.items = items }

  /// Reads the part after the `?` of a URL, or the body of a form; a `+` is a space.
  package init(_ text: some Sequence<UInt8>) throws(Fault) {
    var items: [Item] = []
    for part in Array(text).split(separator: UInt8(ascii: "&")) {
      let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(sides[0], plus: UInt8(ascii: " "))
      items.append(
        Item(name: name, value: sides.count > 1 ? try Self.decoded(sides[1], plus: UInt8(ascii: " ")) : ""))
    }
    self.items = items
  }

  /// The value of the first item with that name.
  package subscript(_ name: String) -> String? { items.first { $0.name == name }?.value }

  /// The values of all items with that name.
  package func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  /// One component of a URL, decoded.
  ///
  /// - Parameter plus: what a `+` means.
  package static func decoded(
    _ text: some Sequence<UInt8>, plus: UInt8 = UInt8(ascii: "+")
  ) throws(Fault) -> String {
    var bytes: [UInt8] = []
    var input = text.makeIterator()
    while let byte = input.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = input.next().flatMap(hexDigit), let low = input.next().flatMap(hexDigit) else {
          throw .invalidEscape
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+"): bytes.append(plus)
      default: bytes.append(byte)
      }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
    return decoded
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }

  /// A value as one component of a URL: all but letters, digits and `-._~:@` is escaped.
  package static func encoded(_ value: some StringProtocol) -> String {
    var text = ""
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "@"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return text
  }
}
