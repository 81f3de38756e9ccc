// SPDX-License-Identifier: Apache-2.0

/// The statements of the history.
enum HistoryStatements {
  // MARK: Accounts and listings

  static let addAccount = "INSERT INTO accounts (did) VALUES (:did) ON CONFLICT (did) DO NOTHING"
  static let account = "SELECT id FROM accounts WHERE did = :did"
  static let did = "SELECT did FROM accounts WHERE id = ?"
  static let addListing = """
    INSERT INTO listings (actor, side, list) VALUES (:actor, :side, :list)
    ON CONFLICT (actor, side, list) DO NOTHING
    """
  static let listing = """
    SELECT listings.id FROM listings JOIN accounts ON accounts.id = listings.actor
    WHERE accounts.did = :did AND side = :side AND list = :list
    """
  static let listings = """
    SELECT accounts.did, side, list FROM listings JOIN accounts ON accounts.id = listings.actor
    WHERE :did IS NULL OR accounts.did = :did ORDER BY listings.id
    """

  // MARK: Observations

  /// A number is never used again, even if its observation was deleted.
  static let nextNumber = """
    SELECT ifnull(max(seq), 0) + 1 FROM sqlite_sequence WHERE name IN ('snapshots', 'events')
    """
  static let snapshot = "SELECT * FROM snapshots WHERE id = ?"
  static let event = "SELECT * FROM events WHERE id = ?"
  static let snapshotsWithChanges = """
    SELECT * FROM snapshots WHERE listing = :listing AND id < ifnull(:before, id + 1) AND state = 'complete'
      AND previous_at IS NOT NULL AND gained + lost > 0
    ORDER BY id DESC LIMIT :most
    """
  static let events = """
    SELECT * FROM events WHERE listing = :listing AND id < ifnull(:before, id + 1) ORDER BY id DESC LIMIT :most
    """
  /// Of any listing: those of this one may have been pruned.
  static let hasEventsSince = "SELECT 1 FROM sqlite_sequence WHERE name = 'events' AND seq > :id"

  // MARK: Snapshots

  static let begin = """
    INSERT INTO snapshots (id, listing, state, started_at, previous_at, previous_full_at, appview)
    VALUES (:id, :listing, 'running', :now, :previous, :full, :appview)
    """
  static let countListed = "SELECT count(*) FROM edges WHERE listing = :listing AND lost IS NULL"
  static let last = """
    SELECT * FROM snapshots WHERE listing = :listing AND state = 'complete' ORDER BY id DESC LIMIT 1
    """
  static let lastFull = """
    SELECT started_at FROM snapshots
    WHERE listing = :listing AND state = 'complete' AND extent = 'full' AND unconfirmed = 0
    ORDER BY id DESC LIMIT 1
    """
  static let snapshots = "SELECT * FROM snapshots WHERE listing = :listing ORDER BY id"
  static let end = """
    UPDATE snapshots SET state = :state, extent = :extent, ended_at = :now, counted = :counted, listed = :listed,
      gained = :gained, lost = :lost, unconfirmed = :unconfirmed, doubted = :doubted, note = :note
    WHERE id = :snapshot
    """

  // MARK: Staging

  /// Finds an account that was on the listing in the previous snapshot.
  static let held = """
    SELECT edges.account FROM accounts JOIN edges ON edges.account = accounts.id
    WHERE accounts.did = ? AND edges.listing = ? AND edges.lost IS NULL
    """
  static let see = "INSERT INTO temp.seen (snapshot, account, rkey) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  static let seeKey = "UPDATE temp.seen SET rkey = ?3 WHERE snapshot = ?1 AND account = ?2 AND rkey IS NULL"
  static let add = "INSERT INTO temp.added (snapshot, did, rkey) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  static let addKey = "UPDATE temp.added SET rkey = ?3 WHERE snapshot = ?1 AND did = ?2 AND rkey IS NULL"
  static let addFurther = "INSERT OR IGNORE INTO temp.further (snapshot, did, rkey) VALUES (?, ?, ?)"
  static let lose = """
    INSERT OR REPLACE INTO temp.losses (snapshot, did, cause, evidence)
    VALUES (:snapshot, :did, :cause, :evidence)
    """
  static let withhold = "INSERT OR IGNORE INTO temp.doubted (snapshot, did) VALUES (:snapshot, :did)"
  static let withheld = "SELECT did FROM main.withheld WHERE listing = :listing"
  static let forgetWithheld = "DELETE FROM main.withheld WHERE listing = :listing"
  static let keepWithheld = """
    INSERT INTO main.withheld (listing, did)
    SELECT :listing, did FROM temp.doubted WHERE snapshot = :snapshot
    """
  static let missing = """
    SELECT accounts.did, edges.rkey FROM edges JOIN accounts ON accounts.id = edges.account
    WHERE edges.listing = :listing AND edges.lost IS NULL
      AND edges.account > ifnull((SELECT id FROM accounts WHERE did = :after), 0)
      AND NOT EXISTS (SELECT 1 FROM temp.seen WHERE snapshot = :snapshot AND account = edges.account)
    ORDER BY edges.account LIMIT :most
    """

  // MARK: Ending

  static let addAccounts = """
    INSERT INTO accounts (did) SELECT did FROM temp.added WHERE snapshot = :snapshot ORDER BY did
    ON CONFLICT (did) DO NOTHING
    """
  /// What events told since the snapshot began is newer than what it saw.
  static let openIntervals = """
    INSERT INTO edges (listing, account, first, rkey)
    SELECT :listing, accounts.id, :snapshot, added.rkey
    FROM temp.added JOIN accounts ON accounts.did = added.did
    WHERE added.snapshot = :snapshot AND NOT EXISTS (
      SELECT 1 FROM edges
      WHERE listing = :listing AND account = accounts.id AND (lost IS NULL OR lost > :snapshot)
    ) AND NOT EXISTS (
      SELECT 1 FROM hidden
      WHERE listing = :listing AND account = accounts.id AND until IS NULL AND since >= :start)
    ORDER BY accounts.id
    """
  private static let newKeys = """
    seen.snapshot = :snapshot AND seen.rkey IS NOT NULL AND edges.listing = :listing
      AND edges.account = seen.account AND edges.lost IS NULL AND edges.rkey IS NOT seen.rkey
      AND +edges.first < :snapshot AND NOT EXISTS (
        SELECT 1 FROM records
        WHERE listing = :listing AND account = seen.account AND rkey = seen.rkey AND ended IS NOT NULL)
    """
  static let setKeys = "UPDATE edges SET rkey = seen.rkey FROM temp.seen WHERE \(newKeys)"
  /// A record with another key was seen, and no event deleted the known one.
  static let keepFormerKeys = """
    INSERT OR IGNORE INTO records (listing, account, rkey)
    SELECT :listing, edges.account, edges.rkey FROM temp.seen CROSS JOIN edges
    WHERE \(newKeys) AND edges.rkey IS NOT NULL
    """
  static let addReasons = """
    INSERT INTO reasons (cause, evidence)
    SELECT DISTINCT cause, evidence FROM temp.losses WHERE snapshot = :snapshot
    ON CONFLICT (cause, evidence) DO NOTHING
    """
  static let closeIntervals = """
    UPDATE edges SET lost = :snapshot, reason = reasons.id
    FROM temp.losses JOIN accounts ON accounts.did = losses.did
      JOIN reasons ON reasons.cause = losses.cause AND reasons.evidence = losses.evidence
    WHERE losses.snapshot = :snapshot AND edges.listing = :listing AND edges.account = accounts.id
      AND edges.lost IS NULL
      AND NOT EXISTS (SELECT 1 FROM temp.seen WHERE snapshot = :snapshot AND account = accounts.id)
      AND edges.first < :snapshot
    """
  static let clear = ["seen", "added", "further", "losses", "doubted"].map {
    "DELETE FROM temp.\($0) WHERE snapshot = :snapshot"
  }

  // MARK: Learning more

  /// A known key is kept.
  static let learn = """
    UPDATE edges SET rkey = ?3
    WHERE listing = ?1 AND account = (SELECT id FROM accounts WHERE did = ?2) AND lost IS NULL AND rkey IS NULL
      AND NOT EXISTS (SELECT 1 FROM records WHERE listing = ?1 AND account = edges.account AND rkey = ?3)
    """

  static let addSample = """
    UPDATE snapshots SET date_sample = max(ifnull(date_sample, 0), :sample) WHERE id = :snapshot
    """

  // MARK: Reading

  private static let interval = """
    SELECT accounts.did, edges.first, edges.rkey, edges.lost, reasons.cause, reasons.evidence,
      edges.is_return OR EXISTS (
        SELECT 1 FROM edges AS earlier
        WHERE earlier.listing = edges.listing AND earlier.account = edges.account AND earlier.first < edges.first
      ) AS is_return
    FROM edges JOIN accounts ON accounts.id = edges.account LEFT JOIN reasons ON reasons.id = edges.reason
    """
  /// Two queries, because each uses its own index.
  static let intervalsBegun = """
    \(interval) WHERE edges.listing = :listing AND edges.first BETWEEN :from AND :to
    ORDER BY edges.account, edges.first
    """
  static let intervalsEnded = """
    \(interval) WHERE edges.listing = :listing AND edges.lost BETWEEN :from AND :to AND edges.first < :from
    ORDER BY edges.account, edges.first
    """
  static let intervalsOfAll = """
    \(interval) WHERE edges.listing = :listing AND edges.account IN (
      SELECT DISTINCT account FROM edges
      WHERE listing = :listing AND account > ifnull((SELECT id FROM accounts WHERE did = :after), 0)
      ORDER BY account LIMIT :most)
    ORDER BY edges.account, edges.first
    """
  static let intervalsOfAccount = """
    \(interval) WHERE edges.listing = :listing AND accounts.did = :did ORDER BY edges.first
    """
  static let edges = """
    SELECT accounts.did, edges.rkey FROM edges JOIN accounts ON accounts.id = edges.account
    WHERE edges.listing = :listing AND edges.first <= :snapshot
      AND (edges.lost IS NULL OR edges.lost > :snapshot)
      AND edges.account > ifnull((SELECT id FROM accounts WHERE did = :after), 0)
    ORDER BY edges.account LIMIT :most
    """

  // MARK: Counts and watched actors

  static let addCounts = """
    INSERT INTO counts (account, at, followers, follows, posts, is_doubted)
    VALUES (:account, :at, :followers, :follows, :posts, :isDoubted)
    ON CONFLICT (account, at) DO UPDATE SET followers = excluded.followers, follows = excluded.follows,
      posts = excluded.posts, is_doubted = excluded.is_doubted
    """
  static let counts = """
    SELECT at, followers, follows, posts, is_doubted FROM counts JOIN accounts ON accounts.id = counts.account
    WHERE accounts.did = :did AND at >= :since ORDER BY counts.id
    """
  static let watch =
    "INSERT INTO watched (account, since) VALUES (:account, :now) ON CONFLICT (account) DO NOTHING"
  static let unwatch = "DELETE FROM watched WHERE account = (SELECT id FROM accounts WHERE did = :did)"
  static let watched = """
    SELECT accounts.did, since FROM watched JOIN accounts ON accounts.id = watched.account ORDER BY watched.id
    """

  // MARK: Dismissals

  static let dismiss =
    "INSERT INTO dismissals (actor, account, since) VALUES (:actor, :account, :now) ON CONFLICT DO NOTHING"
  static let takeBack = """
    DELETE FROM dismissals WHERE actor = (SELECT id FROM accounts WHERE did = :actor)
      AND account = (SELECT id FROM accounts WHERE did = :account)
    """
  static let dismissals = """
    SELECT accounts.did, since FROM dismissals JOIN accounts ON accounts.id = dismissals.account
    WHERE actor = (SELECT id FROM accounts WHERE did = :actor) ORDER BY since DESC, accounts.did
    """
  static let forgetDismissals =
    "DELETE FROM dismissals WHERE actor = (SELECT id FROM accounts WHERE did = :did)"

  // MARK: Goals and segments

  static let goal = """
    SELECT followers, start, goals.since FROM goals JOIN accounts ON accounts.id = goals.account
    WHERE accounts.did = :did
    """
  static let setGoal = """
    INSERT OR REPLACE INTO goals (account, followers, start, since) VALUES (:account, :followers, :start, :since)
    """
  static let removeGoal = "DELETE FROM goals WHERE account = (SELECT id FROM accounts WHERE did = :did)"
  static let segments = "SELECT name, predicate, since FROM segments ORDER BY name"
  static let removeOtherSegment = "DELETE FROM segments WHERE name = :name AND predicate <> :predicate"
  static let addSegment = """
    INSERT INTO segments (name, predicate, since) VALUES (:name, :predicate, :since)
    ON CONFLICT (name) DO UPDATE SET since = excluded.since
    """
  static let removeSegment = "DELETE FROM segments WHERE name = :name"
  static let addSegmentCount = """
    INSERT OR REPLACE INTO segment_counts (segment, account, at, members)
    SELECT id, :account, :at, :members FROM segments WHERE name = :name
    """
  static let segmentCounts = """
    SELECT at, members FROM segment_counts JOIN segments ON segments.id = segment_counts.segment
      JOIN accounts ON accounts.id = segment_counts.account
    WHERE segments.name = :name AND accounts.did = :did ORDER BY at
    """

  // MARK: Forgetting

  /// Marks returns before the first stay of an account is deleted: the second one stays a return.
  static let keepReturns = """
    UPDATE edges SET is_return = 1 WHERE is_return = 0 AND EXISTS (
      SELECT 1 FROM edges AS earlier
      WHERE earlier.listing = edges.listing AND earlier.account = edges.account AND earlier.first < edges.first
        AND earlier.lost IN (\(seenBefore)))
    """
  /// A stay that an own block interrupted is kept as long as the account is not known to have left since.
  static let pruneEdges = """
    DELETE FROM edges WHERE lost IN (\(seenBefore)) AND (\(hasLeft("edges")) OR EXISTS (
      SELECT 1 FROM edges AS later
      WHERE later.listing = edges.listing AND later.account = edges.account AND later.first > edges.first
        AND later.lost IN (\(seenBefore)) AND \(hasLeft("later"))))
    """
  private static func hasLeft(_ edge: String) -> String {
    "(\(edge).reason IS NULL OR \(edge).reason NOT IN (SELECT id FROM reasons WHERE cause = 'blocking'))"
  }
  private static let seenBefore = """
    SELECT id FROM snapshots WHERE ended_at < :before UNION ALL SELECT id FROM events WHERE at < :before
    """
  static let pruneEvents = """
    DELETE FROM events WHERE at < :before
      AND NOT EXISTS (SELECT 1 FROM edges WHERE listing = events.listing AND first = events.id)
      AND NOT EXISTS (SELECT 1 FROM edges WHERE listing = events.listing AND lost = events.id)
    """
  static let pruneCounts = "DELETE FROM counts WHERE at < :before"
  static let pruneSegmentCounts = "DELETE FROM segment_counts WHERE at < :before"
  /// A running one may belong to another process.
  static let pruneSnapshots = "DELETE FROM snapshots WHERE state = 'failed' AND started_at < :before"
  static let pruneRun = "DELETE FROM snapshots WHERE id = :snapshot AND state = 'running'"
  static let forgetListings =
    "DELETE FROM listings WHERE actor = (SELECT id FROM accounts WHERE did = :did)"
  static let forgetCounts = "DELETE FROM counts WHERE account = (SELECT id FROM accounts WHERE did = :did)"
  static let forgetSegmentCounts =
    "DELETE FROM segment_counts WHERE account = (SELECT id FROM accounts WHERE did = :did)"
  static let forgetReasons =
    "DELETE FROM reasons WHERE id NOT IN (SELECT reason FROM edges WHERE reason IS NOT NULL)"
  static let forgetAccounts = """
    DELETE FROM accounts WHERE id NOT IN (
      SELECT account FROM edges UNION SELECT actor FROM listings UNION SELECT account FROM counts
      UNION SELECT account FROM watched UNION SELECT account FROM goals
      UNION SELECT account FROM segment_counts UNION SELECT actor FROM dismissals
      UNION SELECT account FROM dismissals UNION SELECT account FROM records UNION SELECT account FROM hidden)
    """

  // MARK: Checking

  /// Inconsistencies, each with a query that counts them.
  static let checks: [(fault: String, counting: String)] = [
    (
      "accounts that are on a listing twice",
      """
      SELECT count(*) FROM (
        SELECT 1 FROM edges WHERE lost IS NULL GROUP BY listing, account HAVING count(*) > 1)
      """
    ),
    ("accounts that left before they came", "SELECT count(*) FROM edges WHERE lost <= first"),
    (
      "edges of accounts without a DID",
      "SELECT count(*) FROM edges WHERE account NOT IN (SELECT id FROM accounts)"
    ),
    (
      "edges of missing observations",
      """
      WITH observations AS (SELECT id FROM snapshots UNION ALL SELECT id FROM events)
      SELECT count(*) FROM edges
      WHERE first NOT IN (SELECT id FROM observations)
        OR lost IS NOT NULL AND (
          lost NOT IN (SELECT id FROM observations) OR reason IS NULL OR reason NOT IN (SELECT id FROM reasons))
      """
    ),
    (
      "records of accounts that are neither on the listing nor hidden",
      """
      SELECT count(*) FROM records WHERE ended IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM edges WHERE listing = records.listing AND account = records.account AND lost IS NULL)
        AND NOT EXISTS (
          SELECT 1 FROM hidden WHERE listing = records.listing AND account = records.account AND until IS NULL)
      """
    ),
    (
      "listings with a wrong count",
      """
      SELECT count(*) FROM snapshots AS last
      WHERE state = 'complete' AND id = (
          SELECT max(id) FROM snapshots WHERE listing = last.listing AND state = 'complete')
        AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events' AND seq > last.id)
        AND listed <> (SELECT count(*) FROM edges WHERE listing = last.listing AND lost IS NULL)
      """
    ),
  ]
}
