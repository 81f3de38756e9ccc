// SPDX-License-Identifier: Apache-2.0

/// A JSON value of any shape; rows with fixed fields use ``RowEncoder``.
package enum OutputValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  /// A number given as digits.
  case number(String)
  case string(String)
  case array([OutputValue])
  case object([OutputField])

  /// Appends the value as JSON, with fields in order.
  package func appendJSON(to bytes: inout [UInt8]) {
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

/// A named field of an ``OutputValue``.
package struct OutputField: Sendable, Equatable {
  package let name: String
  package let value: OutputValue

  package init(_ name: String, _ value: OutputValue) {
    self.name = name
    self.value = value
  }
}

extension OutputValue {
  /// A string, or null.
  package static func text(_ value: (some CustomStringConvertible)?) -> OutputValue {
    value.map { .string($0.description) } ?? .null
  }

  /// A number, or null.
  package static func number(_ value: (some BinaryInteger)?) -> OutputValue {
    value.map { .integer(Int($0)) } ?? .null
  }

  /// A time in whole milliseconds, or null.
  package static func milliseconds(_ time: Duration?) -> OutputValue {
    .number(time.map { $0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000 })
  }
}
