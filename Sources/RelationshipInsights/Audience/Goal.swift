// SPDX-License-Identifier: Apache-2.0

/// A number of followers that somebody wants to reach, and how far they are.
public struct GoalProgress: Sendable, Hashable {
  /// How many followers are wanted.
  public let goal: Int
  /// How many there were when the goal was set.
  public let start: Int
  /// How many there are.
  public let value: Int
  /// When the expected count reaches the goal; nil where there is no forecast, or not within its days.
  public let expected: Int64?
  /// When the upper bound of 80 % does: hardly before.
  public let earliest: Int64?
  /// When the lower bound of 80 % does; nil where it does not within the days of the forecast.
  public let latest: Int64?

  /// Measures a goal.
  ///
  /// - Parameter forecast: where the count is going; nil where that is not known.
  public init(_ goal: Int, from start: Int, now value: Int, forecast: Forecast?) {
    self.goal = goal
    self.start = start
    self.value = value
    (expected, earliest, latest) =
      value >= goal ? (nil, nil, nil) : forecast?.reaching(goal) ?? (nil, nil, nil)
  }

  public var isReached: Bool { value >= goal }

  /// The share of the way from the start to the goal that is done, 0 to 1: (value − start) / (goal − start).
  public var share: Double {
    if isReached { return 1 }
    guard goal > start else { return 0 }
    return min(1, max(0, (Double(value) - Double(start)) / (Double(goal) - Double(start))))
  }
}
