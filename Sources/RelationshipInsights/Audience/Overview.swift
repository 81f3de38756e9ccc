// SPDX-License-Identifier: Apache-2.0

/// How a count stands, and how it changed over a time and over the one of the same length before it.
public struct Trend: Sendable, Hashable {
  /// What was counted last, within the time or before it.
  public let value: Int
  /// The value less the count at the start of the time; nil where nothing was counted by then.
  public let change: Int?
  /// The same of the time before, which ends where this one begins; nil where that is not known.
  public let changeBefore: Int?

  /// The trend of counts, in any order; nil where nothing was counted by the end of the time.
  ///
  /// The count at a moment is the last one before it, as long as it is not older than a tenth of the time, and a day.
  /// A time that begins before the first count has no change.
  public init?(of counts: [CountAtMoment], in time: Range<Int64>) {
    let counts = counts.sorted { $0.at < $1.at }
    guard let last = counts.last(where: { $0.at < time.upperBound }) else { return nil }
    let length = time.upperBound.subtractingReportingOverflow(time.lowerBound)
    let mostAge = length.overflow ? Int64.max : max(86_400_000_000, length.partialValue / 10)
    func count(at moment: Int64) -> Int? {
      guard let known = counts.last(where: { $0.at <= moment }) else { return nil }
      let age = moment.subtractingReportingOverflow(known.at)
      return !age.overflow && age.partialValue <= mostAge ? known.count : nil
    }
    value = last.count
    let start = count(at: time.lowerBound)
    change = start.flatMap { last.count.differenceIfAny(to: $0) }
    let earlier = time.lowerBound.subtractingReportingOverflow(length.partialValue)
    let before = length.overflow || earlier.overflow ? nil : count(at: earlier.partialValue)
    changeBefore = start.flatMap { start in before.flatMap { start.differenceIfAny(to: $0) } }
  }
}

/// The figures that an account is known by.
public struct Overview: Sendable, Hashable {
  public var followers: Trend?
  public var follows: Trend?
  public var posts: Trend?
  /// Accounts that the actor follows and that follow back; nil where one of the listings is not known.
  public var mutuals: Int?
  /// Accounts that the actor blocks; nil where their snapshots are not there.
  public var blocks: Trend?

  /// Nothing is known.
  public init() {}

  /// Followers for each follow: followers / follows; nil where one is not known, or nobody is followed.
  public var ratio: Double? {
    guard let followers, let follows, follows.value > 0 else { return nil }
    return Double(followers.value) / Double(follows.value)
  }

  /// The share of the follows that are returned: mutuals / follows, 0 to 1.
  ///
  /// Nil where one is not known, or nobody is followed. Counts of profiles include accounts that are gone (Q12), so that the
  /// rate is a little too low.
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
