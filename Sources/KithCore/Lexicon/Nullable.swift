// SPDX-License-Identifier: Apache-2.0

/// A value of a field for which null and absence have different meanings.
///
/// `Nullable<CID>?` is nil if the field is absent.
public enum Nullable<Value> {
  /// The field is present and null.
  case null
  /// The field is present with a value.
  case value(Value)

  /// The value; nil for null.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }
}

extension Nullable: Sendable where Value: Sendable {}
extension Nullable: Equatable where Value: Equatable {}
extension Nullable: Hashable where Value: Hashable {}

extension Nullable: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .null : .value(try container.decode(Value.self))
  }
}

extension Nullable: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .value(let value): try container.encode(value)
    }
  }
}
