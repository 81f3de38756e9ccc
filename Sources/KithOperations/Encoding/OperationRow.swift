// SPDX-License-Identifier: Apache-2.0

/// A row of an operation: documented fields in a stable order, the same for every caller.
package protocol OperationRow: Sendable {
  /// The names of the fields that ``write(to:)`` writes: always all of them, in this order.
  static var fieldNames: [String] { get }

  /// Writes every field.
  func write(to fields: inout RowEncoder)
}
