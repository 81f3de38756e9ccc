// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Gains and losses of a listing in a day, week, month or year, or in the part of it that is in a time range.
///
/// Gains are counted when the account arrived, by its record if that agrees with the snapshots; losses are
/// counted when they were found. An account that came and left between two snapshots is not seen.
public struct AudienceFlow: Sendable, Hashable {
  public let period: CalendarPeriod
  /// The part of the period that is counted.
  public let time: Range<Instant>
  /// Accounts that arrived for the first time.
  public fileprivate(set) var gained = 0
  /// Accounts that returned after an earlier loss.
  public fileprivate(set) var returned = 0
  /// Accounts that arrived, and of which nothing else is known, because they were deleted from the history.
  public fileprivate(set) var unnamed = 0
  public fileprivate(set) var lost = 0
  /// The count at the start, from the last snapshot before it; nil if there was none.
  public let countAtStart: Int?
  /// How far snapshots cover the period.
  public let coverage: Coverage

  /// How far snapshots cover a period.
  public enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// It ended before the first snapshot: only accounts that came and stayed until then are known.
    case survivors
    /// The first snapshot was taken during the period, or the last one before its end, or only a part of the
    /// period is counted.
    case partial
    /// The snapshots that find losses are further apart than the period is long: changes of this period may
    /// be counted in a later one, and those counted here may be of an earlier one.
    case delayed
    case whole

    fileprivate init(
      of time: Range<Instant>, in period: CalendarPeriod, by snapshots: SnapshotSeries,
      _ covered: ClosedRange<Instant>
    ) {
      if time.upperBound <= covered.lowerBound {
        self = .survivors
      } else if time.lowerBound > period.start || time.upperBound < period.end
        || covered.lowerBound > period.start || period.end > covered.upperBound
      {
        self = .partial
      } else {
        self = snapshots.isCoarse(for: time) ? .delayed : .whole
      }
    }
  }

  /// All arrivals.
  public var arrivals: Int { gained + returned + unnamed }

  /// Arrivals less losses.
  public var net: Int { arrivals - lost }

  /// The share of accounts at the start that were lost: lost / count at the start.
  ///
  /// Nil if unknown, or if the count was zero. May exceed 1 if many come and leave within one period.
  public var churnRate: Double? {
    guard coverage != .survivors, let countAtStart, countAtStart > 0 else { return nil }
    return Double(lost) / Double(countAtStart)
  }

  /// The flows of all periods from the first arrival to the last snapshot, or of the periods within a time
  /// range, the first and last of which are cut to it.
  public static func flows(
    of history: ListingHistory, by unit: CalendarUnit, clock: ZonedCalendar = .utc,
    in time: Range<Instant>? = nil
  ) -> [AudienceFlow] {
    guard let covered = history.series.time else { return [] }
    var earliest = covered.lowerBound
    for membership in history.memberships {
      if let came = membership.arrivedAt { earliest = min(earliest, came) }
    }
    let whole = earliest..<covered.upperBound + .microseconds(1)
    let periods = clock.periods(unit, in: time.map(whole.clamped) ?? whole)
    var tally = Tally(periods, in: time)
    // Copied into an array so that the loop is specialized for one type.
    for membership in Array(history.memberships) { tally.count(membership) }
    for unnamed in history.unnamed { tally.count(unnamed) }

    let counts = history.series.counts
    var next = counts.startIndex
    return zip(periods, tally.entries).map { period, entry in
      let part = (period.start..<period.end).clamped(to: time ?? period.start..<period.end)
      while next < counts.endIndex, counts[next].at <= part.lowerBound { next += 1 }
      return AudienceFlow(
        period: period, time: part, gained: entry.gained, returned: entry.returned, unnamed: entry.unnamed,
        lost: entry.lost, countAtStart: next > counts.startIndex ? counts[next - 1].value : nil,
        coverage: Coverage(of: part, in: period, by: history.series, covered))
    }
  }

  /// Counts arrivals and losses by period.
  private struct Tally {
    private(set) var entries: [(gained: Int, returned: Int, unnamed: Int, lost: Int)]
    private let calendar: PeriodIndex
    private let time: Range<Instant>?

    init(_ periods: [CalendarPeriod], in time: Range<Instant>?) {
      entries = Array(repeating: (0, 0, 0, 0), count: periods.count)
      calendar = PeriodIndex(periods)
      self.time = time
    }

    private func index(of moment: Instant?) -> Int? {
      moment.flatMap { time?.contains($0) ?? true ? calendar.index(of: $0) : nil }
    }

    mutating func count(_ membership: Membership) {
      if let index = index(of: membership.arrivedAt) {
        if membership.isReturn { entries[index].returned += 1 } else { entries[index].gained += 1 }
      }
      if let index = index(of: membership.leftAt) { entries[index].lost += 1 }
    }

    mutating func count(_ unnamed: ListingHistory.Unnamed) {
      guard let index = index(of: unnamed.at) else { return }
      entries[index].lost += unnamed.lost
      // When the accounts of the first snapshot arrived is not known.
      if unnamed.arrival.after != nil { entries[index].unnamed += unnamed.gained }
    }
  }
}
