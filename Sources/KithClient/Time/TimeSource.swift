// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// An injectable source of time: a monotonic clock for measuring and waiting, and a wall clock for dates.
///
/// It can be created from any `Clock`, so an app's manual clock can drive the whole library in tests.
public struct TimeSource: Sendable {
  private let monotonic: @Sendable () -> Duration
  private let wall: @Sendable () -> Int64
  private let wait: @Sendable (Duration) async throws -> Void

  /// Creates a source from a clock and a function for the wall clock.
  ///
  /// - Parameter wall: Returns microseconds since 1970-01-01T00:00:00Z.
  public init<C: Clock>(_ clock: C, wall: @escaping @Sendable () -> Int64) where C.Duration == Duration {
    let origin = clock.now
    monotonic = { origin.duration(to: clock.now) }
    self.wall = wall
    wait = { try await clock.sleep(for: $0) }
  }

  /// The system's continuous clock and its wall clock.
  public static let system = TimeSource(ContinuousClock()) {
    WallClock.microsecondsSinceEpoch
  }

  /// The time since this source was created; never goes back.
  public var now: Duration { monotonic() }

  /// The microseconds since 1970-01-01T00:00:00Z; may jump when the system clock is set.
  public var microsecondsSinceEpoch: Int64 { wall() }

  /// Waits for a duration.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await wait(duration) }
}

extension Duration {
  /// Whole milliseconds, rounded down; at most about 146,000 years, so that a caller that adds it to a time in
  /// microseconds overflows nowhere.
  package var inMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let most = Int64.max / 2_000
    guard seconds.magnitude < most.magnitude / 1_000 else { return seconds < 0 ? -most : most }
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}
