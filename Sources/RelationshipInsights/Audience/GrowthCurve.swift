// SPDX-License-Identifier: Apache-2.0

/// How many were on a listing over time, from the first of those who are known.
///
/// Before the first snapshot these are survivors: who came then and was still there when it was taken. Who had come and left
/// by then is not among them, so the true counts were at least as high. From the first snapshot on they are counts.
///
/// Where only a sample of the first snapshot was asked when they came, the survivors are estimates: the share of the sample
/// that had come by then, times all of the first snapshot.
public struct GrowthCurve: Sendable, Hashable {
  /// How many of the first snapshot had come by then, at the end of each period in which somebody came.
  public let survivors: [CountAtMoment]
  /// How many of the first snapshot do not tell when they came; where they are no part of an estimate, the survivors end
  /// so far below its count.
  public let undated: Int
  /// Where the survivors are with a confidence of 95 %, point by point; empty unless they are estimates.
  public let survivorBounds: [ClosedRange<Double>]
  /// How many were asked when they came, where the survivors are estimates; nil where they are counts.
  public let sampleSize: Int?
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
  ///   - isSampled: whether those who tell when they came are a fair sample of the first snapshot.
  public init(
    _ memberships: some Sequence<Membership>, counts: [CountAtMoment], by unit: CalendarUnit = .day,
    isSampled: Bool = false, clock: ZonedClock = .utc
  ) {
    var latest: [Int64: Int] = [:]
    for count in counts { latest[count.at] = count.count }
    self.counts = latest.map { CountAtMoment(at: $0, $1) }.sorted { $0.at < $1.at }
    seam = self.counts.first?.at

    var (dated, undated) = ([Int64](), 0)
    for membership in Array(memberships) where membership.isFromBefore {
      if let came = membership.came { dated.append(came) } else { undated += 1 }
    }
    self.undated = undated
    let known = Self.accumulated(dated.sorted(), by: unit, clock)
    guard isSampled, undated > 0, !dated.isEmpty else {
      (survivors, survivorBounds, sampleSize) = (known, [], nil)
      return
    }
    let (sample, whole) = (dated.count, Double(dated.count + undated))
    survivors = known.map {
      CountAtMoment(at: $0.at, Int((Double($0.count) / Double(sample) * whole).rounded()))
    }
    survivorBounds = known.compactMap { Estimate.share($0.count, of: sample) }.map {
      $0.interval.lowerBound * whole...$0.interval.upperBound * whole
    }
    sampleSize = sample
  }

  /// The part of the curve within a time; the survivors begin with those that there were at its start.
  public func during(_ time: Range<Int64>) -> GrowthCurve {
    var shown = survivors.indices.filter { time.contains(survivors[$0].at) }
    let isCountedBefore = seam.map { $0 <= time.lowerBound } ?? false
    if !isCountedBefore, let last = survivors.lastIndex(where: { $0.at < time.lowerBound }) {
      shown.insert(last, at: 0)
    }
    return GrowthCurve(
      survivors: shown.map { CountAtMoment(at: max(survivors[$0].at, time.lowerBound), survivors[$0].count) },
      counts: counts.filter { time.contains($0.at) }, undated: undated,
      survivorBounds: survivorBounds.isEmpty ? [] : shown.map { survivorBounds[$0] }, sampleSize: sampleSize,
      seam: seam)
  }

  private init(
    survivors: [CountAtMoment], counts: [CountAtMoment], undated: Int, survivorBounds: [ClosedRange<Double>],
    sampleSize: Int?, seam: Int64?
  ) {
    self.survivors = survivors
    self.counts = counts
    self.undated = undated
    self.survivorBounds = survivorBounds
    self.sampleSize = sampleSize
    self.seam = seam
  }

  /// How many there were at a moment: what the last snapshot before it counted, and before the first one the survivors,
  /// which are too few; nil before anybody is known to have come.
  public func count(at moment: Int64) -> Int? {
    let known = seam.map { $0 <= moment } == true ? counts : survivors
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if known[middle].at <= moment { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? known[low - 1].count : nil
  }

  private static func accumulated(
    _ moments: [Int64], by unit: CalendarUnit, _ clock: ZonedClock
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
