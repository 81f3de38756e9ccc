// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension OperationError {
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
    OperationError(
      .importSkipped, .invalidInput, "all rows are skipped",
      [
        "followers": .integer(rows.followers), "lists": .integer(rows.lists),
        "oneself": .integer(rows.oneself), "ended": .integer(rows.ended),
      ])
  }

  /// The rows that are skipped, if all are.
  public var skippedRows: SkippedRows? {
    guard code == .importSkipped else { return nil }
    let counts = fields.map { field in if case .integer(let count) = field.value { count } else { 0 } }
    guard counts.count == 4 else { return nil }
    return SkippedRows(followers: counts[0], lists: counts[1], oneself: counts[2], ended: counts[3])
  }
}
