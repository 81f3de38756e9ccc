// SPDX-License-Identifier: Apache-2.0

import KithCore

@testable import KithInsights

// Histories of which only memberships and counts are given.

extension AudienceFlow {
  static func flows(
    of memberships: some Sequence<Membership>, counts: [Sample<Int>], by unit: CalendarUnit,
    clock: ZonedCalendar = .utc, in time: Range<Instant>? = nil
  ) -> [AudienceFlow] {
    flows(of: ListingHistory(memberships, counts: counts), by: unit, clock: clock, in: time)
  }
}

extension AudienceFlow {
  var gained: Int { parts.reduce(0) { $0 + ($1.gained ?? 0) } }
  var returned: Int { parts.reduce(0) { $0 + ($1.returned ?? 0) } }
  var unnamed: Int { parts.reduce(0) { $0 + $1.unnamed } }
  var lost: Int? { losses?.count }
  /// The name of the period, or of the first and the last one.
  var name: String {
    guard let first = parts.first?.period, let last = parts.last?.period else { return "" }
    return first == last ? "\(first)" : "\(first)/\(last)"
  }
}

extension Cohort {
  static func cohorts(
    of memberships: some Sequence<Membership>, by unit: CalendarUnit, snapshots: ClosedRange<Instant>,
    clock: ZonedCalendar = .utc
  ) -> [Cohort] {
    let counts = [snapshots.lowerBound, snapshots.upperBound].map { Sample<Int>(at: $0, 0) }
    return cohorts(of: ListingHistory(memberships, counts: counts), by: unit, clock: clock)
  }
}

extension GrowthCurve {
  init(
    _ memberships: some Sequence<Membership>, counts: [Sample<Int>], by unit: CalendarUnit = .day,
    clock: ZonedCalendar = .utc
  ) {
    self.init(ListingHistory(memberships, counts: counts), by: unit, clock: clock)
  }
}
