// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Contract of a history: events of a stream between and during snapshots.
@Suite struct HistoryEventTests {
  private func story(_ store: any HistoryStore, of account: Int) async throws -> [HistoryChange] {
    try await History(store).changes(of: Accounts.did(0), about: Accounts.did(account))
  }

  @Test(arguments: HistoryUnderTest.all)
  func anEventSaysWhenAChangeHappened(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1...3, at: 100)
    let reader = try await TestReader(store, .followers)
    let told = try await reader.tell(.made(4, 140, at: 150), .purged(1, at: 160))
    let snapshot = try await store.snapshot(.followers, [2, 4, 5], at: 200)
    #expect(snapshot.counts.listed == 3 && snapshot.counts.gained == 1 && snapshot.counts.lost == 1)

    let reopened = try place.openHistory()
    let came = try #require(try await story(reopened, of: 4).first)
    #expect(came.kind == .gained && came.after == 150 && came.before == 150)
    #expect(came.seen.source == .event(stream: "jetstream") && came.edge.rkey == RecordKey(number: 140))
    let left = try #require(try await story(reopened, of: 1).first)
    #expect(left.kind == .lost && left.loss == HistoryLoss(Accounts.did(1), .deleted, Evidence()))
    #expect(left.before == 160 && left.seen.source == .event(stream: "jetstream"))
    #expect(told.changes.map(\.change) == [came, left] && told.changes.map(\.event) == [0, 1])
    let found = try #require(try await story(reopened, of: 3).first)
    #expect(found.kind == .lost && found.after == 100 && found.before == 210)
    #expect(found.seen.source == .snapshot)
    #expect(try await reopened.accounts(of: .followers, at: snapshot.id) == dids([2, 4, 5]))
  }

  /// The latest first, whatever saw them, over all listings.
  @Test(arguments: HistoryUnderTest.all)
  func changesOfEventsAndSnapshotsComeInOneOrder(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await store.snapshot(.followers, 1...3, at: 100)
    try await store.snapshot(.follows, 1...3, at: 100)
    let reader = try await TestReader(store, .followers, .follows)
    for account in 10..<1_300 {
      let moment = Instant(1_000 + account)
      try await reader.tell(.made(account, 1_000 + account, at: moment))
      if account == 700 { try await store.snapshot(.follows, 2...4, at: moment) }
    }
    try await store.snapshot(.followers, Array(2...3) + Array(10..<1_300), at: 9_000)
    try await reader.tell(.made(5, 9_500, at: 9_500, on: .follows))
    var seen: [HistoryChange] = []
    for try await change in try await History(store).changes(of: Accounts.did(0)) { seen.append(change) }
    #expect(seen.count == 1_290 + 4)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.seen.id >= $1.seen.id })
    #expect(seen.first?.account == Accounts.did(5) && seen.first?.before == 9_500)
    let place = try #require(seen.firstIndex { $0.listing == .follows && $0.before == 1_710 })
    #expect(seen[place].kind == .lost && seen[place - 1].before == 1_701 && seen[place + 2].before == 1_700)
    var late: [HistoryChange] = []
    let filter = HistoryFilter(kinds: [.gained], since: 2_200)
    for try await change in try await History(store).changes(of: Accounts.did(0), filter) {
      late.append(change)
    }
    #expect(late.count == 101 && late.allSatisfy { $0.before >= 2_200 })
  }

  /// A stream that begins again says what it said before.
  @Test(arguments: HistoryUnderTest.all)
  func repeatedEventsChangeNothing(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await store.snapshot(.followers, [1], at: 100)
    let reader = try await TestReader(store, .followers)
    let events: [HistoryEvent] = [
      .made(2, 150, at: 150), .deleted(150, by: 2, at: 160), .made(2, 170, at: 170),
    ]
    for event in events { #expect(try await reader.tell(event).changes.count == 1) }
    for event in events { #expect(try await reader.tell(event).changes == [], "\(event)") }
    #expect(try await reader.tell(events).changes == [])
    #expect(try await story(store, of: 2).map(\.kind) == [.gained, .lost, .returned])
    // Undo restores a record with its old key.
    #expect(
      try await reader.tell(.deleted(170, by: 2, at: 180), .made(2, 150, at: 190)).changes.count == 2)
    #expect(try await story(store, of: 2).count == 5)
  }

  /// An account may have several records of a follow, and the deletion of another one says nothing.
  @Test(arguments: HistoryUnderTest.all)
  func onlyTheDeletionOfTheKnownRecordIsALoss(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await store.snapshot(.followers, [1, 2], at: 100)
    let reader = try await TestReader(store, .followers)
    let unknown = try await reader.tell(.deleted(10, by: 1, at: 150))
    #expect(unknown.changes == [] && unknown.unresolved == [0], "its key is not known")
    // The same follow again tells the key.
    #expect(try await reader.tell(.made(1, 11, at: 160)).changes == [])
    let other = try await reader.tell(.deleted(12, by: 1, at: 170), .deleted(7, by: 7, at: 171))
    #expect(other == ObservedEvents(), "it follows others, too")
    #expect(try await reader.tell(.deleted(11, by: 1, at: 180)).changes.count == 1)
    #expect(try await story(store, of: 1).map(\.before) == [180])
  }

  /// A snapshot that has begun does not undo what events say until it ends.
  @Test(arguments: HistoryUnderTest.all)
  func eventsDuringASnapshotStay(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1...3, at: 100)
    let writer = try await store.begin(.followers, at: 200)
    _ = try await writer.add([1, 3, 5].map { HistoryEdge(Accounts.did($0)) })
    let reader = try await TestReader(store, .followers)
    try await reader.tell(.made(4, 205, at: 205), .made(5, 206, at: 206), .lost(3, .unfollowed, at: 207))
    // It came and left, and the snapshot has seen it in between.
    _ = try await writer.add([HistoryEdge(Accounts.did(6))])
    try await reader.tell(.made(6, 206, at: 206), .deleted(206, by: 6, at: 208))
    try await writer.lose([HistoryLoss(Accounts.did(2), .unfollowed, Evidence())])
    let snapshot = try await writer.finish(.full, Snapshot.Counts(), note: nil, at: 210)
    #expect(snapshot.counts.listed == 3)
    let open = try await store.intervals(of: .followers, after: nil, most: .max).filter { $0.lostIn == nil }
    #expect(Set(open.map(\.edge.account)) == dids([1, 4, 5]) && open.count == 3)
    let next = try await store.snapshot(.followers, [1, 4, 5], at: 300)
    #expect(next.counts.gained == 0 && next.counts.lost == 0 && next.counts.listed == 3)
  }

  /// A listing may be followed before anybody took a snapshot of it.
  @Test(arguments: HistoryUnderTest.all)
  func eventsMayComeBeforeTheFirstSnapshot(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    let reader = try await TestReader(store, .followers)
    #expect(try await reader.tell(.made(1, 50, at: 50)).changes.count == 1)
    #expect(try await store.listings(of: Accounts.did(0)) == [.followers])
    let first = try await store.snapshot(.followers, 1...3, at: 100)
    #expect(first.isBaseline && first.counts.listed == 3)
    #expect(try await story(store, of: 1).map(\.before) == [50])
    #expect(try await story(store, of: 2) == [])
    let presence = try await History(store).presence(of: Accounts.did(2), with: Accounts.did(0))
    #expect(presence.map(\.since.after) == [nil])
  }

  @Test(arguments: HistoryUnderTest.all)
  func prunesEventsWithTheirStays(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1...2, at: 100)
    let reader = try await TestReader(store, .followers)
    let told = try await reader.tell(
      .lost(1, .unfollowed, at: 150), .made(3, 160, at: 160), .made(4, 170, at: 170),
      .deleted(170, by: 4, at: 180))
    #expect(told.changes.count == 4)
    #expect(try await store.prune(before: 200) == 2)
    let reopened = try place.openHistory()
    #expect(try await story(reopened, of: 1) == [])
    #expect(try await story(reopened, of: 3).map(\.before) == [160])
    #expect(try await reopened.changes(of: .followers, before: nil, most: 10).map(\.by) == [160])
    #expect(try await reopened.forget(Accounts.did(0)))
    #expect(try await reopened.changes(of: .followers, before: nil, most: 10) == [])
    // A number is never used again.
    let next = try await reopened.snapshot(.followers, [1], at: 300)
    #expect(next.id.number > 5)
  }

  /// The clock may have been set back since the snapshot before: then only the order is known.
  @Test(arguments: HistoryUnderTest.all)
  func boundsOfAChangeAreInOrder(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await store.snapshot(.followers, [1, 2], at: 1_000)
    try await store.snapshot(.followers, [2], at: 500)
    let change = try #require(try await story(store, of: 1).first)
    #expect(change.after <= change.before)
  }
}
