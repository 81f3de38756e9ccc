// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Contract of a history: what is read from it, watched and removed.
@Suite struct HistoryReadingTests {
  /// For random changes, each snapshot and each difference equals that of plain sets.
  @Test(arguments: HistoryUnderTest.all, [1, 2, 3])
  func agreesWithSetsOnRandomHistories(_ history: HistoryUnderTest, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = try history.makePlace().openHistory()
    var model: [(id: ObservationID, accounts: Set<DID>)] = []
    var now: Set<Int> = Set((1...60).filter { _ in Bool.random(using: &random) })
    for round in 0..<12 {
      let snapshot = try await store.snapshot(
        .followers, now.shuffled(using: &random), at: Instant(round * 100))
      model.append((snapshot.id, dids(now)))
      // Snapshots of another listing come in between at times.
      if Bool.random(using: &random) {
        try await store.snapshot(.follows, 1...3, at: Instant(round * 100 + 50))
      }
      let churn = Int.random(in: 0...20, using: &random)
      for _ in 0..<churn {
        let account = Int.random(in: 1...60, using: &random)
        if now.remove(account) == nil { now.insert(account) }
      }
    }
    for (id, accounts) in model { #expect(try await store.accounts(of: .followers, at: id) == accounts) }
    for (index, earlier) in model.enumerated() {
      for later in model[index...].dropFirst() {
        let range = ObservationID(number: earlier.id.number + 1)...later.id
        let stays = try await store.intervals(of: .followers, in: range)
        let before = Set(stays.filter { $0.holds(at: earlier.id) }.map(\.edge.account))
        let after = Set(stays.filter { $0.holds(at: later.id) }.map(\.edge.account))
        #expect(after.subtracting(before) == later.accounts.subtracting(earlier.accounts))
        #expect(before.subtracting(after) == earlier.accounts.subtracting(later.accounts))
      }
    }
    let snapshots = try await store.snapshots(of: .followers)
    for (previous, next) in zip(model, model.dropFirst()) {
      let counts = try #require(snapshots.first { $0.id == next.id }).counts
      #expect(counts.gained == next.accounts.subtracting(previous.accounts).count)
      #expect(counts.lost == previous.accounts.subtracting(next.accounts).count)
      #expect(counts.listed == next.accounts.count)
    }
  }

  @Test(arguments: HistoryUnderTest.all)
  func returnsTheHistoryOfOneAccount(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    for (round, numbers) in [[1, 2], [2], [1, 2], [1]].enumerated() {
      try await store.snapshot(.followers, numbers, at: Instant(100 * round))
    }
    try await store.snapshot(.follows, [1], at: 350)
    try await store.snapshot(.follows, [2], at: 450)
    let reader = History(store)
    let story = try await reader.changes(of: Accounts.did(0), about: Accounts.did(1))
    #expect(story.map(\.kind) == [.lost, .returned, .lost])
    #expect(story.map(\.before) == [110, 210, 460])
    #expect(story.map(\.listing) == [.followers, .followers, .follows])
    let presence = try await reader.presence(of: Accounts.did(1), with: Accounts.did(0))
    #expect(presence.map(\.listing) == [.followers] && presence.map(\.since.by) == [210])
    #expect(presence.map(\.since.after) == [100])
    let other = try await reader.presence(of: Accounts.did(2), with: Accounts.did(0))
    #expect(other.map(\.listing) == [.follows])
    #expect(try await reader.changes(of: Accounts.did(0), about: Accounts.did(7)) == [])
  }

  @Test(arguments: HistoryUnderTest.all)
  func watchesActors(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    #expect(try await store.watch(Accounts.did(5), at: 1))
    #expect(try await store.watch(Accounts.did(3), at: 2))
    #expect(try await !store.watch(Accounts.did(5), at: 3))
    let watched = [WatchedActor(Accounts.did(5), since: 1), WatchedActor(Accounts.did(3), since: 2)]
    #expect(try await place.openHistory().watched() == watched)
    #expect(try await store.unwatch(Accounts.did(5)))
    #expect(try await !store.unwatch(Accounts.did(5)))
    #expect(try await !store.unwatch(Accounts.did(9)))
    #expect(try await store.watched() == [watched[1]])
  }

  @Test(arguments: HistoryUnderTest.all)
  func keepsWhatProfilesCount(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let counts = (1...3).map { number in
      CountSample(at: Instant(number * 100), .init(followers: number, follows: 7, posts: nil))
    }
    for count in counts { try await store.record(count, of: Accounts.did(1)) }
    #expect(try await place.openHistory().counts(of: Accounts.did(1), since: 0) == counts)
    #expect(try await store.counts(of: Accounts.did(1), since: 200) == Array(counts[1...]))
    #expect(try await store.counts(of: Accounts.did(2), since: 0) == [])
    // Those of the same time are replaced, in their place.
    let doubted = CountSample(at: 200, counts[1].value, isDoubted: true)
    try await store.record(doubted, of: Accounts.did(1))
    #expect(
      try await place.openHistory().counts(of: Accounts.did(1), since: 0) == [counts[0], doubted, counts[2]])
  }

  /// The order of counts is that in which they were recorded, whatever the clock showed.
  @Test(arguments: HistoryUnderTest.all)
  func keepsCountsInTheirOrder(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    for (at, followers) in [(100, 1), (900, 2), (200, 3), (50, 4), (300, 5)] {
      try await store.record(CountSample(at: Instant(at), .init(followers: followers)), of: Accounts.did(1))
    }
    let counts = try await store.counts(of: Accounts.did(1), since: .distantPast)
    #expect(counts.map(\.value.followers) == [1, 2, 3, 4, 5])
    let believed = try await store.countsInOrder(of: Accounts.did(1), until: 1_000)
    #expect(believed.map(\.value.followers) == [1, 3, 5])
  }

  @Test(arguments: HistoryUnderTest.all)
  func prunesWhatEndedAndKeepsWhoIsThere(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1...4, at: 100)
    try await store.snapshot(.followers, 2...4, at: 200)
    _ = try await store.begin(.followers, at: 250).fail("no", at: 251)
    _ = try await store.begin(.followers, at: 260)
    let last = try await store.snapshot(.followers, 3...4, at: 300)
    try await store.record(CountSample(at: 100, .init(followers: 4)), of: Accounts.did(0))
    try await store.watch(Accounts.did(0), at: 1)
    #expect(try await store.prune(before: 300) == 1)
    let reopened = try place.openHistory()
    #expect(try await reopened.accounts(of: .followers, at: last.id) == dids(3...4))
    #expect(try await reopened.snapshots(of: .followers).map(\.state) == [.complete, .complete, .complete])
    #expect(try await reopened.counts(of: Accounts.did(0), since: 0) == [])
    #expect(try await reopened.watched().map(\.actor) == [Accounts.did(0)])
    let story = try await History(reopened).changes(of: Accounts.did(0), about: Accounts.did(2))
    #expect(story.map(\.kind) == [.lost])
    #expect(try await History(reopened).changes(of: Accounts.did(0), about: Accounts.did(1)) == [])
    #expect(try await store.prune(before: 300) == 0)
  }

  /// Whether a follower that an own block hides has left is not known.
  @Test(arguments: HistoryUnderTest.all)
  func keepsWhatAnOwnBlockInterrupted(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1...4, at: 0)
    try await store.snapshot(.followers, [4], at: 100, cause: .blocking)
    try await store.snapshot(.followers, [2, 3, 4], at: 200)
    try await store.snapshot(.followers, [2], at: 300)
    try await store.snapshot(.followers, [2], at: 400)
    // The stays of 3, which left after it had been hidden, and that of 4; not those of 1 and 2.
    #expect(try await store.prune(before: 400) == 3)
    let reopened = try place.openHistory()
    for (number, kept) in [(1, 1), (2, 2), (3, 0), (4, 0)] {
      let stays = try await reopened.intervals(of: .followers, about: Accounts.did(number))
      #expect(stays.count == kept && (kept == 0 || stays[0].loss?.cause == .blocking), "\(number)")
    }
    #expect(try await store.prune(before: 400) == 0)
  }

  /// That an account was there before is known even if its first stay was deleted.
  @Test(arguments: HistoryUnderTest.all)
  func aReturnStaysAReturnWhenItsFirstStayIsPruned(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    for (round, numbers) in [[1, 2, 3], [2], [1, 2], [1, 2, 3]].enumerated() {
      try await store.snapshot(.followers, numbers, at: Instant(100 * round))
    }
    // The first stays of 1 and 3 ended with the second snapshot, before 200.
    #expect(try await store.prune(before: 200) == 2)
    let reopened = try place.openHistory()
    for number in [1, 3] {
      let stays = try await reopened.intervals(of: .followers, about: Accounts.did(number))
      #expect(stays.map(\.isReturn) == [true], "\(number)")
    }
    #expect(try await reopened.intervals(of: .followers, about: Accounts.did(2)).map(\.isReturn) == [false])
    let story = try await History(reopened).changes(of: Accounts.did(0), about: Accounts.did(3))
    #expect(story.map(\.kind) == [.returned])
    // The snapshots still count what is deleted.
    #expect(try await reopened.snapshots(of: .followers).map(\.counts.lost) == [0, 2, 0, 0])
  }

  @Test(arguments: HistoryUnderTest.all)
  func forgetsAnActor(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let other = HistoryListing(.followers, of: Accounts.did(1))
    try await store.snapshot(.followers, 1...4, at: 100)
    try await store.snapshot(.follows, 1...4, at: 100)
    let kept = try await store.snapshot(other, 3...6, at: 100)
    try await store.record(CountSample(at: 100, .init(followers: 4)), of: Accounts.did(0))
    #expect(try await store.forget(Accounts.did(0)))
    #expect(try await !store.forget(Accounts.did(0)))
    let reopened = try place.openHistory()
    #expect(try await reopened.listings(of: nil) == [other])
    #expect(try await reopened.snapshots(of: .followers) == [])
    #expect(try await reopened.accounts(of: other, at: kept.id) == dids(3...6))
    #expect(try await reopened.counts(of: Accounts.did(0), since: 0) == [])
  }
}
