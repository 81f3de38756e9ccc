// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Calendar periods, in rows between which the snapshots of a listing tell losses apart.
///
/// That an account left shows only in the next snapshot that finds losses: somewhere between two of them it was lost.
/// Such an interval is counted in one period, if it is about as long as one; if it is longer, the periods that it spans
/// are one row, because nobody knows in which of them the losses were.
struct ObservedPeriods {
  /// Consecutive periods.
  let periods: [CalendarPeriod]
  /// Consecutive ranges of ``periods``: one period each, or those that one interval spans.
  let rows: [Range<Int>]
  /// For each row that begins with a snapshot, the number of that snapshot among those that find losses.
  let starts: [Int?]

  private let index: PeriodIndex
  /// The row of each period.
  private let rowOfPeriod: [Int]
  /// In order of time.
  private let intervals: [Interval]
  /// The intervals of each row, consecutive ones; nil for a row that has none.
  private let intervalsOfRow: [ClosedRange<Int>?]

  /// What happened between two snapshots that find losses.
  private struct Interval {
    let time: Range<Instant>
    /// The row to which it belongs; nil if it is not within the periods.
    let row: Int?
    /// When its losses are taken to have happened, if it belongs to a single period.
    let middle: Instant
  }

  /// Groups the periods that overlap a time.
  init(_ unit: CalendarUnit, clock: ZonedCalendar, in time: Range<Instant>, by series: SnapshotSeries) {
    periods = clock.periods(unit, in: time)
    let index = PeriodIndex(periods)
    self.index = index
    let edges = series.edges
    let borders = Self.borders(of: edges, in: periods)
    var isInside = [Bool](repeating: false, count: periods.count + 1)
    for (low, high) in zip(borders, borders.dropFirst()) where high - low > 1 {
      for border in low + 1..<high { isInside[border] = true }
    }
    var (rows, rowOfPeriod) = ([Range<Int>](), [Int](repeating: 0, count: periods.count))
    for period in periods.indices {
      if let last = rows.last, isInside[period] {
        rows[rows.count - 1] = last.lowerBound..<period + 1
      } else {
        rows.append(period..<period + 1)
      }
      rowOfPeriod[period] = rows.count - 1
    }
    let place = rowOfPeriod
    var intervalsOfRow = [ClosedRange<Int>?](repeating: nil, count: rows.count)
    let periods = periods
    intervals = zip(edges, edges.dropFirst()).enumerated().map { number, ends in
      let time = ends.0.startedAt..<max(ends.0.startedAt, ends.1.endedAt)
      let middle = time.middle
      let (low, high) = (borders[number], borders[number + 1])
      let row = high > low ? place[low] : index.index(of: middle).map { place[$0] }
      if let row { intervalsOfRow[row] = (intervalsOfRow[row]?.lowerBound ?? number)...number }
      return Interval(time: time, row: row, middle: high > low ? periods[low].clamped(middle) : middle)
    }
    var starts = [Int?](repeating: nil, count: rows.count)
    for (number, border) in borders.enumerated() where border < periods.count {
      // Of several snapshots about the start, the closest one.
      let row = place[border]
      guard rows[row].lowerBound == border else { continue }
      let start = periods[border].start
      if let known = starts[row],
        start.distance(to: edges[known].endedAt) < start.distance(to: edges[number].endedAt)
      {
        continue
      }
      starts[row] = number
    }
    (self.rows, self.rowOfPeriod, self.intervalsOfRow, self.starts) = (rows, place, intervalsOfRow, starts)
  }

  /// For each snapshot, how many periods are counted before it: those that end closer to it than they begin.
  ///
  /// Snapshots that are taken once a period, give or take a few hours, are one period apart, even if they are taken
  /// about its middle.
  private static func borders(
    of edges: [SnapshotFacts], in periods: [CalendarPeriod]
  ) -> [Int] {
    let index = PeriodIndex(periods)
    var borders: [Int] = []
    for edge in edges {
      guard let period = index.index(of: edge.endedAt) else {
        borders.append(edge.endedAt < periods.first?.start ?? .distantFuture ? 0 : periods.count)
        continue
      }
      let place = periods[period]
      let share = (edge.endedAt - place.start) / (place.end - place.start)
      switch borders.last {
      case period - 1 where share < 0.75: borders.append(period)
      case period where share > 0.25: borders.append(period + 1)
      default: borders.append(share < 0.5 ? period : period + 1)
      }
    }
    return borders
  }

  /// The time that the intervals of a row cover; nil if it has none.
  ///
  /// - Parameter range: the part of a single period that is counted; nil for the whole row.
  func observed(_ row: Int, within range: Range<Instant>?) -> Range<Instant>? {
    let counted = intervalsOfRow[row].map { intervals[$0] }?.filter { interval in
      interval.row == row && range?.contains(interval.middle) ?? true
    }
    guard let first = counted?.first, let last = counted?.last else { return nil }
    return first.time.joined(with: last.time)
  }

  /// The row of a period.
  func row(of period: Int) -> Int { rowOfPeriod[period] }

  /// The period of a moment; nil if it is not within the periods.
  func period(at moment: Instant) -> Int? { index.index(of: moment) }

  /// Whether snapshots tell what was lost before the end of a period from what was lost after it.
  func isKnown(endOf period: Int) -> Bool {
    period + 1 == periods.count || rowOfPeriod[period] != rowOfPeriod[period + 1]
  }

  /// Where a change is counted of which only two snapshots are known.
  ///
  /// - Returns: the row, and the moment that stands for the interval; nil if it is not within the periods.
  func row(of bounds: Membership.TimeBounds) -> (row: Int, moment: Instant)? {
    // A change that a snapshot left open belongs to the interval that ends with the snapshot that found it.
    if bounds.after != bounds.by, let interval = interval(until: bounds.by) {
      return interval.row.map { ($0, interval.middle) }
    }
    return index.index(of: bounds.by).map { (rowOfPeriod[$0], bounds.by) }
  }

  /// The period in which an account arrived, and the moment that stands for the interval; nil if the snapshots before
  /// and after its arrival are too far apart, or if it is not within the periods.
  func period(of bounds: Membership.TimeBounds) -> (period: Int, moment: Instant)? {
    guard let middle = bounds.middle, let number = index.index(of: middle) else { return nil }
    return bounds.moment(within: periods[number]).map { (number, $0) }
  }

  /// The interval in which a snapshot of a time found losses.
  private func interval(until moment: Instant) -> Interval? {
    var (low, high) = (0, intervals.count)
    while low < high {
      let middle = (low + high) / 2
      if intervals[middle].time.upperBound < moment { low = middle + 1 } else { high = middle }
    }
    guard low < intervals.count, intervals[low].time.lowerBound < moment else { return nil }
    return intervals[low]
  }
}

extension Membership.TimeBounds {
  /// Nil for what the first snapshot found.
  var middle: Instant? { after.map { ($0..<max($0, by)).middle } }

  /// The moment that stands for the interval; nil if it is much longer than a period, so that it does not tell which
  /// one.
  func moment(within period: CalendarPeriod) -> Instant? {
    guard let after, by - after <= (period.end - period.start) * 1.5 else { return nil }
    return middle
  }
}

extension Range<Instant> {
  var middle: Instant { lowerBound + (upperBound - lowerBound) / 2 }

  func joined(with other: Range<Instant>) -> Range<Instant> {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }
}

extension CalendarPeriod {
  /// The moment of the period that is closest to another one.
  fileprivate func clamped(_ moment: Instant) -> Instant { min(max(moment, start), end - .microseconds(1)) }
}

extension Instant {
  /// How far two instants are apart.
  func distance(to other: Instant) -> Duration { max(self - other, other - self) }
}
