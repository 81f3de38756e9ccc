// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import Testing

@testable import KithDashboard

/// Periods as addresses and forms name them.
@Suite struct AnalyticsPeriodTests {
  /// The clock is put forward on 29 March 2026, at 1:00 UTC.
  private let berlin = ZonedCalendar(
    name: "Europe/Berlin", secondsEast: 3_600,
    changes: [.init(at: Instant(secondsSinceEpoch: 1_774_746_000), secondsEast: 7_200)])
  /// 1 June 2026, 00:30 in Berlin.
  private let now = Instant(secondsSinceEpoch: 1_780_266_600)

  private func period(_ query: String) throws -> AnalyticsPeriod {
    try AnalyticsPeriod(try QueryItems(query.utf8), now: now, berlin)
  }

  @Test func theDaysAreThoseOfTheClock() throws {
    guard
      case .between(.at(let start), .at(let end)) = try period("from=2026-03-28&to=2026-03-29").statistics(
        now: now)
    else {
      Issue.record("it has two ends")
      return
    }
    #expect(end - start == .seconds(47 * 3_600), "one of the days has 23 hours")
    #expect(Datetime(at: start).description.hasPrefix("2026-03-27T23:00:00"))
  }

  @Test func todayHasNoEndYet() throws {
    for query in ["from=2026-05-01&to=2026-06-01", "from=2026-05-01"] {
      guard case .between(.at, nil) = try period(query).statistics(now: now) else {
        Issue.record("\(query) has an end")
        return
      }
    }
    #expect(throws: AnalyticsPeriod.FieldFault(last: "This day is still to come.")) {
      try period("from=2026-05-01&to=2026-06-02")
    }
  }

  @Test func nothingIsLookedForBeforeTheNetworkBegan() throws {
    guard case .between(.at(let start), _) = try period("from=0001-01-01&to=2026-05-01").statistics(now: now)
    else {
      Issue.record("it has a start")
      return
    }
    #expect(start == .networkBegan)
  }

  @Test(arguments: [
    "period=week", "period=month", "period=year", "period=all", "from=2026-01-01&to=2026-02-01",
  ])
  func aPeriodIsReadFromItsOwnQuery(query: String) throws {
    #expect(try period(query).query == query)
  }

  @Test func bothDaysAreCheckedAtOnce() {
    #expect(
      throws: AnalyticsPeriod.FieldFault(
        first: "“x” is not a day of the calendar. Write it as 2026-11-25.",
        last: "“2026-02-30” is not a day of the calendar. Write it as 2026-11-25.")
    ) { try period("from=x&to=2026-02-30") }
  }
}
