// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// A value that is made on first use, and made again after its lifetime or after ``forget()``.
final class ExpiringValue<Value: Sendable>: Sendable {
  private let lifetime: Duration
  private let time: TimeSource
  private let make: @Sendable () -> Value
  private let made = PosixMutex<(value: Value, end: Duration)?>(nil)

  /// - Parameter lifetime: as long as answers are cached.
  init(
    every lifetime: Duration = RelationshipCache.Policy().lifetime, _ time: TimeSource,
    _ make: @escaping @Sendable () -> Value
  ) {
    (self.lifetime, self.time, self.make) = (lifetime, time, make)
  }

  var value: Value {
    let now = time.now
    return made.withLock { made in
      if let known = made, now < known.end { return known.value }
      let value = make()
      made = (value, now + lifetime)
      return value
    }
  }

  /// Ends the lifetime of the value.
  func forget() { made.withLock { $0 = nil } }
}
