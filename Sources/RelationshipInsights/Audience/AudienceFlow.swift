// SPDX-License-Identifier: Apache-2.0

/// Gains and losses of a listing in a day, week, month or year.
///
/// Gains are counted when the account arrived, by its record if that agrees with the snapshots; losses are
/// counted when they were found. An account that came and left between two snapshots is not seen.
package struct AudienceFlow: Sendable, Hashable {
  package let period: CalendarPeriod
  /// Accounts that arrived for the first time.
  package fileprivate(set) var gained = 0
  /// Accounts that returned after an earlier loss.
  package fileprivate(set) var returned = 0
  package fileprivate(set) var lost = 0
  /// The count at the start, from the last snapshot before it; nil if there was none.
  package let countAtStart: Int?
  /// How far snapshots cover the period.
  package let coverage: Coverage

  /// How far snapshots cover a period.
  package enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// It ended before the first snapshot: only accounts that came and stayed until then are known.
    case survivors
    /// The first snapshot was taken during the period, or the last one before its end.
    case partial
    case whole

    fileprivate init(of period: CalendarPeriod, by snapshots: ClosedRange<Int64>) {
      if period.end <= snapshots.lowerBound {
        self = .survivors
      } else {
        self = snapshots.lowerBound <= period.start && period.end <= snapshots.upperBound ? .whole : .partial
      }
    }
  }

  /// Gains and returns less losses.
  package var net: Int { gained + returned - lost }

  /// The share of accounts at the start that were lost: lost / count at the start.
  ///
  /// Nil if unknown, or if the count was zero. May exceed 1 if many come and leave within one period.
  package var churnRate: Double? {
    guard coverage != .survivors, let countAtStart, countAtStart > 0 else { return nil }
    return Double(lost) / Double(countAtStart)
  }

  /// The flows of all periods from the first arrival to the last snapshot, or of the periods within a time
  /// range.
  ///
  /// - Parameters:
  ///   - memberships: in any order.
  ///   - counts: the count of each complete snapshot.
  package static func flows(
    of memberships: some Sequence<Membership>, counts: [CountAtMoment], by unit: CalendarUnit,
    clock: ZonedClock = .utc, in time: Range<Int64>? = nil
  ) -> [AudienceFlow] {
    // Copied into an array so that the loops are specialized for one type.
    let (memberships, counts) = (Array(memberships), counts.sorted { $0.at < $1.at })
    guard let first = counts.first, let last = counts.last else { return [] }
    var earliest = first.at
    for membership in memberships { if let came = membership.came { earliest = min(earliest, came) } }
    var whole = earliest..<last.at.moved(by: 1)
    if let time { whole = whole.clamped(to: time) }

    let periods = clock.periods(unit, in: whole)
    var next = counts.startIndex
    var flows = periods.map { period in
      while next < counts.endIndex, counts[next].at <= period.start { next += 1 }
      return AudienceFlow(
        period: period, countAtStart: next > counts.startIndex ? counts[next - 1].count : nil,
        coverage: Coverage(of: period, by: first.at...last.at))
    }
    let calendar = PeriodIndex(periods)
    var tallies = [(gained: Int, returned: Int, lost: Int)](repeating: (0, 0, 0), count: periods.count)
    for membership in memberships {
      if let came = membership.came, let index = calendar.index(of: came) {
        if membership.isReturn { tallies[index].returned += 1 } else { tallies[index].gained += 1 }
      }
      if let left = membership.left, let index = calendar.index(of: left) { tallies[index].lost += 1 }
    }
    for (index, tally) in tallies.enumerated() {
      (flows[index].gained, flows[index].returned, flows[index].lost) = tally
    }
    return flows
  }
}

/// How many accounts that arrived in a period remain, period by period.
package struct Cohort: Sendable, Hashable {
  /// The period of arrival.
  package let period: CalendarPeriod
  /// The number of arrivals; before the first snapshot, only those that were still there when it was taken.
  package let size: Int
  /// Whether accounts that came and left before the first snapshot are missing, which makes the shares too
  /// high.
  package let isOfSurvivors: Bool
  /// The number remaining at the end of the period itself, of the next one, and so on, as far as snapshots
  /// reach; nil for ends before the first snapshot.
  package let retained: [Int?]

  /// The cohorts of a listing, earliest first; periods without arrivals are left out.
  ///
  /// A loss counts even if the account returns later, and a return is not part of any cohort, so a cohort
  /// only shrinks.
  /// - Parameters:
  ///   - memberships: in any order; those with an unknown arrival are left out.
  ///   - snapshots: the times of the first and the last complete snapshot.
  package static func cohorts(
    of memberships: some Sequence<Membership>, by unit: CalendarUnit, snapshots: ClosedRange<Int64>,
    clock: ZonedClock = .utc
  ) -> [Cohort] {
    let memberships = Array(memberships)
    var arrival: Int64?
    for membership in memberships where !membership.isReturn {
      if let came = membership.came { arrival = min(arrival ?? came, came) }
    }
    guard let earliest = arrival else { return [] }
    let periods = clock.periods(unit, in: earliest..<max(earliest, snapshots.upperBound).moved(by: 1))
    let calendar = PeriodIndex(periods)
    var counts = [Tally](repeating: Tally(), count: periods.count)
    for membership in memberships where !membership.isReturn {
      guard let came = membership.came, let index = calendar.index(of: came) else { continue }
      counts[index].add(membership, lostIn: membership.left.flatMap { calendar.index(of: $0) })
    }
    return counts.enumerated().filter { $0.element.size > 0 }.map { index, count in
      var (retained, left) = ([Int?](), count.size)
      for later in index..<periods.count where periods[later].end <= snapshots.upperBound {
        left -= count.lost[later] ?? 0
        retained.append(periods[later].end < snapshots.lowerBound ? nil : left)
      }
      return Cohort(
        period: periods[index], size: count.size, isOfSurvivors: count.isOfSurvivors, retained: retained)
    }
  }
  private struct Tally {
    var size = 0
    var isOfSurvivors = false
    /// Number of losses per period.
    var lost: [Int: Int] = [:]

    mutating func add(_ membership: Membership, lostIn period: Int?) {
      size += 1
      if membership.isFromBefore { isOfSurvivors = true }
      if let period { lost[period, default: 0] += 1 }
    }
  }
}
