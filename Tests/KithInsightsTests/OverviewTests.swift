// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Cards, goals and parts of an audience, computed by hand.
@Suite struct OverviewTests {
  @Test func changesCompareWithTheStartAndThePeriodBefore() throws {
    let counts = try [
      ("2025-12-31", 100), ("2026-01-08", 130), ("2026-01-15", 125), ("2026-01-20", 140),
    ].map { Sample<Int>(at: try at($0.0), $0.1) }
    let week = try at("2026-01-08")..<at("2026-01-15") + 1
    let trend = try #require(Trend(of: counts.reversed(), in: week))
    #expect(trend.value == 125 && trend.change == -5 && trend.changeBefore == 30)
    #expect(try trend.since == at("2026-01-08"))
    // The closest count has its own date; the range before is too far from any.
    let first = try #require(Trend(of: counts, in: try at("2025-12-20")..<at("2026-01-10")))
    #expect(first.value == 130 && first.change == 30 && first.changeBefore == nil)
    #expect(try first.since == at("2025-12-31"))
    let late = try #require(Trend(of: counts, in: try at("2026-02-20")..<at("2026-02-27")))
    #expect(try late.value == 140 && late.change == 15 && late.since == at("2026-01-15"))
    let only = try #require(Trend(of: [counts[0]], in: week))
    #expect(only.value == 100 && only.change == nil && only.since == nil)
    #expect(Trend(of: counts, in: try at("2025-01-01")..<at("2025-12-31")) == nil)
    #expect(Trend(of: [], in: week) == nil)
    let extreme = [Sample<Int>(at: .min, .min), Sample<Int>(at: .max - 1, .max)]
    #expect(Trend(of: extreme, in: .min ..< .max)?.value == .max)
  }

  /// Two counts of one morning show no growth, and an older one shows more than they do.
  @Test func aChangeIsOneSinceHalfADayOrLonger() throws {
    let month = try at("2026-10-29T10:00")..<at("2026-11-28T10:00") + 1
    let morning = try [("2026-11-28T07:00", 258), ("2026-11-28T10:00", 271)].map {
      Sample<Int>(at: try at($0.0), $0.1)
    }
    let first = try #require(Trend(of: morning, in: month))
    #expect(first.value == 271 && first.change == nil && first.since == nil)
    #expect(try first.firstAt == at("2026-11-28T07:00"))
    let yearAgo = [Sample<Int>(at: try at("2025-11-28T10:00"), 200)]
    let later = try #require(Trend(of: yearAgo + morning, in: month))
    #expect(later.change == 71 && later.since == yearAgo[0].at && later.firstAt == yearAgo[0].at)
    // In a range of four hours, three hours are more than half of it.
    let hours = try at("2026-11-28T06:00")..<at("2026-11-28T10:00") + 1
    #expect(Trend(of: morning, in: hours)?.change == 13)
  }

  @Test func theChangeBeforeHasItsOwnTime() throws {
    let counts = try [("2026-01-01", 100), ("2026-01-07", 110), ("2026-01-15", 125)].map {
      Sample<Int>(at: try at($0.0), $0.1)
    }
    let trend = try #require(Trend(of: counts, in: try at("2026-01-08")..<at("2026-01-15") + 1))
    #expect(trend.change == 15 && trend.changeBefore == 10)
    #expect(try trend.since == at("2026-01-07") && trend.sinceBefore == at("2026-01-01"))
  }

  @Test func ratiosNeedAFollow() throws {
    let time = try at("2026-01-01")..<at("2026-01-02")
    func trend(_ count: Int) -> Trend? { Trend(of: [.init(at: time.lowerBound, count)], in: time) }
    var overview = Overview()
    (overview.followers, overview.follows, overview.mutuals) = (trend(300), trend(120), 30)
    #expect(overview.ratio == 2.5 && overview.mutualRate == 0.25)
    overview.follows = trend(0)
    #expect(overview.ratio == nil && overview.mutualRate == nil)
  }

  @Test func progressIsTheCompletedShare() {
    let none = Forecast.result(of: [])
    #expect(GoalProgress(1_000, from: 200, now: 400, forecast: none).share == 0.25)
    #expect(GoalProgress(1_000, from: 200, now: 100, forecast: none).share == 0)
    let reached = GoalProgress(1_000, from: 200, now: 1_001, forecast: none)
    #expect(reached.isReached && reached.share == 1 && reached.outlook == .reached)
    #expect(GoalProgress(.max, from: .min, now: 0, forecast: none).share == 0.5)
  }

  /// Why there is no expected date is part of the progress.
  @Test func aGoalSaysWhatIsKnownOfItsTime() throws {
    let none = GoalProgress(1_000, from: 200, now: 400, forecast: Forecast.result(of: []))
    #expect(none.outlook == .noForecast(.tooShort(days: 0, weeks: 0)) && none.outlook.name == "too-short")
    let steady = (0..<60).map { Sample<Int>(at: .epoch + .days(20_000 + $0), 1_000 + 10 * $0) }
    let forecast = Forecast.result(of: steady)
    let near = GoalProgress(1_650, from: 1_000, now: 1_590, forecast: forecast)
    #expect(near.outlook == near.expected.map { .expected($0) } && near.outlook.name == "expected")
    let far = GoalProgress(90_000, from: 1_000, now: 1_590, forecast: forecast)
    let end = try forecast.get().end
    #expect(far.outlook == .notBy(end) && far.expected == nil && end == .epoch + .days(20_059 + 365))
    #expect(far.outlook.name == "not-within-forecast")
  }

  @Test func partsAddUpAndUnknownsAreSeparate() throws {
    let parts = Composition(of: ["de", "en", nil, "en", "en", "de", "ja", nil])
    #expect(parts.parts.map(\.key) == ["en", "de", "ja"] && parts.parts.map(\.count) == [3, 2, 1])
    #expect(parts.known == 6 && parts.unknown == 2)
    #expect(abs(parts.parts.reduce(0) { $0 + $1.share.value } - 1) < 1e-12)
    #expect(parts == Composition(of: [nil, "ja", "de", "en", "en", nil, "de", "en"]))
    #expect(Composition<String>(of: []).parts.isEmpty)
  }

  @Test func agesAreClassifiedByWholeDays() throws {
    let now = try at("2026-11-24")
    for (date, age) in [
      ("2026-11-23", AgeClass.week), ("2026-11-17", .month), ("2026-10-25", .quarter),
      ("2026-08-26", .year), ("2025-11-24", .older), ("2100-01-01", .week),
    ] {
      #expect(AgeClass(of: try at(date), now: now) == age, "\(date)")
    }
    #expect(AgeClass(of: .min, now: now) == .older && AgeClass(of: .max, now: .min) == .week)
  }

  @Test func theDomainOfAHandleFollowsItsFirstLabel() {
    #expect(HandleDomain(of: "alice.bsky.social").description == "bsky.social")
    #expect(HandleDomain(of: "example.com") == HandleDomain(of: "other.org"))
    #expect(HandleDomain(of: "a.b.example.co.uk").description == "b.example.co.uk")
    #expect(HandleDomain(of: "") == HandleDomain(of: "other.org"))
  }

  @Test func topAccountsAreSortedAndHaveIntervals() throws {
    let dids = try (0..<4).map { try #require(DID("did:plc:account\($0)")) }
    let top = TopAccounts.byFollowers([dids[0]: 5, dids[1]: 9, dids[2]: 5, dids[3]: 1], most: 3)
    #expect(top.entries.map(\.account) == [dids[1], dids[0], dids[2]] && top.candidates == 4)
    let influence = TopAccounts.byInfluence([dids[0]: (3, 10), dids[1]: (0, 0), dids[2]: (9, 10)], most: 5)
    #expect(influence.entries.map(\.account) == [dids[2], dids[0]])
    #expect(influence.entries.map(\.estimate?.sampleSize) == [10, 10])
    var fan = Interactions()
    (fan.likes, fan.quotes) = (2, 1)
    let fans = TopAccounts.byInteractions([dids[0]: fan, dids[1]: Interactions()], most: 5)
    #expect(fans.entries.map(\.value) == [3])
    #expect(TopAccounts.byFollowers([dids[0]: 1], most: -1).entries.isEmpty)
  }

  @Test func equalTopAccountsAreSortedByDID() throws {
    let dids = try (0..<60).map { try account($0) }
    let top = TopAccounts.byFollowers(Dictionary(uniqueKeysWithValues: dids.map { ($0, 7) }), most: 20)
    #expect(top.entries.map(\.account) == Array(dids.sorted { $0.description < $1.description }.prefix(20)))
  }
}

/// Which traits make an account a likely bot, and which do not.
@Suite struct BotSignTests {
  private let now: Instant = 1_800_000_000_000_000
  private let day: Int64 = 86_400_000_000

  private func signs(_ change: (inout AccountTraits) -> Void) -> [String] {
    var traits = AccountTraits()
    change(&traits)
    return BotSign.signs(of: traits, now: now).map(\.rule)
  }

  @Test func unknownTraitsAreNotSigns() {
    #expect(signs { _ in }.isEmpty && !BotSign.areEnough([]))
  }

  @Test func eachRuleAppliesFromItsThreshold() {
    #expect(signs { ($0.follows, $0.followers) = (2_000, 39) } == ["follows-many"])
    #expect(signs { ($0.follows, $0.followers) = (2_000, 40) }.isEmpty)
    #expect(signs { ($0.follows, $0.followers) = (1_999, 0) }.isEmpty)
    // 2,049 / 50 is more than 40.
    #expect(signs { ($0.follows, $0.followers) = (2_049, 40) } == ["follows-many"])
    #expect(signs { ($0.follows, $0.followers) = (2_049, 41) }.isEmpty)
    #expect(signs { ($0.follows, $0.followers) = (.max, .max) }.isEmpty)
    #expect(signs { ($0.createdAt, $0.follows) = (now - 7 * day, 300) } == ["young-and-busy"])
    #expect(signs { ($0.createdAt, $0.follows) = (now - 8 * day, 300) }.isEmpty)
    #expect(signs { ($0.createdAt, $0.posts) = (now - 10 * day, 1_000) } == ["posts-without-end"])
    #expect(signs { ($0.createdAt, $0.posts) = (now - 10 * day, 999) }.isEmpty)
    #expect(signs { $0.lacksNames = true } == ["nameless"])
    // A wrong clock is not a sign.
    #expect(signs { ($0.createdAt, $0.follows) = (now + day, 300) }.isEmpty)
  }

  @Test func clockworkDependsOnlyOnTheIntervals() {
    let regular = (0..<10).map { now - Int64($0) * 3_600_000_000 }
    #expect(signs { $0.recentPosts = regular.shuffled() } == ["clockwork"])
    #expect(signs { $0.recentPosts = Array(regular.dropLast()) }.isEmpty)
    #expect(signs { $0.recentPosts = (0..<10).map { now - Int64($0 * $0) * 3_600_000_000 } }.isEmpty)
    #expect(signs { $0.recentPosts = Array(repeating: now, count: 20) }.isEmpty)
  }

  @Test func aLabelIsEnoughAndOneOtherSignIsNot() throws {
    let labeler = try #require(DID("did:plc:labeler"))
    var traits = AccountTraits()
    traits.labels = [AccountLabel("Spam", by: labeler), AccountLabel("porn", by: labeler)]
    let signs = BotSign.signs(of: traits, now: now)
    #expect(signs == [.label(AccountLabel("Spam", by: labeler))] && BotSign.areEnough(signs))
    #expect(!BotSign.areEnough([.nameless]))
    #expect(BotSign.areEnough([.nameless, .youngAndBusy(days: 1, follows: 400)]))
  }
}

/// Block waves, and growth around them.
@Suite struct BlockWaveTests {
  private let day: Int64 = 86_400_000_000

  /// Sixty days, all covered by snapshots; ten accounts come per day, and thirty leave per day during a
  /// wave.
  private func flows(lossesOn days: Range<Int>) -> [AudienceFlow] {
    let start = Instant.epoch + .days(20_000)
    var memberships: [Membership] = []
    for index in 0..<60 {
      let noon = start + Int64(index) * day + day / 2
      for _ in 0..<10 { memberships.append(Membership(arrival: .init(after: noon - 9, by: noon))) }
      guard days.contains(index) else { continue }
      for _ in 0..<30 {
        memberships.append(
          Membership(arrival: .init(after: nil, by: start), departure: .init(after: noon - 9, by: noon)))
      }
    }
    let counts = (0...60).map { Sample<Int>(at: start + Int64($0) * day, 900) }
    return AudienceFlow.flows(of: memberships, counts: counts, by: .day)
  }

  @Test func aWaveIsFoundWithTheGrowthAroundIt() throws {
    let start = Instant.epoch + .days(20_000)
    var blocks = (0..<30).map { start + Int64($0) * 2 * day + 5 }
    for index in [30, 31, 33] {
      for number in 0..<20 { blocks.append(start + Int64(index) * day + Int64(number)) }
    }
    let waves = BlockWave.waves(of: blocks.shuffled(), flows: flows(lossesOn: 30..<34))
    let wave = try #require(waves.first)
    #expect(waves.count == 1)
    #expect(wave.time == start + 30 * day..<start + 34 * day && wave.blocks == 62)
    #expect(wave.netBefore == 10 && wave.netMeanwhile == -20 && wave.netAfter == 10)
    // Twenty-eight blocks on the 56 other days; the quiet day inside the wave belongs to it.
    #expect(wave.usual == 28.0 / 56)
  }

  /// Two quiet days between them end a wave, one does not.
  @Test func wavesThreeDaysApartAreTwo() throws {
    let start = Instant.epoch + .days(20_000)
    func waves(_ days: [Int64]) -> [Int] {
      let quiet = (0..<60).map { start + $0 * day }
      let blocks = quiet + days.flatMap { number in (0..<20).map { _ in start + number * day + 5 } }
      return BlockWave.waves(of: blocks, flows: []).map(\.blocks)
    }
    #expect(waves([30, 32]) == [43] && waves([30, 33]) == [21, 21])
  }

  /// Days that snapshots do not cover wholly say nothing about growth.
  @Test func growthOfPartlyCoveredDaysIsLeftOut() throws {
    let start = Instant.epoch + .days(20_000)
    // The first snapshot is at noon of the twentieth day: on this day two had come, and afterwards ten a day.
    let noon = start + 20 * day + day / 2
    var memberships = (1...2).map { Membership(arrival: .init(after: nil, by: noon), claimed: noon - $0) }
    for number in 21...40 {
      let moment = start + Int64(number) * day + day / 2
      memberships += (0..<10).map { _ in Membership(arrival: .init(after: moment - 9, by: moment)) }
    }
    let counts = (20...40).map { Sample<Int>(at: start + Int64($0) * day + day / 2, 100) }
    let flows = AudienceFlow.flows(of: memberships, counts: counts, by: .day)
    #expect(flows.first?.coverage == .survivors && flows.first?.arrivals == 2 && flows.first?.net == nil)
    let blocks = (0..<20).map { start + 28 * day + Int64($0) } + [start + 20 * day, start + 39 * day]
    let wave = try #require(BlockWave.waves(of: blocks, flows: flows).first)
    #expect(wave.netBefore == 10 && wave.netMeanwhile == 10 && wave.netAfter == 10)
  }

  @Test func aSteadyNumberIsNotAWave() {
    let start = Instant.epoch + .days(20_000)
    let blocks = (0..<400).map { start + Int64($0 / 8) * day }
    #expect(BlockWave.waves(of: blocks, flows: []).isEmpty)
    #expect(BlockWave.waves(of: [Instant](), flows: []).isEmpty)
    #expect(BlockWave.waves(of: [0, .max], flows: []).isEmpty)
  }

  /// Before the first snapshot blocks were not visible, so those days do not make other days unusual.
  @Test func daysBeforeTheFirstSnapshotAreNotQuietDays() {
    let start = Instant.epoch + .days(20_000)
    let memberships = (0..<400).map {
      Membership(arrival: .init(after: nil, by: start), claimed: start - Int64($0) * day)
    }
    let counts = [Sample<Int>(at: start, 400), Sample<Int>(at: start + 20 * day, 400)]
    let flows = AudienceFlow.flows(of: memberships, counts: counts, by: .day)
    let blocks = (0..<20).flatMap { index in (0..<6).map { _ in start + Int64(index) * day + 5 } }
    #expect(flows.count >= 400 && BlockWave.waves(of: blocks, flows: flows).isEmpty)
  }

  @Test func growthWithoutSnapshotsIsUnknown() throws {
    let blocks = Array(repeating: 5 as Instant, count: 9) + [Instant(10 * day)]
    let wave = try #require(BlockWave.waves(of: blocks, flows: []).first)
    #expect(wave.blocks == 9 && wave.usual == 0.1)
    #expect(wave.netBefore == nil && wave.netMeanwhile == nil && wave.netAfter == nil)
  }
}
