// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithInsights

/// Chances of counts, and errors of several comparisons.
@Suite struct SignificanceTests {
  @Test func theChanceIsTwiceTheSmallerTail() {
    // Ten coins: eleven of 1,024 have at most one head.
    #expect(abs(Significance.chance(of: 1, in: 10, share: 0.5) - 22.0 / 1_024) < 1e-12)
    #expect(abs(Significance.chance(of: 9, in: 10, share: 0.5) - 22.0 / 1_024) < 1e-12)
    #expect(abs(Significance.chance(of: 4, in: 4, share: 0.25) - 2.0 / 256) < 1e-12)
    #expect(Significance.chance(of: 5, in: 10, share: 0.5) == 1)
  }

  @Test func extremeSharesAndSizesHaveChances() {
    for share in [1e-300, 1e-9, 0.5, 1 - 1e-9] {
      for size in [1, 10, 100_000] {
        for count in [0, size / 2, size] {
          #expect((0...1).contains(Significance.chance(of: count, in: size, share: share)))
        }
      }
    }
    #expect(Significance.chance(of: 0, in: 0, share: 0.5) == 1)
    #expect(
      Significance.chance(of: 3, in: 10, share: 0) == 1 && Significance.chance(of: 3, in: 10, share: 1) == 1)
    #expect(Significance.chance(of: 50_000, in: 100_000, share: 0.4) < 1e-12)
  }

  @Test func severalComparisonsShareTheError() {
    #expect(Significance.level(of: 1) == 0.05 && Significance.level(of: 50) == 0.001)
    #expect(Significance.level(of: 0) == 0.05)
  }

  /// With a smaller error, an interval is wider, or there is none.
  @Test func mediansWithASmallErrorAreWider() throws {
    let figures = (1...40).map(Double.init)
    let usual = try #require(Estimate.median(of: figures))
    let strict = try #require(Estimate.median(of: figures, error: Significance.level(of: 31)))
    #expect(strict.interval.lowerBound < usual.interval.lowerBound)
    #expect(strict.interval.upperBound > usual.interval.upperBound && strict.value == usual.value)
    // Two to the power of eleven is more than forty times 31, and two to the power of ten is not.
    #expect(Estimate.median(of: Array(figures.prefix(10)), error: Significance.level(of: 31)) == nil)
    #expect(Estimate.median(of: Array(figures.prefix(11)), error: Significance.level(of: 31)) != nil)
    #expect(Estimate.median(of: []) == nil && Estimate.median(of: Array(figures.prefix(5))) == nil)
  }
}
