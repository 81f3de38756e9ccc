// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
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

  static func isAList(_ text: String) -> Message {
    Message(
      .error, .isAList, "\"\(text)\" is a list, not an account; kith lists show prints its members",
      ["input": .string(text)])
  }

  /// - Parameter unnamed: how many of them were not reported individually.
  static func invalidNames(_ count: Int, unnamed: Int) -> Message {
    let rest = unnamed > 0 ? " (\(unnamed) of them not shown above)" : ""
    return Message(
      .error, .invalidNames,
      "\(count) name\(count == 1 ? " is" : "s are") not valid\(rest); nothing was changed",
      ["count": .integer(count), "unnamed": .integer(unnamed)])
  }

  /// The same for answers, each of which has its row.
  static func namesInvalid(_ count: Int, unnamed: Int) -> Message {
    Message(
      .error, .namesInvalid, "\(count) names are not valid (\(unnamed) of them not shown above)",
      ["count": .integer(count), "unnamed": .integer(unnamed)])
  }

  /// What `--skip-invalid` has left out.
  static func namesSkipped(_ count: Int) -> Message {
    Message(
      .warning, .namesSkipped, "\(count) invalid name\(count == 1 ? "" : "s") skipped",
      ["count": .integer(count)])
  }

  static let noneMatch = Message(.note, .noneMatch, "no accounts match; nothing to do")

  static func accountsExcluded(_ count: Int) -> Message {
    Message(
      .note, .accountsExcluded, "\(counted(count, "account")) excluded", ["count": .integer(count)])
  }

  static func excludedUnknown(_ input: String) -> Message {
    Message(
      .warning, .excludedUnknown, "--exclude: \(input): no such account", ["input": .string(input)])
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

  static func repetitions(_ count: Int) -> Message {
    Message(.note, .repetitions, "\(counted(count, "duplicate")) skipped", ["count": .integer(count)])
  }

  /// - Parameter noun: what was expected, such as `targets`.
  static func noInput(_ noun: String) -> Message {
    Message(.note, .noInput, "no \(noun) given, nothing to do", ["noun": .string(noun)])
  }

  // MARK: Rows of an earlier run

  static func notNDJSON(file: String, format: String, wayOut: String) -> Message {
    Message(
      .error, .notNDJSON,
      "\(file): this is \(format), but --retry-errors reads ndjson; try \(wayOut)",
      ["file": .string(file), "format": .string(format)])
  }

  static func actorMismatch(_ other: DID, at place: String, asked actor: DID) -> Message {
    Message(
      .error, .actorMismatch,
      "\(place): this row is about \(other), but you ask about \(actor); name the account of that run",
      ["place": .string(place), "actor": .text(other), "asked": .text(actor)])
  }

  static func noFailedRows(file: String) -> Message {
    Message(
      .note, .noFailedRows, "\(file): no failed rows; nothing was checked",
      ["file": .string(file)])
  }
}
