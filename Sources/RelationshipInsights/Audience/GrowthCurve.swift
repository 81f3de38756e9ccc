// SPDX-License-Identifier: Apache-2.0

/// How many were on a listing over time, from the first of those who are known.
///
/// Before the first snapshot these are survivors: who came then and was still there when it was taken. Who had come and left
/// by then is not among them, so the true counts were at least as high. From the first snapshot on they are counts.
public struct GrowthCurve: Sendable, Hashable {
  /// How many of the first snapshot had come by then, at the end of each period in which somebody came.
  public let survivors: [CountAtMoment]
  /// How many of the first snapshot do not tell when they came: the survivors end so far below its count.
  public let undated: Int
  /// When the first snapshot was taken, where survivors end and counts begin; nil where there is none.
  public let seam: Int64?
  /// What the snapshots counted, in the order of time.
  public let counts: [CountAtMoment]

  /// The growth of a listing.
  ///
  /// - Parameters:
  ///   - memberships: in any order.
  ///   - counts: how many each complete snapshot saw, in any order; of one moment the last stands.
  ///   - unit: how fine the survivors are.
  public init(
    _ memberships: some Sequence<Membership>, counts: [CountAtMoment], by unit: CalendarUnit = .day,
    clock: WallClock = .utc
  ) {
    var latest: [Int64: Int] = [:]
    for count in counts { latest[count.at] = count.count }
    self.counts = latest.map { CountAtMoment(at: $0, $1) }.sorted { $0.at < $1.at }
    seam = self.counts.first?.at

    var (dated, undated) = ([Int64](), 0)
    for membership in memberships where membership.isFromBefore {
      if let came = membership.came { dated.append(came) } else { undated += 1 }
    }
    self.undated = undated
    survivors = Self.accumulated(dated.sorted(), by: unit, clock)
  }

  private static func accumulated(
    _ moments: [Int64], by unit: CalendarUnit, _ clock: WallClock
  ) -> [CountAtMoment] {
    var found: [CountAtMoment] = []
    var period: CalendarPeriod?
    for (index, moment) in moments.enumerated() {
      if let known = period, known.contains(moment) {
        found[found.count - 1] = CountAtMoment(at: min(known.end, moments[moments.count - 1]), index + 1)
        continue
      }
      let next = clock.period(unit, at: moment)
      period = next
      found.append(CountAtMoment(at: min(next.end, moments[moments.count - 1]), index + 1))
    }
    return found
  }
}
