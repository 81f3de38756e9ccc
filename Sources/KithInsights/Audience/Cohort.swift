// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// How many accounts that arrived in a period remain, period by period.
///
/// Accounts of the first snapshot without a date belong to some cohort, but to which one is not known. If some
/// of them were lost, the shares of the cohorts before the first snapshot have bounds.
///
/// Shares are known at the ends of periods that snapshots tell apart, and not within an interval that spans several, nor
/// before a snapshot could have found a loss.
public struct Cohort: Sendable, Hashable {
  /// The share of a cohort that remains.
  public struct Share: Sendable, Hashable {
    /// If accounts without a date were lost, the share that they leave if they are spread over the cohorts by
    /// size.
    public let value: Double
    /// The bounds: all of them belong to this cohort, or none; nil if all dates are known.
    public let bounds: ClosedRange<Double>?
  }

  /// The period of arrival.
  public let period: CalendarPeriod
  /// The number of arrivals of which the period is known. Before the first snapshot, and in an interval that spans
  /// several periods, only those that were still there when the next snapshot was taken.
  public let size: Int
  /// Whether accounts that came and left unseen are missing, which makes the shares too high: before the first
  /// snapshot, or between two that are several periods apart.
  public let isOfSurvivors: Bool
  /// Whether accounts that arrived in the period were deleted from the history since: then nothing is known.
  public let isPruned: Bool
  /// The number remaining at the end of the period itself, of the next one, and so on, up to the last
  /// snapshot; nil for ends within an interval that spans them, and before the end of the first interval that could
  /// show a loss, and if accounts were deleted.
  public let retained: [Int?]
  /// The shares that ``retained`` means.
  public let shares: [Share?]

  /// The cohorts of a listing, earliest first; periods without arrivals are left out.
  ///
  /// A loss counts even if the account returns later, and a return is not part of any cohort, so a cohort
  /// only shrinks.
  public static func cohorts(
    of history: ListingHistory, by unit: CalendarUnit, clock: ZonedCalendar = .utc
  ) -> [Cohort] {
    let series = history.series
    guard let covered = series.time, let known = series.edges.last?.endedAt else { return [] }
    let (memberships, unnamed) = (Array(history.memberships), history.unnamed)
    guard let earliest = earliestArrival(memberships, unnamed) else { return [] }
    let end = max(earliest, covered.upperBound) + .microseconds(1)
    let observed = ObservedPeriods(unit, clock: clock, in: earliest..<end, by: series)
    let counts = tallies(memberships, unnamed, observed)
    let undated = UndatedLosses(memberships, unnamed, observed)
    let survivors = counts.reduce(0) { $0 + ($1.isFromBefore ? $1.size : 0) }
    return counts.enumerated().filter { $0.element.size > 0 || $0.element.isPruned }.map { index, count in
      // Before this row, no snapshot could have found a loss of those that it had not seen yet.
      let firstRow = observed.firstInterval(after: count.seen).flatMap(\.row) ?? .max
      var (retained, shares, left) = ([Int?](), [Share?](), count.size)
      for later in index..<observed.periods.count where observed.periods[later].end <= known {
        // Within a row, the order of the losses is not known.
        let row = observed.isKnown(endOf: later) ? observed.row(of: later) : nil
        if let row { left -= count.lost[row] ?? 0 }
        let isSeen = !count.isPruned && row.map { $0 >= firstRow } ?? false
        retained.append(isSeen ? left : nil)
        shares.append(
          isSeen ? row.flatMap { undated.share(left, of: count, among: survivors, through: $0) } : nil)
      }
      return Cohort(
        period: observed.periods[index], size: count.size,
        isOfSurvivors: count.isFromBefore || count.isUnobserved, isPruned: count.isPruned,
        retained: retained, shares: shares)
    }
  }

  /// When the first of the accounts may have come whose period is known; nil if there are none.
  private static func earliestArrival(
    _ memberships: [Membership], _ unnamed: [ListingHistory.Unnamed]
  ) -> Instant? {
    var arrival = unnamed.lazy.filter { $0.arrival.after != nil && $0.gained > 0 }.map(\.departure.by).min()
    for membership in memberships where !membership.isReturn {
      if let came = membership.datedArrival ?? membership.arrival.after {
        arrival = min(arrival ?? came, came)
      }
    }
    return arrival.map { max($0, .networkBegan) }
  }

  /// The arrivals of each period, with their losses.
  private static func tallies(
    _ memberships: [Membership], _ unnamed: [ListingHistory.Unnamed], _ observed: ObservedPeriods
  ) -> [Tally] {
    let periods = observed.periods
    var counts = [Tally](repeating: Tally(), count: periods.count)
    for membership in memberships where !membership.isReturn {
      guard let came = period(of: membership, observed) else { continue }
      counts[came].add(membership, lostIn: membership.departure.flatMap { observed.interval(of: $0)?.row })
      let row = observed.row(of: came).map { observed.rows[$0] }
      if !membership.isFromBefore, row?.periods.count ?? 1 > 1 { counts[came].isUnobserved = true }
    }
    for gap in unnamed where gap.gained > 0 {
      guard let after = gap.arrival.after else { continue }
      for (index, period) in periods.enumerated() where period.end > after && period.start <= gap.arrival.by {
        counts[index].isPruned = true
      }
    }
    return counts
  }

  /// The period in which an account came: that of its date, or of the interval that saw it; nil if it is not known.
  private static func period(of membership: Membership, _ observed: ObservedPeriods) -> Int? {
    if let date = membership.datedArrival { return observed.period(at: date) }
    guard !membership.isFromBefore, let row = observed.interval(of: membership.arrival)?.row else {
      return nil
    }
    let periods = observed.rows[row].periods
    return periods.count == 1 ? periods.lowerBound : nil
  }

  private struct Tally {
    var size = 0
    var isFromBefore = false
    var isUnobserved = false
    var isPruned = false
    /// Number of losses per row of periods.
    var lost: [Int: Int] = [:]
    /// When a snapshot first saw one of them.
    var seen = Instant.distantFuture

    mutating func add(_ membership: Membership, lostIn row: Int?) {
      size += 1
      seen = min(seen, membership.arrival.by)
      if membership.isFromBefore { isFromBefore = true }
      if let row { lost[row, default: 0] += 1 }
    }
  }

  /// The accounts of the first snapshot that were lost and have no date.
  private struct UndatedLosses {
    /// The row in which each of them was lost, in order.
    private let rows: [Int]
    /// Those that were deleted from the history, so that only the row until which all of them were lost is known.
    private let deleted: (count: Int, through: Int)

    init(_ memberships: [Membership], _ unnamed: [ListingHistory.Unnamed], _ observed: ObservedPeriods) {
      rows = memberships.compactMap { membership in
        membership.isFromBefore && membership.isSampled && membership.datedArrival == nil
          ? membership.departure.flatMap { observed.interval(of: $0)?.row } : nil
      }.sorted()
      deleted = (
        unnamed.reduce(0) { $0 + ($1.arrival.after == nil ? $1.gained : 0) },
        unnamed.lazy.filter { $0.lost > 0 }.compactMap { observed.interval(of: $0.departure)?.row }.max()
          ?? -1
      )
    }

    private func count(through row: Int) -> Int {
      var (low, high) = (0, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if rows[middle] <= row { low = middle + 1 } else { high = middle }
      }
      return low
    }

    func share(_ left: Int, of cohort: Tally, among survivors: Int, through row: Int) -> Share? {
      guard cohort.size > 0 else { return nil }
      let (left, size) = (Double(left), Double(cohort.size))
      let all = Double(rows.count + deleted.count)
      guard cohort.isFromBefore, all > 0 else { return Share(value: left / size, bounds: nil) }
      let gone = Double(count(through: row))
      let isOver = deleted.through <= row
      let part = size / Double(survivors)
      let mostGone = gone + Double(deleted.count)
      let mostLeft = all - gone - (isOver ? Double(deleted.count) : 0)
      return Share(
        value: (left + part * (all - mostGone)) / (size + part * all),
        bounds: left / (size + mostGone)...(left + mostLeft) / (size + mostLeft))
    }
  }
}
