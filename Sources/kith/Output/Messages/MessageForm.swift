// SPDX-License-Identifier: Apache-2.0

/// How messages are written on standard error.
enum MessageForm: String, CaseIterable {
  /// A line for people.
  case text
  /// One JSON object per line, for scripts: `level`, `code`, `message`, then the fields of that code.
  case json

  static let variable = "KITH_MESSAGES"

  /// The form that an environment selects.
  init(in environment: [String: String]) {
    self = environment[Self.variable].flatMap(MessageForm.init) ?? .text
  }

  /// The error for an invalid value of the variable; nil if it is valid or unset.
  static func fault(in environment: [String: String]) -> CommandFault? {
    guard let text = environment[variable], !text.isEmpty, MessageForm(rawValue: text) == nil else {
      return nil
    }
    return CommandFault(.usage, .unknownMessageForm(text))
  }
}
