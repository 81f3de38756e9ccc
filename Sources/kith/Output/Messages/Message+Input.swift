// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships

/// Messages about names, and about the files and streams that hold them.
extension Message {
  init(_ error: InputError) {
    self.init(
      .error, .invalidInput, error.description,
      ["input": .string(error.text), "place": .text(error.place), "noun": .string(error.noun)])
  }

  static func invalidAccountOption(_ error: InputError) -> Message {
    Message(.error, .invalidAccountOption, "--account: \(error)", ["input": .string(error.text)])
  }

  /// - Parameter origin: the options and variables that may have set it.
  static func invalidService(_ error: ServiceURL.Fault, origin: String) -> Message {
    Message(
      .error, .invalidService, "\(origin): \(error)",
      ["origin": .string(origin), "input": .string(error.text)])
  }

  static func serviceWithoutScheme(_ text: String, origin: String) -> Message {
    Message(
      .error, .serviceWithoutScheme, "\(origin): write https://\(text), or http://\(text) for plain HTTP",
      ["origin": .string(origin), "input": .string(text)])
  }

  static func invalidServiceReference(_ text: String, origin: String, example: String) -> Message {
    Message(
      .error, .invalidServiceReference,
      "\(origin): \"\(text)\" is not a service reference; write it as \(example)",
      ["origin": .string(origin), "input": .string(text)])
  }

  static func invalidList(_ text: String, _ reason: String) -> Message {
    Message(
      .error, .invalidList, "\(text): \(reason); write a list as at://DID/app.bsky.graph.list/KEY",
      ["input": .string(text)])
  }

  static func invalidParameter(_ text: String) -> Message {
    Message(
      .error, .invalidParameter, "\"\(text)\" is not a parameter; write it as name=value",
      ["input": .string(text)])
  }

  static func invalidMethod(_ error: SyntaxError) -> Message {
    Message(.error, .invalidMethod, error.description, ["input": .string(error.text)])
  }

  static let noneMatch = Message(preparing: .noneMatch)

  /// - Parameter names: the first of those that were named.
  static func accountsExcluded(_ count: Int, _ names: [String]) -> Message {
    Message(preparing: .accountsExcluded(count, first: names))
  }

  static func unknownField(_ name: String, known: [String]) -> Message {
    Message(
      .error, .unknownField,
      "--fields: unknown field \"\(name)\"; the fields are \(known.joined(separator: ", "))",
      ["field": .string(name), "fields": .array(known.map { .string($0) })])
  }

  static func repeatedField(_ name: String) -> Message {
    Message(
      .error, .repeatedField, "--fields: \"\(name)\" is named twice; name each field once",
      ["field": .string(name)])
  }

  static let noFields = Message(.error, .noFields, "--fields: this command prints no rows; omit it")

  /// - Parameter noun: what was expected, such as `targets`.
  static func noInput(_ noun: String) -> Message {
    Message(preparing: .noInput(noun))
  }

  // MARK: Rows of an earlier run

  static func noFailedRows(file: String) -> Message {
    Message(
      .note, .noFailedRows, "\(file): no failed rows; nothing was checked",
      ["file": .string(file)])
  }
}
