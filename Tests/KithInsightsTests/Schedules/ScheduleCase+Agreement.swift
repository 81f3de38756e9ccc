// SPDX-License-Identifier: Apache-2.0

import KithInsights
import Testing

extension ScheduleCase {
  /// Records an issue for numbers that differ, and for those that what really happened contradicts.
  static func expectAgreement(of seeds: ClosedRange<UInt64>) async throws {
    let clocks = try ZonedCalendar.recomputed()
    var cases: [ScheduleCase] = []
    for seed in seeds {
      let zone = ZonedCalendar.testedZones[Int(seed) % ZonedCalendar.testedZones.count]
      cases.append(try await ScheduleCase(seed: seed, in: try #require(clocks[zone])))
    }
    let complaints = try Recomputation.answer("complaints", cases, of: [[String]].self)
    #expect(complaints.count == cases.count)
    for complaint in zip(seeds, complaints).flatMap({ seed, found in found.map { "seed \(seed): \($0)" } })
      .prefix(20)
    {
      Issue.record("\(complaint)")
    }
  }
}
