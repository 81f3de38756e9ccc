// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithClient
package import KithCore
package import KithRelationships
package import KithWriting

/// The journal of jobs, in a file that all processes share.
package struct SQLiteJobStore: JobStore {
  let database: StoreDatabase
  /// The collections that jobs write to.
  private let collections: Set<NSID>
  private let writesUnknownGraphs: Bool

  /// Creates a store of a journal file.
  ///
  /// - Parameters:
  ///   - kinds: the kinds of edges that jobs write, besides those that Kith knows.
  ///   - records: the collections of records that jobs write besides edges, likewise.
  ///   - writesUnknownGraphs: whether jobs may write follows and records of apps that Kith does not know. A process that
  ///     creates such a job has to ask for it.
  package init(
    _ database: StoreDatabase, kinds: [EdgeKind] = [], records: Set<NSID> = [],
    writesUnknownGraphs: Bool = false
  ) {
    self.database = database
    self.writesUnknownGraphs = writesUnknownGraphs
    collections = Set(
      RecordKind.known.map(\.collection) + FollowGraph.known.map(\.collection) + kinds.map(\.collection)
    ).union(records)
  }

  // MARK: - Points

  package func budget(
    of account: DID, within limit: WriteLimit, counting kinds: Set<ChangeKind>?, at now: Instant
  ) async throws -> WriteBudget {
    try await database.read {
      try BudgetTables(database: $0).budget(
        of: account.description, within: limit, counting: kinds, at: now)
    }
  }

  package func observed(_ rateLimit: RateLimit, of account: DID, at now: Instant) async throws {
    guard let reading = WriteBudgetReading(rateLimit, at: now) else { return }
    try await database.write { try BudgetTables(database: $0).observe(reading, of: account.description) }
  }

  // MARK: - Servers

  package func serverChoosingKeys(of account: DID) async throws -> String? {
    try await database.read {
      try String.fetchOne(
        $0, sql: JournalStatements.serverChoosingKeys, arguments: ["account": account.description])
    }
  }

  package func note(serverChoosingKeys server: String?, of account: DID) async throws {
    try await database.write { database in
      guard let server else {
        return try database.execute(
          sql: JournalStatements.keepsKeys, arguments: ["account": account.description])
      }
      try database.execute(
        sql: JournalStatements.choosesKeys, arguments: ["account": account.description, "server": server])
    }
  }

  // MARK: - Looking up

  package func job(_ job: JobID) async throws -> Job {
    try await database.read { try JobTables(database: $0).job(job) }
  }

  package func jobs(endedAfter moment: Instant) async throws -> [Job] {
    try await database.read { database in
      try Row.fetchAll(database, sql: JobStatements.recent, arguments: ["moment": moment.databaseValue]).map(
        Job.init)
    }
  }

  package func preparing() async throws -> [Job] {
    try await database.read { database in
      try Row.fetchAll(database, sql: JobStatements.preparing).map(Job.init)
    }
  }

  package func summaries(of account: DID?) async throws -> [JobSummary] {
    let summaries = try await database.read { database in
      let counts = try JobTables(database: database).counts()
      let rows = try Row.fetchAll(
        database, sql: JobStatements.all, arguments: ["account": account?.description])
      return try rows.map(Job.init).map { JobSummary(job: $0, counts: counts[$0.id.number] ?? JobCounts()) }
    }
    return summaries.map(withHolder)
  }

  package func summary(of job: JobID) async throws -> JobSummary {
    let summary = try await database.read { database in
      let tables = JobTables(database: database)
      return JobSummary(
        job: try tables.job(job), counts: try tables.counts(of: job)[job.number] ?? JobCounts())
    }
    return withHolder(summary)
  }

  private func withHolder(_ summary: JobSummary) -> JobSummary {
    var summary = summary
    summary.holder = JobLock.holder(summary.job.id, in: database)
    return summary
  }

  package func items(
    of job: JobID, in kinds: Set<JobItemState.Kind>, after position: Int?, most: Int
  ) async throws -> [JobItem] {
    let place: [(any DatabaseValueConvertible)?] = [job.number, position ?? -1]
    let arguments = StatementArguments(place + kinds.map(\.rawValue) + [most])
    return try await database.read { database in
      let statement = ItemStatements.select(states: kinds.count)
      return try Row.fetchAll(database, sql: statement, arguments: arguments).map { row in
        let item = try JobItem(row)
        try check(item, of: job)
        return item
      }
    }
  }

  package func history(
    of subjects: [ChangeStep.Subject], by account: DID
  ) async throws -> [ChangeStep.Subject: [JobHistoryEntry]] {
    try await database.read { database in
      let tables = JobTables(database: database)
      var history: [ChangeStep.Subject: [JobHistoryEntry]] = [:]
      for subject in subjects {
        let found = try tables.history(of: subject, by: account)
        if !found.isEmpty { history[subject] = found }
      }
      return history
    }
  }

  package func settledRequests(of account: DID) async throws -> Set<RecordVersion> {
    try await database.read { try JobTables(database: $0).settledRequests(of: account) }
  }

  package func settle(_ requests: Set<RecordVersion>, of account: DID) async throws {
    if requests.isEmpty { return }
    try await database.write { try JobTables(database: $0).settle(requests, of: account) }
  }

  package func revision() async throws -> Int64 {
    try await database.read { try Int64.fetchOne($0, sql: JournalStatements.revision) ?? 0 }
  }

  package func undo(of job: JobID) async throws -> Job? {
    try await database.read { database in
      try Row.fetchOne(database, sql: JobStatements.openUndo, arguments: ["job": job.number]).map(Job.init)
    }
  }

  package func isSuperseded(_ item: JobItem, of job: JobID) async throws -> Bool {
    guard let call = StepText.target(of: item.step) else { return false }
    return try await database.read { database in
      let arguments: StatementArguments = ["job": job.number, "call": call]
      return try Bool.fetchOne(database, sql: ItemStatements.isSuperseded, arguments: arguments) ?? false
    }
  }

  package func due(at now: Instant) async throws -> [DueJob] {
    try await database.read { database in
      try Row.fetchAll(database, sql: JobStatements.due, arguments: ["now": now.databaseValue]).map { row in
        DueJob(job: try Job(row), undo: (row["undo"] as Int64?).map(JobID.init(number:)))
      }
    }
  }

  package func standing(of account: DID?) async throws -> [TimedChange] {
    try await database.read { database in
      try JobTables(database: database).standing(of: account)
    }
  }

  // MARK: - Ends after a restore

  package func endsHeldSince() async throws -> Instant? {
    try await database.read {
      try Row.fetchOne($0, sql: JournalStatements.endsHeldSince)?.instant("ends_held_since")
    }
  }

  package func holdEnds(since moment: Instant) async throws {
    try await database.write {
      try $0.execute(sql: JournalStatements.holdEnds, arguments: [moment.databaseValue])
    }
  }

  package func releaseEnds() async throws {
    try await database.write { try $0.execute(sql: JournalStatements.holdEnds, arguments: [nil]) }
  }

  // MARK: - Leases

  package func leasePlanning(of account: DID, at now: Instant) async throws -> any JobLease {
    try JobLock.takePlanning(of: account, in: database, now: now)
  }

  package func lease(_ job: JobID, at now: Instant) async throws -> any JobLease {
    _ = try await self.job(job)
    return try JobLock.acquire(job, in: database, now: now)
  }
}

extension SQLiteJobStore {
  private func isWritten(_ collection: NSID, about subject: ChangeStep.Subject) -> Bool {
    if collections.contains(collection) { return true }
    guard writesUnknownGraphs else { return false }
    return subject.isOfRecords
      ? RecordKind.isOpen(collection) : FollowGraph(collection).map { !$0.isReserved } == true
  }

  /// Checks that an item writes nothing that jobs never write: the journal is executed with the user's session.
  private func check(_ item: JobItem, of job: JobID) throws {
    for write in item.step.writes where !isWritten(write.collection, about: item.step.subject) {
      throw JobError.journal(
        job, "item \(item.position) of job \(job) cannot be read: jobs do not write to \(write.collection)")
    }
  }
}
