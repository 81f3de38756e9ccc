// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Statistics of histories from which something is missing: deleted stays, days without a snapshot, wrong
/// clocks.
@Suite struct ListingHistoryTests {
  private static let day: Int64 = 86_400_000_000
  private static let start = Instant.epoch + .days(20_000)

  /// The snapshot of a day, at eight in the evening.
  private func snapshot(
    _ day: Int64, number: Int64? = nil, _ listed: Int, gained: Int = 0, lost: Int = 0, full: Bool = true
  ) -> SnapshotFacts {
    let moment = Self.start + day * Self.day + 5 * Self.day / 6
    var facts = SnapshotFacts(number: number ?? day, from: moment, to: moment + 1_000, listed: listed)
    (facts.gained, facts.lost, facts.isFull) = (gained, lost, full)
    return facts
  }

  private func stay(_ first: Int64, lostIn: Int64? = nil, claimed: Instant? = nil) -> ListingHistory.Stay {
    var stay = ListingHistory.Stay(first: .snapshot(first), lostIn: lostIn.map { .snapshot($0) })
    stay.claimed = claimed
    return stay
  }

  private func history(
    _ snapshots: [SnapshotFacts], _ stays: [ListingHistory.Stay], now: Instant = .max
  ) -> ListingHistory {
    var history = ListingHistory(SnapshotSeries(snapshots, now: now))
    for stay in stays { history.add(stay) }
    return history
  }

  /// Ten followers; on each of twenty days one comes, and the one of three days earlier leaves.
  private func twentyDays() -> (snapshots: [SnapshotFacts], stays: [ListingHistory.Stay]) {
    let snapshots =
      [snapshot(0, 10)]
      + (1...20).map { day in snapshot(day, min(10 + Int(day), 13), gained: 1, lost: day > 3 ? 1 : 0) }
    let stays =
      (0..<10).map { _ in stay(0) } + (1...20).map { day in stay(day, lostIn: day + 3 <= 20 ? day + 3 : nil) }
    return (snapshots, stays)
  }

  // MARK: Events

  /// An event says when it happened, between two snapshots.
  @Test func eventsBelongToTheirOwnDay() {
    let moment = Self.start + 3 * Self.day + 1_000
    var history = history([snapshot(0, 10), snapshot(6, 10)], (0..<9).map { _ in stay(0) })
    history.add(.init(first: .snapshot(0), lostIn: .event(at: moment + 5)))
    history.add(.init(first: .event(at: moment)))
    #expect(history.memberships.last?.arrival == .init(after: moment, by: moment))
    #expect(history.memberships.last?.arrivedAt == moment)
    #expect(history.memberships.dropLast().last?.leftAt == moment + 5)
    #expect(history.unnamed.isEmpty)
  }

  // MARK: Deleted stays

  @Test func lossesOfDeletedAccountsAreStillCounted() {
    let (snapshots, stays) = twentyDays()
    let pruned = stays.filter { if case .snapshot(let number)? = $0.lostIn { number >= 12 } else { true } }
    let before = AudienceFlow.flows(of: history(snapshots, stays), by: .day)
    let after = AudienceFlow.flows(of: history(snapshots, pruned), by: .day)
    #expect(before.map(\.lost) == after.map(\.lost) && before.map(\.net) == after.map(\.net))
    #expect(before.map(\.churnRate) == after.map(\.churnRate))
    #expect(before.map(\.arrivals) == after.map(\.arrivals))
    // Whether those who are deleted came for the first time is not known.
    #expect(after.filter { $0.unnamed > 0 }.count == 8 && before.allSatisfy { $0.unnamed == 0 })
  }

  @Test func arrivalsOfDeletedAccountsAreUnknownRows() throws {
    let (snapshots, stays) = twentyDays()
    var insights = AccountInsights(
      of: InsightAccount(try account(0)), at: Self.start + 21 * Self.day,
      in: Self.start..<Self.start + 21 * Self.day)
    insights.flows = AudienceFlow.flows(
      of: history(snapshots, stays.filter { $0.lostIn == nil }), by: .day)
    let rows = insights.figures(.flow).filter { $0.from == Self.start + 5 * Self.day }
    #expect(rows.filter { $0.note == "pruned" }.map(\.key) == ["gained", "returned"])
    #expect(rows.filter { $0.note == "pruned" }.allSatisfy { $0.value == nil })
    #expect(rows.first { $0.key == "lost" }?.value == 1 && rows.first { $0.key == "net" }?.value == 0)
    #expect(rows.first { $0.key == "churn-rate" }?.value == 1.0 / 13)
  }

  @Test func cohortsWithDeletedAccountsAreUnknown() {
    let snapshots = (0...70).map { day in
      snapshot(day, day < 40 ? 10 : 9, gained: day == 10 || day == 50 ? 1 : 0, lost: day == 40 ? 1 : 0)
    }
    let stays = (0..<9).map { _ in stay(0, claimed: Self.start - 200 * Self.day) } + [stay(50)]
    let cohorts = Cohort.cohorts(of: history(snapshots, stays), by: .month)
    let pruned = cohorts.filter(\.isPruned)
    #expect(pruned.map(\.size) == [0] && pruned.allSatisfy { $0.retained.allSatisfy { $0 == nil } })
    #expect(cohorts.last?.isPruned == false && cohorts.last?.size == 1)
  }

  /// Accounts of the first snapshot that were lost and then deleted have no date, but they were there.
  @Test func deletedAccountsOfTheFirstSnapshotCountAsUndated() {
    let snapshots =
      [snapshot(0, 10)] + (1...70).map { snapshot($0, $0 < 30 ? 10 : 6, lost: $0 == 30 ? 4 : 0) }
    let stays = (0..<6).map { _ in stay(0, claimed: Self.start - 100 * Self.day) }
    let curve = GrowthCurve(history(snapshots, stays))
    #expect(curve.undated == 4 && curve.counts.first?.value == 10 && curve.survivors.last?.value == 6)
    let share = Cohort.cohorts(of: history(snapshots, stays), by: .month).first?.shares.last ?? nil
    #expect(share?.value == 0.6 && share?.bounds == 0.6...1)
  }

  // MARK: Dates that came too late

  /// Four of ten followers were lost before they were asked when they came.
  @Test func sharesOfSurvivorsAllowForLossesWithoutADate() {
    let snapshots =
      [snapshot(0, 10)] + (1...70).map { snapshot($0, $0 < 50 ? 10 : 6, lost: $0 == 50 ? 4 : 0) }
    let kept = (0..<6).map { _ in stay(0, claimed: Self.start - 100 * Self.day) }
    let lost = (0..<4).map { _ in stay(0, lostIn: 50) }
    let shares = Cohort.cohorts(of: history(snapshots, kept + lost), by: .month).first?.shares.compactMap(
      \.self)
    #expect(shares?.first?.value == 1 && shares?.first?.bounds == 1...1)
    #expect(shares?.last?.value == 0.6 && shares?.last?.bounds == 0.6...1)
    // With all dates there is nothing to allow for.
    let dated = (0..<4).map { _ in stay(0, lostIn: 50, claimed: Self.start - 100 * Self.day) }
    let known = Cohort.cohorts(of: history(snapshots, kept + dated), by: .month).first?.shares.compactMap(
      \.self)
    #expect(known?.last == .init(value: 0.6, bounds: nil))
  }

  // MARK: Losses found late

  /// With a full snapshot each week, as by default, losses are known by the week.
  @Test func daysOfIncrementalSnapshotsAreOneFlow() {
    let snapshots = (0...21).map { snapshot($0, 10, lost: $0 == 14 ? 5 : 0, full: $0 % 7 == 0) }
    let flows = AudienceFlow.flows(of: history(snapshots, []), by: .day)
    let weeks = flows.filter { $0.coverage == .interval }
    #expect(weeks.map(\.parts.count) == [7, 7, 7] && weeks.map(\.lost) == [0, 5, 0])
    #expect(AudienceFlow.flows(of: history(snapshots, []), by: .week).count { $0.coverage == .whole } == 3)
    // After the last full snapshot, losses are still to be found.
    let tail = (0...20).map { snapshot($0, 10, full: $0 <= 7) }
    let found = AudienceFlow.flows(of: history(tail, []), by: .day)
    #expect(found.filter { $0.coverage == .whole }.count == 7)
    let open = found.filter { $0.coverage == .unobserved }
    #expect(open.map(\.parts.count) == [13])
    #expect(open.allSatisfy { $0.lost == nil && $0.net == nil && $0.arrivals == nil })
  }

  @Test func daysOfAGapAreOneFlow() {
    let days: [Int64] = [0, 1, 2, 3, 6, 7, 8]
    let snapshots = days.map { snapshot($0, 10) }
    let flows = AudienceFlow.flows(of: history(snapshots, []), by: .day)
    // A snapshot at eight in the evening is closer to the end of its day than to the beginning.
    #expect(flows.map(\.parts.count) == [1, 1, 1, 3, 1, 1])
    #expect(flows.map(\.coverage) == [.whole, .whole, .whole, .interval, .whole, .whole])
  }

  /// Daily snapshots about noon are sometimes a little earlier, and sometimes a little later.
  @Test func snapshotsAboutTheMiddleOfADayAreDaysOrPairsOfDays() {
    let snapshots = (0...20).map { (day: Int64) -> SnapshotFacts in
      let late: Int64 = day % 2 == 0 ? 25 : -25
      let noon = Self.start + .seconds(60 * (1_440 * day + 720 + late))
      return SnapshotFacts(number: day, from: noon, to: noon + 1_000, listed: 10)
    }
    let flows = AudienceFlow.flows(of: history(snapshots, []), by: .day)
    let complete = flows.filter(\.coverage.isComplete)
    #expect(flows.allSatisfy { $0.parts.count <= 2 } && complete.reduce(0) { $0 + $1.parts.count } >= 19)
  }

  /// Three days of snapshots with doubts, the last one without.
  @Test func withheldLossesAreKnownForAllDaysTogether() {
    func snapshots(until last: Int64) -> [SnapshotFacts] {
      (0...last).map { day in
        var facts = snapshot(day, day < 8 ? 10 : 4, lost: day == 8 ? 6 : 0)
        facts.isDoubtful = (5...7).contains(day)
        return facts
      }
    }
    let open = AudienceFlow.flows(of: history(snapshots(until: 7), []), by: .day).last
    #expect(open?.coverage == .unobserved && open?.lost == nil && open?.parts.count == 3)
    let found = AudienceFlow.flows(of: history(snapshots(until: 10), []), by: .day)
    let interval = found.filter { $0.coverage == .interval }
    #expect(interval.map(\.parts.count) == [4] && interval.map(\.lost) == [6])
    // What a snapshot with doubts lists is not a count.
    let curve = GrowthCurve(history(snapshots(until: 10), []))
    #expect(curve.counts.count == 8 && curve.counts.map(\.value).suffix(3) == [4, 4, 4])
  }

  /// Nothing was observed after the last snapshot.
  @Test func timeAfterTheLastSnapshotIsNotObserved() throws {
    let (snapshots, stays) = twentyDays()
    let time = Self.start + 18 * Self.day..<Self.start + 25 * Self.day
    let flows = AudienceFlow.flows(of: history(snapshots, stays), by: .day, in: time)
    let after = try #require(flows.last)
    #expect(flows.count == 4 && after.parts.count == 4)
    #expect(after.coverage == .unobserved && after.arrivals == nil && after.losses == nil)
    var insights = AccountInsights(of: InsightAccount(try account(0)), at: time.upperBound, in: time)
    insights.flows = flows
    let rows = insights.figures(.flow).filter { $0.from == Self.start + 21 * Self.day }
    #expect(rows.map(\.key) == ["gained", "returned", "lost", "net"])
    #expect(rows.allSatisfy { $0.value == nil && $0.note == "unobserved" })
    guard case .flows(let bars) = insights.flowChart.content else { throw CancellationError() }
    #expect(bars.slots.suffix(4).allSatisfy { $0.gained == nil && $0.lost == nil && $0.net == nil })
  }

  /// Weekly snapshots on Monday morning: what was lost in a week belongs to that week.
  @Test func aWeekBelongsToTheMondayAfterIt() {
    // The 20,003rd day is a Monday.
    let snapshots = (0...5).map { (week: Int64) -> SnapshotFacts in
      let morning: Instant = Self.start + (3 + 7 * week) * Self.day + Self.day / 3
      var facts = SnapshotFacts(number: week, from: morning, to: morning + 1_000, listed: 10)
      facts.lost = Int(week)
      return facts
    }
    let flows = AudienceFlow.flows(of: history(snapshots, []), by: .week)
    // The week of the last snapshot is not over.
    #expect(flows.map(\.lost) == [1, 2, 3, 4, 5])
    #expect(flows.allSatisfy { $0.parts.count == 1 } && flows[1].countAtStart == 10)
    #expect(history(snapshots, []).series.typicalDistance == .days(7))
  }

  // MARK: Parts of periods

  @Test func periodsAreCutToTheRange() throws {
    let (snapshots, stays) = twentyDays()
    let time = Self.start + 5 * Self.day..<Self.start + 10 * Self.day
    let flows = AudienceFlow.flows(of: history(snapshots, stays), by: .year, in: time)
    let flow = try #require(flows.first)
    #expect(flows.count == 1 && flow.time == time && flow.coverage == .partial)
    #expect(flow.gained == 5 && flow.lost == 5 && flow.countAtStart == 13)
    let week = AudienceFlow.flows(
      of: history(snapshots, stays), by: .day, in: time.lowerBound + 9..<time.upperBound + 9)
    #expect(week.count == 6 && week.first?.coverage == .partial)
    // Of the few microseconds of the last day, no two snapshots say anything.
    #expect(week.last?.coverage == .unobserved && week.last?.lost == nil)
    #expect(week.last?.time.upperBound == time.upperBound + 9)
  }

  @Test func blocksAreCutToTheRange() {
    let time = Self.start + 5 * Self.day..<Self.start + 10 * Self.day
    let blocks = (0..<20).map { Self.start + Int64($0) * Self.day + 7 }
    let own = ListingHistory(
      blocks.map { Membership(arrival: .init(after: $0, by: $0)) },
      counts: [.init(at: Self.start, 0), .init(at: Self.start + 30 * Self.day, 20)])
    let timeline = BlockTimeline(
      own: own, blockers: .index(blocks, losses: []), audience: ListingHistory(), by: .year, clock: .utc,
      in: time)
    #expect(timeline.rows.flatMap(\.parts).map(\.blocking) == [5] && timeline.rows.map(\.blockedBy) == [5])
    #expect(timeline.rows.map(\.time) == [time])
  }

  // MARK: Clocks

  private func order(_ days: [Int64], now: Int64 = 100) -> [Int64] {
    let snapshots = days.enumerated().map { snapshot($1, number: Int64($0), 10) }
    let series = SnapshotSeries(snapshots, now: Self.start + now * Self.day)
    return series.snapshots.map { Int64(($0.endedAt - Self.start) / .days(1)) }
  }

  @Test func aSnapshotWithAWrongClockGetsTheTimeOfItsNeighbours() {
    #expect(order([0, 1, 2, 3]) == [0, 1, 2, 3])
    // Four hundred days ahead, and three behind.
    #expect(order([0, 1, 402, 3, 4], now: 500) == [0, 1, 3, 3, 4])
    #expect(order([0, 1, 2, 3, 1, 5, 6]) == [0, 1, 2, 3, 5, 5, 6])
    #expect(order([402, 1, 2, 3], now: 500) == [1, 1, 2, 3])
    // The last one may be right, unless it is later than now.
    #expect(order([0, 1, 2, 402], now: 500) == [0, 1, 2, 402])
    #expect(order([0, 1, 2, 402], now: 50) == [0, 1, 2, 50])
    #expect(order([5], now: 3) == [3] && order([]) == [])
  }

  @Test func statisticsSurviveEveryClock() {
    let moments: [Instant] = [.min, .max, 0, Self.start, .max - 1]
    for first in moments {
      for second in moments {
        for third in moments {
          let snapshots = [first, second, third].enumerated().map { number, moment in
            SnapshotFacts(number: Int64(number), from: moment, to: moments[number], listed: 3)
          }
          let history = history(snapshots, [stay(0), stay(1, lostIn: 2)], now: Self.start)
          _ = Cohort.cohorts(of: history, by: .month)
          _ = GrowthCurve(history)
          _ = AudienceFlow.flows(of: history, by: .day, in: Self.start - Self.day..<Self.start)
          let ends = history.series.snapshots.map(\.endedAt)
          #expect(ends == ends.sorted())
        }
      }
    }
  }

  /// The day on which a wrong clock hides what was found is marked.
  @Test func daysAroundAWrongClockAreMarked() {
    var snapshots = (0...10).map { snapshot($0, 10) }
    snapshots[5] = snapshot(2, number: 5, 9, lost: 1)
    let flows = AudienceFlow.flows(of: history(snapshots, []), by: .day)
    let lost = flows.first { $0.lost ?? 0 > 0 }
    #expect(lost?.coverage == .interval && lost?.parts.count == 2)
    #expect(flows.count { $0.coverage == .whole } == 8)
  }
}

/// Cards of a time that is over.
@Suite struct PastCardTests {
  private let day: Int64 = 86_400_000_000

  private func figures(until end: Instant, counts: [Sample<Int>]) throws -> [Figure] {
    let now = Instant(100 * day)
    var insights = AccountInsights(of: InsightAccount(try account(0)), at: now, in: end - 9 * day..<end)
    var overview = Overview()
    overview.followers = Trend(of: counts, in: insights.time)
    overview.follows = overview.followers
    insights.overview = overview
    return insights.figures(.cards)
  }

  @Test func aValueNamesItsTimeUnlessItIsThePresent() throws {
    let counts = (0...100).map { Sample<Int>(at: Instant(Int64($0) * day - 9), $0) }
    func moments(_ figures: [Figure]) -> [Instant?] {
      figures.filter { ["followers", "ratio"].contains($0.key) }.map(\.to)
    }
    #expect(moments(try figures(until: Instant(100 * day + 1), counts: counts)) == [nil, nil])
    #expect(
      moments(try figures(until: Instant(60 * day), counts: counts)) == [
        Instant(60 * day), Instant(60 * day),
      ])
    // A count that is older than a day has a time of its own.
    let old = Array(counts.prefix(50))
    #expect(
      moments(try figures(until: Instant(100 * day + 1), counts: old)) == [
        Instant(49 * day - 9), Instant(49 * day - 9),
      ])
    #expect(
      moments(try figures(until: Instant(60 * day), counts: old)) == [
        Instant(49 * day - 9), Instant(49 * day - 9),
      ])
  }
}
