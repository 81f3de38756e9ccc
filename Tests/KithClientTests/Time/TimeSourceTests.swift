// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@Suite struct TimeSourceTests {
  @Test func startsAtZeroWheneverItIsMade() {
    let clock = ManualClock()
    clock.advance(by: .seconds(5))
    let time = clock.timeSource(wallAtZero: 1_000)
    #expect(time.now == .zero)
    #expect(time.instant == 5_001_000)
    clock.advance(by: .milliseconds(1_500))
    #expect(time.now == .milliseconds(1_500))
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
      (1_577_836_800_000_000...4_102_444_800_000_000).contains(TimeSource.system.instant))
  }
}
