// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Gains and losses of a listing in a day, week, month or year, or in several of them that no snapshot separates.
///
/// An account arrived when its record says so, if that agrees with the snapshots. When an account was lost is known only
/// as an interval: after a snapshot that still saw it, by the next one. The periods that one interval spans are one
/// flow. An account that came and left between two snapshots is not seen.
public struct AudienceFlow: Sendable, Hashable {
  /// The arrivals of one period.
  public struct Part: Sendable, Hashable {
    public let period: CalendarPeriod
    /// The part of the period that is counted.
    public let time: Range<Instant>
    /// Whether a snapshot was taken after the period began, so that its arrivals were seen.
    public let isSeen: Bool
    /// Accounts that arrived for the first time.
    public fileprivate(set) var gained = 0
    /// Accounts that returned after an earlier loss.
    public fileprivate(set) var returned = 0
    /// Accounts that arrived, and of which nothing else is known, because they were deleted from the history.
    public fileprivate(set) var unnamed = 0

    public var arrivals: Int { gained + returned + unnamed }
  }

  /// The losses between snapshots.
  public struct Losses: Sendable, Hashable {
    public fileprivate(set) var count: Int
    /// The interval in which they were: the last snapshot before them, and the one that found them.
    public fileprivate(set) var time: Range<Instant>
  }

  /// The periods that the flow is about, in order: one, or those that an interval between snapshots spans.
  public fileprivate(set) var parts: [Part]
  /// Accounts that arrived in some of several periods, which is not known.
  public fileprivate(set) var undated = 0
  /// Nil if nothing shows what was lost; a lower bound if the coverage is `unobserved`.
  public fileprivate(set) var losses: Losses?
  /// The count at the start, from the snapshot at the start of the interval or the last one before; nil if there
  /// was none.
  public let countAtStart: Int?
  /// How far snapshots cover the time.
  public let coverage: Coverage

  /// How far snapshots cover a time.
  public enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// It ended before the first snapshot: only accounts that came and stayed until then are known.
    case survivors
    /// No two snapshots tell what was lost: it is after the last one, or the snapshots since withhold losses.
    case unobserved
    /// The first snapshot was taken during the period, or the last one before its end, or only a part of the
    /// period is counted.
    case partial
    /// One interval between snapshots spans several periods: the losses are known for all of them together, and of
    /// the arrivals only those that stayed until its end.
    case interval
    case whole

    /// Whether snapshots show all losses that one of them can find.
    var isObserved: Bool { self != .survivors && self != .unobserved }
    /// Whether snapshots enclose the time, so that its figures can be averaged.
    var isComplete: Bool { self == .whole || self == .interval }
  }

  /// From the start of the first period to the end of the last one, as far as they are counted.
  public var time: Range<Instant> {
    guard let first = parts.first, let last = parts.last else { return .epoch ..< .epoch }
    return first.time.lowerBound..<last.time.upperBound
  }

  /// All arrivals; nil if no snapshot saw them.
  public var arrivals: Int? {
    parts.contains(where: \.isSeen) ? parts.reduce(undated) { $0 + $1.arrivals } : nil
  }

  /// Whether snapshots show all losses that one of them can find.
  public var isObserved: Bool { coverage.isObserved }

  /// Arrivals less losses; nil if either is unknown.
  public var net: Int? {
    guard isObserved, let arrivals, let losses else { return nil }
    return arrivals - losses.count
  }

  /// The share of accounts at the start that were lost: lost / count at the start.
  ///
  /// Nil if unknown, or if the count was zero. May exceed 1 if many come and leave within the time.
  public var churnRate: Double? {
    guard isObserved, let losses, let countAtStart, countAtStart > 0 else { return nil }
    return Double(losses.count) / Double(countAtStart)
  }

  // MARK: Computing

  /// The flows from the first arrival to the last snapshot, or those within a time range.
  ///
  /// The first and the last period of a range are cut to it, unless an interval between snapshots spans them and
  /// others: then its flow is whole, and may begin before the range and end after it.
  public static func flows(
    of history: ListingHistory, by unit: CalendarUnit, clock: ZonedCalendar = .utc,
    in time: Range<Instant>? = nil
  ) -> [AudienceFlow] {
    guard let covered = history.series.time else { return [] }
    var earliest = covered.lowerBound
    for membership in history.memberships {
      if let came = membership.arrivedAt { earliest = min(earliest, came) }
    }
    earliest = max(earliest, .networkBegan)
    let seenUntil = covered.upperBound + .microseconds(1)
    let end = max(seenUntil, min(time?.upperBound ?? seenUntil, Datetime.latest))
    guard earliest < end else { return [] }
    let range = (time ?? earliest..<end).clamped(to: earliest..<end)
    let periods = ObservedPeriods(unit, clock: clock, in: earliest..<end, by: history.series)
    var tally = Tally(periods, history.series, in: time.map { _ in range }, seenUntil: seenUntil)
    // Copied into an array so that the loop is specialized for one type.
    for membership in Array(history.memberships) { tally.count(membership) }
    for unnamed in history.unnamed { tally.count(unnamed) }
    return tally.flows.filter { $0.time.overlaps(range) }
  }

  fileprivate init(
    _ parts: [Part], observed: Range<Instant>?, countAtStart: Int?, coverage: Coverage
  ) {
    self.parts = parts
    self.countAtStart = countAtStart
    self.coverage = coverage
    losses = observed.map { Losses(count: 0, time: $0) }
  }

  /// Counts arrivals and losses by period.
  private struct Tally {
    private(set) var flows: [AudienceFlow]
    private let periods: ObservedPeriods
    private let range: Range<Instant>?

    init(
      _ periods: ObservedPeriods, _ series: SnapshotSeries, in range: Range<Instant>?, seenUntil: Instant
    ) {
      self.periods = periods
      self.range = range
      let (counts, edges) = (series.counts, series.edges)
      var next = counts.startIndex
      flows = periods.rows.enumerated().map { number, row in
        let parts = row.map { index in
          let period = periods.periods[index]
          let whole = period.start..<period.end
          let time = row.count == 1 ? whole.clamped(to: range ?? whole) : whole
          return Part(period: period, time: time, isSeen: time.lowerBound < seenUntil)
        }
        let start = parts[0].time.lowerBound
        while next < counts.endIndex, counts[next].at <= start { next += 1 }
        var atStart = next > counts.startIndex ? counts[next - 1].value : nil
        if let edge = periods.starts[number], start == parts[0].period.start { atStart = edges[edge].listed }
        let observed = periods.observed(number, within: row.count == 1 ? range : nil)
        return AudienceFlow(
          parts, observed: observed, countAtStart: atStart,
          coverage: Coverage(
            of: parts, isObserved: observed != nil, from: counts[0].at, until: edges[edges.count - 1].endedAt)
        )
      }
    }

    /// Whether a moment is in the range, or in a row that is counted whole.
    private func counts(_ moment: Instant, in row: Int) -> Bool {
      flows[row].parts.count > 1 || range?.contains(moment) ?? true
    }

    mutating func count(_ membership: Membership) {
      count(arrivalOf: membership)
      guard let departure = membership.departure, let (row, moment) = periods.row(of: departure),
        counts(moment, in: row)
      else { return }
      flows[row].lose(1, departure)
    }

    private mutating func count(arrivalOf membership: Membership) {
      let count: (inout Part) -> Void = membership.isReturn ? { $0.returned += 1 } : { $0.gained += 1 }
      if let moment = membership.datedArrival {
        guard let period = periods.period(at: moment) else { return }
        change(period, at: moment, count)
      } else if !membership.isFromBefore {
        countUndated(1, membership.arrival, count)
      }
    }

    /// Changes the part of a period, if the moment is counted.
    private mutating func change(_ period: Int, at moment: Instant, _ change: (inout Part) -> Void) {
      let row = periods.row(of: period)
      guard counts(moment, in: row) else { return }
      change(&flows[row].parts[period - periods.rows[row].lowerBound])
    }

    /// Counts arrivals of which only two snapshots are known.
    private mutating func countUndated(
      _ number: Int, _ arrival: Membership.TimeBounds, _ count: (inout Part) -> Void
    ) {
      if let (period, moment) = periods.period(of: arrival) { return change(period, at: moment, count) }
      guard let (row, moment) = periods.row(of: arrival), counts(moment, in: row) else { return }
      if flows[row].parts.count > 1 {
        flows[row].undated += number
      } else {
        count(&flows[row].parts[0])
      }
    }

    mutating func count(_ unnamed: ListingHistory.Unnamed) {
      if unnamed.lost > 0, let (row, moment) = periods.row(of: unnamed.departure), counts(moment, in: row) {
        flows[row].lose(unnamed.lost, unnamed.departure)
      }
      // When the accounts of the first snapshot arrived is not known.
      guard unnamed.gained > 0, unnamed.arrival.after != nil else { return }
      countUndated(unnamed.gained, unnamed.arrival) { $0.unnamed += unnamed.gained }
    }
  }

  fileprivate mutating func lose(_ count: Int, _ departure: Membership.TimeBounds) {
    let time = min(departure.after ?? departure.by, departure.by)..<departure.by
    losses = Losses(count: (losses?.count ?? 0) + count, time: losses?.time.joined(with: time) ?? time)
  }
}

extension AudienceFlow.Coverage {
  fileprivate init(
    of parts: [AudienceFlow.Part], isObserved: Bool, from first: Instant, until last: Instant
  ) {
    guard let start = parts.first, let end = parts.last else {
      self = .unobserved
      return
    }
    if !isObserved {
      self = start.time.lowerBound < first ? .survivors : .unobserved
    } else if parts.count > 1 {
      self = .interval
    } else if start.time != start.period.start..<end.period.end || first > start.period.start
      || end.period.end > last
    {
      self = .partial
    } else {
      self = .whole
    }
  }
}
