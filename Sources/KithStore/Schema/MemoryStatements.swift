// SPDX-License-Identifier: Apache-2.0

/// The statements of what the journal remembers beside jobs.
enum LastChangeStatements {
  /// The number that the journal has given last; removed jobs count.
  private static let newestJob = "COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'jobs'), 0)"

  /// Whether a job was not proposed, or is approved.
  private static func isApproved(_ jobs: String) -> String {
    "(\(jobs).digest IS NULL OR \(jobs).ordinal IS NOT NULL)"
  }

  static let remember = """
    INSERT OR REPLACE INTO last_changes (account, title, outcome, job, reversal, at, newest_job)
    VALUES (:account, :title, :outcome, :job, :reversal, :now, \(newestJob))
    """
  static let last = """
    SELECT * FROM last_changes WHERE account IN (:account, '') ORDER BY id DESC LIMIT 1
    """
  /// Before a job is removed: if it is the last change of its account, that stays known.
  static let rememberRemoved = """
    INSERT OR REPLACE INTO last_changes (account, title, outcome, job, at, newest_job)
    SELECT account, title, 'done', id, created_at, \(newestJob) FROM jobs
    WHERE id = :job AND undoes IS NULL AND state <> 'preparing' AND \(isApproved("jobs"))
      AND NOT EXISTS (
        SELECT 1 FROM jobs AS other WHERE other.account = jobs.account AND other.undoes IS NULL
          AND \(isApproved("other")) AND \(JobStatements.order(of: "other")) > \(JobStatements.order(of: "jobs")))
      AND NOT EXISTS (
        SELECT 1 FROM last_changes
        WHERE account IN (jobs.account, '') AND newest_job >= \(JobStatements.order(of: "jobs")))
    """
}

/// The statements of the copies of files.
enum FileStatements {
  static let bytesOfOthers = "SELECT COALESCE(SUM(bytes), 0) FROM files WHERE cid <> :cid"
  static let add = """
    INSERT INTO files (cid, bytes, kept_at) VALUES (:cid, :bytes, :now)
    ON CONFLICT (cid) DO UPDATE SET kept_at = excluded.kept_at
    """
  static let bytes = "SELECT bytes FROM files WHERE cid = :cid"
  static let all = "SELECT cid FROM files"
  static let remove = "DELETE FROM files WHERE cid = :cid"
  static let bind =
    "INSERT OR IGNORE INTO files_of_jobs (job, cid) SELECT :job, cid FROM files WHERE cid = :cid"
  /// Copies that no job needs, from more than a day ago; also by a clock that was ahead.
  static let stale = """
    SELECT cid FROM files
    WHERE ABS(:now - kept_at) > 86400000000
      AND NOT EXISTS (SELECT 1 FROM files_of_jobs WHERE files_of_jobs.cid = files.cid)
    """
  /// Copies that only one job needs.
  static let onlyOf = """
    SELECT cid FROM files_of_jobs AS own WHERE job = :job
      AND NOT EXISTS (SELECT 1 FROM files_of_jobs AS other WHERE other.cid = own.cid AND other.job <> :job)
    """
}
