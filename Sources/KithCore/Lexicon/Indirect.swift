// SPDX-License-Identifier: Apache-2.0

/// A value stored on the heap, so that a type can contain a value of its own type. In JSON it is the value
/// itself.
public struct Indirect<Value> {
  @usableFromInline
  indirect enum Box {
    case box(Value)
  }

  @usableFromInline var box: Box

  /// Moves a value into its own box.
  @inlinable
  public init(_ value: Value) { box = .box(value) }

  /// The value in the box.
  @inlinable
  public var value: Value {
    get {
      switch box {
      case .box(let value): value
      }
    }
    set { box = .box(newValue) }
  }
}

extension Indirect.Box: Sendable where Value: Sendable {}
extension Indirect: Sendable where Value: Sendable {}

extension Indirect: Equatable where Value: Equatable {
  public static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

extension Indirect: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Indirect: ConstrainedValue where Value: ConstrainedValue {
  public func validate() throws(ValidationError) { try value.validate() }
}

extension Indirect: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }
}

extension Indirect: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
