// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithCore

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
    guard file == .history else { return pages + strays }
    let faults = try HistoryStatements.checks.compactMap { check in
      let count = try Int.fetchOne(database, sql: check.counting) ?? 0
      return count > 0 ? "\(check.fault): \(count)" : nil
    }
    return pages + strays + faults
  }

  /// Writes a consistent copy into a new file that only its owner can read, while other processes continue to
  /// write.
  ///
  /// The copy is made in the folder of the store, to which no other user has access, and needs as much space
  /// there for a while. Others may be able to write to the folder of the new file.
  /// - Parameter path: An absolute path at which no file exists.
  /// - Throws: ``StoreError``, with that path if the copy cannot be written; ``StoreError/Code/unsafe`` if
  ///   another user replaced it.
  package func backup(to path: String) async throws {
    let copy: NewFile
    do { copy = try NewFile(path: path) } catch { throw StoreError(error) }
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
        throw StoreError(error.code, path: path, error.detail, underlying: error.underlying)
      }
      throw error
    }
  }

  /// Replaces everything in the file by what a copy holds, as ``backup(to:)`` wrote it, while the file stays open here
  /// and elsewhere.
  ///
  /// - Throws: ``StoreError``, as ``check(copy:of:in:)``; ``StoreError/Code/locked`` if another process runs a job, plans
  ///   a change or takes a snapshot.
  package func restore(from copy: String) async throws {
    let held = try holdEverything()
    defer { for lock in held { lock.release() } }
    try Self.withSoundCopy(copy, of: file, in: folder) { source in
      let last = file == .journal ? try queue.read(Self.lastJob) : 0
      try source.backup(to: queue)
      // A number that was shown is not given to another job.
      if last > 0 { try queue.write { try Self.setLastJob(max(last, Self.lastJob($0)), in: $0) } }
    }
  }

  /// Checks that a copy could be restored; the copy is not changed.
  ///
  /// - Parameter folder: the folder of the store, which needs as much space for a while.
  /// - Throws: ``StoreError``, with the path of the copy if that cannot be read, is damaged or of a newer version.
  package static func check(copy: String, of file: StoreFile, in folder: String) throws {
    try withSoundCopy(copy, of: file, in: folder) { _ in }
  }

  /// Calls the closure with what a copy holds, opened in the folder of the store, if nothing is wrong with it.
  private static func withSoundCopy(
    _ copy: String, of file: StoreFile, in folder: String, _ body: (DatabaseQueue) throws -> Void
  ) throws {
    do {
      try SecureFolder(path: folder).withTemporaryFile(for: file.rawValue) { temporary in
        try copyFile(copy, to: temporary)
        let source = try connect(to: temporary, file, busyTimeout: .seconds(10))
        defer {
          try? source.close()
          for suffix in ["-wal", "-shm"] { unlink(temporary + suffix) }
        }
        if let problem = try source.read({ try problems(of: file, in: $0) }).first {
          throw StoreError(.corrupt, path: copy, problem)
        }
        try body(source)
      }
    } catch let error as SecureFolderError {
      throw StoreError(error)
    } catch let error as StoreError {
      throw StoreError(error.code, path: copy, error.detail, underlying: error.underlying)
    } catch let error as DatabaseError {
      throw StoreError(error, path: copy)
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
      "\(holder.isEmpty ? "another process" : holder) is using it; wait until it has ended, or stop it")
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

  private static func copyFile(_ path: String, to temporary: String) throws(StoreError) {
    func trouble(_ name: String) -> StoreError {
      StoreError(.failed, path: name, String(cString: strerror(errno)))
    }
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw trouble(path) }
    defer { close(source) }
    let target = open(temporary, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard target >= 0 else { throw trouble(temporary) }
    defer { close(target) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = readBytes(source, &buffer, buffer.count)
      guard count >= 0 else { throw trouble(path) }
      if count == 0 { return }
      var written = 0
      while written < count {
        let more = buffer.withUnsafeBytes {
          writeBytes(target, $0.baseAddress?.advanced(by: written), count - written)
        }
        guard more > 0 else { throw trouble(temporary) }
        written += more
      }
    }
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

// Inside an extension, the names of the system's functions are those of methods.

private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
