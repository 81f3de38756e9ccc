// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithSandbox
import SandboxSupport
import TestSupport
import Testing

/// Statistics from snapshots of several days.
@Suite struct StoredStatisticsTests {
  /// Days with losses; followers that were lost before they were asked when they came are not a sample of the others.
  @Test func storedFiguresAreThoseOfServersAndKeepLossesAfterPruning() async throws {
    let network = FaultyNetwork(.reference, accounts: 1_000, days: 8)
    let user = try await ServedUser(nil, on: network)
    try await user.takeSnapshots(sides: [.followers])
    for _ in 1...8 {
      try await network.passDay()
      try await user.takeSnapshots(sides: [.followers])
    }
    let asked = try await user.figures([.growth, .cohorts])
    #expect(try await user.figures([.growth, .cohorts]) { $0.isStored = true } == asked)
    #expect(asked.allSatisfy { $0.metric != .growth || $0.low == nil })

    // What was deleted is not zero.
    func month() async throws -> [Figure] {
      try await user.figures([.flow, .growth]) { ($0.isStored, $0.showsWholeGrowth) = (true, false) }
    }
    let before = try await month()
    let now = network.time.instant
    #expect(try await user.workspace().history().prune(before: now - .days(2)) > 0)
    let after = try await month()
    for key in ["lost", "net", "churn-rate"] {
      let kept = [before, after].map { figures in figures.filter { $0.key == key }.map(\.value) }
      #expect(kept[0] == kept[1] && !kept[0].isEmpty, "\(key)")
    }
    #expect(after.sum("lost") > 5)
    // When the deleted ones had come is not known any more.
    #expect(after.sum("undated") > before.sum("undated"))
  }

  @Test func flowsMatchTheSimulatedDays() async throws {
    let network = FaultyNetwork(.reference, accounts: 1_000, days: 5)
    let user = try await ServedUser(nil, on: network)
    let alice = try user.did("alice")
    try await user.takeSnapshots(sides: [.followers], dates: true)
    var (came, left) = (0, 0)
    for _ in 1...5 {
      for event in try await network.passDay() {
        switch event.kind {
        case .followed where event.subject == alice: came += 1
        case .unfollowed where event.subject == alice, .deleted, .deactivated, .suspended, .takenDown:
          left += 1
        case .blocked where event.account == alice || event.subject == alice: left += 1
        case .reactivated: came += 1
        default: break
        }
      }
      try await user.takeSnapshots(sides: [.followers], dates: true)
    }
    let flows = try await user.figures([.flow]) { ($0.isStored, $0.unit) = (true, .week) }
    #expect(flows.sum("lost") == Double(left) && left > 5)
    #expect(flows.sum("gained") + flows.sum("returned") >= Double(came))
    #expect(flows.sum("net") == flows.sum("gained") + flows.sum("returned") - flows.sum("lost"))
  }

  /// Numbers of a time that is over are those of then, or none.
  @Test func cardsOfAPastTimeAreNotOfThePresent() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference, accounts: 400))
    let (alice, history) = (try user.did("alice"), try user.workspace().history())
    try await user.takeSnapshots()
    for day in 1...12 {
      try await user.network.clock.sleep(for: .days(1))
      let counts = AccountView.Counts(followers: 1_000 + day, follows: 100, posts: 10)
      try await history.record(CountSample(at: user.network.time.instant, counts), of: alice)
    }
    let past = try await user.figures([.cards]) { request in
      (request.isStored, request.showsWholeGrowth) = (true, false)
      request.period = .between(.ago(.days(9)), .ago(.days(4)))
    }
    #expect(past.values(.cards)["followers"] == 1_008 && past.values(.cards)["followers-change"] == 5)
    #expect(past.values(.cards).keys.allSatisfy { !$0.hasPrefix("mutual") })
    let end = user.network.time.instant - .days(4)
    let dated = past.filter { ["followers", "followers-change"].contains($0.key) }.map(\.to)
    #expect(dated.map { $0.map { (end...end + .seconds(1)).contains($0) } } == [true, true])
    let now = try await user.figures([.cards]) { $0.isStored = true }
    #expect(now.values(.cards)["mutuals"] != nil)
    #expect(now.filter { $0.key == "followers" }.map(\.to) == [nil])
  }

  /// A machine whose clock was a year ahead once.
  @Test func aClockThatWasAheadHidesNothing() async throws {
    let network = FaultyNetwork(.reference, accounts: 400, days: 4)
    let user = try await ServedUser(nil, on: network)
    let history = try user.workspace().history()
    let first = try #require(try await user.takeSnapshots(sides: [.followers]).first)
    let ahead = first.startedAt + .days(400)
    let writer = try await history.begin(first.listing, at: ahead)
    _ = try await writer.add(try await history.edges(of: first.listing, at: first.id, after: nil, most: .max))
    _ = try await writer.finish(.full, first.counts, note: nil, at: ahead)
    for _ in 1...4 {
      try await network.passDay()
      try await user.takeSnapshots(sides: [.followers])
    }
    let all = Set(InsightMetric.allCases)
    let stored = try await user.statistics(all) { $0.isStored = true }
    #expect(stored.outcome.failure == nil && stored.callCount == 0)
    // What stored data cannot show is named.
    #expect(
      stored.notes.compactMap { note in
        if case .incomplete(.metricsNeedServers(let metrics), _) = note { Set(metrics) } else { nil }
      } == [all.filter(\.needsServers)])
    let page = try await user.statistics(all) { ($0.wantsRows, $0.sample) = (false, 20) }
    #expect(page.outcome.failure == nil && page.outcome.insights.report(of: all).html().contains("<svg"))
    #expect(try await !user.figures([.cohorts]).isEmpty)
    let flows = try await user.figures([.flow]) { $0.isStored = true }
    #expect(flows.contains { $0.key == "lost" && $0.value ?? 0 > 0 })
  }
}
