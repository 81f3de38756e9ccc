// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore

extension TimeSource {
  /// The time that a run waits and measures by: the system's.
  ///
  /// A debug build reads `KITH_TEST_SPEED`: a run with the value 100 waits a hundredth of each wait, so that
  /// tests of the command see its real patience without spending it. A release build does not know the variable.
  static func ofProcess(_ environment: [String: String]) -> TimeSource {
    #if DEBUG
      if let speed = environment["KITH_TEST_SPEED"].flatMap(Int.init), speed > 1 {
        let clock = AcceleratedClock(speed: speed)
        return TimeSource(clock) {
          TimeSource.system.microsecondsSinceEpoch + clock.skipped.inMilliseconds * 1_000
        }
      }
    #endif
    return .system
  }
}

#if DEBUG
  /// A clock whose sleepers wake after a fraction of their wait and find that all of it has passed.
  ///
  /// Whatever does not sleep takes its real time, so that a call to a server is as long as it is.
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

    /// How far this clock is ahead of the system's.
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
  var datetime: Datetime { Datetime(microsecondsSinceEpoch: microsecondsSinceEpoch) }
}
