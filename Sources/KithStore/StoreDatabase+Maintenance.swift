// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
internal import KithWriting

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension StoreDatabase {
  /// Checks the file for inconsistent pages and rows. Returns what is wrong; empty if it is sound.
  ///
  /// Reads the whole file.
  /// - Throws: ``StoreError``.
  package func check() async throws -> [String] {
    try await read { [file] database in try Self.problems(of: file, in: database) }
  }

  private static func problems(of file: StoreFile, in database: Database) throws -> [String] {
    let pages = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
    let strays = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { row in
      "a row of \(row["table"] as String? ?? "") refers to a missing row of \(row["parent"] as String? ?? "")"
    }
    let strangers = try file.strangers(in: database)
    switch file {
    case .cache: return pages + strangers + strays
    case .journal:
      // A table that cannot be counted is named already.
      let isCounted = pages.isEmpty && strangers.isEmpty
      let rows = try isCounted ? Int.fetchOne(database, sql: JournalStatements.rows) ?? 0 : 1
      // What concerns the journal as a whole is in its one row: without it, a hold would be lost.
      let fault = rows == 1 ? [] : ["the table journal has \(rows) rows instead of 1"]
      return pages + strangers + strays + fault
    case .history: break
    }
    let faults = try HistoryStatements.checks.compactMap { check in
      let count = try Int.fetchOne(database, sql: check.counting) ?? 0
      return count > 0 ? "\(check.fault): \(count)" : nil
    }
    return pages + strangers + strays + faults
  }

  /// Writes a consistent copy into a new file of the same name that only its owner can read, while other processes
  /// continue to write. Returns the path of the copy.
  ///
  /// The copy is made in the folder of the store, to which no other user has access, and needs as much space
  /// there for a while.
  /// - Parameter target: A folder without such a file, in which others may be able to write.
  /// - Throws: ``StoreError``, with the path of the copy if that cannot be written; ``StoreError/Code/unsafe`` if
  ///   another user replaced it.
  @discardableResult
  package func backup(to target: ChosenFolder) async throws -> String {
    let copy: NewFile
    do { copy = try NewFile(file.rawValue, in: target) } catch { throw StoreError(error) }
    do {
      try await withoutTransaction { [folder, file] database in
        try SecureFolder(path: folder).withTemporaryFile(for: file.rawValue) { temporary in
          // SQLite treats an empty file as a new database, and keeps its mode.
          try database.execute(sql: "VACUUM INTO ?", arguments: [temporary])
          try copy.write(contentsOf: temporary)
        }
      }
      try copy.finish()
    } catch {
      copy.discard()
      if let error = error as? SecureFolderError { throw StoreError(error) }
      // A damaged file is the original; all other errors concern the copy.
      if let error = error as? StoreError, error.code != .corrupt {
        throw StoreError(error.code, path: copy.path, error.detail, underlying: error.underlying)
      }
      throw error
    }
    return copy.path
  }

  /// Replaces everything in the file by what a copy holds, as ``backup(to:)`` wrote it, while the file stays open here
  /// and elsewhere. What a journal says is due does not end from now on until ``JobStore/releaseEnds()``.
  ///
  /// - Throws: ``StoreError``, as ``check(copy:of:in:)``; ``StoreError/Code/locked`` if another process runs a job, plans
  ///   a change or takes a snapshot.
  package func restore(from copy: IncomingFile, at now: Instant) async throws {
    let held = try holdEverything()
    defer { for lock in held { lock.release() } }
    try Self.withSoundCopy(copy, of: file, in: folder) { source in
      if file == .journal {
        // In the copy, so that it comes with the rest, whenever this process ends.
        let last = try queue.read(Self.lastJob)
        try source.write { database in
          try database.execute(sql: JournalStatements.holdEnds, arguments: [now.databaseValue])
          // A number that was shown is not given to another job.
          if last > 0 { try Self.setLastJob(max(last, Self.lastJob(database)), in: database) }
        }
      }
      try source.backup(to: queue)
    }
  }

  /// Checks that a copy could be restored; the copy is not changed.
  ///
  /// - Parameter folder: the folder of the store, which needs as much space for a while.
  /// - Throws: ``StoreError``, with the path of the copy if that cannot be read, is damaged or of a newer version, or holds
  ///   what no version has made.
  package static func check(copy: IncomingFile, of file: StoreFile, in folder: String) throws {
    try withSoundCopy(copy, of: file, in: folder) { _ in }
  }

  /// Calls the closure with what a copy holds, opened in the folder of the store, if nothing is wrong with it.
  private static func withSoundCopy(
    _ copy: IncomingFile, of file: StoreFile, in folder: String, _ body: (DatabaseQueue) throws -> Void
  ) throws {
    do {
      try SecureFolder(path: folder).withTemporaryFile(for: file.rawValue) { temporary in
        defer { for suffix in ["-wal", "-shm"] { unlink(temporary + suffix) } }
        try copy.copy(to: temporary)
        let source = try connect(to: temporary, file, busyTimeout: .seconds(10), isCopy: true)
        defer { try? source.close() }
        if let problem = try source.read({ try problems(of: file, in: $0) }).first {
          throw StoreError(.corrupt, path: copy.path, problem)
        }
        try body(source)
      }
    } catch let error as SecureFolderError {
      throw StoreError(error)
    } catch let error as StoreError {
      throw StoreError(error.code, path: copy.path, error.detail, underlying: error.underlying)
    } catch let error as DatabaseError {
      throw StoreError(error, path: copy.path)
    }
  }

  /// Takes all existing locks, so that no other process runs a job or takes a snapshot.
  private func holdEverything() throws(StoreError) -> [SecureFolder.Lock] {
    var held: [SecureFolder.Lock] = []
    var holder: String?
    do throws(SecureFolderError) {
      for name in try locks.names() {
        if let lock = try locks.lock(name) {
          held.append(lock)
        } else {
          holder = try locks.holder(of: name) ?? ""
        }
      }
    } catch {
      for lock in held { lock.release() }
      throw StoreError(error)
    }
    guard let holder else { return held }
    for lock in held { lock.release() }
    throw StoreError(
      .locked, path: path,
      "\(LeaseOwner(recorded: holder)?.description ?? "another process") is using it; wait until it has ended, or stop it"
    )
  }

  /// The number of the last job that was ever made.
  private static func lastJob(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'jobs'") ?? 0
  }

  private static func setLastJob(_ number: Int64, in database: Database) throws {
    try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'jobs'")
    try database.execute(
      sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('jobs', ?)", arguments: [number])
  }

  /// Frees the space of deleted rows.
  ///
  /// Needs as much space again while it runs.
  /// - Throws: ``StoreError``.
  package func vacuum() async throws {
    try await withoutTransaction { database in
      try database.execute(sql: "VACUUM")
      try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}

extension StoreFile {
  /// Returns the size of the file in a folder, including its write-ahead log; 0 if it is absent.
  package func bytes(in folder: String) -> Int {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return stat(path(in: folder) + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}
