// SPDX-License-Identifier: Apache-2.0

/// An optional value stored on the heap, so that a type in which it is usually absent stays small: a profile
/// with its counts takes 400 bytes, instead of 2,900 with all optional parts inline.
@propertyWrapper
public struct Boxed<Value> {
  @usableFromInline var box: Indirect<Value>?

  /// Moves a value, if there is one, into its own box.
  @inlinable
  public init(wrappedValue: Value?) { box = wrappedValue.map(Indirect.init) }

  /// The value in the box.
  @inlinable
  public var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Indirect.init) }
  }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
