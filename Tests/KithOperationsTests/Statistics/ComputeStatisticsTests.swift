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

/// Statistics from what servers say.
@Suite struct ComputeStatisticsTests {
  /// Tests that change neither network nor time share it.
  private static let network = FaultyNetwork(.reference, accounts: 1_000)
  private static let small = FaultyNetwork(.reference, accounts: 400)

  @Test func growthOfCurrentFollowersStartsAtTheFirstDay() async throws {
    let user = try await ServedUser(nil, on: Self.network)
    let alice = ATIdentifier.did(try user.did("alice"))
    let figures = try await user.figures([.cards, .growth])
    let listed = try await user.run(ListAccounts(ListingQuery(.followers(of: alice)), details: .dates)).rows
    let mutuals = try await user.run(ListAccounts(.mutuals(of: alice))).rows.count
    #expect(
      figures.values(.cards).filter { ["followers", "follows", "mutuals"].contains($0.key) }
        == ["followers": 258, "follows": 125, "mutuals": Double(mutuals)])
    let survivors = figures.filter { $0.note == "survivors" }
    #expect(survivors.count > 50 && survivors.last?.value == Double(listed.count))
    // Each count matches the number of follow dates until then.
    let dates = listed.compactMap { $0.view.since?.instant }
    #expect(
      survivors.dropLast().map(\.value)
        == survivors.dropLast().map { row in row.to.map { end in Double(dates.count { $0 < end }) } })
    #expect(figures.filter { $0.note == "counted" }.map(\.value) == [258])
  }

  @Test func oneIsNotOnesOwnMutual() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    let alice = try user.did("alice")
    let collection = try NSID(parsing: "app.bsky.graph.follow")
    let value: DataValue = [
      "$type": "app.bsky.graph.follow", "subject": .string("\(alice)"),
      "createdAt": "2026-01-01T00:00:00.000Z",
    ]
    #expect(
      user.network.setRecords([try RecordKey(parsing: "3k2yihcrp6f2c"): value], in: collection, of: alice))
    let mutuals = try await user.run(ListAccounts(.mutuals(of: .did(alice)))).rows
    let figures = try await user.figures([.cards, .followBack])
    #expect(figures.values(.cards)["mutuals"] == Double(mutuals.count))
    let unreturned = try await user.run(ListAccounts(.notFollowingBack(.did(alice)))).rows
    #expect(!unreturned.isEmpty && !unreturned.contains { $0.view.account == alice })
    let following = try await user.run(ListAccounts(ListingQuery(.follows(of: .did(alice))))).rows
    #expect(following.contains { $0.view.account == alice })
  }

  /// A plan is an upper bound, for each metric.
  @Test(
    arguments: CaseSample.of(
      [
        InsightMetric.growth, .top, .engagement, .times, .blocks, .audience, .activity, .audienceTimes, .bots,
        .followBack,
      ], one: 2))
  func aMetricCostsAtMostItsPlanAndHasNoFiguresOfOthers(metric: InsightMetric) async throws {
    let user = try await ServedUser(nil, on: Self.small)
    let request = ComputeStatistics(of: try user.did("alice"), [metric])
    let plan = try await request.cost(in: user.workspace()) { _ in }
    let run = try await user.run(request)
    #expect(run.outcome.failure == nil && run.callCount <= plan.steps.compactMap(\.calls).reduce(0, +))
    #expect(run.figures.allSatisfy { $0.metric == metric })
  }

  /// Posts that a block hides are unknown: no account without posts, and no failing service.
  @Test func postsBehindABlockAreMissingAndNotZero() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    user.network.begin(.feedsHidden)
    let own = try await user.statistics(of: "frank", [.engagement])
    #expect(own.outcome.failure == .notAllowed && own.figures.values(.engagement).isEmpty)
    #expect(
      own.notes.contains { note in
        guard case .incomplete(.partMissing(.posts, _), let error) = note else { return false }
        return (error as? RelationshipError)?.code == .hiddenByBlock
      })
    // Of followers it is nothing unusual: their languages are unknown.
    let audience = try await user.statistics([.audience]) { $0.sample = 20 }
    #expect(audience.outcome.failure == nil && audience.notes.isEmpty)
  }

  @Test func followersAreShownByTheirWordsTheirHoursAndWhyTheyAreNotable() async throws {
    let user = try await ServedUser(nil, on: Self.small)
    let figures = try await user.figures([.audience, .audienceTimes, .top]) { $0.sample = 60 }
    let words = figures.filter { $0.key.hasPrefix("word-") }
    #expect(!words.isEmpty && words.allSatisfy { $0.low != nil && $0.unit == .share })
    #expect(figures.count { $0.metric == .audienceTimes } == 24 + 7 + 2)
    #expect(figures.values(.audienceTimes)["accounts"] ?? 0 > 10)
    let notable = figures.filter { $0.key == "notable" }
    #expect(!notable.isEmpty && notable.allSatisfy { $0.account?.handle != nil && $0.note != nil })
  }

  @Test func knownDataIsNotRequestedAgain() async throws {
    let user = try await ServedUser(nil, on: Self.network)
    let grace = ATIdentifier.did(try user.did("grace"))
    let listed = try await user.run(ListAccounts(ListingQuery(.followers(of: grace)))).rows.count
    // A sample gives estimates with bounds; the last estimate is the total. What the snapshot has learned on
    // the way is a sample, too, and larger than the one that is asked for.
    let sampled = try await user.figures(of: "grace", [.growth]) { $0.sample = 60 }
      .filter { $0.note == "survivors" }
    #expect(
      sampled.allSatisfy { $0.low != nil && $0.high != nil } && sampled.last?.value == Double(listed))
    #expect(listed > 300 && sampled.first?.sampleSize == 300)
    // A larger sample continues where this one ended, up to all followers.
    let first = try await user.statistics(of: "grace", [.growth])
    #expect(first.figures.filter { $0.note == "survivors" }.allSatisfy { $0.low == nil })
    // Only the profile is read again.
    let again = try await user.statistics(of: "grace", [.growth])
    let stored = try await user.statistics(of: "grace", [.growth]) { $0.isStored = true }
    #expect([first.callCount > 3, again.callCount <= 1, stored.callCount == 0] == [true, true, true])
    #expect(again.figures == first.figures && stored.figures == first.figures)
  }

  /// Another process may be taking a snapshot; the last one is there.
  @Test func aSnapshotInProgressIsNotWaitedFor() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    _ = try await user.figures([.growth])
    try await user.network.clock.sleep(for: .days(2))
    let store = try user.workspace().history()
    let writer = try await store.begin(HistoryListing(.followers, of: try user.did("alice")), at: 0)
    let run = try await user.statistics([.growth])
    #expect(run.outcome.failure == nil && run.notes.map(\.code) == ["snapshotInProgress"])
    #expect(run.figures.count > 50)
    _ = try await writer.fail("no", at: 1)
    // Without any snapshot there is nothing to show.
    let first = try await store.begin(HistoryListing(.followers, of: try user.did("bob")), at: 0)
    let error = await HistoryError.thrown { try await user.statistics(of: "bob", [.growth]) }
    #expect(error.flatMap { FailureKind($0) } == .tryLater)
    _ = try await first.fail("no", at: 1)
  }

  /// Old numbers do not look like new ones.
  @Test func numbersOfADeadServerAreNamedAndFail() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    let before = try await user.figures([.cards]).values(.cards)["followers"]
    try await user.network.clock.sleep(for: .seconds(43 * 60))
    user.network.begin(.appViewDown)
    let run = try await user.statistics([.cards])
    #expect(run.outcome.failure == .unavailable && run.notes.map(\.code).contains("countsOld"))
    #expect(before != nil && run.figures.values(.cards)["followers"] == before)
  }

  /// What the account changed itself is in the next numbers.
  @Test func ownChangesAreCountedAtOnce() async throws {
    let user = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    let before = try await user.figures([.cards]).values(.cards)["blocks"]
    try await user.network.clock.sleep(for: .seconds(60))
    try await user.change(.block(try user.did("grace")), .block(try user.did("heidi")))
    let after = try await user.figures([.cards]).values(.cards)["blocks"]
    #expect(before != nil && after == before.map { $0 + 2 })
  }

  /// A page shows old snapshots with their time, and takes others only when it is told to.
  @Test func lastSnapshotsCanBeUsedHoweverOldTheyAre() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    try await user.takeSnapshots(sides: [.followers, .follows])
    try await user.network.clock.sleep(for: .days(9))
    let count = try await user.run(ListSnapshots(of: try user.did("alice"))).rows.count
    let run = try await user.statistics([.top]) { request in
      (request.usesLastSnapshots, request.sample) = (true, 60)
    }
    #expect(run.outcome.failure == nil)
    #expect(try await user.run(ListSnapshots(of: try user.did("alice"))).rows.count == count)
    let top = run.outcome.insights.top
    let mutuals = try await user.run(ListAccounts(.mutuals(of: .did(try user.did("alice"))))).rows
    // Of those that were examined.
    #expect((1...mutuals.count).contains(top.mutuals?.candidates ?? 0), "\(mutuals.count)")
    let named = try #require(top.mutuals?.entries.map(\.account))
    #expect(Set(named).isSubset(of: mutuals.map(\.view.account)))
    #expect(run.outcome.insights.mutualSection?.table?.rows.count == named.count)
  }

  @Test func aGoalIsShownUntilItIsRemoved() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    let alice = try user.did("alice")
    func track(_ followers: Int? = nil) async throws -> GoalRow? {
      try await user.run(TrackGoal(of: alice, followers: followers)).rows.first
    }
    #expect(try await track() == nil)
    let set = try #require(try await track(1_000))
    #expect(set.progress.goal == 1_000 && set.progress.share == 0 && !set.progress.isReached)
    #expect(set.progress.outlook.name == "too-short" && set.progress.start == set.progress.value)
    #expect(try await track()?.progress.goal == 1_000)
    // The same goal again does not start over.
    try await user.network.clock.sleep(for: .days(1))
    let again = try #require(try await track(1_000))
    #expect(again.since == set.since && again.progress.start == set.progress.start)
    let reached = try #require(try await track(3))
    #expect(reached.progress.outlook == .reached && reached.progress.share == 1)
    let figures = try await user.figures([.goal]).values(.goal)
    #expect(figures["goal"] == 3 && figures["progress"] == 1)
    #expect(try await user.run(RemoveGoal(of: alice)).outcome.wasSet)
    #expect(try await track() == nil)
  }

  /// The page shows who left, with a link to each; each of its pictures is about one metric.
  @Test func aPageNamesPeopleAndPostsAndLeadsToThem() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 1_000, days: 3))
    try await user.takeSnapshots(sides: [.followers])
    for _ in 1...3 { try await user.network.passDay() }
    try await user.takeSnapshots(sides: [.followers])
    let losses = HistoryFilter(sides: [.followers], kinds: [.lost])
    // Those that an own block hides have not left.
    let lost = try await user.run(ListChanges(of: try user.did("alice"), losses)).rows.map(\.change)
      .filter { $0.loss?.cause != .blocking }.map(\.account)
    let run = try await user.statistics(Set(InsightMetric.allCases)) { request in
      (request.wantsRows, request.showsWholeGrowth, request.period) = (false, false, .whole)
      request.sample = 40
    }
    #expect(run.outcome.failure == nil && run.rows.isEmpty)
    let page = run.outcome.insights.report(of: Set(InsightMetric.allCases)).html()
    let gone = try #require(lost.last)
    for part in [
      "Who came and who left", "Best posts", "\(lost.count) left", "/post/",
      "href=\"https://bsky.app/profile/\(gone)\"",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(lost.count > 2 && page.count(of: "<details class=\"fold\">") > 8)
    // There is neither a goal nor a segment.
    for metric in InsightMetric.allCases where ![.segments, .goal].contains(metric) {
      let report = run.outcome.insights.report(of: [metric])
      let picture = report.svg(.dark)
      #expect(report.isDrawable && picture.hasPrefix("<svg"), "\(metric)")
      // A title and something below it, in the colours of the theme.
      #expect(picture.contains("width=\"1200\" height=\"630\"") && !picture.contains("var("), "\(metric)")
      #expect(picture.count(of: "<text") > 3, "\(metric)")
    }
  }
}

extension String {
  fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
