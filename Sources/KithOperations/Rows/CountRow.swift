// SPDX-License-Identifier: Apache-2.0

/// How many rows there are, instead of the rows.
public struct CountRow: OperationRow {
  /// The number.
  public let count: Int

  /// Creates the row.
  public init(count: Int) { self.count = count }

  public static let fieldNames = ["count"]

  public func write(to fields: inout RowEncoder) { fields.number(count) }
}
