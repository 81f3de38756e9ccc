// SPDX-License-Identifier: Apache-2.0

/// The number of accounts on a listing over time, from the first known arrival.
///
/// Before the first snapshot these are survivors: accounts that came earlier and were still there when it
/// was taken. Those that had left by then are unknown, so the true counts were at least as high. From the
/// first snapshot on they are real counts.
///
/// If only a sample of the first snapshot has dates, the survivors are estimates: the share of the sample
/// that had come by then, times the size of the first snapshot.
package struct GrowthCurve: Sendable, Hashable {
  /// How many accounts of the first snapshot had come by the end of each period with arrivals.
  package let survivors: [CountAtMoment]
  /// How many accounts of the first snapshot have no date; unless the survivors are estimates, they end
  /// below its count by this number.
  package let undated: Int
  /// The pointwise 95 % confidence bounds of the survivors; empty unless they are estimates.
  package let survivorBounds: [ClosedRange<Double>]
  /// The sample size if the survivors are estimates; nil if they are counts.
  package let sampleSize: Int?
  /// When the first snapshot was taken, where survivors end and counts begin; nil if there is none.
  package let seam: Int64?
  /// The counts of the snapshots, in order of time.
  package let counts: [CountAtMoment]

  /// Computes the growth of a listing.
  ///
  /// - Parameters:
  ///   - memberships: in any order.
  ///   - counts: the count of each complete snapshot, in any order; for equal times the last one is used.
  ///   - unit: the resolution of the survivors.
  ///   - isSampled: whether the dated accounts are a fair sample of the first snapshot.
  package init(
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

  /// The part of the curve within a time range; the survivors begin with their number at its start.
  package func during(_ time: Range<Int64>) -> GrowthCurve {
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

  /// The count at a time: that of the last snapshot before it or, before the first snapshot, the survivors,
  /// which are too few; nil before the first known arrival.
  package func count(at moment: Int64) -> Int? {
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
