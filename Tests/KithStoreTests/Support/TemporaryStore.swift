// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport

@testable import KithStore

/// A store in its own folder, in memory if the system has such a place, removed with the value.
final class TemporaryStore: JournalPlace {
  let folder: String
  let clock = ManualClock(.skipping)

  init() {
    let root = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    folder = root + "/kith-store-\(UUID().uuidString)"
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Opens the file again, as another process would.
  func open(
    busyTimeout: Duration = .milliseconds(20), kinds: [EdgeKind] = [], records: Set<NSID> = []
  ) throws -> SQLiteJobStore {
    SQLiteJobStore(
      try StoreDatabase(folder: folder, busyTimeout: busyTimeout), kinds: kinds, records: records)
  }

  func reopen() throws -> any JobStore { try open(busyTimeout: .seconds(10)) }

  /// Adds a job that follows, and opens the store.
  func job(
    _ drafts: [JobItemDraft], until: Datetime? = nil
  ) async throws -> (store: SQLiteJobStore, job: Job) {
    let store = try open()
    let draft = JobDraft(account: Accounts.did(0), title: "follow", until: until)
    return (store, try await JobManager(journal: store, time: time).add(draft, drafts))
  }
}

extension TemporaryStore {
  /// Adds a job to an open store.
  func job(_ drafts: [JobItemDraft], in store: SQLiteJobStore) async throws -> Job {
    let draft = JobDraft(account: Accounts.did(0), title: "follow")
    return try await JobManager(journal: store, time: time).add(draft, drafts)
  }
}

extension StoreDatabase {
  /// Makes the disk full after this many more pages.
  func limitPages(toMoreThanNow pages: Int) async throws {
    try await write { database in
      let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      try database.execute(sql: "PRAGMA max_page_count = \(count + pages)")
    }
  }
}
