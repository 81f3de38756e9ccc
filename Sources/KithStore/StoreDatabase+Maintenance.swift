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
    try await read { [file] database in
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
