// SPDX-License-Identifier: Apache-2.0

import KithOperations

/// A row of output, for people and for programs.
protocol PrintableRow: OperationRow {
  /// The headings of ``tableRow``.
  static var headings: [String] { get }

  /// The row of a table, for people.
  var tableRow: TableRow { get }
}
