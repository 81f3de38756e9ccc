// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import GRDB

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension StoreDatabase {
  /// What is wrong with the file: pages that do not fit together, rows that contradict each other. Empty for a sound one.
  ///
  /// Reads all of it.
  /// - Throws: ``StoreError``.
  public func check() async throws -> [String] {
    try await read { [file] database in
      let pages = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      let strays = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { row in
        "a row of \(row["table"] as String? ?? "") names one of \(row["parent"] as String? ?? "") that is not there"
      }
      guard file == .history else { return pages + strays }
      let faults = try HistoryStatements.checks.compactMap { check in
        let count = try Int.fetchOne(database, sql: check.counting) ?? 0
        return count > 0 ? "\(check.fault): \(count)" : nil
      }
      return pages + strays + faults
    }
  }

  /// Writes a copy into a new file that only its owner can read, as of one moment, while others go on to write.
  ///
  /// - Parameter path: an absolute path where there is no file.
  /// - Throws: ``StoreError``, which names that path where the copy cannot be written.
  public func backup(to path: String) async throws {
    // SQLite takes an empty file for none, and leaves its mode as it is.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(SecureFolderError(path: path, .system(.create, errno))) }
    close(descriptor)
    do {
      try await withoutTransaction { database in
        try database.execute(sql: "VACUUM INTO ?", arguments: [path])
      }
    } catch {
      unlink(path)
      // A damaged file is this one; all else concerns the copy.
      if let error = error as? StoreError, error.code != .corrupt {
        throw StoreError(error.code, path: path, error.detail, underlying: error.underlying)
      }
      throw error
    }
  }

  /// Gives back the room of what was forgotten.
  ///
  /// Needs as much room again while it works.
  /// - Throws: ``StoreError``.
  public func vacuum() async throws {
    try await withoutTransaction { database in
      try database.execute(sql: "VACUUM")
      try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}

extension StoreFile {
  /// The size of the file in a folder, with what waits beside it to be written into it; 0 where it is absent.
  public func bytes(in folder: String) -> Int {
    ["", "-wal"].reduce(0) { sum, suffix in
      var status = stat()
      return stat(path(in: folder) + suffix, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }
}
