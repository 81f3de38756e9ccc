// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithClient
import KithCore
import KithWriting
import TestSupport
import Testing

@testable import KithStore

/// Contract of a journal: what it knows of a backup that took its place.
@Suite struct JournalRestoreTests {
  @Test(arguments: JournalUnderTest.all)
  func remembersThatNothingMayEndUnattended(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    #expect(try await place.reopen().endsHeldSince() == nil)
    try await place.reopen().holdEnds(since: 5)
    #expect(try await place.reopen().endsHeldSince() == 5)
    try await place.reopen().releaseEnds()
    #expect(try await place.reopen().endsHeldSince() == nil)
  }
}

/// Backups that are put in the place of a file.
@Suite struct RestoreTests {
  private let place = TemporaryStore()
  private let copies = TemporaryStore()

  /// A backup of a journal with a job.
  private func backup() async throws -> ChosenFolder {
    let (store, _) = try await place.job(ChangeSamples.drafts(1..<3))
    let folder = try ChosenFolder(path: copies.folder, creating: true)
    try await store.database.backup(to: folder)
    return folder
  }

  /// The hold and the numbers come in the same transaction as the content: a crash leaves neither out.
  @Test func aRestoredJournalEndsNothingUnattended() async throws {
    let folder = try await backup()
    let store = try place.open()
    for _ in 1...3 { _ = try await place.job(ChangeSamples.drafts(4..<5), in: store) }
    try await store.database.restore(from: try folder.incoming("kith.sqlite"), at: 7)
    #expect(try await store.endsHeldSince() == 7)
    #expect(try await store.summaries(of: nil).map(\.job.id.number) == [1])
    #expect(try await place.job(ChangeSamples.drafts(4..<5), in: store).id.number == 5)
    #expect(try await store.database.check().isEmpty)
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER UPDATE ON items BEGIN DELETE FROM spends; END",
    "CREATE VIEW v AS SELECT 1", "CREATE TABLE other (a)", "CREATE INDEX i ON jobs (title)",
    "DROP INDEX items_by_call", "ALTER TABLE jobs ADD COLUMN extra TEXT", "DELETE FROM grdb_migrations",
    "DROP TABLE spends; CREATE VIEW spends AS SELECT 1 AS account",
    "DELETE FROM journal", "INSERT INTO journal (revision) VALUES (9)",
  ])
  func whatNoVersionMakesIsRefused(sql: String) async throws {
    let folder = try await backup()
    // Not through the store, which knows only its own statements.
    try await StoreDatabase(folder: copies.folder).write { try $0.execute(sql: sql) }
    let copy = try folder.incoming("kith.sqlite")
    let store = try place.open()
    let error = await #expect(throws: StoreError.self) { try await store.database.restore(from: copy, at: 7) }
    #expect(error?.code == .corrupt && error?.path == copy.path)
    #expect(try await store.endsHeldSince() == nil)
    if !sql.contains("grdb_migrations") {
      #expect(try await !StoreDatabase(folder: copies.folder).check().isEmpty)
    }
  }

  /// An empty file would be a journal without jobs.
  @Test func anEmptyFileIsNotABackup() async throws {
    let folder = try await backup()
    #expect(folder.remove("kith.sqlite"))
    close(folder.create("kith.sqlite", mode: 0o600))
    let copy = try folder.incoming("kith.sqlite")
    #expect(throws: StoreError.self) { try StoreDatabase.check(copy: copy, of: .journal, in: place.folder) }
  }
}
