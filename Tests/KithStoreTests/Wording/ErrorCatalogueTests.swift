// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import TestSupport
import Testing

@testable import KithCore
@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

/// The sentences of this module's errors, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  private let place = TemporaryStore()

  @Test func holdsEverySentence() async throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    let results: [ResultCode] = [
      .SQLITE_BUSY, .SQLITE_FULL, .SQLITE_CORRUPT, .SQLITE_CANTOPEN, .SQLITE_IOERR_READ, .SQLITE_IOERR_WRITE,
      .SQLITE_IOERR_SHMSIZE, .SQLITE_ERROR,
    ]
    for result in results {
      let error = StoreError(DatabaseError(resultCode: result, message: "no such table"), path: "FOLDER")
      catalogue.add("store.\(error.code)", error)
    }
    try await addFiles(to: &catalogue)
    try await addJobs(to: &catalogue)
    #expect(try catalogue.differences() == [])
    #expect(Set(StoreError.Code.all.map { "store.\($0)" }).subtracting(catalogue.codes) == [])
  }

  private func add(_ error: (any Error)?, to catalogue: inout WordingCatalogue) {
    switch error {
    case let error as StoreError:
      catalogue.add("store.\(error.code)", "\(error)".replacing(place.folder, with: "FOLDER"))
    case let error as JobError: catalogue.add("job.\(error.code)", error)
    default: Issue.record("\(String(describing: error)) is of another kind")
    }
  }

  private func addFiles(to catalogue: inout WordingCatalogue) async throws {
    let store = try place.open()
    add(
      #expect(throws: StoreError.self) { try StoreDatabase(folder: place.folder + "/kith.sqlite/below") },
      to: &catalogue)
    let reasons: [SecureFolderError.Reason] = [
      .foreignOwner(7), .system(.create, ENOSPC), .system(.lock, EBADF),
    ]
    for reason in reasons {
      add(StoreError(SecureFolderError(path: "FOLDER/kith.sqlite", reason)), to: &catalogue)
    }
    try await store.database.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('999 later')")
    }
    add(#expect(throws: StoreError.self) { try place.open() }, to: &catalogue)
    try await store.database.write {
      try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '999 later'")
    }
  }

  private func addJobs(to catalogue: inout WordingCatalogue) async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    let desk = JobManager(journal: store, time: place.time)
    add(await #expect(throws: JobError.self) { try await desk.undo(job.id) }, to: &catalogue)
    _ = try await place.runner(ScriptedRepository(), store).run(job.id)
    let undo = try await desk.undo(job.id)
    _ = try await place.runner(ScriptedRepository(), store).run(undo.id)
    add(await #expect(throws: JobError.self) { try await desk.undo(undo.id) }, to: &catalogue)
    let cancelled = try await place.job(ChangeSamples.drafts(3..<5), in: store)
    _ = try await store.cancel(cancelled.id, at: place.now)
    add(
      await #expect(throws: JobError.self) {
        try await place.runner(ScriptedRepository(), store).run(cancelled.id)
      }, to: &catalogue)
    add(await #expect(throws: JobError.self) { try await store.job(JobID(number: 99)) }, to: &catalogue)
  }
}
