// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension OperationError {
  static func requestChanged(_ requester: DID) -> OperationError {
    OperationError(
      .requestChanged, .notAllowed, "\(requester)",
      "the request has changed since it was accepted; look at it and accept it again",
      ["account": .string(requester.description)])
  }

  /// A member of a list that no row describes and that the account does not own.
  package static func unknownListInFile(_ list: ATURI) -> OperationError {
    OperationError(
      .unknownListInFile, .notFound,
      "no row describes the list \(list): export the list together with its members", ["list": .text(list)])
  }

  static func importNeedsKind(_ rows: Int) -> OperationError {
    OperationError(
      .importNeedsKind, .usage,
      "\(rows) row\(rows == 1 ? "" : "s") name\(rows == 1 ? "s" : "") an account but no kind of relationship",
      ["rows": .integer(rows)])
  }

  /// Every row of an import is skipped.
  static func importSkipped(_ rows: SkippedRows) -> OperationError {
    OperationError(.importSkipped, .invalidInput, "all rows are skipped", rows.fields)
  }

  /// The rows that are skipped, if all are.
  public var skippedRows: SkippedRows? {
    guard code == .importSkipped else { return nil }
    let values = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    func count(_ name: String) -> Int {
      if case .integer(let count)? = values[name] { count } else { 0 }
    }
    func names(_ name: String) -> [String] {
      guard case .array(let names)? = values[name] else { return [] }
      return names.compactMap { value in if case .string(let name) = value { name } else { nil } }
    }
    return SkippedRows(
      followers: count("followers"), lists: count("lists"), settings: count("settings"),
      oneself: count("oneself"), ended: count("ended"), otherFollows: count("otherFollows"),
      in: names("otherGraphs"), statements: count("statements"), of: names("statementKinds"))
  }
}
