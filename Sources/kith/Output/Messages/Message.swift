// SPDX-License-Identifier: Apache-2.0

/// One message on standard error: a sentence for people, a code and fields for scripts.
///
/// All sentences of the command are in the extensions of this type.
struct Message: Sendable, Equatable {
  /// How much it matters.
  enum Level: String, Sendable {
    /// Something failed.
    case error
    /// It goes on, and may be a mistake.
    case warning
    case note
    /// What a run came to, or what it has cost.
    case summary
    /// What happens inside, with `--verbose`.
    case log
  }

  let level: Level
  /// The word that stands for it in machine output: a ``Code``, or `TYPE.code` of an error of a library.
  let code: String
  /// The sentence, without the program's name. May hold words of a server.
  let text: String
  /// What the sentence is about.
  let fields: [OutputField]

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

  /// The same, about a part of what was asked: its name comes first, and its field stands once.
  func about(_ name: String, _ field: String, _ value: OutputValue) -> Message {
    Message(
      level: level, code: code, text: "\(name): \(text)",
      fields: [OutputField(field, value)] + fields.filter { $0.name != field })
  }

  /// The same, as something that does not fail the run.
  var asWarning: Message { Message(level: .warning, code: code, text: text, fields: fields) }

  /// Code and fields within another message.
  var cause: OutputValue { .object([OutputField("code", .string(code))] + fields) }

  /// The line that is written, with its line break.
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

extension OutputValue {
  /// A text, or null.
  static func text(_ value: (some CustomStringConvertible)?) -> OutputValue {
    value.map { .string($0.description) } ?? .null
  }

  /// A number, or null.
  static func number(_ value: (some BinaryInteger)?) -> OutputValue {
    value.map { .integer(Int($0)) } ?? .null
  }

  /// A time in whole milliseconds, or null.
  static func milliseconds(_ time: Duration?) -> OutputValue {
    .number(time.map { $0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000 })
  }
}
