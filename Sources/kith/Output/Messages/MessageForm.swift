// SPDX-License-Identifier: Apache-2.0

/// How messages are written on standard error.
enum MessageForm: String, CaseIterable {
  /// A line for people.
  case text
  /// One JSON object per line, for scripts: `level`, `code`, `message`, then the fields of that code.
  case json

  static let variable = "KITH_MESSAGES"

  /// The form that the environment selects.
  static var current: MessageForm { named ?? .text }

  /// The error for an invalid value of the variable; nil if it is valid or unset.
  static var fault: CommandFault? {
    guard let text = wanted, !text.isEmpty, named == nil else { return nil }
    return CommandFault(.usage, .unknownMessageForm(text))
  }

  private static var named: MessageForm? { wanted.flatMap(MessageForm.init) }

  private static var wanted: String? { RunContext.current.environment[variable] }
}
