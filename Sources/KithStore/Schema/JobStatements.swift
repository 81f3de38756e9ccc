// SPDX-License-Identifier: Apache-2.0

/// The statements of jobs.
enum JobStatements {
  static let insert = """
    INSERT INTO jobs (account, title, state, created_at, until, undoes, per_hour, per_day, leave, changes_per_hour, changes_per_day, kinds)
    VALUES (
      :account, :title, :state, :now, :until, :undoes, :hour, :day, :leave, :changesPerHour, :changesPerDay, '')
    """
  static let all = "SELECT * FROM jobs WHERE :account IS NULL OR account = :account ORDER BY id"
  static let ofAccount = "SELECT id FROM jobs WHERE account = :account ORDER BY id"
  static let recent = """
    SELECT * FROM jobs
    WHERE state NOT IN ('preparing', 'proposed') AND (ended_at IS NULL OR ended_at > :moment) ORDER BY id
    """
  static let preparing = "SELECT * FROM jobs WHERE state = 'preparing' ORDER BY id"
  static let one = "SELECT * FROM jobs WHERE id = :job"

  /// The place of a job in the order of jobs.
  ///
  /// - Parameter jobs: the name of the table in the statement.
  static func order(of jobs: String) -> String { "COALESCE(\(jobs).ordinal, \(jobs).id)" }
  static let delete = "DELETE FROM jobs WHERE id = :job"
  static let setState = "UPDATE jobs SET state = :state, ended_at = :ended, note = :note WHERE id = :job"
  static let setLimit =
    """
    UPDATE jobs SET per_hour = :hour, per_day = :day, leave = :leave, changes_per_hour = :changesPerHour,
      changes_per_day = :changesPerDay WHERE id = :job
    """
  static let setKinds = "UPDATE jobs SET kinds = :kinds WHERE id = :job"
  /// A job ends when its last item does.
  static let setEnd =
    "UPDATE jobs SET until = (SELECT MAX(until) FROM items WHERE job = jobs.id) WHERE id = :job"
  static let openUndo = """
    SELECT * FROM jobs WHERE undoes = :job AND state NOT IN ('done', 'cancelled') ORDER BY id DESC LIMIT 1
    """

  /// The positions of a job's changes that are to end: they are in effect, and no undo job has left them
  /// alone or found that they cannot be undone.
  private static func standing(_ end: String) -> String {
    """
    SELECT position FROM items WHERE job = jobs.id AND state = 'done' AND until \(end)
    EXCEPT
    SELECT tried.origin FROM jobs AS undo JOIN items AS tried ON tried.job = undo.id
    WHERE undo.undoes = jobs.id AND tried.state IN ('skipped', 'failed')
    """
  }

  /// Decided by the items: a job may continue after some items were undone, and items may end at different
  /// times.
  static let due = """
    SELECT jobs.*, (
      SELECT id FROM jobs AS undo
      WHERE undo.undoes = jobs.id AND undo.state NOT IN ('preparing', 'done', 'cancelled') ORDER BY id DESC LIMIT 1
    ) AS undo
    FROM jobs
    WHERE id IN (SELECT job FROM items WHERE until <= :now) AND state <> 'preparing'
      AND (EXISTS (
          SELECT 1 FROM items WHERE job = jobs.id AND state IN ('inDoubt', 'pending') AND until <= :now)
        OR EXISTS (\(standing("<= :now"))))
    ORDER BY (SELECT MIN(until) FROM items WHERE job = jobs.id), id
    """

  /// Whether a job ended long ago or was never fully prepared, and has no item in doubt.
  private static func isOver(_ jobs: String) -> String {
    """
    (\(jobs).ended_at < :moment OR (\(jobs).state = 'preparing' AND \(jobs).created_at < :moment)
        OR (\(jobs).state = 'proposed' AND \(jobs).expires_at < :moment))
      AND NOT EXISTS (SELECT 1 FROM items WHERE job = \(jobs).id AND state = 'inDoubt')
    """
  }

  /// Whether a call of the job superseded one of an earlier, timed job, which must then no longer be undone.
  private static let supersedesTimed = """
    SELECT 1 FROM items AS later JOIN items AS timed ON timed.call = later.call
    JOIN jobs AS earlier ON earlier.id = timed.job
    WHERE later.job = jobs.id AND later.state = 'done' AND timed.state = 'done'
      AND \(order(of: "earlier")) < \(order(of: "jobs"))
      AND timed.until IS NOT NULL AND earlier.account = jobs.account
    """

  /// Whether the job notes that a request is declined; nothing else remembers that.
  private static let declines = """
    SELECT 1 FROM items WHERE job = jobs.id AND state = 'done' AND points = 0 AND step GLOB '{"decline"*'
    """

  /// Keeps jobs with changes that are still to end, or in doubt, and those that decline requests. Also keeps the jobs that
  /// a kept job undoes,
  /// because without them the undo would look like a change of its own, and those that record what a timed
  /// job left alone at its end.
  ///
  /// `:job` is the requested job, or NULL for all.
  static let prunable = """
    SELECT id FROM jobs
    WHERE (:job IS NULL OR id = :job) AND \(isOver("jobs"))
      AND NOT EXISTS (\(standing("IS NOT NULL")))
      AND NOT EXISTS (\(supersedesTimed))
      AND NOT EXISTS (\(declines))
      AND NOT EXISTS (SELECT 1 FROM jobs AS timed WHERE timed.id = jobs.undoes AND timed.until IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM jobs AS undo WHERE undo.undoes = jobs.id AND (\(isOver("undo"))) IS NOT TRUE)
    ORDER BY id
    """
  static let undos = "SELECT id FROM jobs WHERE undoes = :job ORDER BY id"

  static let counts = """
    SELECT job, state, COUNT(*) AS items, SUM(points) AS points FROM items
    WHERE :job IS NULL OR job = :job GROUP BY job, state
    """
}

/// The statements of proposals.
enum ProposalStatements {
  static let all = "SELECT * FROM jobs WHERE state = 'proposed' ORDER BY id"
  static let propose = """
    UPDATE jobs SET state = 'proposed', digest = :digest, expires_at = :expires, lifetime = :lifetime,
      proposed_steps = :steps, proposed_points = :points
    WHERE id = :job
    """
  static let insert = """
    INSERT INTO proposed_requests (job, position, input, request) VALUES (:job, :position, :input, :request)
    """
  static let requests = """
    SELECT * FROM proposed_requests WHERE job = :job AND position >= :first ORDER BY position LIMIT :most
    """
  static let remove = "DELETE FROM proposed_requests WHERE job = :job"
  /// No other job gets the number.
  static let takeNumber = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'jobs'"
  static let approve = """
    UPDATE jobs SET until = :until, ordinal = (SELECT seq FROM sqlite_sequence WHERE name = 'jobs') WHERE id = :job
    """
}

/// The statements of the journal as a whole.
enum JournalStatements {
  static let revision = "SELECT revision FROM journal"
  static let advance = "UPDATE journal SET revision = revision + 1"
  static let endsHeldSince = "SELECT ends_held_since FROM journal"
  static let rows = "SELECT COUNT(*) FROM journal"
  static let holdEnds = "UPDATE journal SET ends_held_since = ?"
  static let serverChoosingKeys = "SELECT server FROM servers_choosing_keys WHERE account = :account"
  static let choosesKeys = """
    INSERT INTO servers_choosing_keys (account, server) VALUES (:account, :server)
    ON CONFLICT (account) DO UPDATE SET server = excluded.server
    """
  /// Removes what is stored about an account beside its jobs.
  static let forget = ["last_changes", "settled_requests", "servers_choosing_keys", "spends", "readings"].map
  {
    "DELETE FROM \($0) WHERE account = :account"
  }
  static let keepsKeys = "DELETE FROM servers_choosing_keys WHERE account = :account"
}

/// The statements of settled requests.
enum SettledStatements {
  static let all = "SELECT request, cid FROM settled_requests WHERE account = :account"
  /// What is settled already stays settled by the same item.
  static let begin = """
    INSERT OR IGNORE INTO settled_requests (account, request, cid, job, position)
    VALUES (:account, :request, :cid, :job, :position)
    """
  static let settle = """
    INSERT INTO settled_requests (account, request, cid) VALUES (:account, :request, :cid)
    ON CONFLICT DO UPDATE SET job = NULL, position = NULL
    """
  /// What the item wanted was certainly not written.
  static let open = "DELETE FROM settled_requests WHERE job = :job AND position = :position"
}
