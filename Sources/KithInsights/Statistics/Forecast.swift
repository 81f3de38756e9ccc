// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A forecast of a daily or weekly count, assuming that its recent growth goes on and slowly fades out.
///
/// Exponential smoothing with additive error and a damped trend, ETS(A,Ad,N): Hyndman, Koehler, Ord,
/// Snyder, *Forecasting with Exponential Smoothing* (2008), chapters 3 and 6. Parameters come from a grid
/// search for the least squared error one step ahead. Intervals assume independent normal errors.
public struct Forecast: Sendable, Hashable {
  /// The forecast for one day, or for one week later than the one before.
  public struct Point: Sendable, Hashable {
    public let at: Instant
    public let expected: Double
    /// The 80 % prediction interval.
    public let likely: ClosedRange<Double>
    /// The 95 % prediction interval.
    public let possible: ClosedRange<Double>
  }

  /// Why there is no forecast.
  public enum Refusal: CodedError {
    /// Too few days with counts and without a gap of more than ``mostMissing`` days, and too few weeks with none of
    /// more than ``mostMissingWeeks``.
    case tooShort(days: Int, weeks: Int)
    /// Backtested forecasts were worse than assuming no change, or off by more than a tenth.
    case tooInaccurate(Backtest)

    public static let domain = "forecast"

    /// The kinds of reasons.
    public enum Code: String, Sendable, CaseIterable, CustomStringConvertible {
      case tooShort, tooInaccurate

      public var description: String { rawValue }
    }

    public var code: Code {
      switch self {
      case .tooShort: .tooShort
      case .tooInaccurate: .tooInaccurate
      }
    }

    public var detail: String {
      switch self {
      case .tooShort(let days, let weeks):
        "\(days) days and \(weeks) weeks with counts, but \(fewestDays) days or \(fewestWeeks) weeks are needed"
      case .tooInaccurate: "earlier forecasts of these counts were too inaccurate"
      }
    }

    public static func == (one: Self, other: Self) -> Bool {
      switch (one, other) {
      case (.tooShort(let days, let weeks), .tooShort(let otherDays, let otherWeeks)):
        days == otherDays && weeks == otherWeeks
      case (.tooInaccurate(let backtest), .tooInaccurate(let other)): backtest == other
      default: false
      }
    }
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

  /// One point for each day after the last count, or for each week.
  public let points: [Point]
  /// The day of the last count.
  public let start: Instant
  /// The time from one point to the next: a day, or a week if the counts are too far apart for that.
  public let step: Duration
  public let backtest: Backtest

  /// The number of days with counts that a forecast needs.
  public static let fewestDays = 28
  /// The number of weeks with counts that a forecast needs instead.
  public static let fewestWeeks = 16
  /// The most consecutive days without a count; these are interpolated linearly.
  public static let mostMissing = 3
  /// The most consecutive weeks without a count; these are interpolated linearly.
  public static let mostMissingWeeks = 2
  /// The longest forecast; a year ahead nothing is known.
  public static let mostDays = 365

  /// Forecasts a count.
  ///
  /// - Parameters:
  ///   - counts: in any order; the last one of each UTC day is used, since the latest gap, of at most 730 days.
  ///   - days: the number of days to forecast, at most ``mostDays``.
  /// - Throws: ``Refusal``.
  public init(of counts: [Sample<Int>], days: Int) throws(Refusal) {
    let daily = Series(of: counts, daysApart: 1, mostMissing: Self.mostMissing)
    let weekly = Series(of: counts, daysApart: 7, mostMissing: Self.mostMissingWeeks)
    let isDaily = daily.values.count >= Self.fewestDays
    guard isDaily || weekly.values.count >= Self.fewestWeeks else {
      throw .tooShort(days: daily.values.count, weeks: weekly.values.count)
    }
    let series = isDaily ? daily : weekly
    let backtest = Self.backtest(series)
    guard backtest.meanError <= backtest.meanErrorOfNoChange, backtest.meanError <= 0.1 * backtest.meanCount
    else {
      throw .tooInaccurate(backtest)
    }
    let steps = min(max(days, 0), Self.mostDays) / Int(series.daysApart)
    let points = DampedTrend(fitting: series.values).ahead(steps).enumerated().map { step, figure in
      func range(_ z: Double) -> ClosedRange<Double> {
        max(0, figure.mean - z * figure.deviation)...max(0, figure.mean + z * figure.deviation)
      }
      return Point(
        at: .epoch + .days(series.lastDay + series.daysApart * Int64(step + 1)),
        expected: max(0, figure.mean),
        likely: range(Estimate.z80), possible: range(Estimate.z95))
    }
    self.init(
      points: points, from: .epoch + .days(series.lastDay), step: .days(series.daysApart), backtest: backtest)
  }

  /// The time of the last point; the day of the last count if there is none.
  public var end: Instant { points.last?.at ?? start }

  /// Forecasts a count, or says why there is no forecast.
  public static func result(
    of counts: [Sample<Int>], days: Int = mostDays
  ) -> Result<Forecast, Refusal> {
    do throws(Refusal) { return .success(try Forecast(of: counts, days: days)) } catch {
      return .failure(error)
    }
  }

  /// The first days of the forecast.
  public func prefix(_ days: Int) -> Forecast {
    Forecast(
      points: Array(points.prefix(max(0, Int(.days(Int64(days)) / step)))), from: start, step: step,
      backtest: backtest)
  }

  private init(points: [Point], from start: Instant, step: Duration, backtest: Backtest) {
    self.points = points
    self.start = start
    self.step = step
    self.backtest = backtest
  }

  /// When the count reaches a goal above the current count.
  ///
  /// - Returns: the first times at which the expected count and the bounds of the 80 % interval reach the
  ///   goal; nil if they do not until the end of the forecast.
  public func reaching(_ goal: Int) -> (expected: Instant?, earliest: Instant?, latest: Instant?) {
    func first(_ figure: (Point) -> Double) -> Instant? { points.first { figure($0) >= Double(goal) }?.at }
    return (first(\.expected), first(\.likely.upperBound), first(\.likely.lowerBound))
  }

  /// Counts at equal distances until the last one, since the last long gap.
  private struct Series {
    /// Days since 1970.
    private(set) var lastDay: Int64 = 0
    let daysApart: Int64
    private(set) var values: [Double] = []

    private static let mostDays: Int64 = 730

    init(of counts: [Sample<Int>], daysApart: Int64, mostMissing: Int) {
      self.daysApart = daysApart
      var days: [(day: Int64, count: Double)] = []
      let calendar = Datetime.earliest...Datetime.latest
      for count in counts.sorted(by: { $0.at < $1.at }) where calendar.contains(count.at) {
        let day = count.at.secondsSinceEpoch.flooredQuotient(86_400)
        if days.last?.day == day { days.removeLast() }
        days.append((day, Double(count.value)))
      }
      guard let last = days.last else { return }
      lastDay = last.day
      var (found, next, wanted) = ([last.count], last, last.day - daysApart)
      let mostValues = Int(Self.mostDays / daysApart)
      for known in days.dropLast().reversed() {
        guard next.day - known.day <= Int64(mostMissing + 1) * daysApart, found.count < mostValues else {
          break
        }
        while wanted >= known.day, found.count < mostValues {
          let share = Double(next.day - wanted) / Double(next.day - known.day)
          found.append(next.count + (known.count - next.count) * share)
          wanted -= daysApart
        }
        next = known
      }
      values = found.reversed()
    }
  }

  /// Forecasts the last third of the counts from those before, up to a month ahead, using only what was known at
  /// the time.
  private static func backtest(_ counts: Series) -> Backtest {
    let series = counts.values
    let ahead = min(30 / Int(counts.daysApart), series.count / 4)
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
      meanError: error / n, meanErrorOfNoChange: errorOfNoChange / n, meanCount: sum / n,
      daysAhead: ahead * Int(counts.daysApart), forecasts: count)
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
