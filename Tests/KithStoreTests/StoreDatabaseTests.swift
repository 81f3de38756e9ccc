// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithStore

@Suite struct StoreDatabaseTests {
  private let place = TemporaryStore()
  private var path: String { place.folder + "/kith.sqlite" }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// A connection that may keep the file locked.
  private func otherProcess() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  @Test func letsNoOtherUserRead() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    try await store.lease(job.id, at: place.now).release()
    #expect(try mode(place.folder) == 0o700)
    #expect(try mode(place.folder + "/locks") == 0o700)
    for file in ["kith.sqlite", "kith.sqlite-wal", "kith.sqlite-shm", "locks/job-\(job.id)"] {
      #expect(try mode(place.folder + "/" + file) == 0o600, "\(file)")
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: [0o750, 0o770, 0o777]) func refusesAFolderThatOthersHaveAccessTo(mode: Int) throws {
    for folder in [place.folder, place.folder + "/locks"] {
      _ = try place.open()
      try setMode(mode, folder)
      let error = #expect(throws: StoreError.self) { try place.open() }
      #expect(error?.code == .unsafe && error?.path == folder)
      try setMode(0o700, folder)
    }
    _ = try place.open()
  }

  @Test(arguments: [
    "kith.sqlite", "kith.sqlite-wal", "kith.sqlite-shm", "kith.sqlite-journal", "locks/opening",
  ])
  func refusesAFileThatOthersCanChange(name: String) throws {
    let store = try place.open()
    let file = "\(place.folder)/\(name)"
    if !FileManager.default.fileExists(atPath: file) { try Data().write(to: URL(filePath: file)) }
    try setMode(0o666, file)
    let error = #expect(throws: StoreError.self) { try place.open() }
    #expect(error?.code == .unsafe && error?.path == file)
    try setMode(0o600, file)
    _ = try place.open()
    withExtendedLifetime(store) {}
  }

  @Test(arguments: ["kith.sqlite", "kith.sqlite-wal", "kith.sqlite-journal"])
  func refusesADatabaseThatIsALink(name: String) throws {
    _ = try place.open()
    let (file, elsewhere) = ("\(place.folder)/\(name)", "\(place.folder)/elsewhere")
    try? FileManager.default.removeItem(atPath: file)
    try Data("precious".utf8).write(to: URL(filePath: elsewhere))
    try setMode(0o644, elsewhere)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: elsewhere)
    let error = #expect(throws: StoreError.self) { try place.open() }
    #expect(error?.code == .unsafe && error?.path == file)
    #expect(try String(contentsOfFile: elsewhere, encoding: .utf8) == "precious")
    #expect(try mode(elsewhere) == 0o644)
  }

  /// The planning lock was truncated through such a link.
  @Test func refusesALockThatIsALink() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    let victim = "\(place.folder)/victim"
    try Data("precious".utf8).write(to: URL(filePath: victim))
    try setMode(0o600, victim)
    let planning = StoreDatabase.planningLock(of: Accounts.did(0))
    for name in [planning, "job-\(job.id)"] {
      let lock = store.database.locks.path(of: name)
      try? FileManager.default.removeItem(atPath: lock)
      try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: victim)
      let error = await #expect(throws: StoreError.self) {
        _ =
          name == planning
          ? try await store.leasePlanning(of: Accounts.did(0), at: place.now)
          : try await store.lease(job.id, at: place.now)
      }
      #expect(error?.code == .unsafe && error?.path == lock)
    }
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
  }

  @Test func doesNotTrustTheSchemaOfTheFile() async throws {
    let store = try place.open()
    #expect(try await store.database.read { try Int.fetchOne($0, sql: "PRAGMA trusted_schema") } == 0)
  }

  @Test func hasATransactionOnTheDiskWhenItEnds() async throws {
    let store = try place.open()
    let found = try await store.database.read { database in
      [
        try String.fetchOne(database, sql: "PRAGMA journal_mode"),
        try String.fetchOne(database, sql: "PRAGMA synchronous"),
        try String.fetchOne(database, sql: "PRAGMA foreign_keys"),
      ]
    }
    #expect(found == ["wal", "2", "1"])
  }

  @Test func isMadeOnceByManyAtATime() async throws {
    let folder = place.folder
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<8 {
        tasks.addTask {
          let store = SQLiteJobStore(try StoreDatabase(folder: folder))
          _ = try await store.create(JobDraft(account: Accounts.did(number), title: "follow"), at: 0)
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try await place.open().summaries(of: nil).count == 8)
  }

  @Test func namesTheFileThatIsNotAStore() throws {
    _ = try place.open()
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    let garbage = Data(repeating: 0x6B, count: 8_192)
    try garbage.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) { try place.open() }
    #expect(error?.code == .corrupt)
    #expect("\(try #require(error))".hasPrefix(path + ": the file is not a valid store"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == garbage)
  }

  @Test func doesNotChangeAFileOfANewerVersion() async throws {
    let store = try place.open()
    try await store.database.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('999 later')")
    }
    let error = #expect(throws: StoreError.self) { try place.open() }
    #expect(error?.code == .newer)
    #expect(error?.path == path)
  }

  @Test func reportsAFolderThatCannotBeCreated() throws {
    _ = try place.open()
    let error = #expect(throws: StoreError.self) { try StoreDatabase(folder: path + "/below") }
    #expect(error?.code == .unsafe)
    #expect(error?.path == path)
  }

  @Test func reportsALockThatIsHeldTooLong() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    let other = try otherProcess()
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let repository = ScriptedRepository()
    let error = await #expect(throws: StoreError.self) {
      try await place.runner(repository, store).run(job.id)
    }
    #expect(error?.code == .locked)
    #expect(error?.path == path)
    #expect(repository.attempts == 0)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await place.runner(repository, store).run(job.id) == .done)
  }

  @Test func losesNothingIfTheDiskIsFull() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    try await store.database.limitPages(toMoreThanNow: 10)
    let error = await #expect(throws: StoreError.self) {
      try await place.job(ChangeSamples.drafts(1..<2_000), in: store)
    }
    #expect(error?.code == .full)
    #expect(error?.path == path)
    // The job that did not fit has left nothing; the other one is complete.
    #expect(try await store.summaries(of: nil).map(\.job.id) == [job.id])
    #expect(try await store.summary(of: job.id).counts[.pending] == 2)
    #expect(try await place.runner(ScriptedRepository(), store).run(job.id) == .done)
  }

  @Test func settlesWhatWasSentWhenItsOutcomeCouldNotBeWrittenDown() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<401))
    let repository = ScriptedRepository()
    let other = try otherProcess()
    repository.always { _ in
      try? other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
      return .happen
    }
    let error = await #expect(throws: StoreError.self) {
      try await place.runner(repository, store).run(job.id)
    }
    #expect(error?.code == .locked)
    #expect(repository.subjects().count == 200)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try await store.summary(of: job.id).counts[.inDoubt] == 200)
    repository.always { _ in .happen }
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.commits.count == 2 && repository.subjects().count == 400)
  }
}
