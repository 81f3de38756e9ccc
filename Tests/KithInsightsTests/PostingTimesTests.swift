// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// When followers post.
@Suite struct PostingTimesTests {
  private static let hour: Int64 = 3_600_000_000

  /// Accounts that each post once a day at an hour, before a Monday.
  private func accounts(
    _ count: Int, at hour: Int64, days: Int64 = 14, hasMore: Bool = false
  ) throws
    -> [PostingTimes.Account]
  {
    let now = try at("2026-11-23")
    return Array(
      repeating: PostingTimes.Account(
        (1...days).map { now - .days(Int($0)) + .microseconds(hour * Self.hour) }, hasMore: hasMore),
      count: count)
  }

  @Test func anHourInWhichMorePostIsBetter() throws {
    let times = PostingTimes(
      of: try accounts(30, at: 18) + (try accounts(5, at: 3)), before: try at("2026-11-23"))
    #expect(times.accounts == 35 && times.byHour.count == 24)
    #expect(times.byHour[18].share?.value == 30.0 / 35 && times.byHour[18].comparison == .better)
    #expect(times.byHour.filter { $0.comparison == .better }.map(\.number) == [3, 18])
    #expect(times.byWeekday.map(\.number) == Array(1...7))
    #expect(times.byWeekday.allSatisfy { $0.share?.value == 1 && $0.comparison == .unclear })
  }

  @Test func anAccountThatPostsMuchCountsOnce() throws {
    let now = try at("2026-11-23")
    let busy = PostingTimes.Account((1...500).map { now - .days(1) - .microseconds($0) }, hasMore: false)
    let times = PostingTimes(of: try accounts(10, at: 18) + [busy], before: now)
    #expect(times.byHour[23].share?.value == 1.0 / 11)
  }

  /// The latest posts of an account that posts all the time tell only about today.
  @Test func postsThatDoNotGoBackFarEnoughAreLeftOut() throws {
    let now = try at("2026-11-23")
    let today = PostingTimes.Account(
      (1...20).map { now - .microseconds(Int64($0) * Self.hour / 2) }, hasMore: true)
    let week = try accounts(12, at: 18, days: 3, hasMore: true)
    let times = PostingTimes(of: [today] + week, before: now)
    #expect(times.accounts == 12 && times.leftOut == 1)
    #expect(times.byWeekday.allSatisfy { $0.share == nil })
    #expect(PostingTimes(of: [.init(today.posts, hasMore: false)], before: now).leftOut == 0)
  }

  @Test func nothingIsConcludedFromFewAccountsOrOldPosts() throws {
    let few = PostingTimes(of: try accounts(9, at: 18), before: try at("2026-11-23"))
    #expect(few.accounts == 9 && few.byHour.allSatisfy { $0.share == nil && $0.comparison == .unclear })
    let old = PostingTimes(of: try accounts(20, at: 18), before: try at("2027-11-23"))
    #expect(old.accounts == 0)
    // A date in the future is no time at which anybody has posted.
    let future = PostingTimes(of: try accounts(20, at: 18), before: try at("2025-11-23"))
    #expect(future.accounts == 0)
  }
}
