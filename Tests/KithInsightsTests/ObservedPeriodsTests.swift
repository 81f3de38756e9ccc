// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Which intervals between snapshots are counted in which period.
@Suite struct ObservedPeriodsTests {
  private func days(
    _ days: ClosedRange<Int>, at time: String, in month: String = "2026-11"
  ) throws -> [Instant] {
    try days.map { try at("\(month)-\($0 < 10 ? "0" : "")\($0)T\(time)") }
  }

  /// A snapshot reads for a while, and an account that comes meanwhile is first seen by the next one.
  @Test func anArrivalIsCountedWhereASnapshotFirstSawIt() throws {
    let snapshots = try days(1...4, at: "00:00")
    let came = Membership(
      arrival: .init(after: snapshots[0], by: snapshots[2]), departure: nil,
      claimed: snapshots[1] - .seconds(10))
    let history = ListingHistory(
      [came], counts: snapshots.map { Sample<Int>(at: $0, $0 < snapshots[2] ? 0 : 1) })
    let flows = AudienceFlow.flows(of: history, by: .day)
    #expect(flows.filter { $0.arrivals == 1 }.map(\.name) == ["2026-11-02"])
  }

  // MARK: One snapshot more, or less

  /// Daily snapshots at nine, and one more by hand an hour later.
  @Test func anExtraSnapshotMovesNoDay() throws {
    var listing = WatchedListing(try days(1...6, at: "09:00") + [try at("2026-11-02T10:06")])
    listing.were(100)
    for day in 1...5 {
      listing.were(day + 3, left: try at("2026-11-0\(day)T15:00"))
      listing.came(day, at: try at("2026-11-0\(day)T16:00"))
    }
    for day in 1...5 {
      let flow = try listing.flow("2026-11-0\(day)", by: .day)
      #expect(flow.coverage == .whole && flow.lost == day + 3 && flow.gained == day, "day \(day)")
      let between = try at("2026-11-0\(day)T09:00")..<at("2026-11-0\(day + 1)T09:00")
      #expect(flow.observed == between && flow.parts.count == 1)
    }
  }

  /// Daily snapshots at a quarter to six in the evening; the one of 3 November is missing.
  @Test func aMissingSnapshotJoinsTwoDaysAndMovesNoOther() throws {
    var listing = WatchedListing(try days(1...2, at: "17:47") + days(4...7, at: "17:47"))
    listing.were(100)
    for day in 2...6 {
      listing.were(day, left: try at("2026-11-0\(day)T20:00"))
      listing.came(day + 1, at: try at("2026-11-0\(day)T21:00"))
    }
    let joined = try listing.flow("2026-11-03", by: .day)
    #expect(joined.name == "2026-11-03/2026-11-04" && joined.coverage == .interval)
    #expect(joined.lost == 5 && joined.arrivals == 7 && joined.net == 2)
    for day in 5...7 {
      let flow = try listing.flow("2026-11-0\(day)", by: .day)
      // What happened after the snapshot of the day before.
      #expect(flow.coverage == .whole && flow.lost == day - 1 && flow.gained == day, "day \(day)")
      #expect(flow.observed == (try at("2026-11-0\(day - 1)T17:47")..<at("2026-11-0\(day)T17:47")))
    }
  }

  /// Snapshots on four days of May, between a gap of four months before and one of four months after.
  @Test func fourDaysBetweenLongGapsAreNotAMonthAndNotAWeek() throws {
    let first = try at("2026-01-03T17:47")
    let may = try days(12...15, at: "17:47", in: "2026-05")
    var listing = WatchedListing([first] + may + [try at("2026-09-20T17:47")])
    listing.were(1_000)
    listing.were(104, left: try at("2026-05-05"))
    listing.were(17, left: try at("2026-05-13T20:00"))
    listing.were(300, left: try at("2026-07-01"))
    let spring = try listing.flow("2026-05", by: .month)
    #expect(spring.name == "2026-05/2026-09" && spring.coverage == .interval && spring.lost == 317)
    #expect(try listing.flow("2026-04", by: .month).lost == 104)
    let week = try listing.flow("2026-W20", by: .week)
    #expect(week.name == "2026-W20" && week.coverage == .partial && week.lost == 17)
    #expect(week.observed == may[0]..<may[3])
    // A part of a week is not a week.
    let flows = listing.flows(by: .week)
    let whole = flows.filter { $0.coverage.isComplete }
    let averages = [flows, whole].map { flows in AudienceFlow.average(of: flows) { $0.lost.map(Double.init) }
    }
    #expect(averages[0] == averages[1] && averages[0] != nil)
    #expect(week.periodsCovered == nil)
  }

  /// Almost two days are counted in one, because both snapshots are closer to its bounds than to others.
  @Test func anIntervalThatIsMuchLongerThanItsPeriodSaysSo() throws {
    let moments = ["2026-11-01T12:01", "2026-11-02T12:01", "2026-11-04T11:59", "2026-11-05T11:59"]
    var listing = WatchedListing(try moments.map { try at($0) })
    listing.were(10)
    listing.were(4, left: try at("2026-11-04T03:00"))
    let flow = try listing.flow("2026-11-03", by: .day)
    #expect(flow.coverage == .interval && flow.parts.count == 1 && flow.lost == 4 && flow.net == -4)
    #expect(try listing.flow("2026-11-02", by: .day).coverage == .whole)
    // Averages are those of the time that is covered.
    let average = try #require(AudienceFlow.average(of: listing.flows(by: .day)) { $0.lost.map(Double.init) })
    #expect(abs(average - 4 / (3.0 + 23.0 / 24 + 58.0 / 60 / 24)) < 1e-9)
  }

  // MARK: Nothing seen

  /// Five months without a snapshot, and followers whose dates are not known.
  @Test func whatWasNotSeenIsNotZero() throws {
    var listing = WatchedListing(
      try ["2026-01-02T17:47", "2026-01-03T17:47", "2026-05-12T17:47", "2026-05-13T17:47"].map { try at($0) })
    listing.were(50)
    listing.came(513, at: try at("2026-03-10"), isDated: false)
    listing.came(3, at: try at("2026-02-10"))
    let gap = try listing.flow("2026-02", by: .month)
    #expect(gap.name == "2026-01/2026-04" && gap.undated == 513 && gap.arrivals == 516 && gap.net == 516)
    #expect(gap.parts.map(\.gained) == [nil, 3, nil, nil])
    #expect(gap.parts.map(\.returned) == [nil, nil, nil, nil])
    var insights = try insights()
    insights.flows = listing.flows(by: .month, in: try at("2025-11-01")..<at("2026-08-01"))
    for figure in insights.figures(.flow) where ["gained", "returned"].contains(figure.key) {
      // On 12 and 13 May there were snapshots.
      #expect(figure.value != 0 || figure.note == "partial", "\(figure)")
    }
    // Nothing is known of the time after the last snapshot, and there is one row of it.
    let rest = try #require(insights.flows.last)
    #expect(rest.name == "2026-06/2026-07" && rest.coverage == .unobserved)
    #expect(rest.arrivals == nil && rest.losses == nil)
    guard case .flows(let bars) = insights.flowChart.content else { throw CancellationError() }
    #expect(bars.slots.suffix(2).allSatisfy { $0.gained == nil && $0.lost == nil && $0.net == nil })
    #expect(bars.slots.allSatisfy { $0.gained != 0 || $0.coverage == .whole || $0.coverage == .partial })
  }

  /// Weeks before the first snapshot in which none of its followers came.
  @Test func survivorsAreALowerBoundAndNeverZero() throws {
    let first = try at("2026-06-01T09:00")
    let history = ListingHistory(
      [
        Membership(arrival: .init(after: nil, by: first), claimed: try at("2026-02-24")),
        Membership(arrival: .init(after: nil, by: first)),
      ], counts: [.init(at: first, 2), .init(at: first + .days(1), 2)])
    var insights = try insights()
    insights.flows = AudienceFlow.flows(of: history, by: .week)
    let gained = insights.figures(.flow).filter { $0.key == "gained" && $0.to ?? first <= first }
    #expect(gained.first?.value == 1 && gained.first?.note == "survivors")
    #expect(gained.dropFirst().count > 10)
    #expect(gained.dropFirst().allSatisfy { $0.value == nil && $0.note == "unobserved" })
  }

  /// Survivors who came on the day of the first snapshot are not gains of the interval that begins with it.
  @Test func survivorsOfTheFirstDayAreARowOfTheirOwn() throws {
    var listing = WatchedListing(try days(2...4, at: "09:00"))
    listing.came(3, at: try at("2026-11-02T08:00"))
    listing.came(2, at: try at("2026-11-02T20:00"))
    let first = listing.flows(by: .day).filter { $0.name == "2026-11-02" }
    #expect(first.map(\.coverage) == [.survivors, .whole] && first.map(\.arrivals) == [3, 2])
    #expect(first.map(\.net) == [nil, 2])
  }

  private func insights() throws -> AccountInsights {
    AccountInsights(
      of: InsightAccount(try account(0)), at: try at("2026-08-01"),
      in: try at("2025-01-01")..<at("2026-08-01"))
  }

  // MARK: Any schedule

  /// Rows tile the time between snapshots, and each adds up to what they list.
  @Test(arguments: 0..<60)
  func everyRowAddsUpToWhatItsSnapshotsList(seed: Int) throws {
    var numbers = SeededNumbers(seed: UInt64(seed))
    var (moments, moment) = (
      [Instant](), try at("2026-01-01") + .seconds(Int.random(in: 0..<86_400, using: &numbers))
    )
    let hours = [6, 12, 24, 24, 24, 168, 720].randomElement(using: &numbers) ?? 24
    for _ in 0..<Int.random(in: 2...40, using: &numbers) {
      moments.append(moment)
      let isGap = Int.random(in: 0..<12, using: &numbers) == 0
      moment += .seconds(isGap ? Int.random(in: 1...200, using: &numbers) * 86_400 : hours * 3_600)
      moment += .seconds(Int.random(in: 0...3_600, using: &numbers))
    }
    var listing = WatchedListing(moments)
    let span = Int((moments[moments.count - 1] - moments[0]) / .seconds(1))
    listing.were(200)
    for _ in 0..<300 {
      let came = moments[0] + .seconds(Int.random(in: -8_000_000...span, using: &numbers))
      let left = came + .seconds(Int.random(in: 1...20_000_000, using: &numbers))
      listing.came(
        1, at: came, left: Bool.random(using: &numbers) ? left : nil, isDated: Bool.random(using: &numbers))
    }
    let counts = Dictionary(uniqueKeysWithValues: listing.counts.map { ($0.at, $0.value) })
    for unit in CalendarUnit.allCases {
      let rows = listing.flows(by: unit).filter(\.isObserved)
      var end = moments.first
      for row in rows {
        let observed = try #require(row.observed)
        #expect(observed.lowerBound == end)
        end = observed.upperBound
        let change = (counts[observed.upperBound] ?? 0) - (counts[observed.lowerBound] ?? 0)
        #expect(row.net == change && row.countAtStart == counts[observed.lowerBound], "\(unit) \(row.name)")
      }
      #expect(end == moments.last)
      #expect(rows.map(\.time.lowerBound) == rows.map(\.time.lowerBound).sorted())
    }
  }
}

/// Retention that snapshots can and cannot show.
@Suite struct CohortKnowledgeTests {
  /// A gap of ten months: the followers who came in it were first seen at its end.
  @Test func sharesThatAreTrueByConstructionAreBlank() throws {
    var moments = try ["2025-11-30", "2025-12-01", "2026-10-01"].map { try at($0) }
    moments += (1...45).map { moments[2] + .days($0) }
    var listing = WatchedListing(moments)
    listing.were(10)
    for month in 1...9 { listing.came(20, at: try at("2026-0\(month)-15")) }
    listing.came(20, at: try at("2026-03-16"), left: try at("2026-10-20"))
    let cohorts = Cohort.cohorts(of: listing.history, by: .month)
    #expect(cohorts.map(\.period.description) == (1...9).map { "2026-0\($0)" })
    for cohort in cohorts {
      // From the end of October on, losses would have been seen.
      let known = cohort.retained.compactMap(\.self)
      #expect(known == [20] && cohort.retained.last == 20 && cohort.isOfSurvivors)
      #expect(cohort.shares.compactMap(\.self).count == 1)
      #expect(cohort.size == (cohort.period.description == "2026-03" ? 40 : 20))
    }
  }

  /// With one snapshot a month, the share at the end of the month of arrival is not information.
  @Test func monthlySnapshotsShowNoLossInTheMonthOfArrival() throws {
    var listing = WatchedListing(try (1...9).map { try at("2026-0\($0)-01") })
    listing.were(5)
    listing.came(12, at: try at("2026-02-10"))
    listing.came(3, at: try at("2026-02-11"), left: try at("2026-04-10"))
    let cohort = try #require(Cohort.cohorts(of: listing.history, by: .month).first)
    #expect(cohort.size == 15 && cohort.retained == [nil, 15, 12, 12, 12, 12, 12])
  }
}

/// Blocks in times that snapshots saw, and in others.
@Suite struct BlockTimelineTests {
  /// Snapshots on each day of October and November 2025, then none until September 2026.
  private func audience() throws -> WatchedListing {
    let first = try at("2025-10-01")
    var listing = WatchedListing(
      (0..<61).map { first + .days($0) } + (0..<30).map { first + .days(335 + $0) })
    listing.were(300)
    listing.were(7, left: try at("2025-11-10T12:00"), isBlocker: true)
    listing.were(5, left: try at("2026-03-10"), isBlocker: true)
    return listing
  }

  private func own(_ dates: [String], seenFrom first: String) throws -> ListingHistory {
    let seen = try at(first)
    return ListingHistory(
      try dates.map { Membership(arrival: .init(after: nil, by: seen), claimed: try at($0)) },
      counts: [.init(at: seen, dates.count)])
  }

  @Test func blocksThatCouldNotBeSeenAreNotZero() throws {
    let own = try own(["2024-12-05", "2026-09-20"], seenFrom: "2026-10-10")
    let timeline = BlockTimeline(
      own: own, blockers: .losses, audience: try audience().history, by: .month, clock: .utc,
      in: try at("2024-01-01")..<at("2026-11-01"))
    let names = timeline.rows.map { row in
      row.parts.map(\.period.description).first.map { "\($0) x\(row.parts.count)" } ?? ""
    }
    #expect(
      names.first == "2024-12 x1"
        && names.suffix(4) == ["2025-10 x1", "2025-11 x1", "2025-12 x9", "2026-09 x1"])
    #expect(timeline.rows.suffix(4).map(\.blockedBy) == [0, 7, 5, 0])
    #expect(timeline.rows.dropLast(4).allSatisfy { $0.blockedBy == nil && $0.coverage == .unobserved })
    // An own block that was taken back was not seen, either.
    let made = timeline.rows.flatMap(\.parts).map(\.blocking)
    #expect(made.compactMap(\.self) == [1, 1])
    var insights = AccountInsights(
      of: InsightAccount(try account(0)), at: try at("2026-11-01"),
      in: try at("2024-01-01")..<at("2026-11-01"))
    insights.blocks = timeline
    let zeros = insights.figures(.blocks).filter { $0.value == 0 && $0.key.hasPrefix("block") }
    #expect(zeros.map(\.key) == ["blocked-by", "blocked-by"] && zeros.allSatisfy { $0.after != nil })
    guard case .flows(let bars)? = insights.sections(.blocks).first?.chart?.content else {
      throw CancellationError()
    }
    #expect(bars.slots.filter { $0.lost == nil }.count == 10 && bars.slots.allSatisfy { $0.net == nil })
    #expect(!bars.table(.count, mostRows: 50).headings.contains("Net"))
  }

  /// A gap of months has no quiet days, which would make each other day a wave.
  @Test func daysThatWereNotSeenAreNotQuiet() throws {
    let first = try at("2026-01-01")
    var listing = WatchedListing(
      (0..<20).map { first + .days($0) } + (0..<20).map { first + .days(300 + $0) })
    for day in 0..<19 { listing.were(6, left: first + .days(day) + .seconds(60), isBlocker: true) }
    let days = listing.flows(by: .day)
    #expect(BlockWave.waves(ofLossesIn: days).isEmpty)
    // A day with far more of them is one.
    listing.were(60, left: first + .days(310) + .seconds(60), isBlocker: true)
    let waves = BlockWave.waves(ofLossesIn: listing.flows(by: .day))
    #expect(waves.map(\.blocks) == [60] && waves.first?.time == first + .days(310)..<first + .days(311))
    #expect(waves.first?.usual == 114.0 / 37)
  }
}

/// Followers that the actor's own blocks hide.
@Suite struct HiddenFollowerTests {
  private let day: Int64 = 86_400_000_000
  private let start = Instant.epoch + .days(20_000)

  private func sight(_ day: Int64) -> ListingHistory.Sight { .snapshot(day) }

  /// Ten followers for ten days at midnight. Four are hidden on the third day, two of them shown again on the sixth,
  /// one of these leaves on the eighth; another one blocks the actor on the fifth.
  private func history() -> ListingHistory {
    let listed = [10, 10, 10, 6, 6, 5, 7, 7, 6, 6]
    var history = ListingHistory(
      SnapshotSeries(
        listed.enumerated().map { number, count in
          let moment = start + Int64(number) * day
          return SnapshotFacts(number: Int64(number), from: moment, to: moment, listed: count)
        }))
    for number in 0..<10 {
      var stay = ListingHistory.Stay(
        first: sight(0), lostIn: number < 4 ? sight(3) : number == 4 ? sight(5) : nil)
      stay.claimed = start - .days(40)
      if number < 4 { stay.ending = .hidden }
      if number == 4 { stay.ending = .blocked }
      history.add(stay)
      guard number < 2 else { continue }
      var again = ListingHistory.Stay(first: sight(6), lostIn: number == 0 ? sight(8) : nil)
      (again.claimed, again.isReturn, again.isShownAgain) = (stay.claimed, true, true)
      history.add(again)
    }
    return history
  }

  @Test func hiddenFollowersAreNeitherLostNorGained() {
    let flows = AudienceFlow.flows(of: history(), by: .day).filter(\.isObserved)
    #expect(flows.map(\.hidden) == [0, 0, 4, 0, 0, 0, 0, 0, 0])
    #expect(flows.map(\.shown) == [0, 0, 0, 0, 0, 2, 0, 0, 0])
    #expect(flows.map(\.lost) == [0, 0, 0, 0, 1, 0, 0, 1, 0])
    #expect(flows.map(\.net) == [0, 0, 0, 0, -1, 0, 0, -1, 0])
    #expect(flows.allSatisfy { $0.arrivals == 0 } && flows[2].churnRate == 0)
    #expect(flows.map { $0.losses?.blockers } == [0, 0, 0, 0, 1, 0, 0, 0, 0])
  }

  @Test func figuresAndChartsNameThem() throws {
    var insights = AccountInsights(
      of: InsightAccount(try account(0)), at: start + 9 * day, in: start..<start + 9 * day)
    insights.flows = AudienceFlow.flows(of: history(), by: .day)
    let figures = insights.figures(.flow)
    func days(_ key: String) -> [Int64] {
      figures.filter { $0.key == key }.compactMap { $0.from.map { Int64(($0 - start) / .days(1)) } }
    }
    #expect(days("hidden") == [2] && days("shown-again") == [5] && days("lost-blocked-by") == [4])
    let chart = insights.flowChart
    #expect(chart.notes == ["Neither gained nor lost: 4 hidden by your own blocks, 2 shown again."])
    guard case .flows(let bars) = chart.content else { throw CancellationError() }
    let table = bars.table(.count, mostRows: 100)
    #expect(table.headings.contains("Hidden by your own blocks") && table.headings.contains("Shown again"))
    let notes = insights.sections(.flow).last?.notes
    #expect(notes?.contains("Of 2 lost followers, 1 blocks this account.") == true)
  }

  /// Whether a hidden follower stayed is not known, so it remains in its cohort until it is lost.
  @Test func hiddenFollowersRemainInTheirCohort() {
    let history = history()
    #expect(history.memberships.count == 10 && history.memberships.filter(\.isHidden).count == 2)
    let cohorts = Cohort.cohorts(of: history, by: .day)
    #expect(cohorts.map(\.size) == [10])
    #expect(cohorts.first?.retained.suffix(9) == [10, 10, 10, 10, 9, 9, 9, 8, 8])
  }
}
