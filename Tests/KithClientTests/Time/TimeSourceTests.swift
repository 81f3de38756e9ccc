// SPDX-License-Identifier: Apache-2.0

import KithClient
import TestSupport
import Testing

@Suite struct TimeSourceTests {
  @Test func startsAtZeroWheneverItIsMade() {
    let clock = ManualClock()
    clock.advance(by: .seconds(5))
    let time = clock.timeSource(wallAtZero: 1_000)
    #expect(time.now == .zero)
    #expect(time.microsecondsSinceEpoch == 5_001_000)
    clock.advance(by: .milliseconds(1_500))
    #expect(time.now == .milliseconds(1_500))
  }

  /// An app may set a lifetime that never ends.
  @Test func millisecondsOfAnyDurationFitIntoATime() {
    #expect(Duration.milliseconds(1_999).inMilliseconds == 1_999)
    #expect(Duration.microseconds(-1_500).inMilliseconds == -1)
    let now: Int64 = 1_760_000_000_000_000
    for duration in [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max / 1_000)] {
      #expect(!now.addingReportingOverflow(duration.inMilliseconds * 1_000).overflow)
    }
  }

  @Test func wakesSleepersThatAreDue() async throws {
    let clock = ManualClock()
    let time = clock.timeSource()
    let early = Task { try await time.sleep(for: .seconds(1)) }
    let late = Task { try await time.sleep(for: .seconds(2)) }
    await clock.untilAsleep(2)
    clock.advance(by: .seconds(1))
    try await early.value
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    try await late.value
  }

  @Test func readsTheClocksOfTheSystem() {
    let before = TimeSource.system.now
    #expect(TimeSource.system.now >= before)
    // 2020-01-01 and 2100-01-01.
    #expect(
      (1_577_836_800_000_000...4_102_444_800_000_000).contains(TimeSource.system.microsecondsSinceEpoch))
  }
}
