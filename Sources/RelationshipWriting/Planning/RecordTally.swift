// SPDX-License-Identifier: Apache-2.0

/// Counts the records that are read, and reports the count once per page.
struct RecordTally {
  private static let step = 100

  private let report: @Sendable (Int) -> Void
  private var count = 0

  init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

  /// Counts one record.
  mutating func add() {
    count += 1
    if count.isMultiple(of: Self.step) { report(count) }
  }
}
