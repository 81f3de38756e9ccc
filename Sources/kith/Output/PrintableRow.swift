// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations

/// A row of output, for people and for programs.
protocol PrintableRow: OperationRow {
  /// The headings of ``tableRow(at:)``.
  static var headings: [String] { get }

  /// The row of a table, for people.
  ///
  /// - Parameter now: the time, for words such as `5 min ago`.
  func tableRow(at now: Datetime) -> TableRow
}
