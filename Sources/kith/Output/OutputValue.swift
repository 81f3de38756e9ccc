// SPDX-License-Identifier: Apache-2.0

/// A field of machine output.
enum OutputValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  /// A number whose digits are chosen already.
  case number(String)
  case string(String)
  case array([OutputValue])
  case object([OutputField])

  init(_ text: String?) { self = text.map(OutputValue.string) ?? .null }
  init(_ flag: Bool?) { self = flag.map(OutputValue.bool) ?? .null }
  init(_ number: Int?) { self = number.map(OutputValue.integer) ?? .null }

  /// The value as JSON, its fields in their order.
  ///
  /// Beyond what JSON asks for, invisible and direction-changing characters are escaped, so that output
  /// which ends on a terminal after all does no harm there; a reader of JSON gets them back as they were.
  func appendJSON(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .integer(let number): text += String(number)
    case .number(let digits): text += digits
    case .string(let string): Self.appendJSON(string, to: &text)
    case .array(let items):
      text += "["
      for (position, item) in items.enumerated() {
        if position > 0 { text += "," }
        item.appendJSON(to: &text)
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for (position, field) in fields.enumerated() {
        if position > 0 { text += "," }
        Self.appendJSON(field.name, to: &text)
        text += ":"
        field.value.appendJSON(to: &text)
      }
      text += "}"
    }
  }

  /// The value in a cell of CSV: nothing for null, a structure as its JSON.
  var cell: String {
    switch self {
    case .null: return ""
    case .string(let string): return string
    default:
      var text = ""
      appendJSON(to: &text)
      return text
    }
  }

  private static func appendJSON(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if scalar.value >= 0x20 && scalar.value < 0x7f || isHarmless(scalar) {
          text.unicodeScalars.append(scalar)
        } else {
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        }
      }
    }
    text += "\""
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}

/// A named field of machine output.
struct OutputField: Sendable, Equatable {
  let name: String
  let value: OutputValue

  init(_ name: String, _ value: OutputValue) {
    self.name = name
    self.value = value
  }
}
