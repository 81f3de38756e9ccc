// SPDX-License-Identifier: Apache-2.0

/// A row of output, for people and for programs.
protocol PrintableRow: Sendable {
  /// The names of the fields that ``write(to:)`` writes: always all of them, in this order.
  static var fieldNames: [String] { get }
  /// The headings of ``tableRow``.
  static var headings: [String] { get }

  /// Writes every field, for programs.
  func write(to fields: inout RowEncoder)
  /// The row of a table, for people.
  var tableRow: TableRow { get }
}
