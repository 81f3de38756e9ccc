// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations

/// Formats JSON from a server for a terminal.
enum JSONText {
  /// JSON with more nodes than this is not formatted.
  private static let mostNodes = 200_000

  /// Indents JSON and escapes unsafe characters; cleans anything else line by line.
  static func readable(_ bytes: [UInt8]) -> String {
    guard
      let value = try? JSONCoding.decode(DataValue.self, from: bytes, within: JSONBounds(nodes: mostNodes))
    else {
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        .map { TerminalText.clean($0) }.joined(separator: "\n")
    }
    var text: [UInt8] = []
    append(OutputValue(value), indent: 0, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ value: OutputValue, indent: Int, to text: inout [UInt8]) {
    let inner = String(repeating: "  ", count: indent + 1)
    let outer = String(repeating: "  ", count: indent)
    switch value {
    case .array(let items) where !items.isEmpty:
      text += "[\n".utf8
      for (position, item) in items.enumerated() {
        text += inner.utf8
        append(item, indent: indent + 1, to: &text)
        text += (position == items.count - 1 ? "\n" : ",\n").utf8
      }
      text += (outer + "]").utf8
    case .object(let fields) where !fields.isEmpty:
      text += "{\n".utf8
      for (position, field) in fields.enumerated() {
        text += inner.utf8
        text.appendJSON(field.name)
        text += ": ".utf8
        append(field.value, indent: indent + 1, to: &text)
        text += (position == fields.count - 1 ? "\n" : ",\n").utf8
      }
      text += (outer + "}").utf8
    default: value.appendJSON(to: &text)
    }
  }
}
