// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of the journal, and the settings that protect every file. Statements are in one file per store.
enum StoreSchema {
  /// Views and triggers in the file may not call functions with side effects.
  static let distrust = "PRAGMA trusted_schema = OFF"

  /// All versions, the oldest first; a released one never changes.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 jobs") { try $0.execute(sql: jobs) }
    migrator.registerMigration("2 planned") { try $0.execute(sql: planned) }
    migrator.registerMigration("3 engine") { database in
      try database.execute(sql: engine)
      try nameSubjects(in: database)
    }
    migrator.registerMigration("4 changes") { try $0.execute(sql: changes) }
    migrator.registerMigration("5 memory") { for sql in memory { try $0.execute(sql: sql) } }
    migrator.registerMigration("6 proposals") { try $0.execute(sql: proposals) }
    return migrator
  }

  /// Plans that wait to be approved. Such a job has the digest of its plan, and no items. When it is approved, its
  /// requests are removed, and it takes `ordinal`, its place among the numbers of jobs. `lifetime` is in microseconds.
  private static let proposals = """
    ALTER TABLE jobs ADD COLUMN digest TEXT;
    ALTER TABLE jobs ADD COLUMN expires_at INTEGER;
    ALTER TABLE jobs ADD COLUMN lifetime INTEGER;
    ALTER TABLE jobs ADD COLUMN proposed_steps INTEGER;
    ALTER TABLE jobs ADD COLUMN proposed_points INTEGER;
    ALTER TABLE jobs ADD COLUMN ordinal INTEGER;
    CREATE TABLE proposed_requests (
      job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      input TEXT NOT NULL,
      request TEXT NOT NULL,
      PRIMARY KEY (job, position)
    ) STRICT, WITHOUT ROWID;
    """

  /// What is remembered beside jobs.
  private static let memory: [String] = [
    kinds, settledRequests, lastChanges, keptFiles, serversChoosingKeys, endsHeld,
    reversals,
  ]

  /// Several items of an undo may reverse the same item.
  private static let reversals =
    "CREATE INDEX items_by_origin ON items (job, origin) WHERE origin IS NOT NULL"

  /// Which kinds of changes count against a limit, and when a spend was found in the future. What was spent before counts
  /// for every kind, and for a job of before every kind counts.
  private static let kinds = """
    ALTER TABLE jobs ADD COLUMN kinds TEXT;
    ALTER TABLE spends ADD COLUMN kinds TEXT;
    ALTER TABLE spends ADD COLUMN noticed INTEGER;
    """

  /// Versions of own requests about which nothing is left to do, with the item that acts on them, if there is one. They
  /// outlive their jobs.
  private static let settledRequests = """
    CREATE TABLE settled_requests (
      account TEXT NOT NULL,
      request TEXT NOT NULL,
      cid TEXT NOT NULL,
      job INTEGER,
      position INTEGER,
      PRIMARY KEY (account, request, cid)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX settled_by_item ON settled_requests (job, position) WHERE job IS NOT NULL;
    """

  /// The last change of each account that made no job; an empty account stands for what concerns all of them.
  private static let lastChanges = """
    CREATE TABLE last_changes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL UNIQUE,
      title TEXT NOT NULL,
      outcome TEXT NOT NULL,
      job INTEGER,
      reversal TEXT,
      at INTEGER NOT NULL,
      newest_job INTEGER NOT NULL
    ) STRICT;
    """

  /// Copies of files that a server deletes with a change, and the jobs that need them. Their bytes are in a folder.
  private static let keptFiles = """
    CREATE TABLE files (
      cid TEXT PRIMARY KEY,
      bytes INTEGER NOT NULL,
      kept_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE files_of_jobs (
      job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      cid TEXT NOT NULL,
      PRIMARY KEY (job, cid)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX jobs_by_file ON files_of_jobs (cid);
    """

  /// Servers that give new records keys of their own, each of the account that it was seen with last.
  private static let serversChoosingKeys = """
    CREATE TABLE servers_choosing_keys (account TEXT PRIMARY KEY, server TEXT NOT NULL) STRICT;
    """

  /// Since when nothing ends unattended, because a backup took the place of the journal; null if everything may end.
  private static let endsHeld = "ALTER TABLE journal ADD COLUMN ends_held_since INTEGER"

  /// Limits of changes, whatever they cost. What was spent before counts as if every change had made a record.
  private static let changes = """
    ALTER TABLE jobs ADD COLUMN changes_per_hour INTEGER;
    ALTER TABLE jobs ADD COLUMN changes_per_day INTEGER;
    ALTER TABLE spends ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
    UPDATE spends SET changes = (points + 2) / 3;
    """

  /// Each item ends on its own, may depend on another, keeps a doubt, and has the journal's revision at which
  /// it was done. `subject` can also name a list. A job has its own limits. `planned_at` is no longer read.
  private static let engine = """
    ALTER TABLE items ADD COLUMN until INTEGER;
    ALTER TABLE items ADD COLUMN depends_on INTEGER;
    ALTER TABLE items ADD COLUMN was_in_doubt INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE items ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    UPDATE items SET until = (SELECT until FROM jobs WHERE id = items.job);
    DROP INDEX jobs_by_end;
    CREATE INDEX items_by_end ON items (until, job) WHERE until IS NOT NULL;
    ALTER TABLE jobs ADD COLUMN per_hour INTEGER;
    ALTER TABLE jobs ADD COLUMN per_day INTEGER;
    ALTER TABLE jobs ADD COLUMN leave INTEGER;
    CREATE TABLE journal (revision INTEGER NOT NULL) STRICT;
    INSERT INTO journal (revision) VALUES (0);
    """

  /// Sets the subject of steps about lists, which earlier versions stored without one.
  private static func nameSubjects(in database: Database) throws {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT items.job, items.position, items.step, jobs.account FROM items JOIN jobs ON jobs.id = items.job
        WHERE items.subject IS NULL
        """)
    for row in rows {
      // An unreadable step stays unchanged, and is reported when its job is read.
      guard let subject = try? StepText.subject(of: row["step"], account: row["account"]) else { continue }
      try database.execute(
        sql: "UPDATE items SET subject = ? WHERE job = ? AND position = ?",
        arguments: [subject, row["job"] as Int64, row["position"] as Int])
    }
  }

  /// An existing job counts as planned when it was created.
  private static let planned = """
    ALTER TABLE jobs ADD COLUMN planned_at INTEGER NOT NULL DEFAULT 0;
    UPDATE jobs SET planned_at = created_at;
    """

  /// Times are microseconds since 1970. `step` is JSON of the data model. `call` identifies the target of a
  /// call: a later call with the same target supersedes it.
  private static let jobs = """
    CREATE TABLE jobs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account TEXT NOT NULL,
      title TEXT NOT NULL,
      state TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      until INTEGER,
      undoes INTEGER REFERENCES jobs (id) ON DELETE SET NULL,
      ended_at INTEGER,
      note TEXT
    ) STRICT;
    CREATE INDEX jobs_by_undone ON jobs (undoes) WHERE undoes IS NOT NULL;
    CREATE INDEX jobs_by_end ON jobs (until) WHERE until IS NOT NULL;

    CREATE TABLE items (
      job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      input TEXT NOT NULL,
      step TEXT NOT NULL,
      points INTEGER NOT NULL,
      subject TEXT,
      call TEXT,
      origin INTEGER,
      state TEXT NOT NULL,
      reason TEXT,
      commit_number INTEGER,
      PRIMARY KEY (job, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX items_by_state ON items (job, state, position, points);
    CREATE INDEX items_by_subject ON items (subject, job) WHERE subject IS NOT NULL;
    CREATE INDEX items_by_call ON items (call, job) WHERE call IS NOT NULL;

    CREATE TABLE spends (
      id INTEGER PRIMARY KEY,
      account TEXT NOT NULL,
      at INTEGER NOT NULL,
      points INTEGER NOT NULL,
      job INTEGER,
      commit_number INTEGER
    ) STRICT;
    CREATE INDEX spends_by_account ON spends (account, at);
    CREATE UNIQUE INDEX spends_by_commit ON spends (job, commit_number) WHERE job IS NOT NULL;

    CREATE TABLE readings (
      account TEXT NOT NULL,
      span TEXT NOT NULL,
      point_limit INTEGER NOT NULL,
      remaining INTEGER NOT NULL,
      resets_at INTEGER NOT NULL,
      read_at INTEGER NOT NULL,
      PRIMARY KEY (account, span)
    ) STRICT, WITHOUT ROWID;
    """
}
