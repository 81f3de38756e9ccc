// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How messages are written on standard error.
enum MessageForm: String, CaseIterable {
  /// A line for people.
  case text
  /// A JSON object in a line, for scripts: `level`, `code`, `message`, then the fields of that code.
  case json

  static let variable = "KITH_MESSAGES"

  /// The form that the environment asks for.
  static var current: MessageForm { named ?? .text }

  /// What is wrong with the variable; nil where nothing is.
  static var fault: CommandFault? {
    guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty, named == nil else {
      return nil
    }
    return CommandFault(.usage, .unknownMessageForm(text))
  }

  private static var named: MessageForm? {
    getenv(variable).flatMap { MessageForm(rawValue: String(cString: $0)) }
  }
}
