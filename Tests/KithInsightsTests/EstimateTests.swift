// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Sample statistics, compared with independently computed values.
@Suite struct EstimateTests {
  @Test(arguments: [
    (30, 100, 0.218_948_852_949_327_6, 0.395_848_546_333_466_6), (0, 10, 0, 0.277_532_799_862_889_2),
    (7, 7, 0.645_669_564_933_312_6, 1),
  ])
  func theIntervalOfAShareIsWilsonsInterval(count: Int, size: Int, low: Double, high: Double) throws {
    let estimate = try #require(Estimate.share(count, of: size))
    #expect(estimate.value == Double(count) / Double(size))
    #expect(
      abs(estimate.interval.lowerBound - low) < 1e-12 && abs(estimate.interval.upperBound - high) < 1e-12)
  }

  @Test func aShareOfNothingIsUnknown() {
    #expect(
      Estimate.share(0, of: 0) == nil && Estimate.share(3, of: 2) == nil && Estimate.share(-1, of: 2) == nil)
  }

  /// The ranks are those of the sign test: the largest k with P(X ≤ k) ≤ 2.5 % for X of B(n, 1/2).
  @Test(arguments: [
    (6, 0), (9, 1), (10, 1), (100, 39), (999, 468), (1_000, 468), (1_002, 469), (1_001, 469), (5_000, 2_430),
  ])
  func theIntervalOfAMedianIsBetweenTwoOfTheFigures(count: Int, skipped: Int) throws {
    var generator = SeededNumbers(seed: 1)
    let figures = (0..<count).map(Double.init).shuffled(using: &generator)
    let estimate = try #require(Estimate.median(of: figures))
    #expect(estimate.value == Double(count - 1) / 2)
    #expect(estimate.interval == Double(skipped)...Double(count - 1 - skipped))
    #expect(estimate.sampleSize == count)
  }

  @Test func tooFewFiguresAndNaNHaveNoMedian() {
    #expect(Estimate.median(of: [1, 2, 3, 4, 5]) == nil)
    #expect(Estimate.median(of: [1, 2, 3, 4, 5, .nan]) == nil)
  }

  @Test func quantilesAreInterpolatedLinearly() {
    #expect([1.0, 2, 4, 8].quantile(0.5) == 3 && [1.0, 2, 4, 8].quantile(0.25) == 1.75)
    #expect([5.0].quantile(0.9) == 5 && [1.0, 2].quantile(1) == 2)
  }
}
