// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The number of accounts on a listing over time, from the first known arrival.
///
/// Before the first snapshot these are survivors: accounts that came earlier and were still there when it
/// was taken. Those that had left by then are unknown, so the true counts were at least as high. Counts are those of
/// the profile. A listing lacks some of the accounts that a profile counts, so the two are never one series.
///
/// If only a sample of the first snapshot was asked for dates, the survivors are estimates: the share of the
/// sample that had come by then, times the size of the first snapshot.
public struct GrowthCurve: Sendable, Hashable {
  /// How many accounts of the first snapshot had come by the end of each period with arrivals.
  public let survivors: [Sample<Int>]
  /// How many accounts of the first snapshot have no date; unless the survivors are estimates, they end
  /// below its count by this number.
  public let undated: Int
  /// The pointwise 95 % confidence bounds of the survivors; empty unless they are estimates. Accounts of the
  /// sample whose date could not be learned, and accounts that were deleted from the history, may have come at
  /// any time.
  public let survivorBounds: [ClosedRange<Double>]
  /// The sample size if the survivors are estimates; nil if they are counts.
  public let sampleSize: Int?
  /// When the first snapshot was taken, where survivors end; nil if there is none.
  public let seam: Instant?
  /// The counts in order of time, all of them of one ``measure``.
  public let counts: [Sample<Int>]
  /// The last count before the time range of ``during(_:)``, at the start of that range; nil if there is none, or if it is
  /// old by then.
  public let countAtStart: Sample<Int>?
  /// What ``counts`` count.
  public let measure: Measure

  /// What is counted.
  public enum Measure: String, Sendable, Hashable, CaseIterable {
    /// What the profile shows.
    case counted
    /// The accounts on the listing, if the profile shows no count. Snapshots that withhold losses list too many, and
    /// are left out.
    case listed
  }

  /// How many accounts the profile counted at the time of the last snapshot without doubt that it does not list, such
  /// as suspended ones; zero without counts of the profile.
  public let unlisted: Int

  /// Computes the growth of a listing.
  ///
  /// - Parameters:
  ///   - profile: the counts that the profile showed, in any order; empty to use those of the listing.
  ///   - unit: the resolution of the survivors.
  public init(
    _ history: ListingHistory, profile: [Sample<Int>] = [], by unit: CalendarUnit = .day,
    clock: ZonedCalendar = .utc
  ) {
    let series = history.series
    let seam = series.snapshots.map(\.endedAt).min()
    let certain = series.snapshots.filter { !$0.isDoubtful }
    measure = profile.isEmpty ? .listed : .counted
    counts = Self.latest(
      profile.isEmpty ? certain.map { Sample<Int>(at: $0.endedAt, $0.listed) } : profile)
    unlisted = Self.unlisted(profile, certain.last)
    (self.seam, countAtStart) = (seam, nil)

    var (dated, undated, others, datedOthers) = ([Instant](), 0, 0, [Instant]())
    for membership in Array(history.memberships) where membership.isFromBefore {
      if !membership.isSampled {
        others += 1
        if let came = membership.arrivedAt { datedOthers.append(came) }
      } else if let came = membership.arrivedAt {
        dated.append(came)
      } else {
        undated += 1
      }
    }
    let deleted = history.unnamed.reduce(0) { $0 + ($1.arrival.after == nil ? $1.gained : 0) }
    self.undated = undated + others - datedOthers.count + deleted
    guard others > 0, !dated.isEmpty else {
      survivors = Self.accumulated((dated + datedOthers).sorted(), by: unit, clock)
      (survivorBounds, sampleSize) = ([], nil)
      return
    }
    let known = Self.accumulated(dated.sorted(), by: unit, clock)
    let (sample, whole) = (dated.count, Double(dated.count + undated + others))
    survivors = known.map {
      Sample<Int>(
        at: $0.at, Int((Double($0.value) / Double(sample) * (whole + Double(deleted))).rounded()))
    }
    survivorBounds = known.compactMap { point in
      guard let low = Estimate.share(point.value, of: sample + undated),
        let high = Estimate.share(point.value + undated, of: sample + undated)
      else { return nil }
      return low.interval.lowerBound * whole...high.interval.upperBound * whole + Double(deleted)
    }
    sampleSize = sample
  }

  /// The part of the curve within a time range; survivors and counts begin with their numbers at its start.
  public func during(_ time: Range<Instant>) -> GrowthCurve {
    var shown = survivors.indices.filter { time.contains(survivors[$0].at) }
    let isCountedBefore = seam.map { $0 <= time.lowerBound } ?? false
    if !isCountedBefore, let last = survivors.lastIndex(where: { $0.at < time.lowerBound }) {
      shown.insert(last, at: 0)
    }
    let before = counts.last { $0.at < time.lowerBound }.flatMap { count in
      time.lowerBound - count.at <= Self.oldAge ? Sample<Int>(at: time.lowerBound, count.value) : nil
    }
    return GrowthCurve(
      survivors: shown.map { Sample<Int>(at: max(survivors[$0].at, time.lowerBound), survivors[$0].value) },
      counts: counts.filter { time.contains($0.at) }, countAtStart: before, undated: undated,
      survivorBounds: survivorBounds.isEmpty ? [] : shown.map { survivorBounds[$0] }, sampleSize: sampleSize,
      seam: seam, measure: measure, unlisted: unlisted)
  }

  /// The part from the first count on; the whole curve if the counts are of less than two weeks.
  public var fromFirstCount: GrowthCurve {
    guard let first = counts.first, let last = counts.last, last.at - first.at >= .days(14) else {
      return self
    }
    return GrowthCurve(
      survivors: [], counts: counts, countAtStart: countAtStart, undated: undated, survivorBounds: [],
      sampleSize: sampleSize, seam: seam.flatMap { $0 >= first.at ? $0 : nil }, measure: measure,
      unlisted: unlisted)
  }

  private init(
    survivors: [Sample<Int>], counts: [Sample<Int>], countAtStart: Sample<Int>?, undated: Int,
    survivorBounds: [ClosedRange<Double>], sampleSize: Int?, seam: Instant?, measure: Measure, unlisted: Int
  ) {
    self.countAtStart = countAtStart
    self.measure = measure
    self.unlisted = unlisted
    self.survivors = survivors
    self.counts = counts
    self.undated = undated
    self.survivorBounds = survivorBounds
    self.sampleSize = sampleSize
    self.seam = seam
  }

  /// The last count before a time, or, before the first count, the survivors, which are too few; nil before the first
  /// known arrival.
  ///
  /// A count that is older than 15 days says little about the time.
  public func sample(at moment: Instant) -> (sample: Sample<Int>, isOld: Bool)? {
    if let count = Self.last(of: counts, by: moment) { return (count, moment - count.at > Self.oldAge) }
    return Self.last(of: survivors, by: moment).map { ($0, false) }
  }

  /// The last count before a time; see ``sample(at:)``.
  public func count(at moment: Instant) -> Int? { sample(at: moment)?.sample.value }

  /// Counts are taken daily or weekly; a longer interval is a gap.
  static let oldAge = Duration.days(15)

  private static func last(of known: [Sample<Int>], by moment: Instant) -> Sample<Int>? {
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if known[middle].at <= moment { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? known[low - 1] : nil
  }

  /// How many accounts the profile counted at the time of a snapshot that the snapshot does not list: its own count is
  /// the closest one.
  private static func unlisted(_ profile: [Sample<Int>], _ snapshot: SnapshotFacts?) -> Int {
    guard let snapshot else { return 0 }
    let count = profile.min {
      ($0.at.distance(to: snapshot.startedAt), $0.at) < ($1.at.distance(to: snapshot.startedAt), $1.at)
    }
    return count.map { max(0, $0.value - snapshot.listed) } ?? 0
  }

  /// The counts in order of time; of equal times the last one given.
  private static func latest(_ counts: [Sample<Int>]) -> [Sample<Int>] {
    var latest: [Instant: Int] = [:]
    for count in counts { latest[count.at] = count.value }
    return latest.map { Sample<Int>(at: $0, $1) }.sorted { $0.at < $1.at }
  }

  private static func accumulated(
    _ moments: [Instant], by unit: CalendarUnit, _ clock: ZonedCalendar
  ) -> [Sample<Int>] {
    var found: [Sample<Int>] = []
    var period: CalendarPeriod?
    for (index, moment) in moments.enumerated() {
      if let known = period, known.contains(moment) {
        found[found.count - 1] = Sample<Int>(at: min(known.end, moments[moments.count - 1]), index + 1)
        continue
      }
      let next = clock.period(unit, at: moment)
      period = next
      found.append(Sample<Int>(at: min(next.end, moments[moments.count - 1]), index + 1))
    }
    return found
  }
}
