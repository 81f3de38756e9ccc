// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import Testing

/// The times of a period.
@Suite struct StatisticsPeriodTests {
  private let now = Instant(secondsSinceEpoch: 1_767_225_600)

  @Test func theWholeHasNoBounds() throws {
    #expect(try StatisticsPeriod.whole.range(now: now) == nil)
  }

  /// Reading takes time; the end of a period is the end of reading.
  @Test func spansCountFromTheGivenTime() throws {
    let later = now + .days(1)
    #expect(try StatisticsPeriod.last(.days(30)).range(now: later) == later - .days(30)..<later)
    let past = StatisticsPeriod.between(.at(now - .days(9)), .ago(.days(2)))
    #expect(try past.range(now: later) == now - .days(9)..<now - .days(1))
  }

  @Test func anOpenStartIsTheBeginningOfTheNetwork() throws {
    let period = StatisticsPeriod.between(nil, .at(now))
    #expect(try period.range(now: now + .days(1)) == Instant.networkBegan..<now)
  }

  @Test(arguments: [StatisticsPeriod.last(.zero), .between(.ago(.days(1)), .ago(.days(2)))])
  func aPeriodMustNotBeEmpty(_ period: StatisticsPeriod) throws {
    let error = try #require(throws: OperationError.self) { try period.range(now: now) }
    #expect(error.code == .emptyTime)
    #expect(error.kind == .usage)
  }
}
