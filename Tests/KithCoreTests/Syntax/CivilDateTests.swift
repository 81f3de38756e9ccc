// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithCore

@Suite struct CivilDateTests {
  /// Walks day by day over more than an era of 400 years and both sides of 1970.
  @Test func agreesWithCountingDays() {
    var expected = (year: Int64(1_599), month: Int64(12), day: Int64(31))
    let first = CivilDate(year: expected.year, month: expected.month, day: expected.day).daysSinceEpoch
    #expect(first == -135_141)
    var faults = 0
    for days in first..<(first + 150_000) {
      let date = CivilDate(daysSinceEpoch: days)
      if (date.year, date.month, date.day) != expected || date.daysSinceEpoch != days { faults += 1 }
      expected.day += 1
      if expected.day > CivilDate.days(inMonth: expected.month, of: expected.year) {
        expected.day = 1
        expected.month += 1
      }
      if expected.month > 12 {
        expected.month = 1
        expected.year += 1
      }
    }
    #expect(faults == 0)
  }

  @Test(arguments: [(1970, 1, 1, 0), (2000, 2, 29, 11_016), (0, 1, 1, -719_528), (9_999, 12, 31, 2_932_896)])
  func countsFrom1970(year: Int64, month: Int64, day: Int64, days: Int64) {
    let date = CivilDate(year: year, month: month, day: day)
    #expect(date.daysSinceEpoch == days)
    #expect(CivilDate(daysSinceEpoch: days) == date)
  }

  @Test(arguments: [(1_900, 28), (2_000, 29), (2_023, 28), (2_024, 29)])
  func knowsLeapYears(year: Int64, days: Int64) {
    #expect(CivilDate.days(inMonth: 2, of: year) == days)
  }
}
