// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of what can be learned again.
enum CacheSchema {
  /// All versions, the oldest first. A file of another version is made new.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 names") { try $0.execute(sql: names) }
    return migrator
  }

  /// `did` is as `DID.packed` spells it.
  private static let names = """
    CREATE TABLE names (
      did BLOB PRIMARY KEY,
      handle TEXT NOT NULL,
      name TEXT,
      seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
}

/// What is said to the tables of the cache.
enum CacheStatements {
  static let remember = "INSERT OR REPLACE INTO names (did, handle, name, seen_at) VALUES (?, ?, ?, ?)"
  static let name = "SELECT handle, name FROM names WHERE did = ?"
  static let account = "SELECT did FROM names WHERE handle = ? ORDER BY seen_at DESC LIMIT 1"
  static let prune = "DELETE FROM names WHERE seen_at < ?"
}
