// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// How many accounts that arrived in a period remain, period by period.
///
/// Accounts of the first snapshot without a date belong to some cohort, but to which one is not known. As far as
/// they were lost, the shares of the cohorts before the first snapshot have bounds.
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
  /// The number of arrivals with a date; before the first snapshot, only those that were still there when it
  /// was taken.
  public let size: Int
  /// Whether accounts that came and left before the first snapshot are missing, which makes the shares too
  /// high.
  public let isOfSurvivors: Bool
  /// Whether accounts that arrived in the period were deleted from the history since: then nothing is known.
  public let isPruned: Bool
  /// The number remaining at the end of the period itself, of the next one, and so on, as far as snapshots
  /// reach; nil for ends before the first snapshot, and if accounts were deleted.
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
    guard let covered = history.series.time else { return [] }
    let memberships = Array(history.memberships)
    let unnamed = history.unnamed
    var arrival = unnamed.lazy.filter { $0.arrival.after != nil && $0.gained > 0 }.map(\.at).min()
    for membership in memberships where !membership.isReturn {
      if let came = membership.arrivedAt { arrival = min(arrival ?? came, came) }
    }
    guard let earliest = arrival else { return [] }
    let periods = clock.periods(unit, in: earliest..<max(earliest, covered.upperBound) + .microseconds(1))
    let calendar = PeriodIndex(periods)
    var counts = [Tally](repeating: Tally(), count: periods.count)
    for membership in memberships where !membership.isReturn {
      guard let came = membership.arrivedAt, let index = calendar.index(of: came) else { continue }
      counts[index].add(membership, lostIn: membership.leftAt.flatMap { calendar.index(of: $0) })
    }
    for gap in unnamed where gap.gained > 0 {
      guard let after = gap.arrival.after else { continue }
      for (index, period) in periods.enumerated() where period.end > after && period.start <= gap.arrival.by {
        counts[index].isPruned = true
      }
    }
    let undated = UndatedLosses(memberships, unnamed)
    let survivors = counts.reduce(0) { $0 + ($1.isOfSurvivors ? $1.size : 0) }
    return counts.enumerated().filter { $0.element.size > 0 || $0.element.isPruned }.map { index, count in
      var (retained, shares, left) = ([Int?](), [Share?](), count.size)
      for later in index..<periods.count where periods[later].end <= covered.upperBound {
        left -= count.lost[later] ?? 0
        let isKnown = periods[later].end >= covered.lowerBound && !count.isPruned
        retained.append(isKnown ? left : nil)
        shares.append(
          isKnown
            ? undated.share(left, of: count, among: survivors, at: periods[later].end) : nil)
      }
      return Cohort(
        period: periods[index], size: count.size, isOfSurvivors: count.isOfSurvivors,
        isPruned: count.isPruned,
        retained: retained, shares: shares)
    }
  }

  private struct Tally {
    var size = 0
    var isOfSurvivors = false
    var isPruned = false
    /// Number of losses per period.
    var lost: [Int: Int] = [:]

    mutating func add(_ membership: Membership, lostIn period: Int?) {
      size += 1
      if membership.isFromBefore { isOfSurvivors = true }
      if let period { lost[period, default: 0] += 1 }
    }
  }

  /// The accounts of the first snapshot that were lost and have no date.
  private struct UndatedLosses {
    /// When each of them was lost, in order.
    private let moments: [Instant]
    /// Those that were deleted from the history, so that only when all of them were lost is known.
    private let deleted: (count: Int, by: Instant)

    init(_ memberships: [Membership], _ unnamed: [ListingHistory.Unnamed]) {
      moments = memberships.compactMap { membership in
        membership.isFromBefore && membership.isSampled && membership.arrivedAt == nil
          ? membership.leftAt : nil
      }.sorted()
      deleted = (
        unnamed.reduce(0) { $0 + ($1.arrival.after == nil ? $1.gained : 0) },
        unnamed.lazy.filter { $0.lost > 0 }.map(\.at).max() ?? .distantPast
      )
    }

    private func count(before moment: Instant) -> Int {
      var (low, high) = (0, moments.count)
      while low < high {
        let middle = (low + high) / 2
        if moments[middle] < moment { low = middle + 1 } else { high = middle }
      }
      return low
    }

    func share(_ left: Int, of cohort: Tally, among survivors: Int, at moment: Instant) -> Share? {
      guard cohort.size > 0 else { return nil }
      let (left, size) = (Double(left), Double(cohort.size))
      let all = Double(moments.count + deleted.count)
      guard cohort.isOfSurvivors, all > 0 else { return Share(value: left / size, bounds: nil) }
      let gone = Double(count(before: moment))
      let isOver = deleted.by < moment
      let part = size / Double(survivors)
      let mostGone = gone + Double(deleted.count)
      let mostLeft = all - gone - (isOver ? Double(deleted.count) : 0)
      return Share(
        value: (left + part * (all - mostGone)) / (size + part * all),
        bounds: left / (size + mostGone)...(left + mostLeft) / (size + mostLeft))
    }
  }
}
