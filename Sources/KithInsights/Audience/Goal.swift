// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The progress towards a target number of followers.
public struct GoalProgress: Sendable, Hashable {
  /// The target.
  public let goal: Int
  /// The number of followers when the goal was set.
  public let start: Int
  /// The current number of followers.
  public let value: Int
  /// When the forecast reaches the goal; nil if there is no forecast, or if it does not within its horizon.
  public let expected: Instant?
  /// When the upper bound of the 80 % interval reaches it: unlikely before.
  public let earliest: Instant?
  /// When the lower bound of the 80 % interval reaches it; nil if it does not within the horizon.
  public let latest: Instant?

  /// Computes the progress of a goal.
  ///
  /// - Parameter forecast: the forecast of the count; nil if there is none.
  public init(_ goal: Int, from start: Int, now value: Int, forecast: Forecast?) {
    self.goal = goal
    self.start = start
    self.value = value
    (expected, earliest, latest) =
      value >= goal ? (nil, nil, nil) : forecast?.reaching(goal) ?? (nil, nil, nil)
  }

  public var isReached: Bool { value >= goal }

  /// The completed share of the way from the start to the goal, 0 to 1: (value − start) / (goal − start).
  public var share: Double {
    if isReached { return 1 }
    guard goal > start else { return 0 }
    return min(1, max(0, (Double(value) - Double(start)) / (Double(goal) - Double(start))))
  }
}
