// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Contract of a history: what a snapshot writes, and what an unfinished one leaves unchanged.
@Suite struct HistorySnapshotTests {
  @Test(arguments: HistoryUnderTest.all)
  func takesTheFirstSnapshotForTheBaseline(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let first = try await store.snapshot(.followers, 1..<10, at: 100)
    #expect(first.state == .complete && first.isBaseline && first.extent == .full)
    #expect(first.counts == Snapshot.Counts(listed: 9))
    #expect((first.startedAt, first.endedAt) == (100, 110))
    let reopened = try place.openHistory()
    #expect(try await reopened.snapshots(of: .followers) == [first])
    #expect(try await reopened.listings(of: Accounts.did(0)) == [.followers])
    #expect(try await reopened.listings(of: Accounts.did(1)) == [])
    #expect(try await reopened.accounts(of: .followers, at: first.id) == dids(1..<10))
    var changes = try await History(reopened).changes(of: Accounts.did(0)).makeAsyncIterator()
    #expect(try await changes.next() == nil)
  }

  @Test(arguments: HistoryUnderTest.all)
  func reportsWhoCameLeftAndReturned(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1...3, at: 100)
    let second = try await store.snapshot(.followers, 2...4, at: 200)
    #expect(second.counts == Snapshot.Counts(listed: 3, gained: 1, lost: 1))
    #expect((second.previousAt, second.previousFullAt) == (100, 100))
    try await store.snapshot(.followers, 1...4, at: 300)
    var told: [String] = []
    let names = Dictionary(uniqueKeysWithValues: (0...9).map { (Accounts.did($0), $0) })
    for try await change in try await History(try place.openHistory()).changes(of: Accounts.did(0)) {
      let cause = change.loss.map { " \($0.cause) \($0.evidence)" } ?? ""
      let time = "\(change.after.microsecondsSinceEpoch)-\(change.before.microsecondsSinceEpoch)"
      told.append("\(change.kind) \(names[change.account] ?? -1) \(time)\(cause)")
    }
    #expect(
      told == [
        "returned 1 200-310", "lost 1 100-210 unfollowed r:no-follow p:active", "gained 4 100-210",
      ])
  }

  @Test(arguments: HistoryUnderTest.all)
  func narrowsChanges(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await store.snapshot(.followers, 1...4, at: 100)
    try await store.snapshot(.follows, 1...4, at: 100)
    try await store.snapshot(.followers, 2...5, at: 200)
    try await store.snapshot(.followers, 3...5, at: 300, cause: .deleted)
    try await store.snapshot(.follows, 2...4, at: 400)
    func found(_ filter: HistoryFilter) async throws -> [Instant] {
      var times: [Instant] = []
      for try await change in try await History(store).changes(of: Accounts.did(0), filter) {
        times.append(change.before)
      }
      return times
    }
    #expect(try await found(HistoryFilter()) == [410, 310, 210, 210])
    #expect(try await found(HistoryFilter(sides: [.followers], kinds: [.lost])) == [310, 210])
    #expect(try await found(HistoryFilter(causes: [.deleted])) == [310])
    #expect(try await found(HistoryFilter(since: 310)) == [410, 310])
    let error = await #expect(throws: HistoryError.self) {
      _ = try await found(HistoryFilter(sides: [.mutes]))
    }
    #expect(error?.code == .noSnapshot)
  }

  /// A loss may have happened before a snapshot that left it open.
  @Test(arguments: HistoryUnderTest.all)
  func changesDateFromTheLastSnapshotWithoutUnconfirmedLosses(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1..<10, at: 100)
    let writer = try await store.begin(.followers, at: 200)
    _ = try await writer.add((1..<9).map { HistoryEdge(Accounts.did($0)) })
    _ = try await writer.finish(.full, Snapshot.Counts(unconfirmed: 1), note: nil, at: 210)
    let third = try await place.openHistory().snapshot(.followers, 1..<9, at: 300)
    #expect((third.previousAt, third.previousFullAt) == (200, 100))
    let fourth = try await store.snapshot(.followers, 1..<9, at: 400)
    #expect((fourth.previousAt, fourth.previousFullAt) == (300, 300))
  }

  /// What one snapshot withholds is there for the next one, in every process, and only for that one.
  @Test(arguments: HistoryUnderTest.all)
  func remembersWhatTheLastSnapshotWithheld(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    func take(
      _ withheld: [DID], at now: Instant, _ extent: Snapshot.Coverage = .full, fails: Bool = false
    ) async throws -> Set<DID> {
      let writer = try await place.openHistory().begin(.followers, at: now)
      let before = try await writer.withheld()
      try await writer.withhold(withheld)
      if fails {
        _ = try await writer.fail("no", at: now)
      } else {
        _ = try await writer.finish(extent, Snapshot.Counts(), note: nil, at: now)
      }
      return before
    }
    #expect(try await take([Accounts.did(1), Accounts.did(2)], at: 100).isEmpty)
    // A snapshot that fails leaves it alone.
    #expect(try await take([Accounts.did(3)], at: 200, fails: true) == [Accounts.did(1), Accounts.did(2)])
    // So does one that does not look for missing accounts.
    #expect(try await take([], at: 250, .incremental) == [Accounts.did(1), Accounts.did(2)])
    #expect(try await take([], at: 300) == [Accounts.did(1), Accounts.did(2)])
    #expect(try await take([], at: 400).isEmpty)
  }

  @Test(arguments: HistoryUnderTest.all)
  func remembersTheAppViewAndWhatIsDoubted(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let writer = try await store.begin(.followers, from: "https://appview.test", at: 100)
    #expect(writer.snapshot.appview == "https://appview.test" && writer.previous == nil)
    let taken = try await writer.finish(.full, Snapshot.Counts(doubted: 7), note: nil, at: 110)
    #expect(taken.counts.doubted == 7)
    let next = try await place.openHistory().begin(.followers, at: 200)
    #expect(next.previous == taken && next.snapshot.appview == nil)
    #expect(try await store.snapshots(of: .followers).first == taken)
  }

  /// A crash loses the running snapshot, but records no unfollows.
  @Test(arguments: HistoryUnderTest.all)
  func changesNothingUntilItEnds(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let first = try await store.snapshot(.followers, 1..<10, at: 100)
    var writer: (any SnapshotWriter)? = try await store.begin(.followers, at: 200)
    #expect(
      try await writer?.add([HistoryEdge(Accounts.did(1)), HistoryEdge(Accounts.did(11))]) == [
        Accounts.did(11)
      ])
    let loss = HistoryLoss(Accounts.did(2), .unfollowed, Evidence())
    try await writer?.lose([loss])
    #expect(try await place.openHistory().snapshots(of: .followers).map(\.state) == [.complete, .running])
    writer = nil
    let reopened = try place.openHistory()
    #expect(try await reopened.snapshots(of: .followers).map(\.state) == [.complete, .interrupted])
    #expect(try await reopened.accounts(of: .followers, at: first.id) == dids(1..<10))
    // The next one does not see it.
    let next = try await reopened.snapshot(.followers, 1..<11, at: 300)
    #expect(next.counts == Snapshot.Counts(listed: 10, gained: 1))
    #expect(next.previousAt == 100)
    #expect(
      try await store.snapshots(of: .followers).map(\.state) == [.complete, .interrupted, .complete])
  }

  @Test(arguments: HistoryUnderTest.all)
  func concludesNothingFromASnapshotThatFailed(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    try await store.snapshot(.followers, 1..<10, at: 100)
    let writer = try await store.begin(.followers, at: 200)
    _ = try await writer.add([HistoryEdge(Accounts.did(20))])
    let failed = try await writer.fail("the AppView failed", at: 205)
    #expect(failed.state == .failed && failed.note == "the AppView failed" && failed.endedAt == 205)
    #expect(try await place.openHistory().snapshots(of: .followers).last == failed)
    let next = try await store.snapshot(.followers, 1..<10, at: 300)
    #expect(next.counts == Snapshot.Counts(listed: 9) && next.previousAt == 100)
  }

  @Test(arguments: HistoryUnderTest.all)
  func takesOneSnapshotOfAListingAtATime(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let (one, other) = (try place.openHistory(), try place.openHistory())
    let writer = try await one.begin(.followers, at: 100)
    let error = await #expect(throws: HistoryError.self) { try await other.begin(.followers, at: 101) }
    #expect(error?.code == .inUse && error?.subject == "\(Accounts.did(0))")
    await #expect(throws: HistoryError.self) { try await other.forget(Accounts.did(0)) }
    // Another listing does not block it, whichever is written first.
    try await other.snapshot(.follows, 1...3, at: 102)
    _ = try await writer.finish(.full, Snapshot.Counts(), note: nil, at: 103)
    try await other.snapshot(.followers, 1...3, at: 104)
  }

  /// A listing read only down to known accounts says nothing about the others.
  @Test(arguments: HistoryUnderTest.all)
  func losesNoAccountByAnIncrementalSnapshot(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    try await store.snapshot(.followers, 1..<10, at: 100)
    let second = try await store.snapshot(.followers, [10, 9], at: 200, .incremental)
    #expect(second.counts == Snapshot.Counts(listed: 10, gained: 1) && second.extent == .incremental)
    let third = try await store.snapshot(.followers, 2..<11, at: 300)
    #expect((third.previousAt, third.previousFullAt) == (200, 100))
    #expect(try await store.accounts(of: .followers, at: second.id) == dids(1..<11))
    #expect(try await store.accounts(of: .followers, at: third.id) == dids(2..<11))
  }

  @Test(arguments: HistoryUnderTest.all)
  func keepsRecordKeysAndDIDsOfEveryForm(_ history: HistoryUnderTest) async throws {
    let place = history.makePlace()
    let store = try place.openHistory()
    let web = try DID(parsing: "did:web:example.com")
    let (tid, odd) = (try RecordKey(parsing: "3jzfcijpj2z2a"), try RecordKey(parsing: "self~1"))
    let large = try RecordKey(parsing: "jzzzzzzzzzzzz")
    var writer = try await store.begin(.follows, at: 1)
    // Of two records of one account the first is kept; a key that comes later is stored.
    _ = try await writer.add([
      HistoryEdge(web, rkey: odd), HistoryEdge(Accounts.did(1), rkey: tid), HistoryEdge(Accounts.did(2)),
      HistoryEdge(Accounts.did(1), rkey: odd),
    ])
    #expect(try await writer.add([HistoryEdge(Accounts.did(2), rkey: large)]) == [])
    let first = try await writer.finish(.full, Snapshot.Counts(counted: 3), note: nil, at: 2)
    #expect(first.counts == Snapshot.Counts(counted: 3, listed: 3))
    func keys(_ snapshot: ObservationID) async throws -> [DID: RecordKey?] {
      let edges = try await place.openHistory().edges(of: .follows, at: snapshot, after: nil, most: 9)
      return Dictionary(uniqueKeysWithValues: edges.map { ($0.account, $0.rkey) })
    }
    #expect(try await keys(first.id) == [web: odd, Accounts.did(1): tid, Accounts.did(2): large])
    // Followed again: the edge continues, with its new record.
    writer = try await store.begin(.follows, at: 3)
    _ = try await writer.add([
      HistoryEdge(web), HistoryEdge(Accounts.did(1), rkey: large), HistoryEdge(Accounts.did(2), rkey: large),
    ])
    let second = try await writer.finish(.full, Snapshot.Counts(), note: "why", at: 4)
    #expect(second.counts == Snapshot.Counts(listed: 3) && second.note == "why")
    #expect(try await keys(second.id) == [web: odd, Accounts.did(1): large, Accounts.did(2): large])
    // Two records again: the first is kept, whichever was known.
    for round in 5...6 {
      writer = try await store.begin(.follows, at: Instant(round))
      _ = try await writer.add([
        HistoryEdge(Accounts.did(1), rkey: tid), HistoryEdge(Accounts.did(1), rkey: large),
      ])
      let later = try await writer.finish(.incremental, Snapshot.Counts(), note: nil, at: Instant(round))
      #expect(try await keys(later.id)[Accounts.did(1)] == tid)
    }
  }

  @Test(arguments: HistoryUnderTest.all)
  func distinguishesListsOfOneActor(_ history: HistoryUnderTest) async throws {
    let store = try history.makePlace().openHistory()
    let lists = try ["aa", "bb"].map {
      HistoryListing(membersOf: try RecordKey(parsing: $0), of: Accounts.did(0))
    }
    let one = try await store.snapshot(lists[0], 1...3, at: 1)
    let other = try await store.snapshot(lists[1], 4...5, at: 2)
    #expect(try await store.listings(of: nil) == lists)
    #expect(try await store.accounts(of: lists[0], at: one.id) == dids(1...3))
    #expect(try await store.accounts(of: lists[1], at: other.id) == dids(4...5))
  }
}
