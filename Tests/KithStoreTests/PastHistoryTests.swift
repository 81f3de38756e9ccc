// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Observations that were made elsewhere, added at once.
@Suite struct PastHistoryTests {
  private let evidence = Evidence([.init(.relationship, .noFollow), .init(.profile, .active)])

  private func snapshot(
    _ listing: HistoryListing, at moment: Instant, counted: Int?, listed: [HistoryEdge],
    lost: [Int] = []
  ) -> PastHistory.Snapshot {
    var snapshot = PastHistory.Snapshot(listing, at: moment, counted: counted)
    snapshot.listed = listed
    snapshot.losses = lost.map { HistoryLoss(Accounts.did($0), .unfollowed, evidence) }
    return snapshot
  }

  private func edge(_ number: Int, _ key: RecordKey? = nil) -> HistoryEdge {
    HistoryEdge(Accounts.did(number), rkey: key)
  }

  /// Three snapshots of the followers between two of the follows, and the counts of two of these times.
  private func past() throws -> PastHistory {
    let (key, other) = (try RecordKey(parsing: "3k2yihcrp6f2c"), try RecordKey(parsing: "3k2yihcrp6f2d"))
    var past = PastHistory()
    past.snapshots = [
      snapshot(.followers, at: 100, counted: 4, listed: (1...3).map { edge($0, key) }),
      snapshot(.follows, at: 100, counted: 1, listed: [edge(1, key)]),
      snapshot(.followers, at: 200, counted: 3, listed: [edge(4, key)], lost: [1, 2]),
      snapshot(.followers, at: 300, counted: 4, listed: [edge(1, other)]),
      snapshot(.follows, at: 300, counted: 1, listed: [edge(1, other)]),
    ]
    past.counts[Accounts.did(0)] = [
      Sample(at: 100, AccountView.Counts(followers: 4, follows: 1, posts: 7)),
      Sample(at: 300, AccountView.Counts(followers: 4, follows: 1, posts: 9)),
    ]
    return past
  }

  /// Takes the same snapshots one after the other, each with all of its accounts.
  private func take(_ past: PastHistory, in store: some HistoryStore) async throws {
    for (actor, samples) in past.counts {
      for counts in samples { try await store.record(CountSample(at: counts.at, counts.value), of: actor) }
    }
    var listed: [HistoryListing: [DID: HistoryEdge]] = [:]
    for seen in past.snapshots {
      var now = listed[seen.listing] ?? [:]
      for edge in seen.listed { now[edge.account] = edge }
      for loss in seen.losses { now[loss.account] = nil }
      listed[seen.listing] = now
      let writer = try await store.begin(seen.listing, at: seen.at)
      _ = try await writer.add(Array(now.values))
      try await writer.lose(seen.losses)
      _ = try await writer.finish(
        .full, Snapshot.Counts(counted: seen.counted), note: nil, at: seen.at)
    }
  }

  /// All that a history says of actor 0.
  private struct Content: Equatable {
    var listings: [HistoryListing]
    var snapshots: [[Snapshot]] = []
    var intervals: [[HistoryInterval]] = []
    var counts: [CountSample]

    init(_ store: some HistoryStore) async throws {
      listings = try await store.listings(of: nil)
      counts = try await store.counts(of: Accounts.did(0), since: .distantPast)
      for listing in listings {
        snapshots.append(try await store.snapshots(of: listing))
        intervals.append(try await store.intervals(of: listing, after: nil, most: .max))
      }
    }
  }

  @Test func isTheSameAsTheSnapshotsThatWereTaken() async throws {
    let (added, taken) = (TemporaryStore(), TemporaryStore())
    let database = try StoreDatabase(folder: added.folder, .history)
    let past = try past()
    try await SQLiteHistoryStore(database).add(past)
    try await take(past, in: try taken.openHistory())
    let content = try await Content(try added.openHistory())
    #expect(content == (try await Content(try taken.openHistory())))
    #expect(content.intervals.map(\.count) == [5, 1])
    #expect(content.snapshots.first?.map(\.counts.listed) == [3, 2, 3])
    #expect(try await database.check() == [])
    // The next snapshot goes on from it.
    let store = SQLiteHistoryStore(database)
    let next = try await store.snapshot(.followers, [1, 3], at: 400)
    #expect(next.previousFullAt == 300)
    #expect(next.counts == Snapshot.Counts(listed: 2, lost: 1))
  }

  /// What is known of one of the actors would be contradicted, so nothing is added of any.
  @Test(arguments: [true, false]) func isRefusedForAnActorThatIsKnown(byCounts: Bool) async throws {
    let place = TemporaryStore()
    let store = SQLiteHistoryStore(try StoreDatabase(folder: place.folder, .history))
    var past = try past()
    let other = HistoryListing(.blocks, of: Accounts.did(9))
    past.snapshots.append(snapshot(other, at: 300, counted: nil, listed: [edge(1)]))
    if byCounts {
      let counts = CountSample(at: 1, AccountView.Counts(followers: 1, follows: 1, posts: 1))
      try await store.record(counts, of: Accounts.did(9))
    } else {
      try await store.snapshot(other, [1], at: 1)
    }
    let before = try await Content(store)
    let error = await #expect(throws: HistoryError.self) { try await store.add(past) }
    #expect(error?.code == .known && error?.subject == Accounts.did(9).description)
    #expect(try await Content(store) == before)
    // An account on the listing of another actor is not known as an actor.
    past.snapshots.removeLast()
    try await store.add(past)
    await #expect(throws: HistoryError.self) { try await store.add(past) }
  }
}
