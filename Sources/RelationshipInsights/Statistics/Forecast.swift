// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Where a count that is known day by day is going, if it goes on as it did.
///
/// Exponential smoothing with additive error and a damped trend, ETS(A,Ad,N): Hyndman, Koehler, Ord, Snyder, *Forecasting with
/// Exponential Smoothing* (2008), chapters 3 and 6. The parameters are those of a grid that had the least squared error
/// one day ahead. Intervals hold for normal errors that do not depend on each other.
public struct Forecast: Sendable, Hashable {
  /// What is expected of one day.
  public struct Point: Sendable, Hashable {
    /// In microseconds since 1970.
    public let at: Int64
    public let expected: Double
    /// Where the count is with a chance of 80 %.
    public let likely: ClosedRange<Double>
    /// Where the count is with a chance of 95 %.
    public let possible: ClosedRange<Double>
  }

  /// Why there is no forecast.
  public enum Refusal: Error, Sendable, Hashable {
    /// There are counts of so few days without a gap of more than ``mostMissing`` days.
    case tooShort(days: Int)
    /// Forecasts of the past were worse than to say that nothing changes, or off by more than a tenth.
    case tooInaccurate(Backtest)
  }

  /// How good forecasts from earlier days were.
  public struct Backtest: Sendable, Hashable {
    /// The mean of |forecast − count|, so many days ahead.
    public let meanError: Double
    /// The same of the forecast that nothing changes.
    public let meanErrorOfNoChange: Double
    /// The mean of the counts that were forecast.
    public let meanCount: Double
    public let daysAhead: Int
    /// How many forecasts were made.
    public let forecasts: Int
  }

  /// One for each day after the last count.
  public let points: [Point]
  public let backtest: Backtest

  /// A forecast needs counts of so many days.
  public static let fewestDays = 28
  /// Days in a row without a count; the counts on both sides are joined straight.
  public static let mostMissing = 3
  /// A year ahead nothing is known.
  public static let mostDays = 365

  /// Forecasts a count.
  ///
  /// - Parameters:
  ///   - counts: in any order; the last one of each day of UTC is taken, from the latest gap on, 730 days at most.
  ///   - days: how far ahead, at most ``mostDays``.
  /// - Throws: ``Refusal``.
  public init(of counts: [CountAtMoment], days: Int) throws(Refusal) {
    let (lastDay, series) = Self.daily(counts)
    guard series.count >= Self.fewestDays else { throw .tooShort(days: series.count) }
    let backtest = Self.backtest(series)
    guard backtest.meanError <= backtest.meanErrorOfNoChange, backtest.meanError <= 0.1 * backtest.meanCount
    else {
      throw .tooInaccurate(backtest)
    }
    self.backtest = backtest
    points = DampedTrend(fitting: series).ahead(min(max(days, 0), Self.mostDays)).enumerated().map {
      step, day in
      func range(_ z: Double) -> ClosedRange<Double> {
        max(0, day.mean - z * day.deviation)...max(0, day.mean + z * day.deviation)
      }
      return Point(
        at: (lastDay + Int64(step) + 1) * 86_400_000_000, expected: max(0, day.mean),
        likely: range(Estimate.z80), possible: range(Estimate.z95))
    }
  }

  /// The first days of it.
  public func prefix(_ days: Int) -> Forecast {
    Forecast(points: Array(points.prefix(max(0, days))), backtest: backtest)
  }

  private init(points: [Point], backtest: Backtest) {
    self.points = points
    self.backtest = backtest
  }

  /// When a count reaches a goal that it has not reached yet.
  ///
  /// - Returns: the first moments at which the expected count and the upper and lower bounds of 80 % are there; nil each
  ///   where that is not before the end of the forecast.
  public func reaching(_ goal: Int) -> (expected: Int64?, earliest: Int64?, latest: Int64?) {
    func first(_ figure: (Point) -> Double) -> Int64? { points.first { figure($0) >= Double(goal) }?.at }
    return (first(\.expected), first(\.likely.upperBound), first(\.likely.lowerBound))
  }

  /// The count of each day since the last long gap, and the number of the last day since 1970.
  private static func daily(_ counts: [CountAtMoment]) -> (lastDay: Int64, series: [Double]) {
    var days: [(day: Int64, count: Double)] = []
    let calendar = Datetime.earliest...Datetime.latest
    for count in counts.sorted(by: { $0.at < $1.at }) where calendar.contains(count.at) {
      let day = Int64((Double(count.at) / 86_400_000_000).rounded(.down))
      if days.last?.day == day { days.removeLast() }
      days.append((day, Double(count.count)))
    }
    guard let last = days.last else { return (0, []) }
    var (series, next) = ([last.count], last)
    for known in days.dropLast().reversed() {
      let missing = next.day - known.day
      guard missing <= Int64(mostMissing) + 1, series.count < 730 else { break }
      for step in 1...missing {
        series.append(next.count + (known.count - next.count) * Double(step) / Double(missing))
      }
      next = known
    }
    return (last.day, series.prefix(730).reversed())
  }

  /// Forecasts the last third of the days from those before, up to a month ahead, each time from all that was known then.
  private static func backtest(_ series: [Double]) -> Backtest {
    let ahead = min(30, series.count / 4)
    let origins = stride(
      from: series.count * 2 / 3, through: series.count - ahead, by: max(1, (series.count / 3 - ahead) / 8))
    var (error, errorOfNoChange, sum, count) = (0.0, 0.0, 0.0, 0)
    for origin in origins {
      let known = Array(series[..<origin])
      let forecast = DampedTrend(fitting: known).ahead(ahead)[ahead - 1].mean
      let truth = series[origin + ahead - 1]
      error += abs(forecast - truth)
      errorOfNoChange += abs(known[origin - 1] - truth)
      sum += abs(truth)
      count += 1
    }
    let n = Double(max(count, 1))
    return Backtest(
      meanError: error / n, meanErrorOfNoChange: errorOfNoChange / n, meanCount: sum / n, daysAhead: ahead,
      forecasts: count)
  }
}

/// ETS(A,Ad,N) after all observations: level and trend are moved by each day's error.
struct DampedTrend {
  /// Smooths the level.
  let alpha: Double
  /// Smooths the trend.
  let beta: Double
  /// Damps the trend, each day.
  let phi: Double
  private(set) var level: Double
  private(set) var trend: Double
  private(set) var squaredError = 0.0
  private var count = 0

  /// Written out: a stride by 0.17 ends before 0.95, which is less than 0.1 + 5 · 0.17 in binary.
  private static let alphas = [0.1, 0.27, 0.44, 0.61, 0.78, 0.95]

  /// Fits parameters to a series of at least two figures.
  init(fitting series: [Double]) {
    var best: DampedTrend?
    for phi in [0.8, 0.85, 0.9, 0.94, 0.97, 0.98] {
      for alpha in Self.alphas {
        for share in [0.02, 0.1, 0.3, 0.6, 0.9] {
          let model = DampedTrend(series, alpha: alpha, beta: alpha * share, phi: phi)
          if model.squaredError < best?.squaredError ?? .infinity { best = model }
        }
      }
    }
    self = best ?? DampedTrend(series, alpha: 0.5, beta: 0.1, phi: 0.9)
  }

  init(_ series: [Double], alpha: Double, beta: Double, phi: Double) {
    (self.alpha, self.beta, self.phi) = (alpha, beta, phi)
    level = series.first ?? 0
    // The mean of the first week's steps, so that one odd day does not set the trend.
    let start = series.prefix(8)
    trend =
      start.count > 1 ? (start[start.endIndex - 1] - start[start.startIndex]) / Double(start.count - 1) : 0
    for figure in series.dropFirst() { learn(figure) }
  }

  private mutating func learn(_ figure: Double) {
    let expected = level + phi * trend
    let error = figure - expected
    level = expected + alpha * error
    trend = phi * trend + beta * error
    squaredError += error * error
    count += 1
  }

  /// The mean and the standard deviation of the forecast of each of so many days.
  func ahead(_ days: Int) -> [(mean: Double, deviation: Double)] {
    // Three parameters and two starting values are fitted.
    let variance = squaredError / Double(max(1, count - 5))
    var (mean, damping, sum, factor) = (level, 1.0, 0.0, 1.0)
    return (0..<days).map { _ in
      damping *= phi
      sum += damping
      mean = level + sum * trend
      let deviation = (variance * factor).squareRoot()
      let weight = alpha + beta * sum
      factor += weight * weight
      return (mean, deviation)
    }
  }
}
