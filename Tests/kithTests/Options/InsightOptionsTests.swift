// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithInsights
import Testing

@testable import kith

/// The period that options name.
@Suite struct InsightOptionsTests {
  private func moment(_ text: String) throws -> Instant {
    try #require(Datetime(text)).instant
  }

  private func time(_ words: [String], _ clock: ZonedCalendar) throws -> Range<Instant>? {
    try InsightOptions.parse(words).time(now: try moment("2026-11-25T12:00:00Z"), clock)
  }

  /// Days are shown in a time zone, so a date without a time is one of that zone.
  @Test func aDateBeginsAtMidnightOfTheZone() throws {
    let clock = ZonedCalendar(
      name: "Europe/Berlin", secondsEast: 7_200,
      changes: [.init(at: try moment("2026-10-25T01:00:00Z"), secondsEast: 3_600)])
    let winter = ["--since", "2026-11-10", "--until", "2026-11-12"]
    #expect(try time(winter, clock) == moment("2026-11-09T23:00:00Z")..<moment("2026-11-11T23:00:00Z"))
    #expect(try time(winter, .utc) == moment("2026-11-10T00:00:00Z")..<moment("2026-11-12T00:00:00Z"))
    let summer = ["--since", "2026-07-01"]
    #expect(try time(summer, clock)?.lowerBound == moment("2026-06-30T22:00:00Z"))
    // A time names its zone, and a span needs none.
    let exact = ["--since", "2026-11-10T00:00:00Z", "--until", "1d"]
    #expect(try time(exact, clock) == moment("2026-11-10T00:00:00Z")..<moment("2026-11-24T12:00:00Z"))
    #expect(throws: CommandFault.self) { try time(["--since", "2026-11-1"], clock) }
  }

  @Test func newSnapshotsAreNotStoredOnes() throws {
    #expect(try InsightOptions.parse(["--refresh"]).refresh)
    #expect(throws: (any Error).self) { try InsightOptions.parse(["--refresh", "--stored"]) }
  }

  @Test func metricsThatNeedServersAreNotComputedFromStoredData() throws {
    let options = try InsightOptions.parse(["--stored"])
    let refused = InsightMetric.allCases.filter { metric in (try? options.check([metric])) == nil }
    #expect(refused == InsightMetric.allCases.filter(\.needsServers))
    #expect(throws: Never.self) { try options.check(Set(InsightMetric.allCases)) }
  }
}
