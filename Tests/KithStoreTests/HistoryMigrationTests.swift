// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// What becomes of a history that an earlier version wrote.
@Suite struct HistoryMigrationTests {
  private let place = TemporaryStore()
  private static let second: Int64 = 1_000_000

  /// A file as the versions before counts had an order left it: three nights, the second of which had an outage, the third
  /// a clock that was behind; and a count between them.
  private func writeFormerFile() throws {
    _ = try StoreDatabase(folder: place.folder, .history)
    let path = place.folder + "/history.sqlite"
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    let database = try DatabaseQueue(path: path)
    try HistorySchema.migrator.migrate(database, upTo: "6 dismissals")
    try database.write { database in
      try database.execute(
        sql: """
          INSERT INTO accounts (id, did) VALUES (1, :did);
          INSERT INTO listings (id, actor, side) VALUES (1, 1, 'followers');
          """, arguments: ["did": Accounts.did(0).data])
      let nights: [(start: Int64, followers: Int, note: String?)] = [
        (100_000, 9, nil), (200_000, 0, "many follows seem to be gone, and no profile count confirms it"),
        (5_000, 8, nil),
      ]
      for night in nights {
        let at = night.start * Self.second
        try database.execute(
          sql: """
            INSERT INTO counts (account, at, followers) VALUES (1, :at, :followers);
            INSERT INTO snapshots (listing, state, extent, started_at, ended_at, unconfirmed, note)
            VALUES (1, 'complete', 'full', :at + 1000, :at + 2000, 9, :note);
            """, arguments: ["at": at, "followers": night.followers, "note": night.note])
      }
      try database.execute(
        sql: "INSERT INTO counts (account, at, followers) VALUES (1, ?, 10)",
        arguments: [150_000 * Self.second])
    }
    try database.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  @Test func countsGetTheOrderAndTheDoubtOfTheirSnapshots() async throws {
    try writeFormerFile()
    let database = try StoreDatabase(folder: place.folder, .history)
    #expect(try await database.check() == [])
    let store = SQLiteHistoryStore(database)
    let counts = try await store.counts(of: Accounts.did(0), since: .distantPast)
    #expect(counts.map(\.value.followers) == [9, 10, 0, 8])
    #expect(counts.map(\.isDoubted) == [false, false, true, false])
    let ordered = try await store.countsInOrder(of: Accounts.did(0), until: .distantFuture)
    #expect(ordered.map(\.value.followers) == [9, 10, 0])
  }

  /// Nothing is known about the AppView of an earlier snapshot, so the next one is not of another.
  @Test func earlierSnapshotsHaveNoAppView() async throws {
    try writeFormerFile()
    let store = SQLiteHistoryStore(try StoreDatabase(folder: place.folder, .history))
    let snapshots = try await store.snapshots(of: .followers)
    #expect(snapshots.map(\.appview) == [nil, nil, nil])
    #expect(snapshots.map(\.counts.doubted) == [0, 9, 0])
  }

  /// A file as the version before streams left it: a follower with a key, one without, and one that an event took away.
  private func writeFileBeforeStreams() throws {
    _ = try StoreDatabase(folder: place.folder, .history)
    let path = place.folder + "/history.sqlite"
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    let database = try DatabaseQueue(path: path)
    try HistorySchema.migrator.migrate(database, upTo: "7 doubt")
    try database.write { database in
      for number in 0...3 {
        try database.execute(
          sql: "INSERT INTO accounts (id, did) VALUES (?, ?)",
          arguments: [number + 1, Accounts.did(number).data])
      }
      try database.execute(
        sql: """
          INSERT INTO listings (id, actor, side) VALUES (1, 1, 'followers');
          INSERT INTO snapshots (id, listing, state, extent, started_at, ended_at, listed)
          VALUES (1, 1, 'complete', 'full', 100, 110, 3);
          INSERT INTO reasons (id, cause, evidence) VALUES (1, 'unfollowed', 'l:no-record');
          INSERT INTO events (id, listing, at, stream) VALUES (2, 1, 150, 'jetstream');
          INSERT INTO edges (listing, account, first, rkey) VALUES (1, 2, 1, :key), (1, 3, 1, NULL);
          INSERT INTO edges (listing, account, first, lost, reason) VALUES (1, 4, 1, 2, 1);
          INSERT INTO counts (account, at, followers) VALUES (1, 100, 3);
          INSERT INTO watched (account, since) VALUES (1, 100);
          """, arguments: ["key": RecordKey(number: 50).databaseValue])
    }
    try database.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  @Test func whatWasObservedBeforeStreamsStaysAndIsFollowed() async throws {
    try writeFileBeforeStreams()
    let database = try StoreDatabase(folder: place.folder, .history)
    #expect(try await database.check() == [])
    let store = SQLiteHistoryStore(database)
    let stays = try await store.intervals(of: .followers, after: nil, most: .max)
    #expect(stays.map(\.edge.account) == [1, 2, 3].map(Accounts.did))
    #expect(stays.map(\.edge.rkey) == [RecordKey(number: 50), nil, nil])
    #expect(stays.map(\.lostIn?.by) == [nil, nil, 150])
    #expect(try await store.counts(of: Accounts.did(0), since: .epoch).count == 1)
    #expect(try await store.watched().map(\.actor) == [Accounts.did(0)])
    #expect(try await store.cursors(of: [.followers]) == [:])
    #expect(try await store.gaps(of: .followers) == [])
    let told = try await TestReader(store, .followers).tell(
      .deleted(50, by: 1, at: 200), .made(2, 60, at: 210), .made(3, 220, at: 220))
    #expect(told.changes.map(\.change.kind) == [.lost, .returned])
    #expect(try await database.check() == [])
  }
}
