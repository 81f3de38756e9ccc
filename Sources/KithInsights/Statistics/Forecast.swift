// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A forecast of a daily count, assuming that it continues as before.
///
/// Exponential smoothing with additive error and a damped trend, ETS(A,Ad,N): Hyndman, Koehler, Ord,
/// Snyder, *Forecasting with Exponential Smoothing* (2008), chapters 3 and 6. Parameters come from a grid
/// search for the least squared error one day ahead. Intervals assume independent normal errors.
public struct Forecast: Sendable, Hashable {
  /// The forecast for one day.
  public struct Point: Sendable, Hashable {
    public let at: Instant
    public let expected: Double
    /// The 80 % prediction interval.
    public let likely: ClosedRange<Double>
    /// The 95 % prediction interval.
    public let possible: ClosedRange<Double>
  }

  /// Why there is no forecast.
  public enum Refusal: Error, Sendable, Hashable {
    /// Too few days with counts and without a gap of more than ``mostMissing`` days.
    case tooShort(days: Int)
    /// Backtested forecasts were worse than assuming no change, or off by more than a tenth.
    case tooInaccurate(Backtest)
  }

  /// The accuracy of forecasts made from earlier days.
  public struct Backtest: Sendable, Hashable {
    /// The mean of |forecast − count| at ``daysAhead``.
    public let meanError: Double
    /// The same for a forecast of no change.
    public let meanErrorOfNoChange: Double
    /// The mean of the counts that were forecast.
    public let meanCount: Double
    public let daysAhead: Int
    /// Number of forecasts.
    public let forecasts: Int
  }

  /// One point for each day after the last count.
  public let points: [Point]
  public let backtest: Backtest

  /// The number of days with counts that a forecast needs.
  public static let fewestDays = 28
  /// The most consecutive days without a count; these are interpolated linearly.
  public static let mostMissing = 3
  /// The longest forecast; a year ahead nothing is known.
  public static let mostDays = 365

  /// Forecasts a count.
  ///
  /// - Parameters:
  ///   - counts: in any order; the last one of each UTC day is used, since the latest gap, at most 730 days.
  ///   - days: the number of days to forecast, at most ``mostDays``.
  /// - Throws: ``Refusal``.
  public init(of counts: [Sample<Int>], days: Int) throws(Refusal) {
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
        at: .epoch + .days(lastDay + Int64(step) + 1), expected: max(0, day.mean),
        likely: range(Estimate.z80), possible: range(Estimate.z95))
    }
  }

  /// The first days of the forecast.
  public func prefix(_ days: Int) -> Forecast {
    Forecast(points: Array(points.prefix(max(0, days))), backtest: backtest)
  }

  private init(points: [Point], backtest: Backtest) {
    self.points = points
    self.backtest = backtest
  }

  /// When the count reaches a goal above the current count.
  ///
  /// - Returns: the first times at which the expected count and the bounds of the 80 % interval reach the
  ///   goal; nil if that is after the end of the forecast.
  public func reaching(_ goal: Int) -> (expected: Instant?, earliest: Instant?, latest: Instant?) {
    func first(_ figure: (Point) -> Double) -> Instant? { points.first { figure($0) >= Double(goal) }?.at }
    return (first(\.expected), first(\.likely.upperBound), first(\.likely.lowerBound))
  }

  /// The daily counts since the last long gap, and the last day as days since 1970.
  private static func daily(_ counts: [Sample<Int>]) -> (lastDay: Int64, series: [Double]) {
    var days: [(day: Int64, count: Double)] = []
    let calendar = Datetime.earliest...Datetime.latest
    for count in counts.sorted(by: { $0.at < $1.at }) where calendar.contains(count.at) {
      let day = count.at.secondsSinceEpoch.flooredQuotient(86_400)
      if days.last?.day == day { days.removeLast() }
      days.append((day, Double(count.value)))
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

  /// Forecasts the last third of the days from the days before, up to a month ahead, using only what was
  /// known at the time.
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

/// ETS(A,Ad,N) after all observations: each day's error updates level and trend.
struct DampedTrend {
  /// The smoothing factor of the level.
  let alpha: Double
  /// The smoothing factor of the trend.
  let beta: Double
  /// The damping factor of the trend per day.
  let phi: Double
  private(set) var level: Double
  private(set) var trend: Double
  private(set) var squaredError = 0.0
  private var count = 0

  /// Listed explicitly: a stride by 0.17 ends before 0.95, which is less than 0.1 + 5 · 0.17 in binary.
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
    // The mean change of the first week, so that a single unusual day does not determine the trend.
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

  /// The mean and standard deviation of the forecast for each day.
  func ahead(_ days: Int) -> [(mean: Double, deviation: Double)] {
    // Five fitted values: three parameters and two initial states.
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
