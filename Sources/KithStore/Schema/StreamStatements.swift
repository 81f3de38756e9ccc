// SPDX-License-Identifier: Apache-2.0

/// The statements of the history that follow streams.
enum StreamStatements {
  // MARK: Readers

  static let addReader = "INSERT INTO readers (host, sequence, at) VALUES (:host, :sequence, :at)"
  static let moveReader = "UPDATE readers SET host = :host, sequence = :sequence, at = :at WHERE id = :reader"
  static let follow = """
    INSERT INTO followed (listing, reader) VALUES (?, ?) ON CONFLICT (listing) DO UPDATE SET reader = excluded.reader
    """
  static let unfollow = "DELETE FROM followed WHERE listing = ?"
  static let removeIdleReaders = "DELETE FROM readers WHERE id NOT IN (SELECT reader FROM followed)"
  static let cursor = """
    SELECT host, sequence, at FROM followed JOIN readers ON readers.id = followed.reader WHERE listing = ?
    """
  static let reader = "SELECT reader FROM followed WHERE listing = ?"
  static let followedListing = """
    SELECT accounts.did, side, list FROM followed JOIN listings ON listings.id = followed.listing
      JOIN accounts ON accounts.id = listings.actor
    WHERE followed.listing = ? AND reader = ?
    """

  // MARK: Finding

  /// The accounts that a record of an author may have put on a listing.
  static let ofRecord = """
    SELECT listing, account FROM edges
    WHERE rkey = ?1 AND (account = ?2 OR listing IN (SELECT id FROM listings WHERE actor = ?2))
    UNION
    SELECT listing, account FROM records
    WHERE rkey = ?1 AND (account = ?2 OR listing IN (SELECT id FROM listings WHERE actor = ?2))
    """
  /// Whether an account is on a listing of its followers, or hidden from one, by a record whose key is unknown.
  static let hasUnknownKey = """
    SELECT EXISTS (
      SELECT 1 FROM edges JOIN followed ON followed.listing = edges.listing
        JOIN listings ON listings.id = edges.listing
      WHERE account = ?1 AND lost IS NULL AND rkey IS NULL AND reader = ?2 AND side = 'followers' AND list = ?3
    ) OR EXISTS (
      SELECT 1 FROM records JOIN followed ON followed.listing = records.listing
        JOIN listings ON listings.id = records.listing
      WHERE account = ?1 AND rkey = '' AND ended IS NULL AND reader = ?2 AND side = 'followers' AND list = ?3)
    """
  /// The listings of an actor's own records.
  static let ofActor = """
    SELECT followed.listing FROM listings JOIN followed ON followed.listing = listings.id
    WHERE actor = ? AND reader = ? AND side <> 'followers'
    """
  /// The listings of followers on which an account is, or would be if nothing hid it; and those on which something hid it
  /// until a time, nil for none.
  static let ofFollower = """
    SELECT listings.id FROM (
      SELECT listing FROM edges WHERE account = ?1 AND lost IS NULL
      UNION SELECT listing FROM records WHERE account = ?1 AND ended IS NULL
      UNION SELECT listing FROM hidden WHERE account = ?1 AND (until IS NULL OR until = ?3)
    ) AS found CROSS JOIN followed ON followed.listing = found.listing
      JOIN listings ON listings.id = followed.listing
    WHERE reader = ?2 AND side = 'followers' ORDER BY listings.id
    """

  /// The followed listings on which something is known of an account.
  static let ofAccount = """
    SELECT listings.id, accounts.did, side, list FROM (
      SELECT listing FROM edges WHERE account = ?1
      UNION SELECT listing FROM records WHERE account = ?1
      UNION SELECT listing FROM hidden WHERE account = ?1
    ) AS found CROSS JOIN followed ON followed.listing = found.listing
      JOIN listings ON listings.id = followed.listing JOIN accounts ON accounts.id = listings.actor
    ORDER BY listings.id
    """

  // MARK: What is known of an account

  static let stays = """
    SELECT edges.rkey, event.id IS NOT NULL AS is_of_event, ifnull(event.at, snapshot.ended_at) AS seen_by,
      ifnull(last_event.at, last_snapshot.ended_at) AS lost_by, reasons.cause
    FROM edges
      LEFT JOIN events AS event ON event.id = edges.first
      LEFT JOIN snapshots AS snapshot ON snapshot.id = edges.first
      LEFT JOIN events AS last_event ON last_event.id = edges.lost
      LEFT JOIN snapshots AS last_snapshot ON last_snapshot.id = edges.lost
      LEFT JOIN reasons ON reasons.id = edges.reason
    WHERE edges.listing = ? AND edges.account = ? ORDER BY edges.first
    """
  static let records = "SELECT rkey, ended FROM records WHERE listing = ? AND account = ?"
  static let hidings = "SELECT cause, since, until FROM hidden WHERE listing = ? AND account = ?"

  // MARK: What events change

  static let addEvent = "INSERT INTO events (id, listing, at, stream) VALUES (?, ?, ?, ?)"
  static let openInterval = "INSERT INTO edges (listing, account, first, rkey) VALUES (?, ?, ?, ?)"
  static let addReason =
    "INSERT INTO reasons (cause, evidence) VALUES (?, ?) ON CONFLICT (cause, evidence) DO NOTHING"
  static let closeInterval = """
    UPDATE edges SET lost = ?3, reason = (SELECT id FROM reasons WHERE cause = ?4 AND evidence = ?5)
    WHERE listing = ?1 AND account = ?2 AND lost IS NULL
    """
  static let setKey = "UPDATE edges SET rkey = ?3 WHERE listing = ?1 AND account = ?2 AND lost IS NULL"
  static let setRecord = "INSERT OR REPLACE INTO records (listing, account, rkey, ended) VALUES (?, ?, ?, ?)"
  static let removeRecord = "DELETE FROM records WHERE listing = ? AND account = ? AND rkey = ?"
  static let setHiding = """
    INSERT OR REPLACE INTO hidden (listing, account, cause, since, until) VALUES (?, ?, ?, ?, ?)
    """

  // MARK: What snapshots change

  static let hasOpenGap = "SELECT 1 FROM gaps WHERE listing = ? AND closed IS NULL LIMIT 1"
  private static let isOpen = """
    EXISTS (
      SELECT 1 FROM edges WHERE listing = :listing AND edges.account = records.account AND lost IS NULL)
    """
  static let forgetRecords = "DELETE FROM records WHERE listing = :listing AND ended IS NULL"
  static let forgetHidings = "DELETE FROM hidden WHERE listing = :listing"
  /// Accounts that are shown again have the records that they had.
  static let giveKeys = """
    UPDATE edges SET rkey = (
      SELECT rkey FROM records
      WHERE listing = :listing AND account = edges.account AND ended IS NULL AND rkey <> '' ORDER BY rkey LIMIT 1)
    WHERE listing = :listing AND first = :snapshot AND rkey IS NULL
      AND account IN (SELECT account FROM records WHERE listing = :listing AND ended IS NULL)
    """
  /// Records that an edge names are not kept twice, and an account that is listed hides no record.
  static let removeNamedRecords = """
    DELETE FROM records WHERE listing = :listing AND ended IS NULL AND EXISTS (
      SELECT 1 FROM edges
      WHERE listing = :listing AND edges.account = records.account AND lost IS NULL
        AND records.rkey IN ('', edges.rkey))
    """
  static let keepFurtherKeys = """
    INSERT OR IGNORE INTO records (listing, account, rkey)
    SELECT :listing, accounts.id, further.rkey
    FROM temp.further CROSS JOIN accounts ON accounts.did = further.did
      CROSS JOIN edges ON edges.listing = :listing AND edges.account = accounts.id
    WHERE further.snapshot = :snapshot AND edges.lost IS NULL AND edges.first <= :snapshot
      AND edges.rkey IS NOT further.rkey
    """
  private static let lostHidden = """
    FROM edges INDEXED BY edges_by_loss JOIN reasons ON reasons.id = edges.reason
    WHERE listing = :listing AND lost = :snapshot
      AND cause IN ('blocked-by', 'blocking', 'deactivated', 'suspended')
    """
  static let keepHiddenKeys = """
    INSERT OR REPLACE INTO records (listing, account, rkey)
    SELECT :listing, account, ifnull(rkey, '') \(lostHidden)
    """
  static let keepHidings = """
    INSERT OR REPLACE INTO hidden (listing, account, cause, since)
    SELECT :listing, account, cause, :start \(lostHidden)
    """
  /// The records of accounts that left.
  static let endRecords = """
    UPDATE records SET ended = :end
    WHERE listing = :listing AND ended IS NULL AND NOT \(isOpen) AND NOT EXISTS (
      SELECT 1 FROM hidden WHERE listing = :listing AND account = records.account AND until IS NULL)
    """
  /// What a server lists is not hidden.
  static let endHidings = """
    UPDATE hidden SET until = :start
    WHERE listing = :listing AND until IS NULL AND since < :start AND EXISTS (
      SELECT 1 FROM edges WHERE listing = :listing AND account = hidden.account AND lost IS NULL)
    """
  /// Whether the record that was known before a gap is the one that is there is unknown.
  static let forgetUnseenKeys = """
    UPDATE edges SET rkey = NULL FROM temp.seen
    WHERE seen.snapshot = :snapshot AND seen.rkey IS NULL AND edges.listing = :listing
      AND edges.account = seen.account AND edges.lost IS NULL AND edges.rkey IS NOT NULL
      AND +edges.first < :snapshot
      AND EXISTS (SELECT 1 FROM gaps WHERE listing = :listing AND closed IS NULL AND until <= :start)
    """
  static let closeGaps =
    "UPDATE gaps SET closed = :end WHERE listing = :listing AND closed IS NULL AND until <= :start"

  // MARK: Gaps

  static let addGap = """
    INSERT INTO gaps (listing, since, until) VALUES (:listing, :since, :until)
    ON CONFLICT (listing, since) DO UPDATE SET until = max(until, excluded.until), closed = NULL
    """
  static let gaps = "SELECT since, until, closed FROM gaps WHERE listing = ? ORDER BY since"
  /// Which of several records is still there is unknown.
  static let forgetKeys = """
    UPDATE edges SET rkey = NULL
    WHERE listing = :listing AND lost IS NULL AND rkey IS NOT NULL
      AND account IN (SELECT account FROM records WHERE listing = :listing AND ended IS NULL)
    """

  // MARK: Names

  static let addName = """
    INSERT OR IGNORE INTO names (account, at, handle)
    SELECT :account, :at, :handle WHERE :handle IS NOT (
      SELECT handle FROM names WHERE account = :account AND at <= :at ORDER BY at DESC LIMIT 1)
    """
  static let names = """
    SELECT at, handle FROM names JOIN accounts ON accounts.id = names.account WHERE accounts.did = ? ORDER BY at
    """

  // MARK: Forgetting

  static let prune = [
    "DELETE FROM records WHERE ended < :before",
    "DELETE FROM hidden WHERE until < :before",
    "DELETE FROM gaps WHERE closed < :before",
    """
    DELETE FROM names WHERE at < :before AND EXISTS (
      SELECT 1 FROM names AS later
      WHERE later.account = names.account AND later.at > names.at AND later.at < :before)
    """,
  ]
}
