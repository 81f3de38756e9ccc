// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Consecutive days with far more blocks than usual, and the growth before, during and after them.
public struct BlockWave: Sendable, Hashable {
  /// From the start of the first day to the end of the last one.
  public let time: Range<Instant>
  /// Number of blocks.
  public let blocks: Int
  /// The average per day outside of waves.
  public let usual: Double
  /// Net growth per day in the two weeks before; nil if snapshots cover less than a week of them.
  public let netBefore: Double?
  /// Net growth per day during the wave; nil if snapshots do not cover it.
  public let netMeanwhile: Double?
  /// Net growth per day in the two weeks after; nil if snapshots cover less than a week of them.
  public let netAfter: Double?

  /// A day belongs to a wave if it has at least this many blocks, and ``factor`` times as many as usual.
  public static let fewestBlocks = 5
  /// The minimum ratio to the usual number.
  public static let factor = 4.0

  /// Finds waves in the times of blocks, in any order.
  ///
  /// Days of a wave with at most one quiet day between them form one wave. The usual number is the mean of
  /// the days outside of waves, from the first block or snapshot to the last.
  /// - Parameter flows: the daily growth of followers, from ``AudienceFlow``; empty if unknown.
  public static func waves(
    of blocks: some Sequence<Instant>, flows: [AudienceFlow], clock: ZonedCalendar = .utc
  ) -> [BlockWave] {
    let moments = blocks.sorted()
    guard let first = moments.first, let last = moments.last else { return [] }
    // Growth is known from the first arrival, but blocks only from the first snapshot.
    let seen = flows.filter(\.isObserved)
    let start = min(first, seen.first?.time.lowerBound ?? first)
    let end = max(last, seen.last.map { $0.time.upperBound - .microseconds(1) } ?? last)
    // A clock that is decades off is not a wave, and its calendar would take too long to build.
    guard end - start < .days(20_000) else { return [] }
    let days = clock.periods(.day, in: start..<end + .microseconds(1))
    var counts = [Int](repeating: 0, count: days.count)
    let calendar = PeriodIndex(days)
    for moment in moments { if let day = calendar.index(of: moment) { counts[day] += 1 } }
    let wave = daysOfWaves(counts)
    let runs = runs(of: wave.sorted())
    var (quietDays, others) = (counts.count, counts.reduce(0, +))
    for run in runs {
      quietDays -= run.count
      for day in run { others -= counts[day] }
    }
    let usual = quietDays > 0 ? Double(others) / Double(quietDays) : 0
    return runs.map { run in
      let inside = days[run.lowerBound].start..<days[run.upperBound].end
      return BlockWave(
        time: inside, blocks: run.reduce(0) { $0 + counts[$1] }, usual: usual,
        netBefore: net(flows, in: inside.lowerBound - fortnight..<inside.lowerBound, fewest: 7),
        netMeanwhile: net(flows, in: inside, fewest: 1),
        netAfter: net(flows, in: inside.upperBound..<inside.upperBound + fortnight, fewest: 7))
    }
  }

  private static let fortnight = Duration.days(14)

  /// Days with far more blocks than the mean of the others, repeated until the set is stable.
  private static func daysOfWaves(_ counts: [Int]) -> Set<Int> {
    var wave: Set<Int> = []
    while true {
      let others = counts.count - wave.count
      let sum = counts.indices.reduce(0) { wave.contains($1) ? $0 : $0 + counts[$1] }
      let mean = others > 0 ? Double(sum) / Double(others) : 0
      let found = Set(
        counts.indices.filter { counts[$0] >= fewestBlocks && Double(counts[$0]) >= factor * mean })
      // A day is never put back, so the loop terminates.
      if found.isSubset(of: wave) { return wave }
      wave.formUnion(found)
    }
  }

  private static func runs(of days: [Int]) -> [ClosedRange<Int>] {
    var runs: [ClosedRange<Int>] = []
    for day in days {
      if let last = runs.last, day - last.upperBound <= 2 {
        runs[runs.count - 1] = last.lowerBound...day
      } else {
        runs.append(day...day)
      }
    }
    return runs
  }

  /// The mean net growth of the days in a range that snapshots cover completely.
  private static func net(_ flows: [AudienceFlow], in time: Range<Instant>, fewest: Int) -> Double? {
    let known = flows.filter {
      $0.coverage.isComplete && time.lowerBound <= $0.time.lowerBound
        && $0.time.upperBound <= time.upperBound
    }
    let days = known.reduce(0) { $0 + $1.parts.count }
    guard days >= fewest else { return nil }
    return Double(known.reduce(0) { $0 + ($1.net ?? 0) }) / Double(days)
  }
}
