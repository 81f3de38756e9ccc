// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Contract of a history: keys that are learned later, pages of intervals, goals and segments.
@Suite struct HistoryInsightTests {
  private func edge(_ number: Int, _ key: String) -> HistoryEdge {
    HistoryEdge(Accounts.did(number), rkey: RecordKey(key))
  }

  @Test(arguments: HistoryUnderTest.all)
  func learnsMissingKeysOfListedAccounts(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1...3, at: 100)
    let last = try await store.snapshot(.followers, 2...3, at: 200)
    try await store.learn(
      [edge(1, "3kaaaaaaaaa22"), edge(2, "3kbbbbbbbbb22"), edge(9, "3kccccccccc22")], of: .followers)
    // A known key is kept, and other listings are not changed.
    try await store.learn([edge(2, "other")], of: .followers)
    try await store.learn([edge(3, "3kddddddddd22")], of: .follows)
    let edges = try await place.openHistory().edges(of: .followers, at: last.id, after: nil, most: 9)
    #expect(Set(edges) == [edge(2, "3kbbbbbbbbb22"), HistoryEdge(Accounts.did(3))])
    let gone = try await store.intervals(of: .followers, about: Accounts.did(1))
    #expect(gone.map(\.edge.rkey) == [nil])
  }

  @Test(arguments: HistoryUnderTest.all)
  func remembersTheLargestSampleOfASnapshot(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let first = try await store.snapshot(.followers, 1...3, at: 100)
    let second = try await store.snapshot(.followers, 1...3, at: 200)
    #expect(first.dateSample == nil)
    for size in [10, 40, 20] { try await store.record(AccountSample(size, of: 100), of: first.id) }
    #expect(
      try await place.openHistory().snapshots(of: .followers).map(\.dateSample) == [
        AccountSample(40, of: 100), nil,
      ])
    try await store.record(.all, of: second.id)
    #expect(try await place.openHistory().snapshots(of: .followers).last?.dateSample == .all)
    // A larger sample contains every smaller one.
    let (small, large) = (AccountSample(10, of: 100), AccountSample(40, of: 100))
    let accounts = (0..<2_000).map(Accounts.did)
    #expect(accounts.filter(small.contains).allSatisfy(large.contains))
    #expect((120...280).contains(accounts.count(where: small.contains)))
    #expect(accounts.allSatisfy(AccountSample.all.contains))
  }

  @Test(arguments: HistoryUnderTest.all)
  func remembersWhatEachAccountHasDismissed(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let (alice, bob) = (Accounts.did(1), Accounts.did(2))
    #expect(try await store.dismiss([Accounts.did(7), Accounts.did(8)], by: alice, at: 100) == 2)
    #expect(try await store.dismiss([Accounts.did(8), Accounts.did(9)], by: alice, at: 200) == 1)
    #expect(try await store.dismiss([Accounts.did(7)], by: bob, at: 300) == 1)
    let later = try place.openHistory()
    #expect(
      try await later.dismissals(by: alice) == [
        Dismissal(Accounts.did(9), since: 200), Dismissal(Accounts.did(7), since: 100),
        Dismissal(Accounts.did(8), since: 100),
      ])
    #expect(try await later.takeBack(dismissalsOf: [Accounts.did(7), Accounts.did(6)], by: alice) == 1)
    #expect(try await later.dismissals(by: alice).map(\.account) == [Accounts.did(9), Accounts.did(8)])
    #expect(try await later.dismissals(by: bob).map(\.account) == [Accounts.did(7)])
    _ = try await later.prune(before: 10_000)
    #expect(try await later.dismissals(by: alice).count == 2)
    _ = try await later.forget(alice)
    #expect(try await later.dismissals(by: alice).isEmpty)
    #expect(try await later.dismissals(by: bob).count == 1)
  }

  @Test(arguments: HistoryUnderTest.all)
  func pagesOfIntervalsHoldEachAccountWhole(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    for (round, numbers) in [[1, 2, 3, 4, 5], [2, 3, 5], [1, 2, 3, 6]].enumerated() {
      try await store.snapshot(.followers, numbers, at: Instant(100 * round))
    }
    try await store.snapshot(.follows, [7], at: 400)
    var (found, last) = ([HistoryInterval](), DID?.none)
    while true {
      let page = try await store.intervals(of: .followers, after: last, most: 2)
      guard let end = page.last?.edge.account else { break }
      #expect(Set(page.map(\.edge.account)).count <= 2)
      found += page
      last = end
    }
    let ids = try await store.snapshots(of: .followers).map(\.id)
    let all = try await store.intervals(of: .followers, in: ids[0]...ids[2])
    #expect(found.count == 7 && Set(found) == Set(all))
    #expect(found.filter(\.isReturn).map(\.edge.account) == [Accounts.did(1)])
    #expect(try await store.intervals(of: .followers, after: nil, most: 0) == [])
  }

  @Test(arguments: HistoryUnderTest.all)
  func keepsAGoalUntilItIsRemoved(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let actor = Accounts.did(5)
    #expect(try await store.goal(of: actor) == nil)
    try await store.set(FollowerGoal(1_000, from: 10, since: 7), of: actor)
    try await store.set(FollowerGoal(2_000, from: 11, since: 8), of: actor)
    try await store.prune(before: 100)
    #expect(try await place.openHistory().goal(of: actor) == FollowerGoal(2_000, from: 11, since: 8))
    #expect(try await store.goal(of: Accounts.did(6)) == nil)
    try await store.set(nil, of: actor)
    #expect(try await place.openHistory().goal(of: actor) == nil)
  }

  @Test(arguments: HistoryUnderTest.all)
  func countsSegmentsByTheirPredicate(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let (one, other) = (Accounts.did(1), Accounts.did(2))
    let loyal = try #require(Segment("loyal", "mutual", since: 1))
    try await store.add(try #require(Segment("new", "followed within 30d", since: 1)))
    try await store.add(loyal)
    #expect(try await store.segments().map(\.name) == ["loyal", "new"])
    for (at, members) in [(200, 5), (100, 3)] {
      try await store.record(Sample<Int>(at: Instant(at), members), of: "loyal", for: one)
    }
    try await store.record(Sample<Int>(at: 100, 9), of: "loyal", for: other)
    try await store.record(Sample<Int>(at: 100, 9), of: "absent", for: other)
    let reopened = try place.openHistory()
    #expect(try await reopened.counts(of: "loyal", for: one).map(\.value) == [3, 5])
    #expect(try await reopened.counts(of: "absent", for: other) == [])
    // The same predicate keeps the counts, another one has its own.
    try await store.add(loyal)
    #expect(try await store.counts(of: "loyal", for: one).count == 2)
    try await store.prune(before: 150)
    #expect(try await store.counts(of: "loyal", for: one).map(\.at) == [200])
    try await store.add(try #require(Segment("loyal", "mutual and posts > 9", since: 2)))
    #expect(try await store.counts(of: "loyal", for: one) == [])
    #expect(try await store.removeSegment(named: "loyal"))
    #expect(try await !store.removeSegment(named: "loyal"))
    #expect(try await place.openHistory().segments().map(\.name) == ["new"])
  }

  @Test func aNameOfASegmentIsOneWord() {
    #expect(Segment("a-Z_9", "mutual", since: 0) != nil)
    for name in ["", "two words", "ä", "a,b", "a\u{1B}[1m", String(repeating: "a", count: 65)] {
      #expect(Segment(name, "mutual", since: 0) == nil)
    }
  }

  @Test(arguments: HistoryUnderTest.all)
  func forgetsGoalAndCountsWithTheActor(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    let actor = Accounts.did(0)
    try await store.snapshot(.followers, 1...4, at: 100)
    try await store.set(FollowerGoal(9, from: 1, since: 1), of: actor)
    try await store.add(try #require(Segment("loyal", "mutual", since: 1)))
    try await store.record(Sample<Int>(at: 1, 2), of: "loyal", for: actor)
    #expect(try await store.forget(actor))
    #expect(try await store.goal(of: actor) == nil)
    #expect(try await store.counts(of: "loyal", for: actor) == [])
    #expect(try await store.segments().map(\.name) == ["loyal"])
  }

  /// Data of the first version is still there after the migration.
  @Test func aHistoryOfTheFirstVersionIsMigrated() async throws {
    let place = TemporaryStore()
    let path = "\(place.folder)/history.sqlite"
    try FileManager.default.createDirectory(
      atPath: place.folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    do {
      let queue = try DatabaseQueue(path: path)
      try HistorySchema.migrator.migrate(queue, upTo: "1 intervals")
      let did = Accounts.did(0)
      try await queue.write { database in
        try database.execute(
          sql: "INSERT INTO accounts (id, did) VALUES (1, ?)", arguments: [Data(did.packed)])
        try database.execute(sql: "INSERT INTO watched (account, since) VALUES (1, 5)")
      }
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let store = SQLiteHistoryStore(try StoreDatabase(folder: place.folder, .history))
    #expect(try await store.watched().map(\.actor) == [Accounts.did(0)])
    try await store.set(FollowerGoal(9, from: 1, since: 1), of: Accounts.did(0))
    #expect(try await store.goal(of: Accounts.did(0))?.followers == 9)
  }
}
