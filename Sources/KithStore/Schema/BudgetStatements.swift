// SPDX-License-Identifier: Apache-2.0

/// The statements of the write budget.
enum BudgetStatements {
  static let spends = """
    SELECT at, noticed, points, changes, kinds, job IS NOT NULL AS is_open FROM spends WHERE account = :account AND at > :after
      AND NOT (job IS :job AND commit_number IS :commit AND job IS NOT NULL)
    """
  static let readings = "SELECT * FROM readings WHERE account = :account"
  static let spend = """
    INSERT INTO spends (account, at, points, changes, kinds, job, commit_number)
    VALUES (:account, :now, :points, :changes, :kinds, :job, :commit)
    ON CONFLICT (job, commit_number) WHERE job IS NOT NULL DO UPDATE
      SET at = excluded.at, points = excluded.points, changes = excluded.changes, kinds = excluded.kinds, noticed = NULL
    """
  /// What lies in the future shows that the clock was set back.
  static let notice = """
    UPDATE spends SET noticed = :now WHERE account = :account AND at > :now AND (noticed IS NULL OR noticed > :now)
    """
  /// A settled commit gives up its number, which another one may use.
  static let keep =
    "UPDATE spends SET job = NULL, commit_number = NULL WHERE job = :job AND commit_number = :commit"
  static let giveBack = "DELETE FROM spends WHERE job = :job AND commit_number = :commit"
  /// The latest stay, however old they are: a clock that is ahead makes those of today old.
  static let forget = """
    DELETE FROM spends WHERE account = :account AND at <= :after AND job IS NULL
      AND id <= (SELECT MAX(id) FROM spends) - :kept
    """
  static let observe = """
    INSERT INTO readings (account, span, point_limit, remaining, resets_at, read_at)
    VALUES (:account, :span, :limit, :remaining, :resets, :now)
    ON CONFLICT (account, span) DO UPDATE SET point_limit = excluded.point_limit, remaining = excluded.remaining,
      resets_at = excluded.resets_at, read_at = excluded.read_at
    """
}
