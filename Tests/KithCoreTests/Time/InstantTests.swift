// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@Suite struct InstantTests {
  @Test func addsAndSubtractsDurations() {
    let instant: Instant = 1_760_000_000_000_000
    #expect(instant + .milliseconds(1_500) == 1_760_000_001_500_000)
    #expect(instant - .days(1) == 1_759_913_600_000_000)
    #expect((instant + .seconds(90)) - instant == .seconds(90))
    #expect(instant - (instant + .microseconds(1)) == .microseconds(-1))
    #expect(instant < instant + .microseconds(1))
    var moved = instant
    moved += .seconds(2)
    moved -= .seconds(1)
    #expect(moved - instant == .seconds(1))
  }

  @Test(arguments: [(-1, -1), (0, 0), (999_999, 0), (1_000_000, 1), (-1_000_001, -2)] as [(Instant, Int64)])
  func roundsSecondsDown(instant: Instant, seconds: Int64) {
    #expect(instant.secondsSinceEpoch == seconds)
  }

  /// An app may set a lifetime that never ends, and a server may claim any time.
  @Test func staysAtTheEndsOfItsRange() {
    let now: Instant = 1_760_000_000_000_000
    let ever = [Duration.seconds(Int64.max), .seconds(Int64.max / 1_000)]
    for duration in ever {
      #expect(now + duration == .distantFuture && now - (.zero - duration) == .distantFuture)
      // Days do not matter for what is 290,000 years ago.
      #expect(now - duration < Datetime.earliest && now + (.zero - duration) < Datetime.earliest)
    }
    #expect(Instant.distantFuture + .microseconds(1) == .distantFuture)
    #expect(Instant.distantPast - .microseconds(1) == .distantPast)
    #expect(Instant.distantFuture - .distantPast == .microseconds(Int64.max))
    #expect(Instant.distantPast - .distantFuture == .microseconds(Int64.min))
    #expect(Instant(secondsSinceEpoch: .max) == .distantFuture)
    #expect(Instant(secondsSinceEpoch: .min) == .distantPast)
  }

  @Test func countsDurationsInWholeUnits() {
    #expect(Duration.milliseconds(1_999).inMilliseconds == 1_999)
    #expect(Duration.microseconds(-1_500).inMilliseconds == -2)
    #expect(Duration.nanoseconds(1_999).inMicroseconds == 1)
    #expect(Duration.nanoseconds(-1_999).inMicroseconds == -1)
    #expect(Duration.days(2) == .seconds(172_800))
  }
}
