// SPDX-License-Identifier: Apache-2.0

/// A JSON value of any shape; rows with fixed fields use ``RowEncoder``.
public enum OutputValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  /// A number given as digits.
  case number(String)
  case string(String)
  case array([OutputValue])
  case object([OutputField])

  /// Appends the value as JSON, with fields in order.
  public func appendJSON(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    case .integer(let number): bytes.append(contentsOf: String(number).utf8)
    case .number(let digits): bytes.append(contentsOf: digits.utf8)
    case .string(let string): bytes.appendJSON(string)
    case .array(let items):
      bytes.append(UInt8(ascii: "["))
      for (position, item) in items.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        item.appendJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let fields):
      bytes.append(UInt8(ascii: "{"))
      for (position, field) in fields.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendJSON(field.name)
        bytes.append(UInt8(ascii: ":"))
        field.value.appendJSON(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

extension OutputValue: Encodable {
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .null: try Self.encode(Bool?.none, to: encoder)
    case .bool(let flag): try Self.encode(flag, to: encoder)
    case .integer(let number): try Self.encode(number, to: encoder)
    case .number(let digits):
      if let number = Int64(digits) {
        try Self.encode(number, to: encoder)
      } else {
        try Self.encode(Double(digits), to: encoder)
      }
    case .string(let text): try Self.encode(text, to: encoder)
    case .array(let items):
      var container = encoder.unkeyedContainer()
      for item in items { try container.encode(item) }
    case .object(let fields):
      var container = encoder.container(keyedBy: OutputField.Name.self)
      for field in fields {
        try container.encode(field.value, forKey: OutputField.Name(stringValue: field.name))
      }
    }
  }

  private static func encode(_ value: (some Encodable)?, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let value { try container.encode(value) } else { try container.encodeNil() }
  }
}

/// A named field of an ``OutputValue``.
public struct OutputField: Sendable, Equatable {
  public let name: String
  public let value: OutputValue

  public init(_ name: String, _ value: OutputValue) {
    self.name = name
    self.value = value
  }

  /// The name as a key.
  fileprivate struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension OutputValue {
  /// A string, or null.
  public static func text(_ value: (some CustomStringConvertible)?) -> OutputValue {
    value.map { .string($0.description) } ?? .null
  }

  /// A number, or null.
  public static func number(_ value: (some BinaryInteger)?) -> OutputValue {
    value.map { .integer(Int($0)) } ?? .null
  }

  /// A time in whole milliseconds, or null.
  public static func milliseconds(_ time: Duration?) -> OutputValue {
    .number(time.map { $0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000 })
  }

  /// Numbers by name, in the order of the names.
  static func counts(_ counts: [(name: String, count: Int)]) -> OutputValue {
    .object(counts.sorted { $0.name < $1.name }.map { OutputField($0.name, .integer($0.count)) })
  }
}
