// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Insights as figures, cards and a report.
@Suite struct AccountInsightsTests {
  private let day: Int64 = 86_400_000_000
  private let now = Instant.epoch + .days(20_781)

  private func empty(named name: String = "alice.test") throws -> AccountInsights {
    AccountInsights(
      of: InsightAccount(try account(0), handle: name, displayName: name), at: now,
      in: now - 30 * day..<now + 1)
  }

  /// All insights, in an order determined by a seed.
  private func whole(seed: UInt64 = 1, named name: String = "alice.test") throws -> AccountInsights {
    var random = SeededNumbers(seed: seed)
    var insights = try empty(named: name)
    let first = now - 100 * day
    let members = (0..<400).map { number -> Membership in
      let came = first - Int64(number % 90) * day
      return Membership(
        arrival: number.isMultiple(of: 3)
          ? .init(after: first + Int64(number % 90) * day, by: first + Int64(number % 90 + 1) * day)
          : .init(after: nil, by: first),
        departure: number.isMultiple(of: 7) ? .init(after: now - 9 * day, by: now - 8 * day) : nil,
        claimed: number.isMultiple(of: 3) ? nil : came)
    }.shuffled(using: &random)
    let counts = (0...100).map { Sample<Int>(at: first + Int64($0) * day, 300 + $0) }.shuffled(
      using: &random)
    insights.followerCounts = counts
    var overview = Overview()
    overview.followers = Trend(of: counts, in: insights.time)
    overview.follows = overview.followers
    overview.mutuals = 40
    insights.overview = overview
    let growth = GrowthCurve(members, counts: counts)
    insights.growth = growth
    insights.flows = AudienceFlow.flows(of: members, counts: counts, by: .week)
    insights.cohorts = Cohort.cohorts(of: ListingHistory(members, counts: counts), by: .month)
    insights.followBack = FollowBackTimes(
      follows: [try account(1): 5, try account(2): 9], followers: [try account(1): 3_600_000_005])
    insights.forecast = .success(try Forecast(of: counts, days: 30))
    insights.goal = GoalProgress(500, from: 300, now: 400, forecast: Forecast.result(of: counts))
    let posts = (0..<200).map { number in
      PostFigures(
        at: first + .seconds(number * 43_200), kinds: PostKinds.all[number % 6], likes: number % 50,
        reposts: 1,
        replies: 0, quotes: 0, followers: growth.count(at: first + .seconds(number * 43_200)))
    }.shuffled(using: &random)
    insights.engagement = Engagement(of: posts)
    insights.top.byFollowers = .byFollowers([try account(1): 9, try account(2): 7], most: 10)
    insights.top.byInfluence = .byInfluence([try account(1): (3, 10)], most: 10)
    insights.top.names[try account(1)] = InsightAccount(try account(1), handle: name, displayName: name)
    insights.activity = Composition(of: [.week, .older, nil, .week])
    insights.top.notable = [
      NotableFollower(
        InsightAccount(try account(5), handle: name, displayName: name), followers: 900,
        verification: .verified, following: 400)
    ].compactMap(\.self)
    insights.audienceTimes = PostingTimes(
      of: (0..<20).map { number in
        PostingTimes.Account((0..<20).map { now - Int64($0) * day - Int64(number) * day / 48 }, hasMore: true)
      }.shuffled(using: &random), before: now)
    var parts = AudienceParts()
    parts.words = BioWords(of: ["birds", "birds cats", "birds", name])
    parts.languages = Composition(of: ["en", "de", nil])
    parts.labels = [.init(AccountLabel(name, by: try account(3)), 2)]
    insights.audience = parts
    var traits = AccountTraits()
    (traits.lacksNames, traits.follows, traits.followers) = (true, 5_000, 1)
    insights.bots = BotFindings([(InsightAccount(try account(4), handle: name), traits)], now: now)
    insights.segments = [SegmentTrend(name: "loyal", predicate: "mutual", counts: [.init(at: now, 9)])]
    insights.blocks = BlockTimeline(
      own: ListingHistory(
        [
          Membership(arrival: .init(after: nil, by: now), claimed: now - day),
          Membership(arrival: .init(after: nil, by: now)),
        ], counts: [.init(at: now, 2)]), blockers: .losses,
      audience: ListingHistory(members, counts: counts), by: .day, clock: .utc, in: insights.time)
    return insights
  }

  @Test func emptyInsightsMakeAnEmptyReport() throws {
    let insights = try empty()
    #expect(insights.figures.isEmpty && insights.cards.isEmpty && insights.report.sections.isEmpty)
    #expect(insights.report.html().contains("alice.test"))
  }

  @Test func eachMetricHasFiguresAndASection() throws {
    let insights = try whole()
    for metric in InsightMetric.allCases {
      #expect(!insights.figures(metric).isEmpty, "\(metric)")
      #expect(insights.sections(metric).isEmpty == (metric == .cards), "\(metric)")
      #expect(insights.figures(metric).allSatisfy { $0.metric == metric })
    }
    #expect(insights.figures.count == InsightMetric.allCases.reduce(0) { $0 + insights.figures($1).count })
    #expect(insights.cards.map(\.label) == ["Followers", "Following", "Ratio", "Mutuals", "Goal: 500"])
  }

  @Test func labelersOfAnAudienceAreNamedWithoutALookAtBots() throws {
    var insights = try empty()
    let labeler = InsightAccount(try account(3), handle: "grace.test")
    var parts = AudienceParts()
    parts.labels = [.init(AccountLabel("spam", by: labeler.did), 2)]
    parts.labelers = [labeler.did: labeler]
    insights.audience = parts
    #expect(insights.figures(.audience).first { $0.key == "label-spam" }?.account?.handle == "grace.test")
  }

  @Test func theOrderOfTheInputDoesNotMatter() throws {
    let (one, other) = (try whole(seed: 1), try whole(seed: 2))
    #expect(one.figures == other.figures)
    #expect(one.report == other.report)
  }

  /// A chart draws exactly the figures of its metric.
  @Test func chartsShowTheFiguresOfTheirMetric() throws {
    let insights = try whole()
    guard case .flows(let bars)? = insights.sections(.flow).first?.chart?.content,
      case .timeline(let growth)? = insights.sections(.growth).first?.chart?.content,
      case .categories(let hours)? = insights.sections(.times).first?.chart?.content
    else {
      Issue.record("charts of another kind")
      return
    }
    let flow = insights.figures(.flow)
    func values(_ figures: [Figure], _ key: String) -> [Double] {
      figures.filter { $0.key == key }.compactMap(\.value)
    }
    let came = ["gained", "returned", "gained-undated"].reduce(0) { $0 + values(flow, $1).reduce(0, +) }
    #expect(bars.items.reduce(0) { $0 + Double($1.gained ?? 0) } == came && came > 0)
    #expect(bars.items.compactMap(\.lost).map(Double.init) == values(flow, "lost"))
    #expect(bars.items.compactMap(\.net).map(Double.init) == values(flow, "net"))
    let curve = insights.figures(.growth)
    let counted = curve.filter { $0.note == "listed" }.compactMap(\.value)
    #expect(growth.series.last?.points.map(\.value) == counted)
    // The last survivor extends to the first count.
    let survivors = curve.filter { $0.note == "survivors" }.compactMap(\.value)
    #expect(growth.series.first?.points.prefix(survivors.count).map(\.value) == survivors)
    let byHour = insights.figures(.times).filter { $0.key.hasPrefix("hour-") }
    // Per 1,000 followers, for each hour of the day.
    #expect(hours.items.count == 24)
    #expect(hours.items.compactMap(\.value) == byHour.compactMap(\.value).map { $0 * 1_000 })
  }

  @Test func countsAddUp() throws {
    let insights = try whole()
    let came = insights.flows.reduce(0) { $0 + ($1.arrivals ?? 0) }
    #expect(came == insights.flows.reduce(0) { $0 + $1.gained + $1.returned + $1.undated } && came > 0)
    #expect(
      insights.flows.allSatisfy { flow in
        flow.net.map { $0 == (flow.arrivals ?? 0) - (flow.lost ?? 0) } ?? true
      })
    #expect(insights.cohorts.reduce(0) { $0 + $1.size } == came)
    for cohort in insights.cohorts {
      let known = cohort.retained.compactMap(\.self)
      #expect(known.allSatisfy { $0 <= cohort.size } && zip(known, known.dropFirst()).allSatisfy { $0 >= $1 })
    }
  }

  /// Names are untrusted.
  @Test func namesAreEscapedInEveryFormat() throws {
    let hostile = "<script>alert(1)</script>\u{202E}\u{1B}[2J\"'&|`"
    let report = try whole(named: hostile).report
    for text in [report.html(), report.svg()] {
      #expect(!text.contains("<script") && !text.contains("\u{1B}") && !text.contains("\u{202E}"))
    }
    let markdown = report.markdown()
    #expect(!markdown.contains("<script") && !markdown.contains("\u{1B}"))
  }

  /// Other people's clocks may show 1970, 2100 or nonsense.
  @Test(arguments: [0, 4_102_444_800_000_000, .min, .max] as [Instant])
  func implausibleDatesDoNoHarm(moment: Instant) throws {
    let members = [
      Membership(arrival: .init(after: nil, by: now - day), claimed: moment),
      Membership(arrival: .init(after: now - day, by: now), claimed: moment),
      Membership(
        arrival: .init(after: nil, by: now - day), departure: .init(after: nil, by: now), claimed: moment),
    ]
    let counts = [Sample<Int>(at: now - day, 2), Sample<Int>(at: now, 2)]
    var insights = try empty()
    insights.growth = GrowthCurve(members, counts: counts)
    insights.flows = AudienceFlow.flows(of: members, counts: counts, by: .month)
    insights.cohorts = Cohort.cohorts(of: members, by: .month, snapshots: now - day...now)
    insights.engagement = Engagement(
      of: (0..<20).map { _ in
        PostFigures(at: moment, kinds: .text, likes: 1, reposts: 0, replies: 0, quotes: 0, followers: 3)
      })
    insights.activity = Composition(of: [AgeClass(of: moment, now: now)])
    insights.followBack = FollowBackTimes(follows: [try account(1): moment], followers: [try account(1): now])
    insights.blocks = BlockTimeline(
      own: ListingHistory(members, counts: counts),
      blockers: .index([moment], losses: [.init(after: moment, by: moment), .init(after: nil, by: now)]),
      audience: ListingHistory(members, counts: counts), by: .day, clock: .utc, in: insights.time)
    #expect(insights.growth?.survivors.isEmpty == true && insights.flows.count <= 2)
    #expect(insights.report.html().utf8.count < 200_000 && !insights.figures.isEmpty)
  }
}
