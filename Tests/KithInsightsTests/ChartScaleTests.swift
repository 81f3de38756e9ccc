// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Formatting of numbers, ticks and times in charts.
@Suite struct ChartScaleTests {
  @Test(arguments: [
    (ValueKind.count, 0, "0", "0"), (.count, 1_234, "1,234", "1.2k"), (.count, 999_960, "999,960", "1M"),
    (.count, 3_400_000, "3,400,000", "3.4M"), (.count, -1_500, "−1,500", "−1.5k"),
    (.count, 2.5, "2.5", "2.5"),
    (.share, 0.453, "45.3%", "45%"), (.share, 1, "100%", "100%"), (.share, 0.0012, "0.12%", "0.12%"),
    (.rate, 0.0123, "0.0123", "0.0123"), (.rate, 12.34, "12.3", "12.3"), (.duration, 45, "45 s", "45 s"),
    (.duration, 273_600, "3 d 4 h", "3.2 d"), (.duration, 5_400, "1 h 30 min", "1.5 h"),
    (.count, .nan, "–", "–"), (.share, .infinity, "–", "–"),
  ])
  func numbersHaveALongAndAShortFormat(kind: ValueKind, value: Double, full: String, short: String) {
    #expect(kind.text(value) == full && kind.shortText(value) == short)
  }

  /// Values that differ by less than a step begin at zero after all.
  @Test(arguments: [ValueKind.count, .duration]) func anAxisFromZeroIsNotBroken(kind: ValueKind) {
    let scale = ValueScale(0.5...0.6, kind: kind, most: 6, mayBreak: true)
    #expect(scale.low == 0 && !scale.isBroken && scale.breakNote == nil)
    let high = ValueScale(500...520, kind: kind, most: 6, mayBreak: true)
    #expect(high.low > 0 && high.isBroken && high.breakNote != nil)
  }

  @Test(arguments: ValueKind.allCases) func ticksAreFewAndCoverTheRange(kind: ValueKind) {
    var numbers = SeededNumbers(seed: 3)
    let sizes = [1e-9, 1e-3, 1, 1e3, 1e9, 1e17, 1e300]
    for _ in 0..<2_000 {
      let size = sizes.randomElement(using: &numbers) ?? 1
      let one = Double.random(in: -1...1, using: &numbers) * size
      let other = Double.random(in: -1...1, using: &numbers) * size
      let scale = ValueScale(min(one, other)...max(one, other), kind: kind, most: 6, mayBreak: true)
      #expect((2...14).contains(scale.ticks.count))
      #expect(zip(scale.ticks, scale.ticks.dropFirst()).allSatisfy(<))
      let (low, high) = (max(min(one, other), -1e18), min(max(one, other), 1e18))
      #expect(scale.low <= low + scale.step * 1e-6 && scale.high >= high - scale.step * 1e-6)
      #expect(scale.isBroken || scale.low <= 0)
    }
  }

  @Test func timeTicksAreAtStartsOfPeriods() throws {
    let year = TimeScale(try at("2025-01-01")...at("2025-12-31"), clock: .utc)
    #expect(year.ticks(most: 4).map(\.label) == ["2025", "Apr", "Jul", "Oct"])
    #expect(year.caption == "1 Jan 2025 – 31 Dec 2025 · UTC")
    let hours = TimeScale(try at("2025-01-01T03:00")...at("2025-01-02T03:00"), clock: SampleCharts.berlin)
    #expect(hours.ticks(most: 5).map(\.label) == ["06:00", "12:00", "18:00", "2 Jan"])
    #expect(try hours.ticks(most: 5).last?.at == at("2025-01-01T23:00"))
    for (first, last) in [(.min, .max), (.min, .min), (.max, .max), (0, .max), (0, 1)] as [(Instant, Instant)]
    {
      for most in [1, 3, 12] {
        let ticks = TimeScale(first...last, clock: SampleCharts.berlin).ticks(most: most)
        #expect(ticks.count <= most + 2 && zip(ticks, ticks.dropFirst()).allSatisfy { $0.at < $1.at })
      }
    }
  }

  @Test func labelsLoseHidingAndReorderingCharacters() {
    #expect(ChartLabel.clean("a\u{202E}b\u{0}c\u{200B}\nd\u{FFFF}") == "abc d")
    #expect(ChartLabel.escaped("<b a='1' c=\"2\">&") == "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;")
    #expect(ChartLabel.clean(String(repeating: "é", count: 400)).count == ChartLabel.mostCharacters + 1)
    #expect(ChartLabel.width("日本👩‍👩‍👧e\u{301}") == 7 && ChartLabel.cut("日本語", to: 4) == "日…")
    #expect(ChartLabel.ascii("−3 · 日") == "-3 - ??")
  }
}
