// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithCore
import KithHistory
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// The file of a history: separate, sound, and maintained.
@Suite struct HistoryFileTests {
  private let place = TemporaryStore()
  private var path: String { place.folder + "/history.sqlite" }

  private func open() throws -> StoreDatabase { try StoreDatabase(folder: place.folder, .history) }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }

  @Test func isBesideTheJournalAndPrivate() async throws {
    let database = try open()
    try await SQLiteHistoryStore(database).snapshot(.followers, 1...3, at: 1)
    for file in ["history.sqlite", "history.sqlite-wal"] {
      #expect(try mode(place.folder + "/" + file) == 0o600, "\(file)")
    }
    #expect(try StoreFile.history.exists(in: place.folder))
    #expect(try !StoreFile.journal.exists(in: place.folder))
    let found = try await database.read { database in
      [
        try String.fetchOne(database, sql: "PRAGMA journal_mode"),
        try String.fetchOne(database, sql: "PRAGMA synchronous"),
        try String.fetchOne(database, sql: "PRAGMA trusted_schema"),
      ]
    }
    #expect(found == ["wal", "1", "0"])
  }

  /// A change is never delayed by a snapshot, nor a snapshot by a change.
  @Test func isNotLockedByTheJournal() async throws {
    let journal = try place.open().database
    let history = SQLiteHistoryStore(try open())
    try await journal.write { database in
      try database.execute(sql: "UPDATE journal SET revision = revision")
      let other = try DatabaseQueue(path: path)
      try other.write { try $0.execute(sql: "UPDATE snapshots SET note = note") }
    }
    try await history.snapshot(.followers, 1...3, at: 1)
  }

  @Test func refusesWhatALaterVersionWrote() async throws {
    try await open().write {
      try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('999 later')")
    }
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(error?.code == .newer && error?.path == path)
  }

  /// Every released version can be opened by this one: its data is migrated.
  @Test func hasMigrationsThatAreOnlyAppended() {
    #expect(
      HistorySchema.migrator.migrations == [
        "1 intervals", "2 goals and segments", "3 withheld", "4 samples and returns", "5 events",
        "6 dismissals", "7 doubt", "8 streams",
      ])
    #expect(
      StoreSchema.migrator.migrations == [
        "1 jobs", "2 planned", "3 engine", "4 changes", "5 memory", "6 proposals",
      ])
  }

  @Test func findsASoundFileSound() async throws {
    let store = SQLiteHistoryStore(try open())
    try await store.snapshot(.followers, 1...9, at: 1)
    try await store.snapshot(.followers, 4...12, at: 2)
    try await store.snapshot(.follows, 4...12, at: 2)
    let reader = try await TestReader(store, .followers)
    try await reader.tell(
      .made(20, 3, at: 3), .made(21, 4, at: 4), .made(21, 5, at: 5), .hidden(20, .deactivated, at: 6))
    #expect(try await open().check() == [])
    #expect(try await place.open().database.check() == [])
  }

  @Test(arguments: [
    (
      "INSERT INTO edges (listing, account, first) VALUES (1, 2, 99)",
      "accounts that are on a listing twice: 1"
    ),
    ("UPDATE edges SET lost = first WHERE account = 2", "accounts that left before they came: 1"),
    ("UPDATE edges SET account = 99 WHERE account = 2", "edges of accounts without a DID: 1"),
    ("DELETE FROM edges WHERE account = 2", "listings with a wrong count: 1"),
    ("UPDATE edges SET first = 99 WHERE account = 2", "edges of missing observations: 1"),
    (
      "INSERT INTO records (listing, account, rkey) VALUES (1, 99, 1)",
      "records of accounts that are neither on the listing nor hidden: 1"
    ),
    (
      "PRAGMA foreign_keys = OFF; DELETE FROM listings",
      "a row of snapshots refers to a missing row of listings"
    ),
  ])
  func namesWhatContradictsItself(statement: String, fault: String) async throws {
    let database = try open()
    try await SQLiteHistoryStore(database).snapshot(.followers, 1...9, at: 1)
    try await database.withoutTransaction { try $0.execute(sql: statement) }
    #expect(try await database.check().contains(fault))
  }

  @Test func detectsADamagedFile() async throws {
    do {
      let store = SQLiteHistoryStore(try open())
      try await store.snapshot(.followers, 1...3_000, at: 1)
    }
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    // After the first pages, which have the schema.
    try handle.seek(toOffset: 20 * 4_096)
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 8 * 4_096))
    try handle.close()
    let database = try open()
    var problems: [String] = []
    do { problems = try await database.check() } catch let error as StoreError {
      problems = [error.code.description]
    }
    #expect(!problems.isEmpty)
  }

  @Test func copiesItselfWhileOthersWrite() async throws {
    let store = SQLiteHistoryStore(try open())
    let first = try await store.snapshot(.followers, 1...9, at: 1)
    let writer = try await store.begin(.followers, at: 2)
    _ = try await writer.add([HistoryEdge(Accounts.did(20))])
    let copy = TemporaryStore()
    _ = try copy.open()
    let target = copy.folder + "/history.sqlite"
    #expect(try await open().backup(to: ChosenFolder(path: copy.folder)) == target)
    #expect(try mode(target) == 0o600)
    #expect(
      try await SQLiteHistoryStore(StoreDatabase(folder: copy.folder, .history)).accounts(
        of: .followers, at: first.id) == dids(1...9))
    let error = await #expect(throws: StoreError.self) {
      try await open().backup(to: ChosenFolder(path: copy.folder))
    }
    #expect(error?.path == target)
    _ = try await writer.finish(.full, Snapshot.Counts(), note: nil, at: 3)
  }

  @Test func freesSpace() async throws {
    let database = try open()
    let store = SQLiteHistoryStore(database)
    try await store.snapshot(.followers, 1...5_000, at: 1)
    try await store.snapshot(.followers, 1...2, at: 2)
    try await database.vacuum()
    let before = StoreFile.history.bytes(in: place.folder)
    #expect(try await store.prune(before: 100) == 4_998)
    try await database.vacuum()
    #expect(StoreFile.history.bytes(in: place.folder) < before / 2)
    #expect(try await database.check() == [])
  }
}
