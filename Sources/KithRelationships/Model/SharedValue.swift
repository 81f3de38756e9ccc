// SPDX-License-Identifier: Apache-2.0

/// A value behind a single reference, for values that are copied often: a copy retains one reference, however many the
/// value has.
final class SharedValue<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension SharedValue: Equatable where Value: Equatable {
  static func == (lhs: SharedValue, rhs: SharedValue) -> Bool { lhs === rhs || lhs.value == rhs.value }
}

extension SharedValue: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
