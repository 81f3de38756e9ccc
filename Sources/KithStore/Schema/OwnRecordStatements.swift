// SPDX-License-Identifier: Apache-2.0

/// The statements for own records in the cache.
enum OwnRecordStatements {
  /// `created_at` is that of a record with no other fields than subject and date; others have their `value` in JSON,
  /// unless it is not valid in the data model.
  static let tables = """
    CREATE TABLE own_collections (
      id INTEGER PRIMARY KEY,
      owner BLOB NOT NULL,
      collection TEXT NOT NULL,
      cid TEXT NOT NULL,
      revision TEXT NOT NULL,
      count INTEGER NOT NULL,
      UNIQUE (owner, collection)
    ) STRICT;
    CREATE TABLE own_records (
      collection INTEGER NOT NULL,
      rkey TEXT NOT NULL,
      subject TEXT,
      created_at TEXT,
      value BLOB,
      PRIMARY KEY (collection, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX own_records_by_subject ON own_records (collection, subject);
    """

  static let collections = "SELECT collection FROM own_collections WHERE owner = ?"
  static let collection = """
    SELECT id, count FROM own_collections WHERE owner = ? AND cid = ? AND revision = ? AND collection = ?
    """
  private static let fields = "SELECT rkey, subject, created_at, value FROM own_records WHERE collection = ?"
  static let all = "\(fields) ORDER BY rkey DESC"
  static let withoutSubject = "\(fields) AND subject IS NULL"
  static let about = "\(fields) AND subject = ?"
  static let named = "\(fields) AND rkey = ?"

  static let others = "SELECT id FROM own_collections WHERE owner = ? AND NOT (cid = ? AND revision = ?)"
  static let former = "SELECT id FROM own_collections WHERE owner = ? AND collection = ?"
  static let ofOwner = "SELECT id FROM own_collections WHERE owner = ?"
  static let forget = "DELETE FROM own_collections WHERE id = ?"
  static let forgetRecords = "DELETE FROM own_records WHERE collection = ?"
  static let begin =
    "INSERT INTO own_collections (owner, collection, cid, revision, count) VALUES (?, ?, ?, ?, ?)"
  static let insert = """
    INSERT OR REPLACE INTO own_records (collection, rkey, subject, created_at, value) VALUES (?, ?, ?, ?, ?)
    """
  static let remove = "DELETE FROM own_records WHERE collection = ? AND rkey = ?"
  static let count = "UPDATE own_collections SET count = count + ? WHERE id = ?"
  static let carryOn = """
    UPDATE own_collections SET cid = ?, revision = ? WHERE owner = ? AND cid = ? AND revision = ?
    """
}
