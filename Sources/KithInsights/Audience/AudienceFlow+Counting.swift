// SPDX-License-Identifier: Apache-2.0

public import KithCore

extension AudienceFlow {
  /// The flows from the first arrival to the last snapshot, or those within a time range.
  ///
  /// The first and the last period of a range are cut to it, unless an interval between snapshots spans them and
  /// others: then its flow is whole, and may begin before the range and end after it; it is left out if the interval
  /// itself is not in the range. A period may have two flows: that of the first snapshot one of survivors, that of the
  /// last one an unobserved one, if something is known of them.
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
    var tally = Tally(periods, history.series, in: time.map { _ in range })
    // Copied into an array so that the loop is specialized for one type.
    for membership in Array(history.memberships) { tally.count(membership) }
    for unnamed in history.unnamed { tally.count(unnamed) }
    return tally.flows.filter { flow in
      flow.time.overlaps(range)
        && (flow.parts.count == 1 || flow.observed.map { $0.overlaps(range) } ?? true)
    }
  }

  /// Counts arrivals and losses by period.
  private struct Tally {
    /// Those of the periods before the first snapshot.
    private var before: [AudienceFlow] = []
    /// Those of the rows of intervals.
    private var between: [AudienceFlow]
    /// That of the periods after the last snapshot that finds losses; nil if there are none.
    private var after: AudienceFlow?

    private let periods: ObservedPeriods
    private let range: Range<Instant>?
    private let lastEdge: Instant

    init(_ periods: ObservedPeriods, _ series: SnapshotSeries, in range: Range<Instant>?) {
      (self.periods, self.range) = (periods, range)
      let edges = series.edges
      let first = edges.first?.endedAt ?? .distantFuture
      let last = edges.last?.endedAt ?? .distantFuture
      lastEdge = last
      between = periods.rows.map { Self.flow(of: $0, periods, in: range) }
      func part(_ period: CalendarPeriod, in time: Range<Instant>) -> Part {
        let time = (period.start..<period.end).clamped(to: time)
        return Part(period, in: range.map(time.clamped) ?? time, isCounted: false)
      }
      before = periods.periods.prefix { $0.start < first }.map { period in
        AudienceFlow(
          [part(period, in: .distantPast..<first)], observed: nil, countAtStart: nil, coverage: .survivors)
      }
      let rest = periods.periods.drop { $0.end <= last }.map { part($0, in: last ..< .distantFuture) }
      let shown = rest.filter { !$0.time.isEmpty }
      after =
        shown.isEmpty
        ? nil : AudienceFlow(shown, observed: nil, countAtStart: nil, coverage: .unobserved)
    }

    /// The flow of a row, of which a range may cut a part off.
    private static func flow(
      of row: ObservedPeriods.Row, _ periods: ObservedPeriods, in range: Range<Instant>?
    ) -> AudienceFlow {
      let isSingle = row.periods.count == 1
      let counted = periods.intervals[row.intervals].filter {
        !isSingle || range?.contains($0.time.middle) ?? true
      }
      let observed = counted.first.map { first in
        first.time.joined(with: (counted.last ?? first).time)
      }
      let parts = row.periods.map { number in
        let period = periods.periods[number]
        let time = period.start..<period.end
        return Part(
          period, in: isSingle ? range.map(time.clamped) ?? time : time,
          isCounted: isSingle && observed != nil)
      }
      return AudienceFlow(
        parts, observed: observed, countAtStart: counted.first?.listed,
        coverage: observed.map { Coverage(of: parts, by: $0) } ?? .unobserved)
    }

    /// All flows in order of time.
    ///
    /// Of a period with a flow of its own, the rest before the first or after the last snapshot is left out if nothing is
    /// known of it, and so is the period of the last snapshot if nothing follows it: the day is not over.
    var flows: [AudienceFlow] {
      var survivors = before
      if let last = survivors.last, last.arrivals == nil,
        last.parts[0].period == between.first?.parts[0].period
      {
        survivors.removeLast()
      }
      let enclosed = survivors + between
      guard var rest = after else { return enclosed }
      let isKnown =
        rest.arrivals != nil || rest.losses != nil || rest.hidden > 0 || rest.shown > 0
      let isOpen = rest.parts.count == 1 && rest.parts[0].period.contains(lastEdge)
      if !isKnown, !enclosed.isEmpty, isOpen || rest.parts[0].period == enclosed.last?.parts.last?.period {
        rest.parts.removeFirst()
      }
      return rest.parts.isEmpty ? enclosed : enclosed + [rest]
    }

    // MARK: Counting

    mutating func count(_ membership: Membership) {
      count(arrivalOf: membership)
      for absence in membership.absences {
        change(absence.hidden) { $0.hidden += 1 }
        if let shown = absence.shown { change(shown) { $0.shown += 1 } }
      }
      guard let departure = membership.departure else { return }
      change(departure) { $0.lose(1, blockers: membership.isBlocker ? 1 : 0, departure) }
    }

    private mutating func count(arrivalOf membership: Membership) {
      let count: (inout Part) -> Void = membership.isReturn ? { $0.back += 1 } : { $0.new += 1 }
      guard let moment = membership.datedArrival else {
        if !membership.isFromBefore { countUndated(1, membership.arrival, count) }
        return
      }
      if membership.isFromBefore { return countSurvivor(moment) }
      // A date is never after the snapshot that first saw the account, whatever else was taken at that time.
      guard membership.arrival.by <= lastEdge else { return countLate(1, at: moment, count) }
      guard let row = periods.interval(of: membership.arrival).flatMap(row) else { return }
      between[row].arrive(1, at: moment, count)
    }

    mutating func count(_ unnamed: ListingHistory.Unnamed) {
      if unnamed.lost > 0 { change(unnamed.departure) { $0.lose(unnamed: unnamed.lost, unnamed.departure) } }
      // When the accounts of the first snapshot arrived is not known.
      guard unnamed.gained > 0, unnamed.arrival.after != nil else { return }
      countUndated(unnamed.gained, unnamed.arrival) { $0.unnamed += unnamed.gained }
    }

    /// An account that came before the first snapshot, and was still there.
    private mutating func countSurvivor(_ moment: Instant) {
      guard range?.contains(moment) ?? true, let period = periods.period(at: moment),
        before.indices.contains(period)
      else { return }
      before[period].parts[0].new += 1
    }

    /// Arrivals of which only two snapshots are known.
    private mutating func countUndated(
      _ number: Int, _ arrival: Membership.TimeBounds, _ count: (inout Part) -> Void
    ) {
      if arrival.by > lastEdge {
        if isInRange(arrival) { countLate(number, at: nil, count) }
      } else if let row = periods.interval(of: arrival).flatMap(row) {
        between[row].arrive(number, at: nil, count)
      }
    }

    /// Arrivals after the last edge.
    private mutating func countLate(_ number: Int, at moment: Instant?, _ count: (inout Part) -> Void) {
      guard moment.map({ range?.contains($0) ?? true }) ?? true else { return }
      after?.arrive(number, at: moment, count)
    }

    /// Changes the flow of what snapshots found.
    private mutating func change(_ bounds: Membership.TimeBounds, _ change: (inout AudienceFlow) -> Void) {
      if bounds.by > lastEdge {
        if isInRange(bounds), var flow = after {
          change(&flow)
          after = flow
        }
      } else if let row = periods.interval(of: bounds).flatMap(row) {
        change(&between[row])
      }
    }

    /// The row of an interval; nil if it is not within the periods, or not within the range.
    private func row(of interval: ObservedPeriods.Interval) -> Int? {
      guard let row = interval.row else { return nil }
      return periods.rows[row].periods.count > 1 || range?.contains(interval.time.middle) ?? true ? row : nil
    }

    /// Whether a change after the last edge is known to be in the range.
    private func isInRange(_ bounds: Membership.TimeBounds) -> Bool {
      guard let range else { return true }
      return range.lowerBound <= bounds.after ?? bounds.by && bounds.by <= range.upperBound
    }
  }

  /// Counts arrivals in the period of their date, if it is one of several, or if there is one period only.
  fileprivate mutating func arrive(_ number: Int, at moment: Instant?, _ count: (inout Part) -> Void) {
    if parts.count == 1 { return count(&parts[0]) }
    if let part = moment.flatMap({ moment in parts.firstIndex { $0.period.contains(moment) } }) {
      count(&parts[part])
    } else {
      undated += number
    }
  }

  fileprivate mutating func lose(
    _ count: Int = 0, blockers: Int = 0, unnamed: Int = 0, _ departure: Membership.TimeBounds
  ) {
    let time = min(departure.after ?? departure.by, departure.by)..<departure.by
    var found = losses ?? Losses(time: time)
    found.count += count + unnamed
    found.blockers += blockers
    found.unnamed += unnamed
    // All losses of a row are within its intervals.
    if observed == nil { found.time = found.time.joined(with: time) }
    losses = found
  }
}
