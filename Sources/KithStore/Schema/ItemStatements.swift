// SPDX-License-Identifier: Apache-2.0

/// The statements of items.
enum ItemStatements {
  static let last = "SELECT MAX(position) FROM items WHERE job = :job"
  static let insert = """
    INSERT INTO items (job, position, input, step, points, subject, call, origin, state, reason, depends_on, until)
    VALUES (:job, :position, :input, :step, :points, :subject, :call, :origin, :state, :reason, :depends, :until)
    """

  /// - Parameter states: The number of states; they are the arguments after the job and the position.
  static func select(states: Int) -> String {
    let marks = Array(repeating: "?", count: states).joined(separator: ", ")
    return """
      SELECT items.*, (
        SELECT state FROM items AS other WHERE other.job = items.job AND other.position = items.depends_on
      ) AS dependency_state
      FROM items WHERE job = ? AND position > ? AND state IN (\(marks)) ORDER BY position LIMIT ?
      """
  }

  /// The items of one subject that are not undone, in jobs that are fully prepared.
  static let history = """
    SELECT items.*, jobs.ordinal FROM items
    JOIN jobs ON jobs.id = items.job
    WHERE items.subject = :subject AND jobs.account = :account AND jobs.state <> 'preparing'
      AND items.state IN ('pending', 'inDoubt', 'done')
    ORDER BY \(JobStatements.order(of: "jobs")), items.position
    """

  /// The items of one subject that other jobs of the account have in doubt, or have done since a revision.
  static let rivals = """
    SELECT items.* FROM items JOIN jobs ON jobs.id = items.job
    WHERE items.subject = :subject AND items.job <> :job AND jobs.account = :account
      AND (items.state = 'inDoubt' OR (items.state = 'done' AND items.revision > :revision))
    ORDER BY items.job, items.position
    """

  /// The items of other jobs that name a list in their step, with any subject: those in doubt, and those done since
  /// a revision. Of ended jobs, only recent ones are searched, because no plan is based on older facts.
  static let rivalsOfList = """
    SELECT items.* FROM jobs JOIN items ON items.job = jobs.id
    WHERE jobs.account = :account AND jobs.id <> :job AND items.state = 'inDoubt' AND instr(items.step, :list) > 0
    UNION ALL
    SELECT items.* FROM jobs JOIN items ON items.job = jobs.id
    WHERE jobs.account = :account AND jobs.id <> :job AND items.state = 'done' AND items.revision > :revision
      AND (jobs.ended_at IS NULL OR jobs.ended_at > :recent) AND instr(items.step, :list) > 0
    """

  /// Only items that may be sent: pending, or in doubt with this same commit.
  static let begin = """
    UPDATE items SET state = 'inDoubt', commit_number = :commit
    WHERE job = :job AND position = :position
      AND (state = 'pending' OR (state = 'inDoubt' AND commit_number = :commit))
    """
  static let setStep =
    "UPDATE items SET step = :step, points = :points WHERE job = :job AND position = :position"
  static let setState = """
    UPDATE items SET state = :state, reason = :reason, commit_number = NULL,
      was_in_doubt = was_in_doubt OR :doubt,
      revision = CASE :state WHEN 'done' THEN (SELECT revision FROM journal) ELSE revision END
    WHERE job = :job AND position = :position AND state <> 'cancelled'
    """
  /// Whether an item was cancelled, and whether it is to be undone although it was never sent.
  static let standing = """
    SELECT state = 'cancelled' AS is_cancelled,
      COALESCE(state = 'pending' AND NOT was_in_doubt AND until <= :now, 0) AS is_late
    FROM items WHERE job = :job AND position = :position
    """
  static let withdraw = """
    UPDATE items SET state = 'cancelled' WHERE job = :job AND position = :position AND state = 'pending'
    """
  /// The item that an item reverses is undone with the last of its reversals, if at least one of them did something.
  static let undoOrigin = """
    UPDATE items SET state = 'undone', commit_number = NULL
    WHERE state IN ('done', 'inDoubt') AND job = (SELECT undoes FROM jobs WHERE id = :job)
      AND position = (SELECT origin FROM items WHERE job = :job AND position = :position)
      AND EXISTS (\(reversals("= 'done'")))
      AND NOT EXISTS (\(reversals("IN ('pending', 'inDoubt', 'failed', 'cancelled')")))
    """

  /// The items, in a state, that reverse the same one as an item does.
  private static func reversals(_ state: String) -> String {
    """
    SELECT 1 FROM items AS own JOIN items AS other ON other.job = own.job AND other.origin = own.origin
    WHERE own.job = :job AND own.position = :position AND other.state \(state)
    """
  }

  /// The pending items that may change an end: neither writes nor calls.
  static let endChanges = """
    SELECT position, step, subject FROM items
    WHERE job = :job AND state = 'pending' AND points = 0 AND call IS NULL ORDER BY position
    """
  static let setEnd = """
    UPDATE items SET until = :until
    WHERE job = :job AND position = :position AND until IS :former AND state IN ('pending', 'inDoubt', 'done')
    """
  /// What has an end or mutes a part, and was not left alone by an undo of its job. Later jobs may have superseded it.
  static let standingChanges = """
    SELECT items.*, (
      SELECT state FROM items AS other WHERE other.job = items.job AND other.position = items.depends_on
    ) AS dependency_state
    FROM items JOIN jobs ON jobs.id = items.job
    WHERE (items.until IS NOT NULL OR (items.call IS NOT NULL AND items.step LIKE '%"scope":"%'
        AND items.step NOT LIKE '%"call":{%"scope":"everything"%'))
      AND (:account IS NULL OR jobs.account = :account) AND jobs.state <> 'preparing'
      AND items.state IN ('pending', 'inDoubt', 'done')
      AND NOT EXISTS (
        SELECT 1 FROM jobs AS undo JOIN items AS tried ON tried.job = undo.id
        WHERE undo.undoes = jobs.id AND tried.origin = items.position AND tried.state IN ('skipped', 'failed'))
    ORDER BY items.until IS NULL, items.until, items.job, items.position
    """
  static let cancelPending = "UPDATE items SET state = 'cancelled' WHERE job = :job AND state = 'pending'"
  static let retryFailed =
    "UPDATE items SET state = 'pending', reason = NULL WHERE job = :job AND state = 'failed'"
  static let left = "SELECT COUNT(*) FROM items WHERE job = :job AND state IN ('pending', 'inDoubt')"
  static let inDoubt = "SELECT COUNT(*) FROM items WHERE job = :job AND state = 'inDoubt'"

  /// A call of an undo job is superseded by a call that was made after the job being undone. A call that
  /// undid such a later call restored what the job being undone had left.
  static let isSuperseded = """
    SELECT EXISTS (
      SELECT 1 FROM items
      JOIN jobs ON jobs.id = items.job
      JOIN (
        SELECT job.account, \(JobStatements.order(of: "undone")) AS base
        FROM jobs AS job JOIN jobs AS undone ON undone.id = COALESCE(job.undoes, job.id) WHERE job.id = :job
      ) AS this
      LEFT JOIN jobs AS undone ON undone.id = jobs.undoes
      WHERE items.call = :call AND items.state = 'done' AND \(JobStatements.order(of: "jobs")) > this.base
        AND items.job <> :job AND jobs.account = this.account
        AND (jobs.undoes IS NULL OR \(JobStatements.order(of: "undone")) < this.base))
    """
}
