// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables of the history.
enum HistorySchema {
  /// All versions, the oldest first; a released one never changes.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 intervals") { try $0.execute(sql: intervals) }
    migrator.registerMigration("2 goals and segments") { try $0.execute(sql: goalsAndSegments) }
    migrator.registerMigration("3 withheld") { try $0.execute(sql: withheld) }
    migrator.registerMigration("4 samples and returns") { try $0.execute(sql: samplesAndReturns) }
    migrator.registerMigration("5 events") { try $0.execute(sql: events) }
    migrator.registerMigration("6 dismissals") { try $0.execute(sql: dismissals) }
    migrator.registerMigration("7 doubt") { try $0.execute(sql: doubt) }
    migrator.registerMigration("8 streams") { try $0.execute(sql: streams) }
    return migrator
  }

  /// Times are microseconds since 1970.
  ///
  /// - `listings`: `list` is the key of a list, or the collection of the graph of another app; empty for the rest.
  /// - `accounts`: each DID once, in the form of `DID.packed`.
  /// - `edges`: the interval in which an account was on a listing, from the observation that first saw it to the
  ///   one that lost it, so a snapshot only takes space for changes. `rkey` is the number of a TID, or the
  ///   text of another key.
  /// - `reasons`: why accounts were lost. Most losses share one.
  private static let intervals = """
    CREATE TABLE accounts (
      id INTEGER PRIMARY KEY,
      did BLOB NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE listings (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      actor INTEGER NOT NULL REFERENCES accounts (id),
      side TEXT NOT NULL,
      list TEXT NOT NULL DEFAULT '',
      UNIQUE (actor, side, list)
    ) STRICT;

    CREATE TABLE snapshots (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      listing INTEGER NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
      state TEXT NOT NULL,
      extent TEXT,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      previous_at INTEGER,
      previous_full_at INTEGER,
      counted INTEGER,
      listed INTEGER NOT NULL DEFAULT 0,
      gained INTEGER NOT NULL DEFAULT 0,
      lost INTEGER NOT NULL DEFAULT 0,
      unconfirmed INTEGER NOT NULL DEFAULT 0,
      note TEXT
    ) STRICT;
    CREATE INDEX snapshots_by_listing ON snapshots (listing, id);

    CREATE TABLE edges (
      listing INTEGER NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
      account INTEGER NOT NULL,
      first INTEGER NOT NULL,
      rkey ANY,
      lost INTEGER,
      reason INTEGER,
      PRIMARY KEY (listing, account, first)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX edges_by_first ON edges (listing, first);
    CREATE INDEX edges_by_loss ON edges (listing, lost) WHERE lost IS NOT NULL;

    CREATE TABLE reasons (
      id INTEGER PRIMARY KEY,
      cause TEXT NOT NULL,
      evidence TEXT NOT NULL,
      UNIQUE (cause, evidence)
    ) STRICT;

    CREATE TABLE counts (
      account INTEGER NOT NULL,
      at INTEGER NOT NULL,
      followers INTEGER,
      follows INTEGER,
      posts INTEGER,
      PRIMARY KEY (account, at)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE watched (
      id INTEGER PRIMARY KEY,
      account INTEGER NOT NULL UNIQUE,
      since INTEGER NOT NULL
    ) STRICT;
    """

  /// What is tracked over time: goals and segments. A segment is a name for a predicate.
  private static let goalsAndSegments = """
    CREATE TABLE goals (
      account INTEGER PRIMARY KEY,
      followers INTEGER NOT NULL,
      start INTEGER NOT NULL,
      since INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE segments (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      predicate TEXT NOT NULL,
      since INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE segment_counts (
      segment INTEGER NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
      account INTEGER NOT NULL,
      at INTEGER NOT NULL,
      members INTEGER NOT NULL,
      PRIMARY KEY (segment, account, at)
    ) STRICT, WITHOUT ROWID;
    """

  /// The accounts whose losses the last snapshot of a listing did not believe.
  private static let withheld = """
    CREATE TABLE withheld (
      listing INTEGER NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
      did BLOB NOT NULL,
      PRIMARY KEY (listing, did)
    ) STRICT, WITHOUT ROWID;
    """

  /// Which followers of a snapshot were asked when they followed: those with a hash up to `date_sample`; null
  /// if none were asked. Whether an edge is a return although the earlier one was deleted.
  private static let samplesAndReturns = """
    ALTER TABLE snapshots ADD COLUMN date_sample INTEGER;
    ALTER TABLE edges ADD COLUMN is_return INTEGER NOT NULL DEFAULT 0;
    """

  /// What streams said, each with its time and the name of the stream. Events are numbered together with snapshots,
  /// because an interval may begin or end with either.
  private static let events = """
    CREATE TABLE events (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      listing INTEGER NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
      at INTEGER NOT NULL,
      stream TEXT NOT NULL
    ) STRICT;
    CREATE INDEX events_by_listing ON events (listing, id);
    """

  /// Which accounts are not suggested to an actor again.
  private static let dismissals = """
    CREATE TABLE dismissals (
      actor INTEGER NOT NULL,
      account INTEGER NOT NULL,
      since INTEGER NOT NULL,
      PRIMARY KEY (actor, account)
    ) STRICT, WITHOUT ROWID;
    """

  /// Where followers were read and what of it is doubted.
  ///
  /// - `snapshots`: `appview` is the URL of the AppView; null if another server was asked, or none was remembered.
  ///   `doubted` is the number of accounts that were kept although the AppView no longer showed them; earlier versions
  ///   only had a note.
  /// - `counts`: their `id` is the order in which they were recorded, whatever the clock showed. Of earlier ones it is that
  ///   of the snapshots that began next, and they share the doubt of one of followers that began at once.
  private static let doubt = """
    ALTER TABLE snapshots ADD COLUMN appview TEXT;
    ALTER TABLE snapshots ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;
    UPDATE snapshots SET doubted = unconfirmed WHERE note LIKE '%seem to be gone%';

    ALTER TABLE counts RENAME TO former_counts;
    CREATE TABLE counts (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      account INTEGER NOT NULL,
      at INTEGER NOT NULL,
      followers INTEGER,
      follows INTEGER,
      posts INTEGER,
      is_doubted INTEGER NOT NULL DEFAULT 0,
      UNIQUE (account, at)
    ) STRICT;
    INSERT INTO counts (account, at, followers, follows, posts, is_doubted)
    SELECT account, at, followers, follows, posts, EXISTS (
        SELECT 1 FROM snapshots JOIN listings ON listings.id = snapshots.listing
        WHERE actor = account AND side = 'followers' AND list = '' AND note LIKE '%seem to be gone%'
          AND started_at BETWEEN at AND at + 60000000)
    FROM former_counts
    ORDER BY account, ifnull(
      (
        SELECT snapshots.id FROM snapshots JOIN listings ON listings.id = snapshots.listing
        WHERE actor = account AND started_at >= at ORDER BY started_at LIMIT 1),
      9223372036854775807), at;
    DROP TABLE former_counts;
    """

  /// What follows streams.
  ///
  /// - `readers`: the places in streams. The listings that share one are in `followed`: 10,000 of them cost one row a batch.
  /// - `records`: those of listed and of hidden accounts that no edge names, and until they are pruned those that were
  ///   deleted. An empty `rkey` stands for the unknown key of a hidden account.
  /// - `hidden`: why accounts are hidden, or do not come.
  /// - `gaps`: when a listing was not followed.
  /// - `names`: the handle of an account from a time on.
  /// - An event of the deletion of a record has only its key, and one of an account only its DID: `edges` is found by both.
  private static let streams = """
    CREATE TABLE readers (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      host TEXT NOT NULL,
      sequence INTEGER,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE followed (
      listing INTEGER PRIMARY KEY REFERENCES listings (id) ON DELETE CASCADE,
      reader INTEGER NOT NULL REFERENCES readers (id)
    ) STRICT;
    CREATE INDEX followed_by_reader ON followed (reader);

    CREATE TABLE records (
      listing INTEGER NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
      account INTEGER NOT NULL,
      rkey ANY NOT NULL,
      ended INTEGER,
      PRIMARY KEY (listing, account, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX records_by_key ON records (rkey);
    CREATE INDEX records_by_account ON records (account);

    CREATE TABLE hidden (
      listing INTEGER NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
      account INTEGER NOT NULL,
      cause TEXT NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER,
      PRIMARY KEY (listing, account, cause)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX hidden_by_account ON hidden (account);

    CREATE TABLE gaps (
      listing INTEGER NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
      since INTEGER NOT NULL,
      until INTEGER NOT NULL,
      closed INTEGER,
      PRIMARY KEY (listing, since)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE names (
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      at INTEGER NOT NULL,
      handle TEXT NOT NULL,
      PRIMARY KEY (account, at)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX edges_by_key ON edges (rkey) WHERE rkey IS NOT NULL;
    CREATE INDEX edges_by_account ON edges (account, rkey) WHERE lost IS NULL;
    """

  /// What a snapshot collects until its end: temporary tables of the connection, so that it blocks no other
  /// process and a crash leaves nothing behind. `seen` has the accounts that were on the listing in the
  /// previous snapshot, with their new keys; `further` has the keys of accounts that came again.
  static let staging = """
    CREATE TEMP TABLE seen (
      snapshot INTEGER NOT NULL,
      account INTEGER NOT NULL,
      rkey ANY,
      PRIMARY KEY (snapshot, account)
    ) STRICT, WITHOUT ROWID;
    CREATE TEMP TABLE added (
      snapshot INTEGER NOT NULL,
      did BLOB NOT NULL,
      rkey ANY,
      PRIMARY KEY (snapshot, did)
    ) STRICT, WITHOUT ROWID;
    CREATE TEMP TABLE further (
      snapshot INTEGER NOT NULL,
      did BLOB NOT NULL,
      rkey ANY NOT NULL,
      PRIMARY KEY (snapshot, did, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE TEMP TABLE losses (
      snapshot INTEGER NOT NULL,
      did BLOB NOT NULL,
      cause TEXT NOT NULL,
      evidence TEXT NOT NULL,
      PRIMARY KEY (snapshot, did)
    ) STRICT, WITHOUT ROWID;
    CREATE TEMP TABLE doubted (
      snapshot INTEGER NOT NULL,
      did BLOB NOT NULL,
      PRIMARY KEY (snapshot, did)
    ) STRICT, WITHOUT ROWID;
    """
}
