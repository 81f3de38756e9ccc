// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import kith

@Suite struct RelativeTimeTextTests {
  /// 2026-11-24T12:00:00Z; all clocks of the world show one of two days then.
  private let now: Instant = 1_795_521_600_000_000

  private func words(after seconds: Int64) -> String {
    RelativeTimeText.relative(
      Datetime(at: now + seconds * 1_000_000), to: Datetime(at: now))
  }

  @Test(
    arguments: [
      (-3, "just now"), (-61, "1 min ago"), (-7_300, "2 h ago"), (0, "just now"), (119, "in 119 s"),
      (121, "in 3 min"),
      (5_399, "in 90 min"),
    ] as [(Int64, String)])
  func saysHowFarAMomentIs(seconds: Int64, words: String) {
    #expect(self.words(after: seconds) == words)
  }

  /// What ends in less than a second has not ended just now.
  @Test func roundsWhatIsToComeUp() {
    let now = Datetime(at: now)
    for (rest, words) in [(1_000, "in 1 s"), (999_000, "in 1 s"), (1_001_000, "in 2 s")] as [(Int64, String)]
    {
      let moment = Datetime(at: self.now + rest)
      #expect(RelativeTimeText.relative(moment, to: now) == words)
    }
  }

  @Test func namesTheDayOfAMomentThatIsFar() {
    #expect(words(after: 86_400).hasPrefix("tomorrow, "))
    #expect(words(after: -86_400).hasPrefix("yesterday, "))
    #expect(words(after: 5 * 86_400).contains(/^(29|30) Nov, \d\d:\d\d$/))
    #expect(words(after: 365 * 86_400).contains(/^2[45] Nov 2027, \d\d:\d\d$/))
  }
}
