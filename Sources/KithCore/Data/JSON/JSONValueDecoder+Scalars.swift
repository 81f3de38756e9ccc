// SPDX-License-Identifier: Apache-2.0

extension JSONValueDecoder {
  @inline(__always)
  var isNull: Bool { document.nodes[index].kind == .null }

  func bool() throws -> Bool {
    try require(.bool, as: Bool.self)
    return document.bytes[Int(document.nodes[index].offset)] == UInt8(ascii: "t")
  }

  func string() throws -> String {
    try require(.string, as: String.self)
    return document.text(of: index)
  }

  /// Returns the number; the scanner has checked whether it is a 64-bit integer.
  func int64(as type: Any.Type) throws -> Int64 {
    if kind == .otherNumber { throw otherNumber }
    try require(.integer, as: type)
    let digits = utf8
    let isNegative = digits[0] == UInt8(ascii: "-")
    var value: Int64 = 0
    for index in (isNegative ? 1 : 0)..<digits.count {
      let unit = Int64(digits[index] &- UInt8(ascii: "0"))
      value = value &* 10 &+ (isNegative ? 0 &- unit : unit)
    }
    return value
  }

  private var otherNumber: DecodingError {
    let text = utf8
    let code: JSONFault.Code =
      if text.contains(UInt8(ascii: "e")) || text.contains(UInt8(ascii: "E")) {
        .exponent
      } else if text.contains(UInt8(ascii: ".")) {
        .notAnInteger
      } else {
        .integerTooLarge
      }
    let fault = JSONFault(code, at: offset)
    return .dataCorrupted(
      .init(codingPath: codingPath, debugDescription: fault.description, underlyingError: fault))
  }

  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    let value = try int64(as: type)
    guard let integer = Integer(exactly: value) else {
      throw corrupted("\(value) does not fit in \(type) at byte \(offset)")
    }
    return integer
  }

  /// Returns an integer as a floating-point number; throws if it would be rounded.
  func float<Float: BinaryFloatingPoint>(_ type: Float.Type) throws -> Float {
    let value = try int64(as: type)
    guard let float = Float(exactly: value) else {
      throw corrupted("\(value) does not fit in \(type) at byte \(offset)")
    }
    return float
  }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try bool() }
  func decode(_ type: String.Type) throws -> String { try string() }
  func decode(_ type: Double.Type) throws -> Double { try float(type) }
  func decode(_ type: Float.Type) throws -> Float { try float(type) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try int64(as: type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
