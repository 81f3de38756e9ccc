// SPDX-License-Identifier: Apache-2.0

/// Some days on which far more blocks were made than usual, and what became of growth meanwhile.
public struct BlockWave: Sendable, Hashable {
  /// From the start of the first day to the end of the last one.
  public let time: Range<Int64>
  /// How many blocks were made.
  public let blocks: Int
  /// How many are made on other days, on average.
  public let usual: Double
  /// Net growth a day in the two weeks before; nil where snapshots do not cover a week of them.
  public let netBefore: Double?
  /// Net growth a day while it lasted; nil where snapshots do not cover it.
  public let netMeanwhile: Double?
  /// Net growth a day in the two weeks after; nil where snapshots do not cover a week of them.
  public let netAfter: Double?

  /// A day is one of a wave where it has so many blocks at least, and ``factor`` times as many as usual.
  public static let fewestBlocks = 5
  /// How many times as many as usual.
  public static let factor = 4.0

  /// Finds waves among the moments of blocks, in any order.
  ///
  /// Days of a wave with at most one quiet day between them are one wave. What is usual is the mean of the days that are in
  /// no wave, from the first block or snapshot to the last.
  /// - Parameter flows: the growth of followers by day, as ``AudienceFlow`` has it; empty where nothing is known.
  public static func waves(
    of blocks: some Sequence<Int64>, flows: [AudienceFlow], clock: ZonedClock = .utc
  ) -> [BlockWave] {
    let moments = blocks.sorted()
    guard let first = moments.first, let last = moments.last else { return [] }
    // Growth is known from the first arrival on, blocks only from the first snapshot on.
    let seen = flows.filter { $0.coverage != .survivors }
    let start = min(first, seen.first?.period.start ?? first)
    let end = max(last, seen.last.map { $0.period.end - 1 } ?? last)
    // Whose clock is decades off makes no wave; a calendar of them would take long.
    let (length, overflow) = end.subtractingReportingOverflow(start)
    guard !overflow, length / 86_400_000_000 < 20_000 else { return [] }
    let days = clock.periods(.day, in: start..<end.moved(by: 1))
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

  private static let fortnight: Int64 = 14 * 86_400_000_000

  /// Days with many more blocks than the mean of the others, found again until the mean no longer moves.
  private static func daysOfWaves(_ counts: [Int]) -> Set<Int> {
    var wave: Set<Int> = []
    while true {
      let others = counts.count - wave.count
      let sum = counts.indices.reduce(0) { wave.contains($1) ? $0 : $0 + counts[$1] }
      let mean = others > 0 ? Double(sum) / Double(others) : 0
      let found = Set(
        counts.indices.filter { counts[$0] >= fewestBlocks && Double(counts[$0]) >= factor * mean })
      // A day that was taken out stays out, so that this ends.
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

  /// The mean net growth of the days of a time that snapshots cover.
  private static func net(_ flows: [AudienceFlow], in time: Range<Int64>, fewest: Int) -> Double? {
    let known = flows.filter {
      $0.coverage == .whole && time.lowerBound <= $0.period.start && $0.period.end <= time.upperBound
    }
    guard known.count >= fewest else { return nil }
    return Double(known.reduce(0) { $0 + $1.net }) / Double(known.count)
  }
}
