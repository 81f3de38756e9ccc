// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Blocks over time.
public struct BlockTimeline: Sendable, Hashable {
  /// The blocks by the actor in a period.
  public struct Part: Sendable, Hashable {
    public let period: CalendarPeriod
    /// The part of the period that is counted.
    public let time: Range<Instant>
    /// Nil if that is not known: none was found, and none would have been if it was deleted since. A lower bound unless
    /// ``coverage`` is `whole`.
    public let blocking: Int?
    /// How far snapshots of the actor's blocks cover the period.
    public let coverage: AudienceFlow.Coverage
  }

  /// A period, or several that no snapshot of the followers separates.
  public struct Row: Sendable, Hashable {
    public let parts: [Part]
    /// Accounts that blocked the actor; nil if that is not known. A lower bound unless ``coverage`` is `whole`.
    public let blockedBy: Int?
    /// From the first to the last of the snapshots between which these were counted; nil if they have dates.
    public let observed: Range<Instant>?
    /// How far snapshots of the followers cover the periods.
    public let coverage: AudienceFlow.Coverage
    /// Whether it is not known why some of the lost followers are gone, because they were deleted from the history.
    public let isPruned: Bool

    /// From the start of the first period to the end of the last one; of each, only the part that is counted.
    public var time: Range<Instant> {
      guard let first = parts.first, let last = parts.last else { return .epoch ..< .epoch }
      return first.time.lowerBound..<last.time.upperBound
    }

    fileprivate var hasBlocks: Bool { blockedBy ?? 0 > 0 || parts.contains { $0.blocking ?? 0 > 0 } }
  }

  /// When the actor was blocked.
  public enum Blockers: Sendable {
    /// Only followers that were lost because they block the actor are known.
    case losses
    /// According to an index, at these times; and lost followers that the index does not name.
    case index([Instant], losses: [Membership.TimeBounds])
  }

  /// From the first to the last period with a block in the time range, without gaps; the first and last are cut to
  /// the range.
  public let rows: [Row]
  /// Waves of accounts that blocked the actor.
  public let waves: [BlockWave]
  /// Blocks by the actor without a known date.
  public let undated: Int
  /// Blocks of the actor between snapshots that are too far apart to tell the period.
  public let unplaced: Int
  /// Whether blocks of the actor are known only for lost followers, because there is no index.
  public let knowsOnlyLosses: Bool

  /// Groups blocks by time.
  ///
  /// - Parameters:
  ///   - own: the listing of the actor's blocks.
  ///   - audience: the listing of the followers.
  public init(
    own: ListingHistory, blockers: Blockers, audience: ListingHistory, by unit: CalendarUnit,
    clock: ZonedCalendar, in time: Range<Instant>
  ) {
    let dates = own.memberships.map(\.arrivedAt)
    undated = dates.count { $0 == nil }
    let parts = Parts(
      dates.compactMap(\.self), AudienceFlow.flows(of: own, by: unit, clock: clock, in: time), in: time)
    let flows = AudienceFlow.flows(of: audience, by: unit, clock: clock, in: time)
    let days = AudienceFlow.flows(of: audience, by: .day, clock: clock)
    switch blockers {
    case .losses:
      knowsOnlyLosses = true
      unplaced = 0
      rows = Self.rows(flows, parts, unit, clock)
      waves = BlockWave.waves(ofLossesIn: days, clock: clock)
    case .index(let found, let losses):
      knowsOnlyLosses = false
      let shown = Self.moments(of: losses, by: unit, clock).filter(time.contains)
      unplaced =
        losses.count { $0.by >= time.lowerBound && $0.after ?? $0.by < time.upperBound } - shown.count
      rows = Self.rows(found.filter(time.contains) + shown, parts, unit, clock)
      waves = BlockWave.waves(
        of: found + Self.moments(of: losses, by: .day, clock), flows: days, clock: clock)
    }
  }

  /// The moments that stand for intervals, without those that are longer than a period.
  private static func moments(
    of losses: [Membership.TimeBounds], by unit: CalendarUnit, _ clock: ZonedCalendar
  ) -> [Instant] {
    losses.compactMap { bounds in
      guard let after = bounds.after else { return nil }
      let time = after..<max(after, bounds.by)
      let period = clock.period(unit, at: time.middle)
      return time.upperBound - time.lowerBound <= period.end - period.start ? time.middle : nil
    }
  }

  /// Rows of losses.
  private static func rows(
    _ flows: [AudienceFlow], _ parts: Parts, _ unit: CalendarUnit, _ clock: ZonedCalendar
  ) -> [Row] {
    var (rows, shown) = ([Row](), Set<Instant>())
    // A period that snapshots enclose is not shown again for the rest of it.
    let enclosed = Set(flows.filter(\.isObserved).flatMap { $0.parts.map(\.period.start) })
    for flow in flows {
      let own = flow.parts.filter { flow.isObserved || !enclosed.contains($0.period.start) }
        .filter { shown.insert($0.period.start).inserted }
      guard !own.isEmpty else { continue }
      let count = flow.losses?.blockers ?? 0
      let isPruned = flow.losses?.unnamed ?? 0 > 0
      rows.append(
        Row(
          parts: own.map { parts.part($0.period, flow.isObserved ? $0.time : nil) },
          blockedBy: !isPruned && (flow.isObserved || count > 0) ? count : nil, observed: flow.observed,
          coverage: flow.coverage == .survivors ? .unobserved : flow.coverage, isPruned: isPruned))
    }
    func unseen(_ time: Range<Instant>) -> [Row] {
      clock.periods(unit, in: time).filter { !shown.contains($0.start) }.map {
        Row(
          parts: [parts.part($0, nil)], blockedBy: nil, observed: nil, coverage: .unobserved,
          isPruned: false)
      }
    }
    guard let first = parts.first, let last = parts.last else { return trimmed(rows) }
    guard let start = rows.first?.parts.first?.period.start, let end = rows.last?.parts.last?.period.end
    else { return trimmed(unseen(first..<last + .microseconds(1))) }
    let before = first < start ? unseen(first..<start) : []
    let after = last >= end ? unseen(end..<last + .microseconds(1)) : []
    return trimmed(before + rows + after)
  }

  /// Rows of blocks with dates.
  private static func rows(
    _ moments: [Instant], _ parts: Parts, _ unit: CalendarUnit, _ clock: ZonedCalendar
  ) -> [Row] {
    let all = moments + [parts.first, parts.last].compactMap(\.self)
    guard let first = all.min(), let last = all.max() else { return [] }
    let periods = clock.periods(unit, in: first..<last + .microseconds(1))
    var counts = [Int](repeating: 0, count: periods.count)
    let calendar = PeriodIndex(periods)
    for moment in moments { if let number = calendar.index(of: moment) { counts[number] += 1 } }
    return zip(periods, counts).map { period, count in
      Row(
        parts: [parts.part(period, nil)], blockedBy: count, observed: nil, coverage: .whole, isPruned: false)
    }
  }

  private static func trimmed(_ rows: [Row]) -> [Row] {
    guard let first = rows.firstIndex(where: \.hasBlocks), let last = rows.lastIndex(where: \.hasBlocks)
    else {
      return []
    }
    return Array(rows[first...last])
  }

  /// The blocks by the actor, by period.
  private struct Parts {
    /// The first and the last block in the time range.
    let first: Instant?
    let last: Instant?
    private let moments: [Instant]
    private let time: Range<Instant>
    /// By the start of the period.
    private var coverages: [Instant: AudienceFlow.Coverage] = [:]

    init(_ moments: [Instant], _ flows: [AudienceFlow], in time: Range<Instant>) {
      self.moments = moments.sorted()
      self.time = time
      first = self.moments.first(where: time.contains)
      last = self.moments.last(where: time.contains)
      for flow in flows {
        for part in flow.parts where flow.isObserved || coverages[part.period.start] == nil {
          coverages[part.period.start] = flow.coverage
        }
      }
    }

    /// A period with its blocks.
    ///
    /// - Parameter counted: the part of it that is counted; nil for that in the time range.
    func part(_ period: CalendarPeriod, _ counted: Range<Instant>?) -> Part {
      let counted = counted ?? (period.start..<period.end).clamped(to: time)
      let count = rank(of: counted.upperBound) - rank(of: counted.lowerBound)
      let coverage = coverages[period.start] ?? .unobserved
      let isCounted = coverage == .whole || coverage == .partial
      return Part(
        period: period, time: counted, blocking: count > 0 || isCounted ? count : nil, coverage: coverage)
    }

    /// How many blocks are before a moment.
    private func rank(of moment: Instant) -> Int {
      var (low, high) = (0, moments.count)
      while low < high {
        let middle = (low + high) / 2
        if moments[middle] < moment { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
}
