// SPDX-License-Identifier: Apache-2.0

/// A row of an operation: documented fields in a stable order, the same for every caller.
///
/// Encoded as an object with all fields, absent ones as null. ``RowEncoder`` writes them in order, and much faster.
public protocol OperationRow: Sendable, Encodable {
  /// The names of the fields that ``write(to:)`` writes: always all of them, in this order.
  static var fieldNames: [String] { get }

  /// Writes every field.
  func write(to fields: inout RowEncoder)
}

extension OperationRow {
  public func encode(to encoder: any Encoder) throws {
    try OutputValue.object(RowEncoder.fields(of: self)).encode(to: encoder)
  }
}
