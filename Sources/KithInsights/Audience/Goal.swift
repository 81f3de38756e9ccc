// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The progress towards a target number of followers.
public struct GoalProgress: Sendable, Hashable {
  /// When the goal will be reached, if that is known.
  public enum Outlook: Sendable, Hashable {
    /// The count is at the goal, or above it.
    case reached
    /// The forecast reaches it at a time.
    case expected(Instant)
    /// The forecast does not reach it until its end, at this time.
    case notBy(Instant)
    /// There is no forecast, and why.
    case noForecast(Forecast.Refusal)

    /// The name of the case.
    public var name: String {
      switch self {
      case .reached: "reached"
      case .expected: "expected"
      case .notBy: "not-within-forecast"
      case .noForecast(.tooShort): "too-short"
      case .noForecast(.tooInaccurate): "too-inaccurate"
      }
    }
  }

  /// The target.
  public let goal: Int
  /// The number of followers when the goal was set.
  public let start: Int
  /// The current number of followers.
  public let value: Int
  /// When it will be reached.
  public let outlook: Outlook
  /// When the upper bound of the 80 % interval reaches it: unlikely before. Nil if it does not, or if there is no
  /// forecast.
  public let earliest: Instant?
  /// When the lower bound of the 80 % interval reaches it; nil if it does not before the end of the forecast.
  public let latest: Instant?

  /// Computes the progress of a goal.
  ///
  /// - Parameter forecast: the forecast of the count, or why there is none.
  public init(
    _ goal: Int, from start: Int, now value: Int, forecast: Result<Forecast, Forecast.Refusal>
  ) {
    self.goal = goal
    self.start = start
    self.value = value
    guard value < goal else {
      (outlook, earliest, latest) = (.reached, nil, nil)
      return
    }
    switch forecast {
    case .failure(let refusal): (outlook, earliest, latest) = (.noForecast(refusal), nil, nil)
    case .success(let forecast):
      let times = forecast.reaching(goal)
      outlook = times.expected.map { .expected($0) } ?? .notBy(forecast.end)
      (earliest, latest) = (times.earliest, times.latest)
    }
  }

  public var isReached: Bool { outlook == .reached }

  /// When the forecast reaches the goal; nil if it does not, or if there is no forecast.
  public var expected: Instant? {
    if case .expected(let moment) = outlook { moment } else { nil }
  }

  /// The completed share of the way from the start to the goal, 0 to 1: (value − start) / (goal − start).
  public var share: Double {
    if isReached { return 1 }
    guard goal > start else { return 0 }
    return min(1, max(0, (Double(value) - Double(start)) / (Double(goal) - Double(start))))
  }
}
