// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithHistory
@testable import KithRelationships

/// What a history says of times at which the clock was wrong.
@Suite struct WrongClockTests {
  private let store = InMemoryHistoryStore()
  private let actor = FollowersDouble.actor
  private let double: FollowersDouble
  private let start: Instant = 1_760_000_000_000_000

  init() throws { double = try FollowersDouble(1..<31, wallAtZero: start) }

  /// One follower leaves at noon of each day, after which there is a snapshot at that evening; on two days the clock is
  /// wrong.
  private func live(_ wrong: [Int: Duration]) async throws {
    for day in 0...6 {
      if day > 0 { double.set(day, to: .unfollowed) }
      let evening = Duration.seconds(day * 86_400 + 43_200)
      double.clock.advance(by: evening - double.clock.now.offset)
      double.setWall(wrongBy: wrong[day] ?? .zero)
      let recorder = SnapshotRecorder(double.listings, store: store)
      try await recorder.takeSnapshots(of: actor, [.followers], .init(isFull: true)) { _ in }
    }
    double.setWall(wrongBy: .zero)
  }

  private func moment(of day: Int) -> Instant { start + .seconds(day * 86_400) }

  @Test(arguments: [[3: .days(400)], [3: .days(-400)], [2: .days(3), 5: .days(-90)]] as [[Int: Duration]])
  func theBoundsOfEachChangeHoldTheTruth(wrong: [Int: Duration]) async throws {
    try await live(wrong)
    let history = History(store, now: double.client.time.instant)
    var found: [DID: HistoryChange] = [:]
    for try await change in try await history.changes(of: actor) { found[change.account] = change }
    #expect(found.count == 6)
    for day in 1...6 {
      let change = try #require(found[Accounts.did(day)])
      #expect(change.after <= moment(of: day) && moment(of: day) <= change.before, "day \(day)")
      // A wrong clock hides a day, not more.
      #expect(change.before - change.after <= .days(3), "day \(day)")
      #expect(try await history.changes(of: actor, about: Accounts.did(day)) == [change])
    }
  }

  /// A loss that was found while the clock was behind is as new as it is.
  @Test func sinceMeansTheRightTime() async throws {
    try await live([5: .days(-90)])
    let now = double.client.time.instant
    let history = History(store, now: now)
    var found: [DID] = []
    for try await change in try await history.changes(of: actor, HistoryFilter(since: now - .days(2))) {
      found.append(change.account)
    }
    #expect(found == [6, 5, 4].map(Accounts.did))
    let snapshots = try await history.snapshots(of: actor, since: now - .days(2))
    #expect(snapshots.count == 3)
  }

  @Test(arguments: [[3: .days(400)], [3: .days(-400), 4: .days(-400)]] as [[Int: Duration]])
  func countsOfAWrongTimeAreLeftOut(wrong: [Int: Duration]) async throws {
    try await live(wrong)
    let counts = try await store.countsInOrder(of: actor, until: double.client.time.instant)
    let right = (0...6).filter { wrong[$0] == nil }
    #expect(counts.map(\.value.followers) == right.map { 30 - $0 })
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0.at < $1.at })
  }
}
