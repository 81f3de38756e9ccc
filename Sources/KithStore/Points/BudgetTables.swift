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
    of account: String, within limit: WriteLimit, counting kinds: Set<ChangeKind>?, at now: Instant,
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
          at: WriteBudgetSpend.moment(of: $0.time("at"), noticed: $0.instant("noticed"), at: now),
          points: $0["points"], changes: $0["changes"], kinds: ChangeKindText.counts(in: $0["kinds"]),
          isOpen: $0["is_open"])
      },
      readings: readings.compactMap(Self.reading), counting: kinds)
  }

  /// Notes which spends of an account lie in the future.
  func notice(_ account: String, at now: Instant) throws {
    try database.execute(
      sql: BudgetStatements.notice, arguments: ["account": account, "now": now.databaseValue])
  }

  /// Records spent points, and removes spends that are too old to count.
  func spend(_ commit: JobCommit, of job: Job, at now: Instant) throws {
    let account = job.account.description
    try database.execute(
      sql: BudgetStatements.forget,
      arguments: ["account": account, "after": Self.start(now), "kept": WriteBudgetSpend.mostKept])
    try database.execute(
      sql: BudgetStatements.spend,
      arguments: [
        "account": account, "now": now.databaseValue, "points": commit.points, "changes": commit.changes,
        "kinds": ChangeKindText.text(of: commit.kinds), "job": job.id.number, "commit": commit.number,
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

/// Kinds of changes as the journal stores them: one a line, after its number where they are counted.
enum ChangeKindText {
  static func text(of kinds: Set<ChangeKind>) -> String {
    kinds.map(\.name).sorted().joined(separator: "\n")
  }

  static func text(of counts: [ChangeKind: Int]) -> String {
    counts.map { "\($0.value) \($0.key.name)" }.sorted().joined(separator: "\n")
  }

  /// Reads kinds; nil if none are stored.
  static func kinds(in text: String?) -> Set<ChangeKind>? {
    text.map { Set($0.split(separator: "\n").map { ChangeKind(name: String($0)) }) }
  }

  /// Reads counted kinds; nil if none are stored, or if one has no number.
  static func counts(in text: String?) -> [ChangeKind: Int]? {
    guard let text else { return nil }
    var counts: [ChangeKind: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2, let count = Int(words[0]) else { return nil }
      counts[ChangeKind(name: String(words[1]))] = count
    }
    return counts
  }
}

extension Duration {
  fileprivate var microseconds: Int64 { components.seconds * 1_000_000 }
}
