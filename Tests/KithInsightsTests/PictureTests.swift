// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// What pictures and pages say: nothing that their numbers contradict, and nothing that is cut.
@Suite struct PictureTests {
  private func insights(
    from first: String = "2025-11-29", to last: String = "2026-11-29T10:00"
  ) throws
    -> AccountInsights
  {
    AccountInsights(
      of: InsightAccount(try account(0), handle: "alice.test"), at: try at(last),
      in: try at(first)..<at(last) + 1)
  }

  private func counts(_ counts: [(String, Int)]) throws -> [Sample<Int>] {
    try counts.map { Sample<Int>(at: try at($0.0), $0.1) }
  }

  private func timeline(_ chart: Chart?) throws -> Timeline {
    guard case .timeline(let timeline)? = chart?.content else { throw CancellationError() }
    return timeline
  }

  /// The classes of the shapes of a picture.
  private func classes(_ svg: String) throws -> [String] { try Markup(svg).attributes["class", default: []] }

  // MARK: Growth

  /// Counts every two weeks: the caption compares with the count before the year, and the curve begins with it.
  @Test func theCurveOfARangeBeginsWithTheCountBeforeIt() throws {
    var insights = try insights()
    insights.followerCounts = try counts([
      ("2025-11-28", 1_021), ("2025-12-12", 967), ("2026-11-29", 1_639),
    ])
    var overview = Overview()
    overview.followers = Trend(of: insights.followerCounts, in: insights.time)
    insights.overview = overview
    let whole = GrowthCurve(ListingHistory(), profile: insights.followerCounts)
    insights.growth = whole.during(insights.time)
    let chart = insights.growth.map(insights.growthChart)
    #expect(chart?.subtitle == "+618 in 366 days")
    let first = try #require(try timeline(chart).series.first?.points.first)
    #expect(first == .init(at: insights.time.lowerBound, 1_021))
    // The rows are those of the counts alone, and an old count says nothing about the start.
    #expect(insights.figures(.growth).count == 2)
    #expect(whole.during(try at("2026-02-01")..<at("2026-12-01")).countAtStart == nil)
  }

  @Test func aRangeWithoutCountsIsNotAnAccountWithoutFollowers() throws {
    var insights = try insights()
    let first = try at("2025-01-01")
    let history = ListingHistory(
      [Membership(arrival: .init(after: nil, by: first))], counts: [.init(at: first, 9)])
    insights.growth = GrowthCurve(history).during(insights.time)
    #expect(insights.sections(.growth).first?.paragraphs == ["No count of this time is known."])
  }

  /// A picture has no paragraphs, so the warning is the first note, and fits.
  @Test func survivorsAreExplainedOnThePicture() throws {
    var insights = try insights()
    let first = try at("2026-11-20")
    let members = (1...30).map {
      Membership(arrival: .init(after: nil, by: first), claimed: first - .days($0))
    }
    insights.growth = GrowthCurve(
      ListingHistory(members, counts: [.init(at: first, 30)]), profile: try counts([("2026-11-29", 31)]))
    let note = try #require(insights.growth.map(insights.growthChart)?.notes.first)
    #expect(note.hasPrefix("Dashed: only followers that stayed") && note.count <= 106)
    #expect(insights.report(of: [.growth]).svg().contains(note))
    // One count is a dot, in the legend, too.
    #expect(try classes(insights.report(of: [.growth]).svg()).count { $0 == "dot f1" } == 3)
  }

  /// The survivors end at the end of the first snapshot, a minute after the count.
  @Test func eachLineThatReachesTheEndHasItsNumber() throws {
    let end = try at("2026-11-29T10:00")
    let timeline = Timeline(series: [
      .init("A", points: [.init(at: end - .days(300), 10), .init(at: end - .seconds(60), 1_639)]),
      .init("B", points: [.init(at: end - .days(300), 5), .init(at: end, 1_234)], style: .dashed),
      .init("C", points: [.init(at: end - .days(300), 5), .init(at: end - .days(30), 777)]),
    ])
    let svg = Chart("F", content: .timeline(timeline)).svg()
    #expect(svg.contains(">1,639<") && svg.contains(">1,234<") && !svg.contains(">777<"))
  }

  /// The table has one row a day, and no mark from another time.
  @Test func theTableHasOneRowADayWithinTheTime() throws {
    let moments = try ["2026-11-01T09:00", "2026-11-01T18:00", "2026-11-20T09:00"].map { try at($0) }
    let timeline = Timeline(
      series: [.init("F", points: moments.enumerated().map { .init(at: $0.element, Double($0.offset)) })],
      marks: [.init(at: try at("2024-01-01"), "first snapshot"), .init(at: moments[2], "wave")])
    let table = timeline.table(.count, mostRows: 50)
    #expect(table.rows == [["2026-11-01", "1", ""], ["2026-11-20", "2", "wave"]])
    #expect(!timeline.summary(.count).contains("first snapshot"))
  }

  // MARK: Forecast and goal

  /// Without a forecast, a picture has the counts with the goal, and the reason.
  @Test func aPictureWithoutAForecastShowsTheCounts() throws {
    var insights = try insights()
    insights.followerCounts = try counts([("2026-11-28", 700), ("2026-11-29", 802)])
    insights.forecast = Forecast.result(of: insights.followerCounts)
    let none = try #require(insights.forecast)
    insights.goal = GoalProgress(820, from: 600, now: 802, forecast: none)
    let svg = insights.report(of: [.forecast]).svg()
    #expect(svg.contains(">There is no forecast: it needs counts of 28") && svg.contains("goal: 820"))
    insights.forecast = nil
    #expect(insights.report(of: [.goal]).svg().contains("class=\"lv\""))
    // Two counts of one day are not a line.
    insights.followerCounts = try counts([("2026-11-29T08:00", 800), ("2026-11-29T09:00", 802)])
    #expect(insights.sections(.goal).allSatisfy { $0.chart == nil })
    // Beside the growth, words are enough.
    insights.growth = GrowthCurve(ListingHistory(), profile: insights.followerCounts)
    #expect(insights.sections(.goal).allSatisfy { $0.chart == nil && !$0.paragraphs.isEmpty })
  }

  /// Counts are steps, the forecast is a line, and both bands have the hue of that line.
  @Test func theForecastDrawsCountsAsElsewhere() throws {
    var insights = try insights()
    insights.followerCounts = (0..<60).map { Sample<Int>(at: .epoch + .days(20_000 + $0), 1_000 + 10 * $0) }
    let forecast = try Forecast.result(of: insights.followerCounts).get().prefix(30)
    let chart = insights.forecastChart(forecast)
    #expect(try timeline(chart).series.map(\.path) == [.steps, nil])
    #expect(chart.notes.count == 2 && chart.notes.allSatisfy { $0.count <= 106 })
    // One sample for the outer band, two upon each other for the inner one.
    #expect(try classes(chart.svg()).filter { $0.hasPrefix("bd") } == Array(repeating: "bd f1", count: 5))
    let text = chart.text().joined(separator: "\n")
    #expect(text.contains("░░ 95 %") && text.contains("▒▒ 80 %"))
  }

  /// The zigzag of a broken axis stays on the left of the curve.
  @Test func theZigzagDoesNotCrossTheCurve() throws {
    let svg = SampleCharts.chart([12_000, 12_010, 12_050]).svg()
    func xs(_ mark: String) -> [Double] {
      let data = svg.components(after: mark).drop { $0 != "M" }.dropFirst().prefix { $0 != "\"" }
      return data.split(separator: "L").compactMap { Double($0.prefix { $0 != " " }) }
    }
    let (zigzag, curve) = (xs("class=\"brk\""), xs("class=\"ln s0\""))
    #expect(try #require(zigzag.max()) <= #require(curve.min()) && zigzag.count == 7)
  }

  // MARK: Grids

  /// Thirteen months with their shares: each has its figure on the picture.
  @Test func thirteenMonthsHaveFiguresAndMonthsToComeAreLeftOut() throws {
    let cells: [[Double?]] = (0..<13).map { row in (0..<13 - row).map { $0 == 1 ? nil : 1 - Double($0) / 20 }
    }
    let grid = Grid(
      rowLabels: (1...13).map { "2026-\($0)" }, columnLabels: (0..<13).map { "+\($0)" }, cells: cells,
      sampleSizes: cells.map { _ in Array(repeating: 20, count: 13) }, showsFigures: true)
    let report = InsightReport(
      title: "T", generatedAt: .epoch,
      sections: [
        .init(
          id: "c", heading: "C",
          chart: Chart("C", notes: ["One note.", "Another note."], valueKind: .share, content: .grid(grid)))
      ])
    let shown = try classes(report.svg())
    #expect(shown.count { $0 == "weak" || $0 == "strong" } == 91 - 12)
    #expect(shown.count { $0 == "no" } == 12 + 1)
    let rows = grid.table(.share, mostRows: 50).rows
    #expect(rows[12] == ["2026-13", "100% (n = 20)"] + Array(repeating: "not yet", count: 12))
    #expect(rows[0][2] == ValueKind.missing)
  }

  // MARK: Words

  @Test func groupsThatExcludeEachOtherSaySo() throws {
    var insights = try insights()
    insights.activity = Composition(of: [.week, .month, .quarter, .year, .older])
    guard case .categories(let bars)? = insights.sections(.activity).first?.chart?.content else {
      throw CancellationError()
    }
    #expect(
      Set(bars.items.map(\.label)) == [
        "within a week", "a week to a month ago", "1 to 3 months ago", "3 to 12 months ago", "longer ago",
      ])
  }

  @Test func ratesOfThoseThatStayedAreNamed() throws {
    var insights = try insights()
    insights.engagement = Engagement(of: [])
    #expect(insights.sections(.engagement).first?.notes.isEmpty == true)
    insights.postsBeforeCounts = 7
    #expect(
      insights.sections(.engagement).first?.notes.first?.hasSuffix("so these rates are too high.") == true)
  }

  /// Some followers are on no listing, so those that a listing lacks may follow back.
  @Test func whoIsNotListedMayFollowBack() throws {
    var insights = try insights()
    insights.followBack = FollowBackTimes(
      follows: [try account(1): 5, try account(2): 9], followers: [try account(1): 262_800_000_005])
    let section = try #require(insights.sections(.followBack).first)
    #expect(section.paragraphs[0].contains("1 is listed as a follower"))
    #expect(section.paragraphs[1].contains("within 3 days 1 hour"))
    #expect(section.table?.rows.map { $0[0] }.suffix(1) == ["Not listed as followers"])
  }

  /// A picture has the time of its numbers only if they have one, and room for the time at which it was made.
  @Test func theHeaderHasOnlyTheTimeOfThePicture() throws {
    var insights = try insights()
    let moment = try at("2026-11-29T09:07")
    insights.listing = SnapshotFacts(number: 1, from: moment, to: moment, listed: 9)
    #expect(
      insights.report(of: [.flow]).svg().contains(
        ">Changes and flows: 29 Nov 2025 – 29 Nov 2026 · 29 Nov 2026, 10:00 UTC<"))
    #expect(insights.report(of: [.cohorts]).svg().contains(">29 Nov 2026, 10:00 UTC<"))
    #expect(insights.report(of: [.times]).svg().contains(">Posts: 29 Nov 2025 – 29 Nov 2026 · "))
    #expect(insights.report(of: [.cohorts]).subtitle == "Followers listed on 29 Nov 2026, 09:07")
  }

  /// One hour with enough posts is not a picture of the day.
  @Test func oneHourIsASentence() throws {
    var insights = try insights()
    func posts(_ hours: [Int64]) throws -> [PostFigures] {
      let day = try at("2026-11-20")
      return hours.flatMap { hour in
        (0..<20).map { _ in
          PostFigures(
            at: day + .seconds(hour * 3_600), kinds: .text, likes: 1, reposts: 0, replies: 0, quotes: 0,
            followers: 3)
        }
      }
    }
    insights.engagement = Engagement(of: try posts([9]))
    let section = try #require(insights.sections(.times).first)
    #expect(
      section.chart == nil && section.paragraphs.first?.hasPrefix("Too few posts: 1 of 24 hours") == true)
    insights.engagement = Engagement(of: try posts([9, 18]))
    let chart = try #require(insights.sections(.times).first?.chart)
    // The empty boxes are explained.
    #expect(chart.svg().contains(">too few posts<"))
  }

  /// One bar says less than a sentence.
  @Test func blocksOfOnePeriodAreASentence() throws {
    var insights = try insights()
    let now = try at("2026-11-29")
    let own = ListingHistory(
      [Membership(arrival: .init(after: nil, by: now), claimed: now - .days(3))], counts: [.init(at: now, 1)])
    insights.blocks = BlockTimeline(
      own: own, blockers: .losses, audience: ListingHistory(), by: .month, clock: .utc, in: insights.time)
    let section = try #require(insights.sections(.blocks).first)
    #expect(
      section.chart == nil && section.paragraphs.last == "2026-11: blocks made: 1; blocked by: unknown.")
  }

  @Test func numbersThatAreZeroAreNotNamed() throws {
    var insights = try insights()
    var flow = AudienceFlow([], observed: nil, countAtStart: nil, coverage: .whole)
    flow.hidden = 2
    insights.flows = [flow]
    #expect(insights.flowChart.notes == ["Neither gained nor lost: 2 hidden by your own blocks."])
  }

  // MARK: Flows

  /// What is known for several periods together is drawn as such: gains, losses and net.
  @Test func theNetChangeOfSeveralPeriodsIsSpreadLikeTheLosses() throws {
    var two = FlowBars.Item(
      [.init("2026-W01", gained: 30), .init("2026-W02", gained: nil)], lost: 10, coverage: .interval)
    let flows = FlowBars(items: [two, .init("2026-W03", gained: 4, lost: 1)])
    #expect(flows.slots.map(\.net) == [10, 10, 3])
    let shown = try classes(Chart("F", content: .flows(flows)).svg())
    // The losses are hatched, and the legend has a sample; the gains have dates.
    #expect(shown.count { $0 == "hatch gain" } == 0 && shown.count { $0 == "hatch loss" } == 3)
    two.undated = 4
    let undated = try classes(Chart("F", content: .flows(FlowBars(items: [two]))).svg())
    #expect(undated.count { $0 == "hatch gain" } == 2)
    // On a phone, a long name takes two lines, and nothing is cut.
    let narrow = Chart("F", content: .flows(flows)).inlineSVG(
      width: 330, height: 240, id: "f", classes: "narrow")
    #expect(narrow.contains(">snapshot<") && !narrow.contains("…"))
    // What is not drawn is not explained.
    let gains = Chart("F", content: .flows(FlowBars(items: [.init("2026-W03", gained: 4, lost: 0)]))).svg()
    #expect(gains.contains(">Gained<") && !gains.contains(">Lost<") && !gains.contains("not observed"))
  }

  /// Weeks without a snapshot before the range are of a time that the range does not have.
  @Test func lossesFromBeforeTheRangeAreNotCounted() throws {
    let snapshots = try ["2026-11-05T09:00", "2026-11-19T09:00", "2026-11-24T09:00", "2026-12-01T09:00"].map {
      try at($0)
    }
    var listing = WatchedListing(snapshots)
    listing.were(50)
    listing.were(47, left: try at("2026-11-10"))
    listing.were(5, left: try at("2026-11-28"))
    // The row of the first interval ends with its week, on Sunday.
    let range = try at("2026-11-20")..<at("2026-12-02")
    #expect(listing.flows(by: .week).compactMap(\.lost).reduce(0, +) == 52)
    #expect(listing.flows(by: .week, in: range).compactMap(\.lost).reduce(0, +) == 5)
  }

  /// A snapshot each morning: today is not over, which is not the same as not observed.
  @Test func theDayOfTheLastSnapshotIsNotARowOfItsOwn() throws {
    var listing = WatchedListing(try (1...6).map { try at("2026-11-0\($0)T09:00") })
    listing.were(9)
    let range = try at("2026-11-03")..<at("2026-11-06T12:00")
    #expect(listing.flows(by: .day, in: range).map(\.name) == ["2026-11-03", "2026-11-04", "2026-11-05"])
    // Of two days without a snapshot, nothing is known.
    let later = try at("2026-11-05")..<at("2026-11-07T12:00")
    #expect(listing.flows(by: .day, in: later).map(\.name) == ["2026-11-05", "2026-11-06/2026-11-07"])
  }
}

extension String {
  /// What follows the first occurrence of a text.
  fileprivate func components(after text: String) -> Substring {
    firstRange(of: text).map { self[$0.upperBound...] } ?? ""
  }
}
