// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// What the first sentence and the cards say: each number with its own time.
@Suite struct InsightSummaryTests {
  private static let day: Int64 = 86_400_000_000

  /// Insights of 28 November, 20:00, about the last 30 days.
  private func insights(counts: [(String, Int)], days: Int64 = 30) throws -> AccountInsights {
    let now = try at("2026-11-28T20:00")
    var insights = AccountInsights(
      of: InsightAccount(try account(0), handle: "alice.test"), at: now, in: now - days * Self.day..<now + 1)
    let counts = try counts.map { Sample<Int>(at: try at($0.0), $0.1) }
    insights.followerCounts = counts
    var overview = Overview()
    overview.followers = Trend(of: counts, in: insights.time)
    insights.overview = overview
    return insights
  }

  private func snapshot(_ number: Int64, _ time: String, counted: Int?) throws -> SnapshotFacts {
    let moment = try at(time)
    var facts = SnapshotFacts(number: number, from: moment, to: moment, listed: 230)
    facts.counted = counted
    return facts
  }

  private func changes(came: Int, left: Int, hidden: Int = 0, shown: Int = 0) throws -> AudienceChanges {
    let series = SnapshotSeries([
      try snapshot(1, "2026-10-31T09:12", counted: 153), try snapshot(2, "2026-11-28T09:12", counted: 258),
    ])
    var totals = AudienceChanges.Totals()
    (totals.came, totals.left, totals.hidden, totals.shown) = (came, left, hidden, shown)
    let pair = try #require(series.pair(in: .distantPast ..< .distantFuture))
    return AudienceChanges(came: [], left: [], totals, between: pair)
  }

  // MARK: Counts

  @Test func theFirstCountIsCalledTheFirst() throws {
    let once = try insights(counts: [("2026-11-28T20:00", 258)])
    #expect(once.headline == "258 followers. The first count is of 28 Nov 2026.")
    let twice = try insights(counts: [("2026-11-28T09:00", 258), ("2026-11-28T20:00", 271)])
    #expect(twice.headline == "271 followers. The first count is of 28 Nov 2026.")
    #expect(twice.cards.first?.change == nil)
    let none = try insights(counts: [("2026-11-28T20:00", 0)])
    #expect(none.headline == "0 followers. The first count is of 28 Nov 2026.")
  }

  /// The day of the sentence and the days of the card are those of one count.
  @Test func sentenceAndCardNameOneTime() throws {
    let weekly = try insights(counts: [
      ("2026-10-03T09:00", 130), ("2026-10-31T09:00", 153), ("2026-11-28T20:00", 258),
    ])
    #expect(weekly.headline == "258 followers, 105 more than on 31 Oct 2026.")
    #expect(weekly.cards.first?.change == "+105 in 28 days")
    #expect([weekly.cards.first?.detail] == ["+23 in the 28 days before"])
    let figures = weekly.figures(.cards)
    #expect(try figures.first { $0.key == "followers-change" }?.from == at("2026-10-31T09:00"))
    let before = figures.first { $0.key == "followers-change-before" }
    #expect(try before?.from == at("2026-10-03T09:00") && before?.to == at("2026-10-31T09:00"))
    let long = try insights(counts: [("2025-11-28T09:00", 300), ("2026-11-28T20:00", 258)], days: 365)
    #expect(long.headline == "258 followers, 42 fewer than on 28 Nov 2025.")
    #expect(long.cards.first?.change == "−42 in 365 days")
    let today = try insights(counts: [("2026-11-28T09:12", 250), ("2026-11-28T20:00", 250)], days: 1)
    #expect(today.headline == "250 followers. The first count is of 28 Nov 2026.")
  }

  @Test func anOldCountSaysWhenItWas() throws {
    let old = try insights(counts: [("2026-10-31T09:00", 153), ("2026-11-24T09:00", 258)])
    #expect(old.headline == "258 followers on 24 Nov 2026, 105 more than on 31 Oct 2026.")
    #expect([old.cards.first?.detail] == ["as of 2026-11-24 09:00"])
  }

  // MARK: Listings

  /// The count grew by 105 while 9 came and 64 left: two measures, two statements.
  @Test func whoCameAndLeftIsAStatementOfItsOwn() throws {
    var insights = try insights(counts: [("2026-10-31T09:00", 153), ("2026-11-28T09:12", 258)])
    insights.changes = try changes(came: 9, left: 64)
    #expect(
      insights.headline
        == "258 followers, 105 more than on 31 Oct 2026. 9 came and 64 left from 31 Oct 2026 to the snapshot of "
        + "28 Nov 2026, 09:12. The count also includes accounts that no listing shows.")
    // The same difference needs no reason.
    insights.changes = try changes(came: 114, left: 9)
    #expect(insights.headline?.contains("also includes") == false)
  }

  /// A block hides followers and an unblock shows them: they neither came nor left.
  @Test func followersThatOwnBlocksHideDidNotLeave() throws {
    var insights = try insights(counts: [("2026-10-31T09:00", 258), ("2026-11-28T09:12", 258)])
    insights.changes = try changes(came: 0, left: 0, hidden: 12, shown: 1)
    #expect(
      insights.headline
        == "258 followers, as many as on 31 Oct 2026. No follower came or left from 31 Oct 2026 to the snapshot of "
        + "28 Nov 2026, 09:12. 12 are hidden by your own blocks, and did not leave. 1 is shown again, because you "
        + "have ended a block.")
  }

  /// 13 more since this morning's snapshot: not looked is not "none".
  @Test func aCountThatHasChangedSinceTheListingSaysSo() throws {
    var insights = try insights(counts: [("2026-10-31T09:00", 153), ("2026-11-28T20:00", 271)])
    insights.changes = try changes(came: 0, left: 0)
    insights.listing = insights.changes?.pair.last
    #expect(insights.changeSinceListing == 13)
    #expect(
      insights.headline?.hasSuffix(
        "Followers were last listed on 28 Nov 2026, 09:12, and the count has changed by +13 since.") == true)
    #expect(insights.report.subtitle?.hasSuffix("; followers listed on 28 Nov 2026, 09:12") == true)
    // The same count says nothing new; of a snapshot without a count, nothing is known.
    for (count, counted) in [(258, 258), (271, nil)] as [(Int, Int?)] {
      var same = try self.insights(counts: [("2026-11-28T20:00", count)])
      same.listing = try snapshot(2, "2026-11-28T09:12", counted: counted)
      #expect(same.changeSinceListing == nil)
    }
  }

  @Test func oneSnapshotTellsNotWhoCame() throws {
    var insights = try insights(counts: [("2026-11-28T20:00", 258)])
    insights.listing = try snapshot(1, "2026-11-28T09:12", counted: 258)
    #expect(insights.sections(.flow).isEmpty)
    insights.wantsPeople = true
    let section = try #require(insights.sections(.flow).first)
    #expect(section.id == "people" && section.table == nil)
    #expect(section.paragraphs.first?.hasPrefix("Not known yet") == true)
  }

  @Test func thePeopleSectionNamesDaysInFewLetters() throws {
    var insights = try insights(counts: [("2026-11-28T20:00", 258)])
    let pair = try changes(came: 2, left: 2).pair
    func change(_ after: String?, _ by: String, _ reason: String? = nil) throws -> AudienceChanges.Change {
      let bounds = Membership.TimeBounds(after: try after.map { try at($0) }, by: try at(by))
      return .init(InsightAccount(try account(1), handle: "bob.test"), bounds, reason: reason)
    }
    var totals = AudienceChanges.Totals()
    (totals.came, totals.left) = (2, 2)
    insights.changes = AudienceChanges(
      came: [
        try change("2026-11-28T09:00", "2026-11-28T10:00"),
        try change("2026-11-26T09:00", "2026-11-27T10:00"),
      ],
      left: [
        try change("2026-10-31T09:00", "2026-11-02T10:00", "unfollowed"),
        try change("2026-01-31T09:00", "2026-11-01T10:00", "unfollowed"),
      ], totals, between: pair)
    let table = try #require(insights.sections(.flow).first?.table)
    #expect(
      table.rows.map { $0[2] } == ["28 Nov", "26–27 Nov", "31 Oct – 2 Nov", "31 Jan 2026 – 1 Nov 2026"])
  }

  /// The last full snapshot is older than the last one.
  @Test func whatAnIncrementalSnapshotCannotFindIsNamed() throws {
    var last = try snapshot(3, "2026-11-28T09:12", counted: 258)
    last.isFull = false
    let series = SnapshotSeries([
      try snapshot(1, "2026-10-31T09:12", counted: 153), try snapshot(2, "2026-11-22T09:12", counted: 250),
      last,
    ])
    var insights = try insights(counts: [("2026-11-28T20:00", 258)])
    let pair = try #require(series.pair(in: insights.time))
    #expect(pair.first.number == 1 && pair.last.number == 3)
    insights.changes = AudienceChanges(came: [], left: [], .init(), between: pair)
    let notes = insights.sections(.flow).first?.notes ?? []
    #expect(notes.count == 1 && notes.first?.contains("22 Nov 2026, 09:12") == true)
  }

  // MARK: Pairs of snapshots

  @Test func thePairIsTheLastSnapshotAndTheOneAtTheStart() throws {
    let start = try at("2026-11-01")
    var snapshots = (0...30).map { number in
      let moment = start + Int64(number) * Self.day
      return SnapshotFacts(number: Int64(number), from: moment, to: moment, listed: 10)
    }
    snapshots[30].isDoubtful = true
    snapshots[22].isFull = false
    let series = SnapshotSeries(snapshots)
    let week = try #require(series.pair(in: start + 22 * Self.day..<start + 31 * Self.day))
    #expect([week.first.number, week.last.number] == [21, 29])
    let past = try #require(series.pair(in: start + 3 * Self.day..<start + 9 * Self.day + 1))
    #expect([past.first.number, past.last.number] == [3, 9])
    #expect(series.pair(in: .distantPast ..< .distantFuture)?.first.number == 0)
    #expect(series.pair(in: .distantPast..<start + 1) == nil)
    #expect(SnapshotSeries([]).pair(in: .distantPast ..< .distantFuture) == nil)
    #expect(series.last(before: .distantFuture)?.number == 29)
  }

  // MARK: Goals

  /// Card, section and rows say the same.
  @Test func aGoalHasOneVoice() throws {
    var insights = try insights(counts: [("2026-11-28T20:00", 802)])
    func words(_ goal: GoalProgress) -> [String?] {
      insights.goal = goal
      let figure = insights.figures(.goal).first { $0.key == "expected" }
      return [insights.cards.last?.detail, insights.sections(.goal).first?.paragraphs.first, figure?.note]
    }
    let none = words(
      GoalProgress(2_400, from: 600, now: 802, forecast: .failure(.tooShort(days: 1, weeks: 10))))
    #expect(none[0] == "no forecast" && none[2] == "too-short")
    #expect(none[1]?.contains("because there is no forecast: it needs counts of 28 consecutive days") == true)

    let steady = (0..<60).map { Sample<Int>(at: .epoch + .days(20_000 + $0), 1_000 + 10 * $0) }
    let forecast = Forecast.result(of: steady)
    let far = words(GoalProgress(90_000, from: 1_000, now: 1_590, forecast: forecast))
    let end = Moment.dayText(try forecast.get().end, .utc)
    #expect(far[0] == "not expected by \(end)" && far[2] == "not-within-forecast")
    #expect(far[1]?.contains("The forecast does not reach it by \(end)") == true)

    let near = words(GoalProgress(1_650, from: 1_000, now: 1_590, forecast: forecast))
    let day = Moment.dayText(try #require(insights.goal?.expected), .utc)
    #expect(near[0] == "expected around \(day)" && near[2] == nil)
    #expect(near[1]?.contains("Expected around \(day) (80 % interval: from ") == true)

    let reached = words(GoalProgress(800, from: 600, now: 802, forecast: forecast))
    #expect(
      reached == [
        nil, "802 of 800 followers; 100% of the way since the goal was set. The goal is reached.", "reached",
      ])
  }

  // MARK: Growth

  /// On the first day, 231 of 258 followers have a date: that is not a jump.
  @Test func survivorsAndCountsAreTwoLinesOnOneAxisFromZero() throws {
    var insights = try insights(counts: [("2026-11-28T20:00", 258)], days: 7)
    let first = try at("2026-11-28T19:59")
    let members = (0..<231).map { _ in
      Membership(arrival: .init(after: nil, by: first), claimed: first - 30 * Self.day)
    }
    let undated = (0..<10).map { _ in Membership(arrival: .init(after: nil, by: first)) }
    let history = ListingHistory(members + undated, counts: [.init(at: first, 241)])
    insights.growth = GrowthCurve(history, profile: insights.followerCounts).during(insights.time)
    guard case .timeline(let timeline)? = insights.sections(.growth).first?.chart?.content else {
      Issue.record("no timeline")
      return
    }
    #expect(timeline.series.map { Set($0.points.map(\.value)) } == [[231], [258]])
    #expect(timeline.startsAtZero)
    // Counts alone may show small changes.
    insights.growth = GrowthCurve(ListingHistory(), profile: insights.followerCounts)
    guard case .timeline(let counts)? = insights.growth.map(insights.growthChart)?.content else { return }
    #expect(!counts.startsAtZero)
  }
}
