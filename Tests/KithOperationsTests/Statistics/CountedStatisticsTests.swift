// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// What the count of a profile says, what listings say, and when each of them was read.
@Suite struct CountedStatisticsTests {
  private func followers(of user: ServedUser) async throws -> [DID] {
    let listing = ListAccounts(ListingQuery(.followers(of: try user.actor("alice"))))
    return try await user.run(listing).rows.map(\.view.account)
  }

  /// Insights as a page has them.
  private func insights(
    of user: ServedUser, _ metrics: Set<InsightMetric> = [.cards, .flow],
    _ change: (inout ComputeStatistics) -> Void = { _ in }
  ) async throws -> (insights: AccountInsights, notes: [String]) {
    let run = try await user.statistics(metrics) { request in
      request.wantsRows = false
      change(&request)
    }
    #expect(run.outcome.failure == nil)
    return (run.outcome.insights, run.notes.map(\.code))
  }

  // MARK: Listings

  /// Three followers are blocked and shown again: no follower left, and none came.
  @Test func followersThatAnOwnBlockHidesDidNotLeave() async throws {
    let user = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    let known = try await followers(of: user).prefix(3)
    func look() async throws -> AudienceChanges.Totals {
      try await user.network.clock.sleep(for: .days(2))
      try await user.takeSnapshots(sides: [.followers])
      return try #require(try await insights(of: user).insights.changes).totals
    }
    try await user.takeSnapshots(sides: [.followers])
    try await user.change(known.map { .block($0) })
    let hidden = try await look()
    #expect([hidden.came, hidden.left, hidden.hidden, hidden.shown] == [0, 0, 3, 0])
    try await user.change(known.map { .unblock($0) })
    let shown = try await look()
    #expect([shown.came, shown.left, shown.hidden, shown.shown] == [0, 0, 3, 3])
    let headline = try await insights(of: user).insights.report.headline ?? ""
    #expect(headline.contains("No follower came or left") && !headline.contains("3 left"))
  }

  /// A new follower after this morning's snapshot changes the count. The report says since when followers were not
  /// listed, and a new snapshot names the follower.
  @Test func aCountThatHasChangedSinceTheSnapshotSaysSoUntilItIsRepeated() async throws {
    let network = FaultyNetwork(.reference, accounts: 400)
    let user = try await ServedUser(nil, on: network)
    let first = try await insights(of: user)
    #expect(first.insights.changeSinceListing == nil && !first.notes.contains("listingOld"))
    let known = Set(try await followers(of: user))
    let names = ["carol", "dave", "erin", "heidi", "ivan", "judy", "niaj"]
    let stranger = try #require(try names.first { try !known.contains(network.did($0)) })
    try await network.clock.sleep(for: .seconds(3_600))
    try await ServedUser(stranger, on: network).change(.follow(try network.did("alice")))

    let second = try await insights(of: user)
    #expect(second.insights.changeSinceListing == 1 && second.notes.contains("listingOld"))
    #expect(second.insights.report.headline?.contains("Followers were last listed on") == true)
    // Not looked is not "none".
    #expect(second.insights.changes == nil)
    #expect(second.insights.sections(.flow).first?.paragraphs.first?.hasPrefix("Not known yet") == true)

    let third = try await insights(of: user) { $0.refreshes = true }
    #expect(third.insights.changeSinceListing == nil && !third.notes.contains("listingOld"))
    #expect(third.insights.changes?.totals.came == 1)
    #expect(third.insights.changes?.came.map(\.account.did) == [try network.did(stranger)])
  }

  /// A plan is an upper bound for new snapshots as well, also of metrics that need none.
  @Test(arguments: [InsightMetric.goal, .flow, .cards])
  func newSnapshotsCostAtMostTheirPlan(metric: InsightMetric) async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    var request = ComputeStatistics(of: try user.did("alice"), [metric])
    request.refreshes = true
    let plan = try await request.cost(in: user.workspace()) { _ in }
    for _ in 1...2 {
      let run = try await user.run(request)
      #expect(run.callCount <= plan.steps.compactMap(\.calls).reduce(0, +))
      // Other runs reuse a snapshot of this day.
      #expect(run.calls["app.bsky.graph.getFollowers"] ?? 0 > 0)
    }
  }

  // MARK: Counts

  /// Charts of followers have the line of the goal; rows of growth are the same as without it.
  @Test func growthHasTheGoal() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    try await user.takeSnapshots(sides: [.followers])
    let before = try await user.figures([.growth]) { $0.isStored = true }
    let goal = FollowerGoal(5_000, from: 1, since: 0)
    try await user.workspace().history().set(goal, of: user.did("alice"))
    for metric in [InsightMetric.growth, .forecast] {
      let run = try await user.statistics([metric]) { $0.isStored = true }
      #expect(run.outcome.insights.goal?.goal == 5_000)
      if metric == .growth { #expect(run.figures == before) }
    }
    #expect(try await user.statistics([.cards]) { $0.isStored = true }.outcome.insights.goal == nil)
  }

  /// One night the AppView is empty, and the snapshot of that night knows it.
  @Test func aCountInDoubtIsNotUsed() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    let (alice, history) = (try user.did("alice"), try user.workspace().history())
    try await user.takeSnapshots(sides: [.followers])
    func count(_ followers: Int, isDoubted: Bool = false) async throws {
      try await user.network.clock.sleep(for: .days(1))
      let counts = AccountView.Counts(followers: followers, follows: 100, posts: 10)
      try await history.record(
        CountSample(at: user.network.time.instant, counts, isDoubted: isDoubted), of: alice)
    }
    for day in 1...34 { try await count(1_000 + day * 2, isDoubted: false) }
    let before = try await user.figures([.forecast, .cards]) { $0.isStored = true }
    try await count(0, isDoubted: true)
    let run = try await user.statistics([.growth, .forecast, .cards, .goal]) { $0.isStored = true }
    #expect(run.notes.map(\.code).contains("countsDoubted"))
    #expect(run.figures.allSatisfy { $0.key != "followers" || $0.value != 0 })
    #expect(run.figures.values(.cards)["followers"] == 1_068)
    #expect(run.figures.filter { $0.metric == .forecast } == before.filter { $0.metric == .forecast })
    #expect(before.contains { $0.key == "expected-80" })
    // The next count is not in doubt.
    try await count(1_072)
    let later = try await user.statistics([.growth]) { $0.isStored = true }
    #expect(!later.notes.map(\.code).contains("countsDoubted"))
    #expect(later.figures.allSatisfy { $0.key != "followers" || $0.value != 0 })
    #expect(later.figures.filter { $0.note == "counted" }.last?.value == 1_072)
  }

  /// What was counted before stays what was counted, and what was listed does not stand for it.
  @Test func prunedCountsAreThoseOfTheSnapshots() async throws {
    let network = FaultyNetwork(.reference, accounts: 400, days: 8)
    let user = try await ServedUser(nil, on: network)
    for day in 0...8 {
      if day > 0 { try await network.passDay() }
      try await user.takeSnapshots(sides: [.followers])
    }
    func counted() async throws -> [Figure] {
      try await user.figures([.growth]) { $0.isStored = true }.filter { $0.note == "counted" }
    }
    let before = try await counted()
    let change = try await user.figures([.cards]) { $0.isStored = true }.values(.cards)["followers-change"]
    _ = try await user.workspace().history().prune(before: network.time.instant - .days(2))
    let after = try await counted()
    #expect(before.count == 9 && after.map(\.value) == before.map(\.value))
    let apart = zip(before, after).compactMap { one, other in
      one.to.flatMap { one in other.to.map { $0 - one } }
    }
    #expect(apart.count == 9 && apart.allSatisfy { (.seconds(-60) ... .seconds(60)).contains($0) })
    let cards = try await user.figures([.cards]) { $0.isStored = true }
    #expect(cards.values(.cards)["followers-change"] == change && change != nil)
  }

  /// Two counts by a clock that was 400 days behind are not the first ones ever.
  @Test func countsOfAWrongClockAreNotTheStartOfAChange() async throws {
    let network = FaultyNetwork(.reference, accounts: 400, days: 9)
    let user = try await ServedUser(nil, on: network)
    let began = network.time.instant
    for day in 0...9 {
      if day > 0 { try await network.passDay() }
      network.setClock(wrongBy: day == 4 || day == 5 ? .days(-400) : .zero)
      try await user.takeSnapshots(sides: [.followers])
      network.setClock(wrongBy: .zero)
    }
    let figures = try await user.figures([.cards, .growth]) { request in
      (request.isStored, request.period, request.showsWholeGrowth) = (true, .last(.days(365)), false)
    }
    let change = try #require(figures.first { $0.key == "followers-change" })
    #expect(change.from.map { $0 >= began } == true)
    let counted = figures.filter { $0.note == "counted" }
    #expect(counted.count == 8 && counted.allSatisfy { $0.to.map { $0 >= began } == true })
  }
}
