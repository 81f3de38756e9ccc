// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

extension TimeSource {
  /// The system clock, shifted by ``ClockShift``.
  ///
  /// Builds for tests (`DEBUG` or `TESTING`) read `KITH_TEST_SPEED`: with the value 100, each wait takes a hundredth of its
  /// time, so tests can exercise real timeouts quickly.
  static func ofProcess(_ environment: [String: String]) -> TimeSource {
    let shift = ClockShift.duration(in: environment)
    #if DEBUG || TESTING
      if let speed = environment["KITH_TEST_SPEED"].flatMap(Int.init), speed > 1 {
        let clock = AcceleratedClock(speed: speed)
        return TimeSource(clock) { TimeSource.system.instant + clock.skipped + shift }
      }
    #endif
    return shift == .zero ? .system : TimeSource(ContinuousClock()) { TimeSource.system.instant + shift }
  }
}

#if DEBUG || TESTING
  /// A clock that sleeps only for a fraction of each wait, and then advances by all of it.
  ///
  /// Everything else, such as calls to servers, takes its real time.
  private final class AcceleratedClock: Clock {
    struct Instant: InstantProtocol {
      let offset: Duration

      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let speed: Int
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let state = PosixMutex(Duration.zero)

    init(speed: Int) {
      self.speed = speed
      start = clock.now
    }

    /// How far this clock is ahead of the system clock.
    var skipped: Duration { state.withLock { $0 } }

    var now: Instant { Instant(offset: start.duration(to: clock.now) + skipped) }

    var minimumResolution: Duration { .microseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try await clock.sleep(for: now.duration(to: deadline) / speed)
      let passed = start.duration(to: clock.now)
      state.withLock { $0 = max($0, deadline.offset - passed) }
    }
  }
#endif

extension TimeSource {
  /// Now.
  var datetime: Datetime { Datetime(at: instant) }
}
