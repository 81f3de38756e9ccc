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

  @Test func hoursInWhichManyMorePostStandOut() throws {
    let times = PostingTimes(
      of: try accounts(30, at: 18) + (try accounts(5, at: 3)), before: try at("2026-11-23"))
    #expect(times.accounts == 35 && times.byHour.count == 24)
    #expect(times.byHour[18].share?.value == 30.0 / 35)
    #expect(times.byHour.filter { $0.comparison != .unclear }.map(\.number) == [18])
    #expect(times.byHour[18].comparison == .more)
    #expect(times.byWeekday.map(\.number) == Array(1...7))
    #expect(times.byWeekday.allSatisfy { $0.share?.value == 1 && $0.comparison == .unclear })
  }

  /// Twenty-one followers, six of which have posted at seven in the evening and five at eight, and one or two in each
  /// other hour: among 31 hours and weekdays, such a difference is chance.
  @Test func aFewAccountsMoreAreChance() throws {
    let now = try at("2026-11-23")
    let hours: [Int64] = [19, 19, 19, 19, 19, 19, 20, 20, 20, 20, 20] + (0..<31).map { $0 % 19 }
    let accounts = (0..<21).map { number in
      PostingTimes.Account(
        hours.enumerated().filter { $0.offset % 21 == number }.flatMap { hour in
          (1...7).map { now - .days($0) + .microseconds(hour.element * Self.hour) }
        }, hasMore: false)
    }
    let times = PostingTimes(of: accounts, before: now)
    #expect(times.accounts == 21 && times.byHour[19].share?.value == 6.0 / 21)
    #expect((times.byHour + times.byWeekday).allSatisfy { $0.comparison == .unclear })
  }

  /// Accounts that have no preferences: at most one picture in twenty claims something.
  @Test(arguments: [12, 21, 60, 300])
  func picturesOfChanceClaimNothing(size: Int) throws {
    var numbers = SeededNumbers(seed: UInt64(size))
    let (now, pictures) = (try at("2026-11-23"), CaseSample.isWhole || size < 60 ? 400 : 100)
    let wrong = (0..<pictures).count { _ in
      let accounts = (0..<size).map { _ in
        PostingTimes.Account(
          (0..<Int.random(in: 1...20, using: &numbers)).map { _ in
            now - .seconds(Int.random(in: 1..<28 * 86_400, using: &numbers))
          }, hasMore: false)
      }
      let times = PostingTimes(of: accounts, before: now)
      return (times.byHour + times.byWeekday).contains { $0.comparison != .unclear }
    }
    #expect(wrong <= pictures / 20)
  }

  /// Hours in which many fewer post are fewer, which is neither good nor bad.
  @Test func quietHoursAreFewer() throws {
    let now = try at("2026-11-23")
    let accounts = (0..<60).map { number in
      PostingTimes.Account(
        (0..<20).map { now - .days(1 + $0 % 7) + .microseconds(Int64((8 + $0 % 16)) * Self.hour) },
        hasMore: number.isMultiple(of: 2))
    }
    let times = PostingTimes(of: accounts, before: now)
    #expect(times.byHour.filter { $0.comparison == .fewer }.map(\.number) == Array(0..<8))
    var insights = AccountInsights(of: InsightAccount(try account(0)), at: now, in: now - .days(28)..<now)
    insights.audienceTimes = times
    #expect(insights.figures(.audienceTimes).filter { $0.note == "fewer" }.count == 8)
    let page = insights.report(of: [.audienceTimes]).html()
    #expect(page.contains("▼ fewer") && !page.contains("worse<") && !page.contains("▼ worse"))
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
    // A date in the future is not a time at which an account has posted.
    let future = PostingTimes(of: try accounts(20, at: 18), before: try at("2025-11-23"))
    #expect(future.accounts == 0)
  }
}
