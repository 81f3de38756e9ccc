// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Calendar periods in time zones with clock changes.
@Suite struct ZonedCalendarTests {
  /// Central European Time around the two changes of 2026.
  private func berlin() throws -> ZonedCalendar {
    ZonedCalendar(
      name: "Europe/Berlin", secondsEast: 3_600,
      changes: [
        .init(at: try at("2026-10-25T01:00"), secondsEast: 3_600),
        .init(at: try at("2026-03-29T01:00"), secondsEast: 7_200),
      ])
  }

  @Test func periodsAreNamedAsISO8601NamesThem() throws {
    let names = { (text: String) in
      try CalendarUnit.allCases.map { ZonedCalendar.utc.period($0, at: try at(text)).description }
    }
    #expect(try names("2026-11-24T10:00") == ["2026-11-24", "2026-W48", "2026-11", "2026"])
    #expect(try names("2027-01-01") == ["2027-01-01", "2026-W53", "2027-01", "2027"])
    #expect(try names("2024-12-30") == ["2024-12-30", "2025-W01", "2024-12", "2024"])
    #expect(try names("1969-12-31T23:59") == ["1969-12-31", "1970-W01", "1969-12", "1969"])
  }

  @Test func aPeriodContainsItsStartAndNotItsEnd() throws {
    for unit in CalendarUnit.allCases {
      let period = ZonedCalendar.utc.period(unit, at: try at("2024-02-29T12:00"))
      #expect(ZonedCalendar.utc.period(unit, at: period.start) == period)
      #expect(ZonedCalendar.utc.period(unit, at: period.end - .microseconds(1)) == period)
      #expect(ZonedCalendar.utc.period(unit, at: period.end).start == period.end)
    }
  }

  @Test func daysHave23And25HoursWhenTheClockChanges() throws {
    let days = try berlin().periods(.day, in: try at("2026-03-28T12:00")..<at("2026-03-30T12:00"))
    #expect(days.map { ($0.end - $0.start) / .seconds(3_600) } == [24, 23, 24])
    let october = try berlin().period(.day, at: try at("2026-10-25T12:00"))
    #expect(try october.start == at("2026-10-24T22:00") && october.end == at("2026-10-25T23:00"))
  }

  /// In Havana clocks go forward from midnight to one o'clock in spring, and back from one o'clock to
  /// midnight in autumn.
  @Test func aDayBeginsAtASkippedMidnightAndAtTheFirstOfTwo() throws {
    let havana = ZonedCalendar(
      name: "America/Havana", secondsEast: -18_000,
      changes: [
        .init(at: try at("2026-03-08T05:00"), secondsEast: -14_400),
        .init(at: try at("2026-11-01T05:00"), secondsEast: -18_000),
      ])
    let spring = havana.period(.day, at: try at("2026-03-08T04:30"))
    #expect(try spring.description == "2026-03-07" && spring.end == at("2026-03-08T05:00"))
    #expect(try havana.period(.day, at: spring.end).end == at("2026-03-09T04:00"))
    #expect(try havana.period(.month, at: at("2026-11-01T04:30")).start == at("2026-11-01T04:00"))
    // East of Greenwich too: the same in Amman until 2022.
    let amman = ZonedCalendar(
      name: "Asia/Amman", secondsEast: 10_800,
      changes: [.init(at: try at("2021-10-28T22:00"), secondsEast: 7_200)])
    #expect(try amman.period(.day, at: at("2021-10-28T21:30")).start == at("2021-10-28T21:00"))
    #expect(try amman.period(.day, at: at("2021-10-28T22:30")).start == at("2021-10-28T21:00"))
  }

  @Test func hoursAndWeekdaysAreLocal() throws {
    // Sunday in London, Monday in Berlin.
    let moment = try at("2026-07-05T22:30")
    #expect(ZonedCalendar.utc.hour(at: moment) == 22 && ZonedCalendar.utc.weekday(at: moment) == 7)
    #expect(try berlin().hour(at: moment) == 0 && berlin().weekday(at: moment) == 1)
    let west = ZonedCalendar(name: "west", secondsEast: -5 * 3_600)
    #expect(west.hour(at: 0) == 19 && west.weekday(at: 0) == 3)
  }

  @Test func timesOutsideTheCalendarAreClamped() {
    for moment in [Instant.min, .max] {
      for unit in CalendarUnit.allCases {
        let period = ZonedCalendar.utc.period(unit, at: moment)
        #expect(period.start < period.end)
      }
    }
  }

  @Test func periodsFollowEachOtherWithoutGaps() throws {
    let time = try at("2026-01-01")..<at("2026-12-31")
    for unit in CalendarUnit.allCases {
      let periods = try berlin().periods(unit, in: time)
      #expect(zip(periods, periods.dropFirst()).allSatisfy { $0.end == $1.start })
      #expect(
        periods.allSatisfy { period in
          PeriodIndex(periods).index(of: period.end - .microseconds(1)).map { periods[$0] } == period
        })
      #expect(
        try periods.first?.contains(at("2026-01-01")) == true && (periods.last?.end ?? 0) >= time.upperBound)
    }
    #expect(ZonedCalendar.utc.periods(.day, in: 5..<5).isEmpty)
  }
}
