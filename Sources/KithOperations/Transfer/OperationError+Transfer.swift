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
    let counts = fields.compactMap { field in if case .integer(let count) = field.value { count } else { nil }
    }
    guard counts.count == 5, case .array(let graphs)? = fields.last?.value else { return nil }
    return SkippedRows(
      followers: counts[0], lists: counts[1], oneself: counts[2], ended: counts[3], otherFollows: counts[4],
      in: graphs.compactMap { graph in if case .string(let name) = graph { name } else { nil } })
  }
}
