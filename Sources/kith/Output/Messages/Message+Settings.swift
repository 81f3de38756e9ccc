// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations

extension Message {
  static func noSettings(_ path: String) -> Message {
    Message(
      .note, .noSettings, "no settings yet; kith config set NAME VALUE writes \(path)",
      ["file": .string(path)])
  }

  static func settingsWritten(_ path: String) -> Message {
    Message(.note, .settingsWritten, "written to \(path)", ["file": .string(path)])
  }

  static func settingsUnreadable(_ path: String, line: Int, _ reason: String) -> Message {
    Message(
      .error, .settingsUnreadable, "\(path):\(line): \(reason); kith config --help shows what can be set",
      ["file": .string(path), "line": .integer(line), "reason": .string(reason)])
  }

  static func settingsUnsafe(_ error: SecureFolderError) -> Message {
    Message(
      .error, .settingsUnsafe, "\(error)" + (error.remedy.map { "; \($0)" } ?? ""),
      ["file": .string(error.path)])
  }

  static func unknownSetting(_ name: String, _ reason: String) -> Message {
    Message(
      .error, .unknownSetting, "\"\(name)\" is not a setting: \(reason)",
      ["name": .string(name), "reason": .string(reason)])
  }

  static func invalidSetting(_ name: String, _ value: String, _ reason: String) -> Message {
    Message(
      .error, .invalidSetting, "\"\(value)\" is not a value of \(name): \(reason)",
      ["name": .string(name), "value": .string(value), "reason": .string(reason)])
  }

  static func noSuchSetting(_ name: String, _ path: String) -> Message {
    Message(
      .error, .noSuchSetting, "\(name) is not set in \(path)", ["name": .string(name), "file": .string(path)])
  }

  static let accountForAccount = Message(
    .error, .accountForAccount,
    "account is the account to act as, so it cannot be set for one account: omit --for")

  static func settingsDoNotFit(_ words: [String], _ reason: String) -> Message {
    Message(
      .error, .settingsDoNotFit,
      "invalid setting \(words.joined(separator: " ")) for this command: \(reason)",
      ["options": .array(words.map { .string($0) })])
  }
}
