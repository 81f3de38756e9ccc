// SPDX-License-Identifier: Apache-2.0

/// Who came and who left in a day, a week, a month or a year.
///
/// Who came is counted when they came, by their record where that agrees with the snapshots; who left, when that was found.
/// Who came and left between two snapshots is not seen at all.
public struct AudienceFlow: Sendable, Hashable {
  public let period: CalendarPeriod
  /// Who came for the first time.
  public fileprivate(set) var gained = 0
  /// Who had left before, and came again.
  public fileprivate(set) var returned = 0
  public fileprivate(set) var lost = 0
  /// How many there were when it began: what the last snapshot before it counted; nil where there was none.
  public let countAtStart: Int?
  /// How far snapshots cover it.
  public let coverage: Coverage

  /// How far snapshots tell about a period.
  public enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// It was over before the first snapshot: only those are known who came and stayed until then.
    case survivors
    /// It was not over when the first or the last snapshot was taken.
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

  /// Who came less who left.
  public var net: Int { gained + returned - lost }

  /// The share of those there at the start who were lost: lost / count at the start.
  ///
  /// Nil where that is not known, or nobody was there. May be over 1 where many come and leave in one period.
  public var churnRate: Double? {
    guard coverage != .survivors, let countAtStart, countAtStart > 0 else { return nil }
    return Double(lost) / Double(countAtStart)
  }

  /// The flows of all periods from the first arrival to the last snapshot, or of those within a time.
  ///
  /// - Parameters:
  ///   - memberships: in any order.
  ///   - counts: how many each complete snapshot saw.
  public static func flows(
    of memberships: some Sequence<Membership>, counts: [CountAtMoment], by unit: CalendarUnit,
    clock: ZonedClock = .utc, in time: Range<Int64>? = nil
  ) -> [AudienceFlow] {
    // Of an array of its own the loops are compiled for that, whatever sequence comes.
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

/// How many of those who came in a period are still there, one period after the other.
public struct Cohort: Sendable, Hashable {
  /// When they came.
  public let period: CalendarPeriod
  /// Who came; before the first snapshot only who was still there when it was taken.
  public let size: Int
  /// Whether those who came and left before the first snapshot are missing: then the shares are too high.
  public let isOfSurvivors: Bool
  /// How many were there at the end of their own period, of the one after it, and so on, as far as snapshots reach; nil for
  /// ends before the first snapshot.
  public let retained: [Int?]

  /// The cohorts of a listing, the earliest first; periods in which nobody came are left out.
  ///
  /// Who left counts as lost even where they come again, and who comes again is in no cohort: a cohort only shrinks.
  /// - Parameters:
  ///   - memberships: in any order; those of whom nobody knows when they came are left out.
  ///   - snapshots: when the first and the last complete snapshot were taken.
  public static func cohorts(
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
    /// How many were lost in each period.
    var lost: [Int: Int] = [:]

    mutating func add(_ membership: Membership, lostIn period: Int?) {
      size += 1
      if membership.isFromBefore { isOfSurvivors = true }
      if let period { lost[period, default: 0] += 1 }
    }
  }
}
