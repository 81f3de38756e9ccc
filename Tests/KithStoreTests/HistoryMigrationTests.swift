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
}
