// SPDX-License-Identifier: Apache-2.0

/// Any value of the data model, as for fields that a lexicon declares `unknown`.
///
/// Specification: <https://atproto.com/specs/data-model>.
public enum DataValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case bytes([UInt8])
  case link(CID)
  case array([DataValue])
  case object(DataObject)

  /// Whether the value is null.
  public var isNull: Bool { self == .null }

  /// The boolean; nil for a value of another kind.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The number; nil for a value of another kind.
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The text; nil for a value of another kind.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The binary data; nil for a value of another kind.
  public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }

  /// The link; nil for a value of another kind.
  public var link: CID? { if case .link(let value) = self { value } else { nil } }

  /// The elements; nil for a value of another kind.
  public var array: [DataValue]? { if case .array(let value) = self { value } else { nil } }

  /// The fields; nil for a value of another kind.
  public var object: DataObject? { if case .object(let value) = self { value } else { nil } }

  /// The `$type` of the object; nil if it has none.
  public var type: String? { self["$type"]?.string }

  /// The field of an object; nil if it is absent or the value is of another kind.
  public subscript(key: String) -> DataValue? { object?[key] }

  /// The element of an array; nil if it is absent or the value is of another kind.
  public subscript(index: Int) -> DataValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}
