// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An injectable source of time: a monotonic clock for measuring and waiting, and a wall clock for dates.
///
/// It can be created from any `Clock`, so an app's manual clock can drive the whole library in tests.
public struct TimeSource: Sendable {
  /// Whether time passes only when a test advances it. Then no query waits for others to share a call with them: it would
  /// wait until the test advances the clock.
  public let isManual: Bool
  private let monotonic: @Sendable () -> Duration
  private let wall: @Sendable () -> Instant
  private let wait: @Sendable (Duration) async throws -> Void

  /// Creates a source from a clock and a function for the wall clock.
  ///
  /// - Parameter isManual: see ``isManual``.
  public init<C: Clock>(
    _ clock: C, isManual: Bool = false, wall: @escaping @Sendable () -> Instant
  ) where C.Duration == Duration {
    self.isManual = isManual
    let origin = clock.now
    monotonic = { origin.duration(to: clock.now) }
    self.wall = wall
    wait = { try await clock.sleep(for: $0) }
  }

  /// The system's continuous clock and its wall clock.
  public static let system = TimeSource(ContinuousClock()) { WallClock.now }

  /// The time since this source was created; never goes back.
  public var now: Duration { monotonic() }

  /// The time of the wall clock; may jump when the system clock is set.
  public var instant: Instant { wall() }

  /// Waits for a duration.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(for duration: Duration) async throws { try await wait(duration) }
}
