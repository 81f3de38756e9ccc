// SPDX-License-Identifier: Apache-2.0

/// A value at a time, such as the number of followers when a profile was read.
public struct Sample<Value: Sendable & Hashable>: Sendable, Hashable {
  public let at: Instant
  public let value: Value

  /// Creates a sample.
  public init(at: Instant, _ value: Value) {
    self.at = at
    self.value = value
  }
}
