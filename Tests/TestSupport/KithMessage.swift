// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// A message on stderr for scripts, with `KITH_MESSAGES=json`.
package struct KithMessage: Sendable {
  /// `error`, `warning`, `note`, `summary` or `log`.
  package let level: String
  package let code: String
  /// The sentence for people.
  package let text: String
  private let fields: [String: DataValue]

  /// Parses the messages of a whole output.
  ///
  /// - Throws: `DecodingError` for a line that is not a message.
  package static func all(in output: String) throws -> [KithMessage] {
    try output.split(separator: "\n").map { line in
      let fields = try JSONCoding.decode([String: DataValue].self, from: Array(line.utf8))
      guard let level = fields["level"]?.string, let code = fields["code"]?.string,
        let text = fields["message"]?.string
      else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "a line on stderr is not a message: \(line)"))
      }
      return KithMessage(level: level, code: code, text: text, fields: fields)
    }
  }

  /// A field of the message.
  package subscript(name: String) -> DataValue? { fields[name] }

  /// A text field.
  package func text(_ name: String) -> String? { fields[name]?.string }

  /// A number field.
  package func number(_ name: String) -> Int64? { fields[name]?.integer }
}

extension KithRun {
  /// The messages on stderr.
  package var messages: [KithMessage] { get throws { try KithMessage.all(in: talk) } }

  /// The codes of the messages, in order.
  package var codes: [String] { get throws { try messages.map(\.code) } }

  /// Returns the first message with a code.
  package func message(_ code: String) throws -> KithMessage? { try messages.first { $0.code == code } }
}
