// SPDX-License-Identifier: Apache-2.0

import KithCore
import Synchronization
import TestSupport
import Testing

@Suite struct TIDClockTests {
  /// A wall clock that returns the listed times, then the last one forever.
  private final class Times: Sendable {
    private let times: PosixMutex<[Instant]>

    init(_ times: [Instant]) { self.times = PosixMutex(times.reversed()) }

    func next() -> Instant {
      times.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
    }
  }

  @Test func followsTheWallClock() {
    let times = Times([100, 250])
    let clock = TIDClock(clockID: 7, wall: times.next)
    #expect([clock.next(), clock.next()].map(\.instant) == [100, 250])
    #expect(clock.next().clockID == 7)
  }

  @Test func countsOnWhileTheWallClockStands() {
    let clock = TIDClock(clockID: 0) { 100 }
    #expect((0..<4).map { _ in clock.next().instant } == [100, 101, 102, 103])
  }

  @Test func countsOnWhenTheWallClockStepsBack() {
    let times = Times([100, 200, 50, 199, 203, 204])
    let clock = TIDClock(clockID: 0, wall: times.next)
    #expect((0..<6).map { _ in clock.next().instant } == [100, 200, 201, 202, 203, 204])
  }

  @Test func startsAt1970WhenTheWallClockIsBeforeIt() {
    let clock = TIDClock(clockID: 0) { -1_000 }
    #expect((0..<3).map { _ in clock.next().instant } == [0, 1, 2])
  }

  @Test func staysOnTheLastMicrosecondThatTheFormatHas() {
    let times = Times([.max, 5])
    let clock = TIDClock(clockID: 0, wall: times.next)
    #expect((0..<2).map { _ in clock.next().instant } == [Instant(1 << 53 - 1), Instant(1 << 53 - 1)])
  }

  @Test func neverRepeatsAmongManyTasks() async {
    // The clock jitters within 64 microseconds, so tasks see equal times.
    let calls = Atomic<Int64>(0)
    await withTaskGroup(of: [TID].self) { group in
      let clock = TIDClock(clockID: 1) {
        Instant(1_000_000 + (calls.add(1, ordering: .relaxed).newValue * 37) % 64)
      }
      for _ in 0..<16 {
        group.addTask { (0..<1_000).map { _ in clock.next() } }
      }
      var all: Set<TID> = []
      for await tids in group {
        #expect(zip(tids, tids.dropFirst()).allSatisfy { $0 < $1 })
        all.formUnion(tids)
      }
      #expect(all.count == 16_000)
    }
  }
}
