// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A count, and its change over a time range and over the equally long range before it.
public struct Trend: Sendable, Hashable {
  /// The last count before the end of the range.
  public let value: Int
  /// When it was counted.
  public let at: Instant
  /// When the first of all counts was counted.
  public let firstAt: Instant
  /// The value less the count that is closest to the start of the range; nil if there is no earlier count.
  ///
  /// Counts of the last half day, or of the last half of a shorter range, are not earlier ones: two counts of one
  /// morning show no growth.
  public let change: Int?
  /// When the count at the start was counted.
  public let since: Instant?
  /// The change over the range before, which ends where this one begins; nil if it is unknown, or only for a time
  /// that differs by more than a quarter.
  public let changeBefore: Int?
  /// When the count at the start of the range before was counted.
  public let sinceBefore: Instant?

  /// Computes the trend of counts, in any order; nil if there is no count before the end of the range.
  public init?(of counts: [Sample<Int>], in time: Range<Instant>) {
    let counts = counts.sorted { $0.at < $1.at }
    guard let last = counts.last(where: { $0.at < time.upperBound }) else { return nil }
    func closest(to moment: Instant, by end: Instant) -> Sample<Int>? {
      // Of two that are as close, the earlier one.
      counts.prefix { $0.at <= end }.min { moment.distance(to: $0.at) < moment.distance(to: $1.at) }
    }
    (value, at, firstAt) = (last.value, last.at, counts[0].at)
    let length = time.upperBound - time.lowerBound
    let apart = min(.days(1), length) / 2
    let start = closest(to: time.lowerBound, by: last.at - max(apart, .microseconds(1)))
    change = start.flatMap { last.value.differenceIfAny(to: $0.value) }
    since = start?.at
    let moment = time.lowerBound - length
    let before = start.flatMap { closest(to: moment, by: $0.at - .microseconds(1)) }
    if let start, let before, time.lowerBound.distance(to: start.at) <= length / 4,
      moment.distance(to: before.at) <= length / 4
    {
      (changeBefore, sinceBefore) = (start.value.differenceIfAny(to: before.value), before.at)
    } else {
      (changeBefore, sinceBefore) = (nil, nil)
    }
  }
}

/// The key figures of an account.
public struct Overview: Sendable, Hashable {
  public var followers: Trend?
  public var follows: Trend?
  public var posts: Trend?
  /// Accounts that the actor follows and that follow back now; nil if one of the listings is unknown, or for a
  /// time range that has ended.
  public var mutuals: Int?
  /// How many more may be mutuals: followers that no listing names, or follows about which no server answered. Nil if
  /// unknown.
  public var unlistedFollowers: Int?
  /// When the listings that show the mutuals were read: the time of the older one; nil if unknown.
  public var mutualsAt: Instant?
  /// Accounts that the actor blocks; nil without snapshots of them.
  public var blocks: Trend?

  /// Creates an empty overview.
  public init() {}

  /// Followers per follow: followers / follows; nil if one is unknown, or if there are no follows.
  public var ratio: Double? {
    guard let followers, let follows, follows.value > 0 else { return nil }
    return Double(followers.value) / Double(follows.value)
  }

  /// The share of follows that are returned: mutuals / follows, 0 to 1.
  ///
  /// Nil if one is unknown, or if there are no follows. Counts of profiles include accounts that are gone
  /// (Q12), so the rate is slightly too low.
  public var mutualRate: Double? {
    guard let mutuals, let follows, follows.value > 0 else { return nil }
    return min(1, Double(mutuals) / Double(follows.value))
  }
}

extension Int {
  fileprivate func differenceIfAny(to other: Int) -> Int? {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? nil : difference
  }
}
