// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithCore
internal import KithRelationships
internal import KithWriting

/// Reads and writes the tables of the write budget within a transaction.
struct BudgetTables {
  let database: Database

  /// Returns what the account may spend, as if the commit had not started.
  func budget(
    of account: String, within limit: WriteLimit, at now: Instant,
    without commit: (job: Int64, number: Int)? = nil
  ) throws -> WriteBudget {
    let spends = try Row.fetchAll(
      database, sql: BudgetStatements.spends,
      arguments: ["account": account, "after": Self.start(now), "job": commit?.job, "commit": commit?.number])
    let readings = try Row.fetchAll(database, sql: BudgetStatements.readings, arguments: ["account": account])
    return WriteBudget(
      limit: limit,
      spends: spends.map {
        WriteBudgetSpend(
          at: $0.time("at"), points: $0["points"], changes: $0["changes"], isOpen: $0["is_open"])
      },
      readings: readings.compactMap(Self.reading))
  }

  /// Records spent points, and removes spends that are too old to count.
  func spend(
    _ points: Int, changes: Int, of account: String, at now: Instant, commit: (job: Int64, number: Int)? = nil
  ) throws {
    try database.execute(
      sql: BudgetStatements.forget, arguments: ["account": account, "after": Self.start(now)])
    try database.execute(
      sql: BudgetStatements.spend,
      arguments: [
        "account": account, "now": now.databaseValue, "points": points, "changes": changes,
        "job": commit?.job,
        "commit": commit?.number,
      ])
  }

  /// Settles a commit whose outcome is certain.
  func settle(_ commit: (job: Int64, number: Int), isPaid: Bool) throws {
    try database.execute(
      sql: isPaid ? BudgetStatements.keep : BudgetStatements.giveBack,
      arguments: ["job": commit.job, "commit": commit.number])
  }

  /// Replaces the stored reading of an account.
  func observe(_ reading: WriteBudgetReading, of account: String) throws {
    try database.execute(
      sql: BudgetStatements.observe,
      arguments: [
        "account": account, "span": reading.window.rawValue, "limit": reading.limit,
        "remaining": reading.remaining, "resets": reading.resetsAt.databaseValue,
        "now": reading.readAt.databaseValue,
      ])
  }

  /// Spends before this time no longer count.
  private static func start(_ now: Instant) -> DatabaseValue {
    (now - WriteBudgetWindow.day.length).databaseValue
  }

  private static func reading(_ row: Row) -> WriteBudgetReading? {
    WriteBudgetWindow(rawValue: row["span"]).map {
      WriteBudgetReading(
        window: $0, limit: row["point_limit"], remaining: row["remaining"], resetsAt: row.time("resets_at"),
        readAt: row.time("read_at"))
    }
  }
}

extension Duration {
  fileprivate var microseconds: Int64 { components.seconds * 1_000_000 }
}
