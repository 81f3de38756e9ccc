// SPDX-License-Identifier: Apache-2.0

/// Counts the rows of changes.
public struct ChangeTally: Sendable {
  /// The number of rows of each state.
  public private(set) var counts: [ChangeRow.State: Int] = [:]
  /// The number of rows.
  public private(set) var rows = 0
  /// The first row that says why it was not done.
  public private(set) var firstUndone: ChangeRow?
  private var mostSevere: FailureKind?

  /// The kind of the most severe failure; nil if there was none. Among several rows, an account that was not found is
  /// no failure.
  public var kind: FailureKind? { rows == 1 && counts[.notFound] == 1 ? .notFound : mostSevere }

  mutating func add(_ row: ChangeRow) {
    rows += 1
    counts[row.state, default: 0] += 1
    if let kind = row.failure, kind != .notFound { mostSevere = kind.orMoreSevere(mostSevere) }
    if firstUndone == nil, row.reason != nil { firstUndone = row }
  }
}

extension ChangeRow {
  /// The kind of its failure; nil if it did not fail.
  fileprivate var failure: FailureKind? {
    switch reason {
    case .refused(let refusal): FailureKind(refusal)
    case .unusable(let error): FailureKind(error) ?? .internalError
    case .item, nil: state == .failed ? .unavailable : nil
    }
  }
}
