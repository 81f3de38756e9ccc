// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Contract of a history: readers of streams, what was missed, and what snapshots add to what events told.
@Suite struct StreamStoreTests {
  private static let others = HistoryListing(.followers, of: Accounts.did(9))

  private func cursor(_ number: Int64, host: String = "one.test") -> StreamCursor {
    StreamCursor(host: host, sequence: number, at: Instant(microsecondsSinceEpoch: number))
  }

  private func edge(_ account: Int, _ key: Int? = nil) -> HistoryEdge {
    HistoryEdge(Accounts.did(account), rkey: key.map(RecordKey.init(number:)))
  }

  @discardableResult
  private func take(
    _ edges: [HistoryEdge], on listing: HistoryListing = .followers, losing losses: [HistoryLoss] = [],
    extent: Snapshot.Coverage = .full, unconfirmed: Int = 0, at now: Instant, in store: any HistoryStore
  ) async throws -> Snapshot {
    let writer = try await store.begin(listing, at: now)
    _ = try await writer.add(edges)
    try await writer.lose(losses)
    let counts = Snapshot.Counts(unconfirmed: unconfirmed)
    return try await writer.finish(extent, counts, note: nil, at: now + .microseconds(10))
  }

  private func open(
    _ listing: HistoryListing = .followers, in store: any HistoryStore
  ) async throws
    -> Set<HistoryEdge>
  {
    let found = try await store.intervals(of: listing, after: nil, most: .max)
    return Set(found.filter { $0.lostIn == nil }.map(\.edge))
  }

  private func check(_ store: any HistoryStore) async throws {
    if let store = store as? SQLiteHistoryStore { #expect(try await store.database.check() == []) }
  }

  // MARK: Readers

  @Test(arguments: HistoryUnderTest.all)
  func keepsThePlaceTogetherWithTheEvents(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let reader = try await store.follow([.followers, Self.others], from: cursor(100))
    #expect(try await store.cursors(of: [.followers, .follows]) == [.followers: cursor(100)])
    try await store.observe([.made(1, 110, at: 110)], upTo: cursor(120), by: reader)
    // A host that does not number its events.
    let unnumbered = StreamCursor(host: "two.test", sequence: nil, at: 130)
    try await store.observe([.made(2, 125, at: 125)], upTo: unnumbered, by: reader)
    let reopened = try place.openHistory()
    #expect(
      try await reopened.cursors(of: [.followers, Self.others]) == [
        .followers: unnumbered, Self.others: unnumbered,
      ])
    #expect(try await open(in: reopened) == [edge(1, 110), edge(2, 125)])
    #expect(
      try await store.changes(of: .followers, before: nil, most: 9).map(\.source) == [
        .event(stream: "two.test"), .event(stream: "one.test"),
      ])
  }

  /// A place never stands for events of a listing that another reader follows.
  @Test(arguments: HistoryUnderTest.all)
  func aListingHasOneReader(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let first = try await store.follow([.followers, Self.others], from: cursor(100))
    let second = try await place.openHistory().follow([Self.others], from: cursor(50))
    #expect(first != second)
    #expect(
      try await store.readers(of: [.followers, Self.others, .follows]) == [
        .followers: first, Self.others: second,
      ])
    let told = try await store.observe(
      [.made(1, 110, at: 110), .made(1, 111, at: 111, on: Self.others), .hidden(1, .deactivated, at: 115)],
      upTo: cursor(120), by: first)
    #expect(told.changes.map(\.change.listing) == [.followers, .followers])
    #expect(try await open(Self.others, in: store) == [])
    #expect(
      try await store.cursors(of: [.followers, Self.others]) == [
        .followers: cursor(120), Self.others: cursor(50),
      ])
    _ = try await store.follow([.followers], from: cursor(120))
    let error = await #expect(throws: HistoryError.self) {
      try await store.observe([.made(3, 130, at: 130)], upTo: self.cursor(130), by: first)
    }
    #expect(error?.code == .replaced && error?.subject == "one.test")
    #expect(try await open(in: store) == [])
    #expect(try await store.cursors(of: [.followers]) == [.followers: cursor(120)])
    try await store.observe([.made(4, 60, at: 60, on: Self.others)], upTo: cursor(60), by: second)
    #expect(try await open(Self.others, in: store) == [edge(4, 60)])
    try await check(store)
  }

  @Test(arguments: HistoryUnderTest.all)
  func aListingThatIsNotFollowedHasNoPlace(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    let reader = try await TestReader(store, .followers, Self.others)
    try await reader.tell(
      .made(1, 10, at: 10), .made(1, 20, at: 20), .made(2, 30, at: 30), .hidden(2, .suspended, at: 40))
    try await store.unfollow([.followers, .follows])
    #expect(try await store.cursors(of: [.followers, Self.others]).keys.map(\.self) == [Self.others])
    #expect(try await reader.tell(.made(3, 50, at: 50)).changes == [])
    try await check(store)
    #expect(try await store.forget(Accounts.did(9)))
    #expect(try await store.cursors(of: [.followers, Self.others]) == [:])
    await #expect(throws: HistoryError.self) { try await reader.tell([]) }
    // What was known beside the stays is not believed any more, so nothing is concluded from it.
    let next = try await TestReader(store, .followers)
    #expect(try await next.tell(.shown(2, at: 60)).changes == [])
    #expect(try await next.tell(.deleted(10, by: 1, at: 70)).unresolved == [0])
    try await check(store)
  }

  @Test(arguments: HistoryUnderTest.all)
  func tellsWhatIsKnownOfAnAccount(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1), edge(2, 20)], at: 5, in: store)
    let reader = try await TestReader(store, .followers, Self.others)
    try await reader.tell(
      .blocked(2, .blockedBy, at: 30), .made(1, 40, at: 40, on: Self.others),
      .deleted(40, by: 1, at: 50), .blocked(3, .blocking, at: 60))
    func told(_ account: Int) async throws -> [String] {
      try await store.standings(of: Accounts.did(account)).map { standing in
        let hiding = standing.hiddenBy.map(\.rawValue).joined()
        let lost = standing.lostBy?.rawValue ?? "-"
        return
          "\(standing.listing == .followers) \(standing.isListed) \(standing.key != nil) \(hiding) \(lost)"
      }
    }
    #expect(try await told(1) == ["true true false  -", "false false false  unfollowed"])
    #expect(try await told(2) == ["true false false blocked-by blocked-by"])
    #expect(try await told(3) == ["true false false blocking -"])
    #expect(try await told(4) == [])
    try await store.unfollow([.followers])
    #expect(try await told(2) == [])
  }

  // MARK: Gaps

  @Test(arguments: HistoryUnderTest.all)
  func aFullSnapshotClosesTheGapBeforeIt(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.recordGap(of: [.followers, Self.others], since: 100, until: 200)
    try await store.recordGap(of: [.followers], since: 100, until: 210)
    try await store.recordGap(of: [.followers], since: 500, until: 600)
    #expect(
      try await place.openHistory().gaps(of: .followers) == [
        HistoryGap(since: 100, until: 210), HistoryGap(since: 500, until: 600),
      ])
    // One that began too early, one that reads the newest only, and one that leaves losses open.
    try await take([edge(1)], at: 205, in: store)
    try await take([edge(1)], extent: .incremental, at: 300, in: store)
    try await take([edge(1)], unconfirmed: 1, at: 310, in: store)
    #expect(try await store.gaps(of: .followers).map(\.closedAt) == [nil, nil])
    try await take([edge(1)], at: 320, in: store)
    #expect(
      try await store.gaps(of: .followers) == [
        HistoryGap(since: 100, until: 210, closedAt: 330), HistoryGap(since: 500, until: 600),
      ])
    #expect(try await store.gaps(of: Self.others) == [HistoryGap(since: 100, until: 200)])
    #expect(try await store.gaps(of: .follows) == [])
    try await store.prune(before: 331)
    #expect(try await store.gaps(of: .followers) == [HistoryGap(since: 500, until: 600)])
    #expect(try await store.forget(Accounts.did(0)))
    #expect(try await store.gaps(of: .followers) == [])
  }

  /// The deletion of one of several records may have been missed: the next one is neither a loss nor overlooked.
  @Test(arguments: HistoryUnderTest.all)
  func doesNotBelieveSecondRecordsAfterAGap(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10), edge(2, 20), edge(3, 30)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    try await reader.tell(.made(1, 100, at: 100), .hidden(3, .deactivated, at: 110))
    try await store.recordGap(of: [.followers], since: 120, until: 200)
    #expect(try await open(in: store) == [edge(1), edge(2, 20)])
    let told = try await reader.tell(
      .deleted(10, by: 1, at: 210), .deleted(20, by: 2, at: 220), .shown(3, at: 230))
    #expect(told.changes.map(\.change.account) == [Accounts.did(2)])
    #expect(told.unresolved == [0, 2])
    #expect(
      try await reader.tell(.shown(3, at: 230)).unresolved == [0], "what was asked may not have been answered"
    )
    try await check(store)
    // A server that is asked about them tells the key, and the next deletion is a loss again.
    let asked = try await reader.tell(.made(1, 100, at: 240), .made(3, 31, at: 240))
    #expect(asked.changes.map(\.change.kind) == [.returned])
    #expect(try await open(in: store) == [edge(1), edge(3, 31)])
    try await check(store)
  }

  /// A follower may have left in a gap, and come again with another record: the old key would hide that it leaves again.
  @Test(arguments: HistoryUnderTest.all)
  func aSnapshotAfterAGapLeavesNoKeyThatItDoesNotSee(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    for listing in [HistoryListing.followers, .follows] {
      try await take([edge(1, 10), edge(2, 20), edge(3, 30)], on: listing, at: 50, in: store)
    }
    let reader = try await TestReader(store, .followers, .follows)
    try await store.recordGap(of: [.followers, .follows], since: 120, until: 200)
    // One that began too early, and one that reads the newest only.
    try await take([edge(1), edge(2), edge(3)], at: 190, in: store)
    try await take([edge(1)], extent: .incremental, at: 210, in: store)
    #expect(try await open(in: store) == [edge(1, 10), edge(2, 20), edge(3, 30)])
    let left = HistoryLoss(Accounts.did(3), .unfollowed, Evidence())
    try await take([edge(1), edge(2, 21)], losing: [left], at: 220, in: store)
    #expect(try await open(in: store) == [edge(1), edge(2, 21)])
    let ended = try await store.intervals(of: .followers, about: Accounts.did(3))
    #expect(ended.map(\.edge) == [edge(3, 30)], "what left in the gap keeps its record")
    // A repository shows the keys.
    try await take([edge(1, 11), edge(2, 20), edge(3, 30)], on: .follows, at: 220, in: store)
    #expect(try await open(.follows, in: store) == [edge(1, 11), edge(2, 20), edge(3, 30)])
    // Neither key is the wrong one.
    #expect(
      try await reader.tell(.deleted(10, by: 1, at: 310), .deleted(11, by: 1, at: 320)).unresolved == [0, 1])
    try await store.learn([edge(1, 11)], of: .followers)
    let told = try await reader.tell(
      .deleted(11, by: 1, at: 330), .deleted(21, by: 2, at: 340), .deleted(11, by: 0, at: 350))
    #expect(told.changes.map(\.change.account) == [1, 2, 1].map(Accounts.did) && told.unresolved == [])
    try await check(store)
  }

  /// A key that was one of an earlier stay, or of a deleted record, is unknown as any other.
  @Test(arguments: HistoryUnderTest.all)
  func theDeletionOfARestoredRecordAfterAGapIsAQuestion(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10), edge(2, 20)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    try await reader.tell(
      .deleted(10, by: 1, at: 100), .made(1, 11, at: 110), .made(2, 21, at: 120), .deleted(20, by: 2, at: 130)
    )
    try await store.recordGap(of: [.followers], since: 140, until: 200)
    try await take([edge(1), edge(2)], at: 220, in: store)
    let told = try await reader.tell(.deleted(10, by: 1, at: 300), .deleted(20, by: 2, at: 310))
    #expect(told.changes == [] && told.unresolved == [0, 1])
    try await check(store)
  }

  // MARK: Snapshots

  /// A repository lists all records of an account.
  @Test(arguments: HistoryUnderTest.all, [false, true])
  func aSnapshotSeesSecondRecords(_ history: HistoryUnderTest, isFollowed: Bool) async throws {
    let store = try history.makePlace().openHistory()
    let early = isFollowed ? try await TestReader(store, .follows) : nil
    try await take([edge(1, 10), edge(1, 11), edge(2, 20), edge(1, 10)], on: .follows, at: 50, in: store)
    try await take([edge(1, 10), edge(1, 11), edge(2, 20), edge(2, 21)], on: .follows, at: 70, in: store)
    #expect(try await open(.follows, in: store) == [edge(1, 10), edge(2, 20)])
    let late = isFollowed ? nil : try await TestReader(store, .follows)
    let reader = try #require(early ?? late)
    let told = try await reader.tell(
      .deleted(10, by: 0, at: 100), .deleted(20, by: 0, at: 101), .deleted(11, by: 0, at: 102))
    #expect(told.changes.map(\.change.account) == [Accounts.did(1)] && told.changes.map(\.event) == [2])
    #expect(try await open(.follows, in: store) == [edge(2, 21)])
    try await check(store)
  }

  /// Without events, only the last full snapshot tells which records there are.
  @Test(arguments: HistoryUnderTest.all)
  func aSnapshotForgetsRecordsThatItDoesNotSee(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10), edge(1, 11)], on: .follows, at: 50, in: store)
    try await take([edge(1, 10)], on: .follows, at: 70, in: store)
    let reader = try await TestReader(store, .follows)
    #expect(try await reader.tell(.deleted(10, by: 0, at: 100)).changes.count == 1)
    try await check(store)
  }

  /// An AppView shows one of several records, and not always the same.
  @Test(arguments: HistoryUnderTest.all)
  func keepsARecordThatASnapshotDoesNotShow(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    try await reader.tell(.made(1, 100, at: 100))
    try await take([edge(1, 100)], at: 150, in: store)
    #expect(try await open(in: store) == [edge(1, 100)])
    #expect(try await reader.tell(.deleted(100, by: 1, at: 160)).changes == [])
    #expect(try await open(in: store) == [edge(1, 10)])
    // A server that is behind still shows the deleted one.
    try await take([edge(1, 100)], at: 170, in: store)
    try await store.learn([edge(1, 100)], of: .followers)
    #expect(try await open(in: store) == [edge(1, 10)])
    #expect(try await reader.tell(.deleted(10, by: 1, at: 180)).changes.count == 1)
    try await check(store)
  }

  @Test(arguments: HistoryUnderTest.all)
  func aHiddenAccountThatASnapshotShowsHasReturned(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10), edge(2, 20)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    try await reader.tell(.hidden(1, .suspended, at: 100), .hidden(2, .suspended, at: 101))
    let snapshot = try await take([edge(1), edge(2, 21)], at: 150, in: store)
    #expect(snapshot.counts.gained == 2 && snapshot.counts.listed == 2)
    #expect(try await open(in: store) == [edge(1, 10), edge(2, 21)])
    #expect(
      try await reader.tell(.hidden(1, .suspended, at: 100), .shown(1, at: 160), .deleted(21, by: 2, at: 170))
        .changes == [])
    #expect(try await open(in: store) == [edge(1, 10), edge(2, 20)])
    try await check(store)
    let again = try await reader.tell(.hidden(1, .suspended, at: 180), .shown(1, at: 190))
    #expect(again.changes.map(\.change.kind) == [.lost, .returned])
  }

  /// What a snapshot finds hidden returns with its record, as if an event had told it.
  @Test(arguments: HistoryUnderTest.all)
  func anAccountThatASnapshotFindsHiddenReturns(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10), edge(2, 20), edge(3)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    try await reader.tell(.made(2, 90, at: 90))
    let losses: [HistoryLoss] = [
      HistoryLoss(Accounts.did(1), .blockedBy, Evidence()),
      HistoryLoss(Accounts.did(2), .unfollowed, Evidence()),
      HistoryLoss(Accounts.did(3), .deactivated, Evidence()),
    ]
    try await take([], losing: losses, at: 100, in: store)
    try await check(store)
    let told = try await reader.tell(
      .unblocked(1, .blockedBy, at: 120), .shown(2, at: 121), .shown(3, at: 122), .made(2, 90, at: 90),
      .deleted(10, by: 1, at: 130))
    #expect(told.changes.map(\.change.account) == [1, 3, 1].map(Accounts.did))
    #expect(told.changes.map(\.change.kind) == [.returned, .returned, .lost])
    #expect(try await open(in: store) == [edge(3)])
    try await check(store)
  }

  /// A record that was deleted, and restored during a gap, is one again.
  @Test(arguments: HistoryUnderTest.all)
  func aRestoredRecordThatASnapshotSeesCanBeDeletedAgain(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    let events: [HistoryEvent] = [
      .made(1, 90, at: 90), .deleted(10, by: 1, at: 100), .deleted(90, by: 1, at: 110),
    ]
    try await reader.tell(events)
    try await store.recordGap(of: [.followers], since: 120, until: 190)
    try await take([edge(1, 10)], at: 200, in: store)
    #expect(try await reader.tell(events).changes == [])
    #expect(try await reader.tell(.deleted(10, by: 1, at: 300)).changes.map(\.change.kind) == [.lost])
    #expect(try await reader.tell(.made(1, 10, at: 310)).changes.map(\.change.kind) == [.returned])
    try await check(store)
  }

  /// The stream is read again from a place before the snapshot.
  @Test(arguments: HistoryUnderTest.all, [false, true])
  func eventsBeforeTheFirstSnapshotLeadToTheSameGraph(
    _ history: HistoryUnderTest, hasKeys: Bool
  ) async throws {
    let store = try history.makePlace().openHistory()
    // 3 has left while the snapshot was read, 4 came, and 5 came and left.
    let listed = [edge(1, 10), edge(2, 92), edge(3, 30)]
    try await take(hasKeys ? listed : listed.map { edge in HistoryEdge(edge.account) }, at: 95, in: store)
    let reader = try await TestReader(store, .followers, from: 80)
    let told = try await reader.tell(
      .made(6, 90, at: 90), .deleted(90, by: 6, at: 91), .made(2, 92, at: 92), .made(3, 30, at: 93),
      .deleted(30, by: 3, at: 100), .made(4, 101, at: 101), .made(5, 102, at: 102),
      .deleted(102, by: 5, at: 103))
    #expect(told.unresolved == [])
    #expect(try await open(in: store) == [edge(1, hasKeys ? 10 : nil), edge(2, 92), edge(4, 101)])
  }

  // MARK: Names and forgetting

  @Test(arguments: HistoryUnderTest.all)
  func remembersTheNamesOfAccounts(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await take([edge(1, 10)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    let names = try ["old.test", "new.test"].map { try #require(Handle($0)) }
    func named(_ account: Int, _ name: Int, at moment: Instant) -> HistoryEvent {
      HistoryEvent(.renamed(Accounts.did(account), names[name]), at: moment)
    }
    let events = [
      named(1, 0, at: 100), named(1, 0, at: 110), named(1, 1, at: 120), named(7, 0, at: 125),
      named(0, 0, at: 130),
    ]
    #expect(try await reader.tell(events).renames == [0, 2, 4], "7 is not an account of the history")
    #expect(try await reader.tell(events).renames == [])
    let reopened = try place.openHistory()
    #expect(
      try await reopened.names(of: Accounts.did(1)) == [Sample(at: 100, names[0]), Sample(at: 120, names[1])])
    #expect(try await reopened.names(of: Accounts.did(7)) == [])
    try await reopened.prune(before: 200)
    #expect(try await reopened.names(of: Accounts.did(1)) == [Sample(at: 120, names[1])])
  }

  @Test(arguments: HistoryUnderTest.all)
  func prunesWhatHasEnded(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await take([edge(1, 10), edge(2, 20)], at: 50, in: store)
    let reader = try await TestReader(store, .followers)
    try await reader.tell(
      .made(1, 100, at: 100), .made(1, 101, at: 101), .deleted(100, by: 1, at: 110),
      .hidden(2, .deactivated, at: 110))
    #expect(try await store.prune(before: 200) == 1)
    #expect(try await open(in: store) == [edge(1, 10)])
    try await check(store)
    // What is there or hidden stays.
    let told = try await reader.tell(.deleted(10, by: 1, at: 210), .shown(2, at: 220))
    #expect(told.changes.map(\.change.account) == [Accounts.did(2)])
    #expect(try await open(in: store) == [edge(1, 101), edge(2, 20)])
    try await check(store)
  }
}
