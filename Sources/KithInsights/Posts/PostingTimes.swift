// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// When the accounts of an audience post: the share of them that has done so in an hour of the day, or on a weekday.
///
/// Each account counts once for each hour, so that those that post much do not decide.
public struct PostingTimes: Sendable, Hashable {
  /// The latest posts of an account.
  public struct Account: Sendable, Hashable {
    /// When they were written, in any order.
    public let posts: [Instant]
    /// Whether it may have more posts than these.
    public let hasMore: Bool

    /// Creates an account.
    public init(_ posts: [Instant], hasMore: Bool) { (self.posts, self.hasMore) = (posts, hasMore) }
  }

  /// An hour or a weekday.
  public struct Part: Sendable, Hashable {
    /// The hour, 0 to 23, or the weekday, from 1 for Monday to 7.
    public let number: Int
    /// The share of the accounts that posted then; nil for fewer than ``fewestAccounts``.
    public let share: Estimate?
    /// Comparison with the average of all hours, or of all weekdays.
    public let comparison: Comparison
  }

  /// The result of a comparison. It holds with a confidence of 95 % for all hours and weekdays together: by chance
  /// alone, one in twenty pictures has a single wrong one.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    case more, fewer
    /// No visible difference, or too few accounts.
    case unclear
  }

  /// With fewer accounts nothing is concluded.
  public static let fewestAccounts = 10
  /// The days that are looked at: each weekday equally often.
  public static let days = 28
  /// The hours and weekdays of one picture.
  private static let comparisons = 24 + 7

  public let byHour: [Part]
  public let byWeekday: [Part]
  /// The accounts that posted in these days, and whose posts go back a day; for weekdays it is a week.
  public let accounts: Int
  /// Accounts that post so much that their latest posts go back less than a day.
  public let leftOut: Int

  /// Counts the accounts that posted in the days before a moment, by the time of a clock.
  public init(of accounts: [Account], before now: Instant, clock: ZonedCalendar = .utc) {
    let window = now - .days(Self.days)..<now
    var (hours, weekdays) = (Tally(0..<24), Tally(1..<8))
    var leftOut = 0
    for account in accounts {
      let posts = account.posts.filter(window.contains)
      guard !posts.isEmpty else { continue }
      let span = account.hasMore ? now - (account.posts.min() ?? now) : .days(Self.days)
      if span < .days(1) { leftOut += 1 } else { hours.add(Set(posts.map(clock.hour))) }
      if span >= .days(7) { weekdays.add(Set(posts.map(clock.weekday))) }
    }
    (byHour, byWeekday) = (hours.parts, weekdays.parts)
    (self.accounts, self.leftOut) = (hours.accounts, leftOut)
  }

  private struct Tally {
    private let numbers: Range<Int>
    private var counts: [Int: Int] = [:]
    private(set) var accounts = 0

    init(_ numbers: Range<Int>) { self.numbers = numbers }

    mutating func add(_ found: Set<Int>) {
      accounts += 1
      for number in found { counts[number, default: 0] += 1 }
    }

    var parts: [Part] {
      let isEnough = accounts >= PostingTimes.fewestAccounts
      let shares = numbers.map { isEnough ? Estimate.share(counts[$0] ?? 0, of: accounts) : nil }
      let average = shares.reduce(0) { $0 + ($1?.value ?? 0) } / Double(numbers.count)
      return zip(numbers, shares).map { number, share in
        Part(number: number, share: share, comparison: comparison(counts[number] ?? 0, with: average))
      }
    }

    /// Compares how many accounts posted with the number expected at an average share.
    private func comparison(_ count: Int, with average: Double) -> Comparison {
      let chance = Significance.chance(of: count, in: accounts, share: average)
      guard accounts >= PostingTimes.fewestAccounts,
        chance <= Significance.level(of: PostingTimes.comparisons)
      else { return .unclear }
      return Double(count) > average * Double(accounts) ? .more : .fewer
    }
  }
}
