// SPDX-License-Identifier: Apache-2.0

/// What is said to the tables of jobs and their items.
enum JobStatements {
  static let insert = """
    INSERT INTO jobs (account, title, state, created_at, until, undoes)
    VALUES (:account, :title, 'preparing', :now, :until, :undoes)
    """
  static let all = "SELECT * FROM jobs WHERE :account IS NULL OR account = :account ORDER BY id"
  static let one = "SELECT * FROM jobs WHERE id = :job"
  static let delete = "DELETE FROM jobs WHERE id = :job"
  static let setState = "UPDATE jobs SET state = :state, ended_at = :ended, note = :note WHERE id = :job"
  static let openUndo = """
    SELECT * FROM jobs WHERE undoes = :job AND state NOT IN ('done', 'cancelled') ORDER BY id DESC LIMIT 1
    """

  /// A job is due until a job that undoes it is done, whatever items that one left alone.
  static let due = """
    SELECT jobs.*, (
      SELECT id FROM jobs AS undo
      WHERE undo.undoes = jobs.id AND undo.state NOT IN ('preparing', 'done', 'cancelled') ORDER BY id DESC LIMIT 1
    ) AS undo
    FROM jobs
    WHERE until <= :now AND state <> 'preparing'
      AND EXISTS (SELECT 1 FROM items WHERE job = jobs.id AND state IN ('done', 'inDoubt', 'pending'))
      AND NOT EXISTS (SELECT 1 FROM jobs AS undo WHERE undo.undoes = jobs.id AND undo.state = 'done')
    ORDER BY until, id
    """

  /// What is still to end, or in doubt, is kept; so is what a job that is kept undoes.
  static let prunable = """
    SELECT id FROM jobs
    WHERE (ended_at < :moment OR (state = 'preparing' AND created_at < :moment))
      AND NOT EXISTS (SELECT 1 FROM items WHERE job = jobs.id AND state = 'inDoubt')
      AND (until IS NULL
        OR NOT EXISTS (SELECT 1 FROM items WHERE job = jobs.id AND state = 'done')
        OR EXISTS (SELECT 1 FROM jobs AS undo WHERE undo.undoes = jobs.id AND undo.state = 'done'))
      AND NOT EXISTS (
        SELECT 1 FROM jobs AS undo WHERE undo.undoes = jobs.id AND undo.state NOT IN ('done', 'cancelled'))
    ORDER BY id
    """

  static let counts = """
    SELECT job, state, COUNT(*) AS items, SUM(points) AS points FROM items
    WHERE :job IS NULL OR job = :job GROUP BY job, state
    """
}
