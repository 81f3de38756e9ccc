// SPDX-License-Identifier: Apache-2.0

/// The decoded parameters of a request, in order.
struct SandboxQuery {
  private var items: [(name: String, value: String)] = []

  /// Parses the part after the `?` of a URL; a `+` is a space.
  ///
  /// - Throws: ``XRPCFault`` for an invalid escape or invalid UTF-8.
  init(percentEncoded text: some StringProtocol) throws(XRPCFault) {
    for item in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decode(parts[0], plus: UInt8(ascii: " "))
      items.append((name, parts.count > 1 ? try Self.decode(parts[1], plus: UInt8(ascii: " ")) : ""))
    }
  }

  /// Returns all values of a repeated parameter.
  func values(_ name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }

  /// Returns the value of an optional parameter, which must not be repeated.
  func optional(_ name: String) throws(XRPCFault) -> String? {
    let found = values(name)
    guard found.count < 2 else {
      throw .invalidRequest("the parameter \(name) is given \(found.count) times")
    }
    return found.first
  }

  /// Returns the value of a required parameter.
  func required(_ name: String) throws(XRPCFault) -> String {
    guard let value = try optional(name) else {
      throw .invalidRequest("Params must have the property \"\(name)\"")
    }
    return value
  }

  /// Returns an integer; nil if the parameter is missing.
  func integer(_ name: String) throws(XRPCFault) -> Int? {
    guard let text = try optional(name) else { return nil }
    guard let number = Int(text) else { throw .invalidRequest("\(name) must be an integer") }
    return number
  }

  /// Returns a Boolean; nil if the parameter is missing.
  func boolean(_ name: String) throws(XRPCFault) -> Bool? {
    guard let text = try optional(name) else { return nil }
    guard let value = Bool(text) else { throw .invalidRequest("\(name) must be a boolean") }
    return value
  }

  /// Decodes percent-encoding, strictly.
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
