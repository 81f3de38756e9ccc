// SPDX-License-Identifier: Apache-2.0

import KithOperations

/// One message on standard error: text for people, a code and fields for scripts.
///
/// All texts of the command are in extensions of this type.
struct Message: Sendable, Equatable {
  /// The severity.
  enum Level: String, Sendable {
    /// Something failed.
    case error
    /// The run continues, but may not do what was intended.
    case warning
    case note
    /// The result or cost of a run.
    case summary
    /// Details of the run, with `--verbose`.
    case log
  }

  let level: Level
  /// The code in machine output: a ``Code``, or `TYPE.code` of a library error.
  let code: String
  /// The text, without the program name. May contain text from a server.
  let text: String
  /// The values that the text mentions.
  let fields: [OutputField]

  /// The message with what may have led to it.
  func explained(_ hint: String) -> Message {
    Message(level: level, code: code, text: "\(text); \(hint)", fields: fields)
  }

  init(level: Level, code: String, text: String, fields: [OutputField] = []) {
    self.level = level
    self.code = code
    self.text = text
    self.fields = fields
  }

  init(
    _ level: Level, _ code: Code, _ text: String, _ fields: KeyValuePairs<String, OutputValue> = [:]
  ) {
    self.init(
      level: level, code: code.rawValue, text: text, fields: fields.map { OutputField($0.key, $0.value) })
  }

  /// The same message about one part of the request: starts with its name, and contains its field once.
  func about(_ name: String, _ field: String, _ value: OutputValue) -> Message {
    Message(
      level: level, code: code, text: "\(name): \(text)",
      fields: [OutputField(field, value)] + fields.filter { $0.name != field })
  }

  /// The same, as something that does not fail the run.
  var asWarning: Message { Message(level: .warning, code: code, text: text, fields: fields) }

  /// The same, as the reason why a run fails.
  var asError: Message { Message(level: .error, code: code, text: text, fields: fields) }

  /// Code and fields within another message.
  var cause: OutputValue { .object([OutputField("code", .string(code))] + fields) }

  /// The line to write, including the line break.
  func line(as form: MessageForm) -> String {
    let text = TerminalText.clean(text)
    switch form {
    case .text: return "kith: \(level == .warning ? "warning: " : "")\(text)\n"
    case .json:
      let head = [("level", level.rawValue), ("code", code), ("message", text)]
      var line: [UInt8] = []
      OutputValue.object(head.map { OutputField($0, .string($1)) } + fields).appendJSON(to: &line)
      return String(decoding: line, as: UTF8.self) + "\n"
    }
  }
}
