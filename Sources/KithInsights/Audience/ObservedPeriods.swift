// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Calendar periods, in rows between which the snapshots of a listing tell losses apart.
///
/// That an account left shows only in the next snapshot that finds losses, an edge: somewhere between two edges it was
/// lost. Each interval between consecutive edges belongs to one row, and everything that a row counts happened in its
/// intervals. An interval that spans several periods makes them one row, because no snapshot shows in which of them the
/// losses were.
struct ObservedPeriods {
  /// What happened between two edges.
  struct Interval {
    /// From the start of the first edge to the end of the second one.
    let time: Range<Instant>
    /// The accounts that the first edge listed.
    let listed: Int
    /// The row to which it belongs; nil if it is not within the periods.
    fileprivate(set) var row: Int?
  }

  /// Periods with the intervals that belong to them.
  struct Row {
    /// Consecutive periods: one, or those that an interval spans.
    let periods: Range<Int>
    /// Consecutive intervals.
    fileprivate(set) var intervals: ClosedRange<Int>
  }

  /// Consecutive periods.
  let periods: [CalendarPeriod]
  /// In order of time. The periods before the first row and after the last one have no intervals.
  let rows: [Row]
  /// In order of time.
  let intervals: [Interval]

  private let index: PeriodIndex
  /// The row of each period; nil where it has none.
  private let rowOfPeriod: [Int?]

  /// Groups the periods that overlap a time.
  init(_ unit: CalendarUnit, clock: ZonedCalendar, in time: Range<Instant>, by series: SnapshotSeries) {
    let periods = clock.periods(unit, in: time)
    let index = PeriodIndex(periods)
    let edges = series.edges
    var intervals = zip(edges, edges.dropFirst()).map { first, second in
      Interval(
        time: first.startedAt..<max(first.startedAt, second.endedAt), listed: first.listed, row: nil)
    }
    let borders = edges.map { Self.border(of: $0.endedAt, in: periods, index) }
    var owners = [Range<Int>?](repeating: nil, count: periods.count)
    for (low, high) in zip(borders, borders.dropFirst()) where low < high {
      for period in low..<high { owners[period] = low..<high }
    }
    var (rows, rowOfPeriod) = ([Row](), [Int?](repeating: nil, count: periods.count))
    for (number, interval) in intervals.enumerated() {
      let border = borders[number]
      let isBefore = periods.indices.contains(border) ? interval.time.middle < periods[border].start : true
      let period = borders[number + 1] > border || !isBefore ? border : border - 1
      guard periods.indices.contains(period) else { continue }
      let owner = owners[period] ?? period..<period + 1
      if rows.last?.periods == owner {
        rows[rows.count - 1].intervals = rows[rows.count - 1].intervals.lowerBound...number
      } else {
        rows.append(Row(periods: owner, intervals: number...number))
        for period in owner { rowOfPeriod[period] = rows.count - 1 }
      }
      intervals[number].row = rows.count - 1
    }
    (self.periods, self.index, self.rows, self.rowOfPeriod) = (periods, index, rows, rowOfPeriod)
    self.intervals = intervals
  }

  /// The period whose start is closest to a moment; of two that are as close, the later one.
  private static func border(of moment: Instant, in periods: [CalendarPeriod], _ index: PeriodIndex) -> Int {
    guard let number = index.index(of: moment) else {
      return moment < periods.first?.start ?? .distantFuture ? 0 : periods.count
    }
    let period = periods[number]
    return (moment - period.start) / (period.end - period.start) < 0.5 ? number : number + 1
  }

  /// The row of a period; nil if no interval belongs to it.
  func row(of period: Int) -> Int? { rowOfPeriod[period] }

  /// The period of a moment; nil if it is not within the periods.
  func period(at moment: Instant) -> Int? { index.index(of: moment) }

  /// Whether snapshots tell what was lost before the end of a period from what was lost after it.
  func isKnown(endOf period: Int) -> Bool {
    period + 1 == periods.count || rowOfPeriod[period] == nil
      || rowOfPeriod[period] != rowOfPeriod[period + 1]
  }

  /// The interval in which a change was found: the first one that ends with or after its sighting.
  func interval(of bounds: Membership.TimeBounds) -> Interval? {
    number(until: bounds.by).map { intervals[$0] }
  }

  /// The first interval with a moment or after it.
  func firstInterval(after moment: Instant) -> Interval? {
    var (low, high) = (0, intervals.count)
    while low < high {
      let middle = (low + high) / 2
      if intervals[middle].time.upperBound <= moment { low = middle + 1 } else { high = middle }
    }
    return low < intervals.count ? intervals[low] : nil
  }

  /// The first interval that ends at a moment or after it, if it begins before.
  private func number(until moment: Instant) -> Int? {
    var (low, high) = (0, intervals.count)
    while low < high {
      let middle = (low + high) / 2
      if intervals[middle].time.upperBound < moment { low = middle + 1 } else { high = middle }
    }
    return low < intervals.count && intervals[low].time.lowerBound < moment ? low : nil
  }
}

extension Range<Instant> {
  var middle: Instant { lowerBound + (upperBound - lowerBound) / 2 }

  func joined(with other: Range<Instant>) -> Range<Instant> {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }
}

extension Instant {
  /// How far two instants are apart.
  func distance(to other: Instant) -> Duration { max(self - other, other - self) }
}
