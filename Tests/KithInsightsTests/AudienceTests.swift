// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Growth, flows and cohorts of a small audience, computed by hand, and of random ones.
@Suite struct AudienceTests {
  /// Snapshots on 1, 11 and 21 March; two accounts came before the first one, one of them without a date.
  private func story() throws -> (memberships: [Membership], counts: [Sample<Int>]) {
    let (first, second, third) = (try at("2026-03-01"), try at("2026-03-11"), try at("2026-03-21"))
    let memberships = [
      Membership(arrival: .init(after: nil, by: first), claimed: try at("2026-01-20")),
      Membership(
        arrival: .init(after: nil, by: first), departure: .init(after: first, by: second),
        claimed: try at("2026-01-31")),
      Membership(arrival: .init(after: nil, by: first)),
      Membership(arrival: .init(after: first, by: second), claimed: try at("2026-03-05")),
      // The record is older than the snapshot without the account.
      Membership(arrival: .init(after: first, by: second), claimed: try at("2025-01-01")),
      Membership(arrival: .init(after: second, by: third), isReturn: true),
    ]
    return (memberships, [.init(at: third, 5), .init(at: first, 3), .init(at: second, 4)])
  }

  @Test func aClaimedDateIsUsedIfTheSnapshotsAgree() throws {
    let memberships = try story().memberships
    #expect(
      try memberships.map(\.arrivedAt) == [
        at("2026-01-20"), at("2026-01-31"), nil, at("2026-03-05"), at("2026-03-11"), at("2026-03-21"),
      ])
    for claimed in try [at("1970-01-02"), at("2100-01-01"), .min, .max] {
      let member = Membership(arrival: .init(after: nil, by: try at("2026-03-01")), claimed: claimed)
      #expect(member.arrivedAt == nil)
    }
  }

  @Test func survivorsEndWhereCountsBegin() throws {
    let (memberships, counts) = try story()
    let curve = GrowthCurve(memberships, counts: counts, by: .month)
    #expect(try curve.seam == at("2026-03-01") && curve.undated == 1)
    #expect(try curve.survivors == [.init(at: at("2026-01-31"), 2)])
    #expect(curve.counts.map(\.value) == [3, 4, 5])
    #expect(GrowthCurve(memberships, counts: counts).survivors.map(\.value) == [1, 2])
    let nothing = GrowthCurve([], counts: [])
    #expect(nothing.seam == nil && nothing.survivors.isEmpty && nothing.counts.isEmpty)
  }

  /// Four of ten have dates: a quarter of these had come by January, all by February.
  @Test func aSampleOfSurvivorsIsExtrapolated() throws {
    let first = try at("2026-03-01")
    let dates = ["2026-01-10", "2026-02-03", "2026-02-04", "2026-02-20"]
    let asked = try dates.map { Membership(arrival: .init(after: nil, by: first), claimed: try at($0)) }
    let others = (0..<6).map { _ in Membership(arrival: .init(after: nil, by: first), isSampled: false) }
    let counts = [Sample<Int>(at: first, 10)]
    let curve = GrowthCurve(asked + others, counts: counts, by: .month)
    #expect(curve.survivors.map(\.value) == [3, 10] && curve.sampleSize == 4 && curve.undated == 6)
    #expect(curve.survivorBounds.count == 2)
    #expect(zip(curve.survivors, curve.survivorBounds).allSatisfy { $1.contains(Double($0.value)) })
    // If all were asked, or all have dates, they are counts: those without a date are not a random rest.
    let left = (0..<6).map { _ in Membership(arrival: .init(after: nil, by: first)) }
    #expect(GrowthCurve(asked + left, counts: counts, by: .month).survivors.map(\.value) == [1, 4])
    let whole = GrowthCurve(asked, counts: counts, by: .month)
    #expect(
      whole.survivors.map(\.value) == [1, 4] && whole.survivorBounds.isEmpty && whole.sampleSize == nil)
  }

  /// Accounts of the sample that left before they were asked may have come at any time.
  @Test func missingDatesWidenTheBoundsOfASample() throws {
    let first = try at("2026-03-01")
    func members(_ count: Int, claimed: Instant? = nil, isSampled: Bool = true) -> [Membership] {
      (0..<count).map { _ in
        Membership(arrival: .init(after: nil, by: first), claimed: claimed, isSampled: isSampled)
      }
    }
    let dated = members(30, claimed: try at("2026-01-10")) + members(30, claimed: try at("2026-02-10"))
    let others = members(100, isSampled: false)
    let counts = [Sample<Int>(at: first, 180)]
    let fair = GrowthCurve(dated + others, counts: counts, by: .month)
    let unfair = GrowthCurve(dated + members(20) + others, counts: counts, by: .month)
    #expect(fair.survivors.map(\.value) == [80, 160] && unfair.survivors.map(\.value) == [90, 180])
    #expect(unfair.sampleSize == 60 && unfair.undated == 120)
    // As if none of the twenty had come by January, and as if all had.
    let low = try #require(Estimate.share(30, of: 80)).interval.lowerBound * 180
    let high = try #require(Estimate.share(50, of: 80)).interval.upperBound * 180
    #expect(unfair.survivorBounds.first == low...high)
  }

  @Test func aPartOfACurveBeginsWithTheCountAtItsStart() throws {
    let (memberships, counts) = try story()
    let curve = GrowthCurve(memberships, counts: counts)
    let february = try at("2026-02-10")..<at("2026-03-15")
    let part = curve.during(february)
    #expect(part.survivors == [.init(at: february.lowerBound, 2)] && part.counts.map(\.value) == [3, 4])
    let later = curve.during(try at("2026-03-05")..<at("2026-04-01"))
    #expect(later.survivors.isEmpty && later.counts.map(\.value) == [4, 5] && later.seam == curve.seam)
  }

  /// 230 are listed, and the profile counts 258: no curve goes from one number to the other.
  @Test func listedNumbersAndCountsAreNotMixed() throws {
    let day: Int64 = 86_400_000_000
    let first = try at("2026-11-01")
    let listed = (0..<24).map { Sample<Int>(at: first + Int64($0) * day, 230) }
    let profile = listed.suffix(7).map { Sample<Int>(at: $0.at - 9, 258) }
    let history = ListingHistory([Membership](), counts: listed)
    let curve = GrowthCurve(history, profile: profile.reversed())
    #expect(curve.counts == profile && curve.measure == .counted)
    // Without any count, those of the listing are all there is.
    let unknown = GrowthCurve(history)
    #expect(unknown.counts == listed && unknown.measure == .listed && unknown.unlisted == 0)
    // A count from before the first snapshot is a count as well.
    let early = [Sample<Int>(at: first - day, 257)]
    #expect(GrowthCurve(history, profile: early + profile).counts == early + profile)
  }

  /// In a long gap, the last count says little.
  @Test func anOldCountSaysThatItIsOld() throws {
    let (memberships, counts) = try story()
    let curve = GrowthCurve(memberships, counts: counts)
    func sample(_ day: String) throws -> (value: Int, isOld: Bool)? {
      curve.sample(at: try at(day)).map { ($0.sample.value, $0.isOld) }
    }
    let (near, far, before) = (try sample("2026-04-04"), try sample("2026-06-01"), try sample("2026-02-27"))
    #expect(near?.value == 5 && near?.isOld == false && far?.value == 5 && far?.isOld == true)
    // Survivors are known for each day.
    #expect(before?.value == 2 && before?.isOld == false)
  }

  @Test func aCurveFromTheFirstCountNeedsTwoWeeksOfCounts() throws {
    let (memberships, counts) = try story()
    let whole = GrowthCurve(memberships, counts: counts).fromFirstCount
    #expect(whole.survivors.isEmpty && whole.counts.count == 3)
    let short = GrowthCurve(memberships, counts: Array(counts.sorted { $0.at < $1.at }.prefix(2)))
    #expect(short.fromFirstCount == short && !short.survivors.isEmpty)
  }

  @Test func theCountAtATimeIsTheLastOneBefore() throws {
    let (memberships, counts) = try story()
    let curve = GrowthCurve(memberships, counts: counts)
    #expect(try curve.count(at: at("2026-01-01")) == nil && curve.count(at: at("2026-02-15")) == 2)
    #expect(try curve.count(at: at("2026-03-01")) == 3 && curve.count(at: at("2026-03-12")) == 4)
    #expect(curve.count(at: .max) == 5 && curve.count(at: .min) == nil)
  }

  @Test func flowsReportTheirCoverage() throws {
    let (memberships, counts) = try story()
    let flows = AudienceFlow.flows(of: memberships, counts: counts, by: .month)
    #expect(flows.map(\.name) == ["2026-01", "2026-02", "2026-03"])
    #expect(flows.map(\.coverage) == [.survivors, .survivors, .partial])
    #expect(flows.map(\.gained) == [2, 0, 2] && flows.map(\.returned) == [0, 0, 1])
    // What was lost before the first snapshot is not known.
    #expect(flows.map(\.lost) == [nil, nil, 1] && flows.map(\.net) == [nil, nil, 2])
    #expect(flows.map(\.countAtStart) == [nil, nil, 3])
    let (nobody, third) = (flows[0].churnRate, flows[2].churnRate)
    #expect(nobody == nil && third == 1.0 / 3)
    #expect(AudienceFlow.flows(of: memberships, counts: [], by: .day).isEmpty)
  }

  /// Ten days between snapshots do not show on which of them an account was lost, nor when it came without a date.
  @Test func theDaysThatAnIntervalSpansAreOneFlow() throws {
    let (memberships, counts) = try story()
    let flows = try AudienceFlow.flows(
      of: memberships, counts: counts, by: .day, in: at("2026-03-10")..<at("2026-03-13"))
    #expect(flows.map(\.name) == ["2026-03-01/2026-03-10", "2026-03-11/2026-03-20"])
    #expect(flows.map(\.coverage) == [.interval, .interval] && flows.map(\.lost) == [1, 0])
    #expect(flows[0].losses?.time == (try at("2026-03-01")..<at("2026-03-11")))
    #expect(flows[0].parts.map(\.gained) == [nil, nil, nil, nil, 1, nil, nil, nil, nil, nil])
    #expect(flows.map(\.undated) == [1, 1] && flows.map(\.arrivals) == [2, 1])
    #expect(flows.map(\.net) == [1, 1] && flows.map(\.countAtStart) == [3, 4])
  }

  @Test func aCohortShrinksAndReportsSurvivors() throws {
    let memberships = try story().memberships
    func cohorts(_ days: [String]) throws -> [Cohort] {
      let counts = try days.map { Sample<Int>(at: try at($0), 0) }
      return Cohort.cohorts(of: ListingHistory(memberships, counts: counts), by: .month)
    }
    let often = try cohorts([
      "2026-03-01", "2026-03-11", "2026-03-21", "2026-04-01", "2026-05-01", "2026-05-15",
    ])
    #expect(often.map(\.period.description) == ["2026-01", "2026-03"])
    #expect(often.map(\.size) == [2, 2] && often.map(\.isOfSurvivors) == [true, false])
    // Of January's two, one remained at the end of March; that both remained in February says nothing, because the
    // first snapshot was taken at its end.
    #expect(often.map(\.retained) == [[nil, nil, 1, 1], [2, 2]])
    // Who came in March and left before May was not seen, and no snapshot was taken at the end of March.
    let seldom = try cohorts(["2026-03-01", "2026-05-15"])
    #expect(seldom.map(\.isOfSurvivors) == [true, true])
    #expect(seldom.map(\.retained) == [[nil, nil, nil, 1], [nil, 1]])
  }

  @Test func followBacksAreMeasuredFromTheFollow() {
    let accounts = (0..<8).map {
      DID("did:plc:\(String(repeating: "a", count: 23))\("abcdefgh".map(String.init)[$0])")
    }
    let people = accounts.compactMap { $0 }
    func hour(_ number: Int64) -> Instant { Instant(secondsSinceEpoch: number * 3_600) }
    let follows: [DID: Instant?] = [
      people[0]: hour(10), people[1]: hour(10), people[2]: hour(10), people[3]: hour(10),
      people[4]: hour(10),
      people[5]: nil,
    ]
    let followers: [DID: Instant?] = [
      people[0]: hour(11), people[1]: hour(12), people[2]: hour(16), people[3]: hour(4),
      people[5]: hour(4),
      people[6]: 3,
    ]
    let times = FollowBackTimes(follows: follows, followers: followers)
    #expect([times.count, times.waiting, times.followedFirst, times.undated] == [3, 1, 1, 1])
    #expect(times.quartiles?.lower == 1.5 * 3_600 && times.quartiles?.median == 2 * 3_600)
    #expect(times.quartiles?.upper == 14_400.0)
    #expect(FollowBackTimes(follows: [:], followers: followers).quartiles == nil)
    #expect(FollowBackTimes(follows: [people[0]: .min], followers: [people[0]: .max]).count == 1)
  }

  /// Random audiences: properties that all figures must have.
  @Test(arguments: 0..<40)
  func countsAddUpForAnyOrderOfMembers(seed: Int) throws {
    var generator = SeededNumbers(seed: UInt64(seed))
    let day: Int64 = 86_400_000_000
    let first = try at("2026-02-03T05:00")
    let snapshots = (0..<Int.random(in: 1...40, using: &generator)).map { first + Int64($0) * day }
    var memberships: [Membership] = []
    for _ in 0..<Int.random(in: 0...300, using: &generator) {
      let arrival = Int.random(in: 0..<snapshots.count, using: &generator)
      let departure = Int.random(in: arrival..<(snapshots.count + 10), using: &generator)
      memberships.append(
        Membership(
          arrival: .init(after: arrival == 0 ? nil : snapshots[arrival - 1], by: snapshots[arrival]),
          departure: departure > arrival && departure < snapshots.count
            ? .init(after: snapshots[departure - 1], by: snapshots[departure]) : nil,
          claimed: Bool.random(using: &generator)
            ? first + Int64.random(in: -900...40, using: &generator) * day : nil))
    }
    let counts = snapshots.map { moment in
      Sample<Int>(
        at: moment,
        memberships.count { $0.arrival.by <= moment && ($0.departure.map { moment < $0.by } ?? true) })
    }
    let unit = try #require(CalendarUnit.allCases.randomElement(using: &generator))
    let flows = AudienceFlow.flows(of: memberships, counts: counts, by: unit)
    let dated = memberships.filter { $0.arrivedAt != nil }
    #expect(flows.reduce(0) { $0 + ($1.arrivals ?? 0) } == dated.count)
    let lost = flows.reduce(0) { $0 + ($1.lost ?? 0) }
    #expect(memberships.count - lost == counts.last?.value)
    let curve = GrowthCurve(memberships, counts: counts, by: unit)
    #expect((curve.survivors.last?.value ?? 0) + curve.undated == counts.first?.value)
    #expect(
      zip(curve.survivors, curve.survivors.dropFirst()).allSatisfy { $0.at < $1.at && $0.value < $1.value })
    let cohorts = Cohort.cohorts(of: ListingHistory(memberships, counts: counts), by: unit)
    #expect(cohorts.reduce(0) { $0 + $1.size } == dated.count)
    for cohort in cohorts {
      let known = cohort.retained.compactMap { $0 }
      #expect(known.allSatisfy { (0...cohort.size).contains($0) } && known == known.sorted(by: >))
    }
    let shuffled = memberships.shuffled(using: &generator)
    #expect(AudienceFlow.flows(of: shuffled, counts: counts.reversed(), by: unit) == flows)
    #expect(GrowthCurve(shuffled, counts: counts.reversed(), by: unit) == curve)
  }
}
