// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of the cache, whose contents can be fetched again.
enum CacheSchema {
  /// All versions, the oldest first. A file of a newer version is replaced by a new one.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 names") { try $0.execute(sql: names) }
    migrator.registerMigration("2 identities") { try $0.execute(sql: identities) }
    migrator.registerMigration("3 relationships") { try $0.execute(sql: relationships) }
    migrator.registerMigration("4 lists") { try $0.execute(sql: lists) }
    migrator.registerMigration("5 own records") { try $0.execute(sql: OwnRecordStatements.tables) }
    migrator.registerMigration("6 former handles") { try $0.execute(sql: formerHandles) }
    migrator.registerMigration("7 discovery") { try $0.execute(sql: discovery) }
    return migrator
  }

  /// `did` has the form of `DID.packed`.
  private static let names = """
    CREATE TABLE names (
      did BLOB PRIMARY KEY,
      handle TEXT NOT NULL,
      name TEXT,
      seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// The handles that accounts had before those in `names`.
  private static let formerHandles = """
    CREATE TABLE former_handles (
      handle TEXT PRIMARY KEY,
      did BLOB NOT NULL,
      seen_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// Entries belong to the service they came from, because another network has other accounts. `document` is
  /// the JSON of a `DIDDocument`.
  private static let identities = """
    CREATE TABLE handles (
      service TEXT NOT NULL,
      handle TEXT NOT NULL,
      did BLOB NOT NULL,
      name TEXT,
      asked_at INTEGER NOT NULL,
      PRIMARY KEY (service, handle)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE documents (
      service TEXT NOT NULL,
      did BLOB NOT NULL,
      document BLOB NOT NULL,
      asked_at INTEGER NOT NULL,
      PRIMARY KEY (service, did)
    ) STRICT, WITHOUT ROWID;
    """

  /// The lists of signed-in accounts.
  private static let lists = """
    CREATE TABLE lists (
      owner BLOB NOT NULL,
      uri TEXT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (owner, uri)
    ) STRICT, WITHOUT ROWID;
    """

  /// `follows` are the DIDs of the newest follows, one a line.
  private static let discovery = """
    CREATE TABLE newest_follows (
      did BLOB PRIMARY KEY,
      follows TEXT NOT NULL,
      read_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX newest_follows_by_age ON newest_follows (read_at);
    CREATE TABLE opt_outs (
      did BLOB PRIMARY KEY,
      asks INTEGER NOT NULL,
      read_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// Edges are record keys in the repository of the account that created them, or AT-URIs.
  private static let relationships = """
    CREATE TABLE relationships (
      actor BLOB NOT NULL,
      target BLOB NOT NULL,
      following TEXT,
      followed_by TEXT,
      blocking TEXT,
      blocked_by TEXT,
      blocking_by_list TEXT,
      blocked_by_list TEXT,
      muted INTEGER,
      checked_at INTEGER NOT NULL,
      PRIMARY KEY (actor, target)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX relationships_by_age ON relationships (checked_at);
    """
}

/// The statements of the cache.
enum CacheStatements {
  /// A file of addresses may name an account by the handle that it had.
  static let rememberFormer = """
    INSERT OR REPLACE INTO former_handles (handle, did, seen_at)
    SELECT handle, did, seen_at FROM names WHERE did = :did AND handle <> :handle
    """
  /// A name that is known stays if the answer has none.
  static let remember = """
    INSERT OR REPLACE INTO names (did, handle, name, seen_at)
    VALUES (:did, :handle, COALESCE(:name, (SELECT name FROM names WHERE did = :did)), :now)
    """
  static let name = "SELECT handle, name FROM names WHERE did = ?"
  static let account = """
    SELECT did FROM (
      SELECT did, seen_at FROM names WHERE handle = :handle
      UNION ALL SELECT did, seen_at FROM former_handles WHERE handle = :handle
    ) ORDER BY seen_at DESC LIMIT 1
    """
  static let beginning = """
    SELECT did FROM names WHERE handle LIKE :text ESCAPE '\\' OR name LIKE :text ESCAPE '\\'
    ORDER BY seen_at DESC LIMIT :most
    """
  static let prune = "DELETE FROM names WHERE seen_at < ?"
  static let pruneFormer = "DELETE FROM former_handles WHERE seen_at < ?"

  static let handle =
    "SELECT did, name FROM handles WHERE service = ? AND handle = ? AND asked_at BETWEEN ? AND ?"
  static let keepHandle =
    "INSERT OR REPLACE INTO handles (service, handle, did, name, asked_at) VALUES (?, ?, ?, ?, ?)"
  static let countHandles = "SELECT count(*) FROM handles"
  static let document =
    "SELECT document FROM documents WHERE service = ? AND did = ? AND asked_at BETWEEN ? AND ?"
  static let keepDocument =
    "INSERT OR REPLACE INTO documents (service, did, document, asked_at) VALUES (?, ?, ?, ?)"
  static let countDocuments = "SELECT count(*) FROM documents"
  static let pruneHandles = "DELETE FROM handles WHERE asked_at < ?"
  static let pruneDocuments = "DELETE FROM documents WHERE asked_at < ?"

  static let relationships = """
    SELECT actor, target, following, followed_by, blocking, blocked_by, blocking_by_list, blocked_by_list, muted,
      checked_at
    FROM relationships WHERE checked_at >= ? ORDER BY checked_at DESC LIMIT ?
    """
  /// The later observation wins, whatever order processes write in.
  static let keepRelationship = """
    INSERT INTO relationships (
      actor, target, following, followed_by, blocking, blocked_by, blocking_by_list, blocked_by_list, muted, checked_at
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      following = excluded.following, followed_by = excluded.followed_by, blocking = excluded.blocking,
      blocked_by = excluded.blocked_by, blocking_by_list = excluded.blocking_by_list,
      blocked_by_list = excluded.blocked_by_list, muted = excluded.muted, checked_at = excluded.checked_at
    WHERE excluded.checked_at >= checked_at
    """
  static let pruneRelationships = "DELETE FROM relationships WHERE checked_at < ?"
  static let pruneToNewest = """
    DELETE FROM relationships WHERE checked_at < (
      SELECT checked_at FROM relationships ORDER BY checked_at DESC LIMIT 1 OFFSET ?)
    """
  static let forgetPair = "DELETE FROM relationships WHERE actor = ? AND target = ?"
  static let forgetRelationships = "DELETE FROM relationships"

  static let forgetLists = "DELETE FROM lists WHERE owner = ?"
  static let keepList = "INSERT OR REPLACE INTO lists (owner, uri, name) VALUES (?, ?, ?)"
  static let listsWithNames = "SELECT uri, name FROM lists"
  static let listNames = "SELECT DISTINCT name FROM lists ORDER BY name"

  static let newestFollows = "SELECT follows FROM newest_follows WHERE did = ? AND read_at BETWEEN ? AND ?"
  static let keepNewestFollows =
    "INSERT OR REPLACE INTO newest_follows (did, follows, read_at) VALUES (?, ?, ?)"
  static let pruneNewestFollows = """
    DELETE FROM newest_follows WHERE read_at < :before OR read_at < (
      SELECT read_at FROM newest_follows ORDER BY read_at DESC LIMIT 1 OFFSET :most)
    """
  static let optOut = "SELECT asks FROM opt_outs WHERE did = ? AND read_at BETWEEN ? AND ?"
  static let keepOptOut = "INSERT OR REPLACE INTO opt_outs (did, asks, read_at) VALUES (?, ?, ?)"
  static let pruneOptOuts = "DELETE FROM opt_outs WHERE read_at < ?"
}
