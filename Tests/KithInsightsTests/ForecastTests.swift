// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Forecasts of counts, and reasons for no forecast.
@Suite struct ForecastTests {
  private static let day: Int64 = 86_400_000_000

  private func counts(_ count: Int, from first: Int64 = 20_000, _ figure: (Int) -> Int) -> [Sample<Int>] {
    (0..<count).map { Sample<Int>(at: Instant((first + Int64($0)) * Self.day + 7), figure($0)) }
  }

  private func refusal(_ counts: [Sample<Int>]) -> Forecast.Refusal? {
    do throws(Forecast.Refusal) {
      _ = try Forecast(of: counts, days: 10)
      return nil
    } catch { return error }
  }

  @Test func theModelFollowsTheBook() {
    // By hand: level 11.9, trend 1.82; 11.9 + 0.9 · 1.82, then 11.9 + (0.9 + 0.81) · 1.82.
    let days = DampedTrend([10, 12], alpha: 0.5, beta: 0.1, phi: 0.9).ahead(2)
    #expect(abs(days[0].mean - 13.538) < 1e-12 && abs(days[1].mean - 15.0122) < 1e-12)
    // σ = 0.2, and 0.2 · √(1 + (0.5 + 0.1 · 0.9)²).
    #expect(abs(days[0].deviation - 0.2) < 1e-12 && abs(days[1].deviation - 0.23221541723150085) < 1e-12)
  }

  /// Computed elsewhere from the same recurrences: nine errors, of which five degrees of freedom are fitted.
  @Test func theDeviationOfALongSeriesCountsFiveFittedValues() {
    let series: [Double] = [100, 103, 101, 106, 104, 109, 108, 111, 115, 113]
    let model = DampedTrend(series, alpha: 0.4, beta: 0.1, phi: 0.9)
    #expect(abs(model.squaredError - 48.291707908739035) < 1e-9)
    let days = model.ahead(3)
    for (day, wanted) in zip(days, [3.4746117735920885, 3.8693199330640544, 4.348322197006003]) {
      #expect(abs(day.deviation - wanted) < 1e-9)
    }
    #expect(abs(days[0].mean - 114.59580501049834) < 1e-9)
  }

  /// The best forecast of a random walk is its last value, so the largest parameter fits best.
  @Test func theGridIncludesItsLastParameter() {
    var generator = SeededNumbers(seed: 4)
    var series = [5_000.0]
    for _ in 0..<200 { series.append((series.last ?? 0) + Double.random(in: -50...50, using: &generator)) }
    #expect(DampedTrend(fitting: series).alpha == 0.95)
  }

  /// A gap at the end of the two years is interpolated only within them.
  @Test func usesAtMostTwoYearsOfDays() throws {
    let recent = counts(729, from: 20_004) { 1_000 + 10 * $0 }
    let earlier = counts(1, from: 20_000) { _ in 160 }
    let joined = counts(1, from: 20_003) { _ in 790 }
    #expect(try Forecast(of: earlier + recent, days: 3) == Forecast(of: joined + recent, days: 3))
  }

  @Test func steadyGrowthContinuesAndSlowsDown() throws {
    let forecast = try Forecast(of: counts(60) { 1_000 + 10 * $0 }, days: 30)
    #expect(forecast.points.count == 30)
    #expect(forecast.points.first?.at == .epoch + .days(20_060))
    let last = try #require(forecast.points.last)
    #expect((1_600...1_890).contains(last.expected))
    #expect(
      last.possible.lowerBound <= last.likely.lowerBound && last.likely.upperBound <= last.possible.upperBound
    )
    let steps = zip(forecast.points, forecast.points.dropFirst()).map { $1.expected - $0.expected }
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $1 <= $0 } && steps.allSatisfy { $0 >= 0 })
  }

  @Test func theUpperBoundReachesAGoalFirst() throws {
    var generator = SeededNumbers(seed: 3)
    let noisy = counts(120) { 1_000 + 12 * $0 + Int.random(in: -9...9, using: &generator) }
    let forecast = try Forecast(of: noisy, days: 60)
    let goal = forecast.reaching(2_550)
    let (expected, earliest) = (try #require(goal.expected), try #require(goal.earliest))
    #expect(earliest <= expected && expected <= goal.latest ?? .max)
    #expect(forecast.reaching(1_000_000) == (nil, nil, nil))
  }

  @Test func tooFewDaysHaveNoForecast() {
    #expect(refusal([]) == .tooShort(days: 0, weeks: 0))
    #expect(refusal(counts(27) { $0 }) == .tooShort(days: 27, weeks: 4))
    // Only days after a long gap count.
    #expect(refusal(counts(100) { $0 } + counts(20, from: 20_130) { $0 }) == .tooShort(days: 20, weeks: 3))
  }

  /// Half a year of snapshots on Mondays; a missing week is interpolated.
  @Test func weeklyCountsHaveAForecastInWeeks() throws {
    let weekly = (0..<26).map { Sample<Int>(at: .epoch + .days(20_003 + 7 * $0), 1_000 + 20 * $0) }
    let forecast = try Forecast(of: weekly, days: 90)
    #expect(forecast.step == .days(7) && forecast.points.count == 12)
    #expect(forecast.points.map(\.at).first == .epoch + .days(20_003 + 7 * 26))
    #expect((1_600...1_740).contains(try #require(forecast.points.last).expected))
    #expect(forecast.backtest.daysAhead == 28 && forecast.prefix(30).points.count == 4)
    #expect(try Forecast(of: weekly.filter { $0.value != 1_200 }, days: 90) == forecast)
    #expect(refusal(Array(weekly.prefix(15))) == .tooShort(days: 1, weeks: 15))
    let goal = GoalProgress(1_600, from: 1_000, now: 1_500, forecast: .success(forecast))
    #expect(goal.expected != nil)
  }

  @Test func shortGapsAreInterpolatedAndTheLastCountOfADayIsUsed() throws {
    let whole = counts(60) { 1_000 + 10 * $0 }
    let gappy = whole.enumerated().filter { ![20, 21, 22, 40].contains($0.offset) }.map(\.element)
    let early = whole.map { Sample<Int>(at: $0.at - 5, 5) }
    #expect(try Forecast(of: gappy + early.prefix(10), days: 9) == Forecast(of: whole, days: 9))
  }

  @Test func unpredictableCountsHaveNoForecast() throws {
    let refusal = refusal(counts(90) { $0.isMultiple(of: 30) ? 9_000 : 1_000 + 37 * ($0 * 7_919 % 101) })
    guard case .tooInaccurate(let backtest) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(backtest.forecasts > 0 && backtest.meanError > 0)
  }

  @Test func nothingIsForecastBelowZeroOrBeyondAYear() throws {
    let forecast = try Forecast(of: counts(60) { 900 - 10 * $0 }, days: 10_000)
    #expect(forecast.points.count == Forecast.mostDays)
    #expect(forecast.points.allSatisfy { $0.expected >= 0 && $0.possible.lowerBound >= 0 })
  }

  @Test func theOrderOfCountsDoesNotMatter() throws {
    var generator = SeededNumbers(seed: 5)
    let counts = counts(50) { 100 + 3 * $0 }
    #expect(try Forecast(of: counts.shuffled(using: &generator), days: 5) == Forecast(of: counts, days: 5))
  }
}
