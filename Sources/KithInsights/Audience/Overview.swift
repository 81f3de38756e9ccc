// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A count, and its change over a time range and over the equally long range before it.
public struct Trend: Sendable, Hashable {
  /// The last count before the end of the range.
  public let value: Int
  /// When it was counted.
  public let at: Instant
  /// The value less the count at the start of the range; nil if that is unknown.
  public let change: Int?
  /// The change over the range before, which ends where this one begins; nil if unknown.
  public let changeBefore: Int?

  /// Computes the trend of counts, in any order; nil if there is no count before the end of the range.
  ///
  /// The count at a time is the last one before it, unless it is older than a tenth of the range and older
  /// than a day. A range that begins before the first count has no change.
  public init?(of counts: [Sample<Int>], in time: Range<Instant>) {
    let counts = counts.sorted { $0.at < $1.at }
    guard let last = counts.last(where: { $0.at < time.upperBound }) else { return nil }
    let length = time.upperBound - time.lowerBound
    let mostAge = max(.days(1), length / 10)
    func count(at moment: Instant) -> Int? {
      guard let known = counts.last(where: { $0.at <= moment }) else { return nil }
      return moment - known.at <= mostAge ? known.value : nil
    }
    (value, at) = (last.value, last.at)
    let start = count(at: time.lowerBound)
    change = start.flatMap { last.value.differenceIfAny(to: $0) }
    let before = count(at: time.lowerBound - length)
    changeBefore = start.flatMap { start in before.flatMap { start.differenceIfAny(to: $0) } }
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
  /// Followers that no listing names; some of them may be mutuals. Nil if unknown.
  public var unlistedFollowers: Int?
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
