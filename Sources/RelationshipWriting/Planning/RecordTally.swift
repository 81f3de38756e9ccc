// SPDX-License-Identifier: Apache-2.0

/// Counts the records that are read, and tells once in a page's worth how many there were.
struct RecordTally {
  private static let step = 100

  private let report: @Sendable (Int) -> Void
  private var count = 0

  init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

  /// Counts one in.
  mutating func add() {
    count += 1
    if count.isMultiple(of: Self.step) { report(count) }
  }
}
