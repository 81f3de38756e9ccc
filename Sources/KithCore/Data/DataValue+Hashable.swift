// SPDX-License-Identifier: Apache-2.0

extension DataValue: Hashable {
  /// Whether both are the same value, to the byte: texts that only look the same are two values with two CIDs.
  public static func == (value: DataValue, other: DataValue) -> Bool {
    switch (value, other) {
    case (.null, .null): true
    case (.bool(let value), .bool(let other)): value == other
    case (.integer(let value), .integer(let other)): value == other
    case (.string(let value), .string(let other)): value.hasSameBytes(as: other)
    case (.bytes(let value), .bytes(let other)): value == other
    case (.link(let value), .link(let other)): value == other
    case (.array(let value), .array(let other)): value == other
    case (.object(let value), .object(let other)): value == other
    case (.null, _), (.bool, _), (.integer, _), (.string, _), (.bytes, _), (.link, _), (.array, _),
      (.object, _):
      false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .string(let value): hasher.combine(bytesOf: value)
    case .bytes(let value): hasher.combine(value)
    case .link(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}
