// SPDX-License-Identifier: Apache-2.0

/// Something that is printed in rows, for people and for programs.
protocol PrintableRow: Sendable {
  /// The names of ``fields``, always all of them and in their order.
  static var fieldNames: [String] { get }
  /// The headings of ``tableRow``.
  static var headings: [String] { get }

  var fields: [OutputField] { get }
  var tableRow: TableRow { get }
}
