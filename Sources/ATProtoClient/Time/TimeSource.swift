// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Time as a parameter: a monotonic clock to measure and wait with, and the wall clock to date with.
///
/// Made from any `Clock`, so an app's manual clock drives the whole library in its tests.
public struct TimeSource: Sendable {
  private let monotonic: @Sendable () -> Duration
  private let wall: @Sendable () -> Int64
  private let wait: @Sendable (Duration) async throws -> Void

  /// Takes its time from a clock and its dates from a function.
  ///
  /// - Parameter wall: microseconds since 1970-01-01T00:00:00Z.
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

  /// Time since this source was made; never goes back.
  public var now: Duration { monotonic() }

  /// Microseconds since 1970-01-01T00:00:00Z; may jump when the system's clock is set.
  public var microsecondsSinceEpoch: Int64 { wall() }

  /// Waits.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await wait(duration) }
}

extension Duration {
  /// Whole milliseconds, rounded down.
  package var inMilliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
