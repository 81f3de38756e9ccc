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
    return waves(counts, on: days, flows: flows)
  }

  /// Finds waves in the losses of followers that block the actor.
  ///
  /// Only days that snapshots tell from the days around them count: the others are neither quiet nor busy.
  /// - Parameter flows: the daily growth of followers, from ``AudienceFlow``.
  public static func waves(ofLossesIn flows: [AudienceFlow], clock: ZonedCalendar = .utc) -> [BlockWave] {
    let known = flows.filter { $0.parts.count == 1 && $0.coverage.isComplete && $0.losses?.unnamed == 0 }
    guard let first = known.first, let last = known.last else { return [] }
    let days = clock.periods(.day, in: first.time.lowerBound..<last.time.upperBound)
    var counts = [Int?](repeating: nil, count: days.count)
    let calendar = PeriodIndex(days)
    for flow in known {
      if let day = calendar.index(of: flow.time.lowerBound) { counts[day] = flow.losses?.blockers }
    }
    return waves(counts, on: days, flows: flows)
  }

  /// Finds waves in the number of blocks of each day; nil where it is not known.
  private static func waves(
    _ counts: [Int?], on days: [CalendarPeriod], flows: [AudienceFlow]
  ) -> [BlockWave] {
    let runs = runs(of: daysOfWaves(counts).sorted())
    var quiet = counts
    for run in runs { for day in run { quiet[day] = nil } }
    let others = quiet.compactMap(\.self)
    let usual = others.isEmpty ? 0 : Double(others.reduce(0, +)) / Double(others.count)
    return runs.map { run in
      let inside = days[run.lowerBound].start..<days[run.upperBound].end
      return BlockWave(
        time: inside, blocks: run.reduce(0) { $0 + (counts[$1] ?? 0) }, usual: usual,
        netBefore: net(flows, in: inside.lowerBound - fortnight..<inside.lowerBound, fewest: 7),
        netMeanwhile: net(flows, in: inside, fewest: 1),
        netAfter: net(flows, in: inside.upperBound..<inside.upperBound + fortnight, fewest: 7))
    }
  }

  private static let fortnight = Duration.days(14)

  /// Days with far more blocks than the mean of the others, repeated until the set is stable.
  private static func daysOfWaves(_ counts: [Int?]) -> Set<Int> {
    let known = counts.enumerated().compactMap { day, count in count.map { (day: day, count: $0) } }
    var wave: Set<Int> = []
    while true {
      let others = known.count - wave.count
      let sum = known.reduce(0) { wave.contains($1.day) ? $0 : $0 + $1.count }
      let mean = others > 0 ? Double(sum) / Double(others) : 0
      let found = Set(
        known.filter { $0.count >= fewestBlocks && Double($0.count) >= factor * mean }.map(\.day))
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
    let inside = flows.filter {
      time.lowerBound <= $0.time.lowerBound && $0.time.upperBound <= time.upperBound
    }
    return AudienceFlow.average(of: inside, fewest: fewest) { $0.net.map(Double.init) }
  }
}
