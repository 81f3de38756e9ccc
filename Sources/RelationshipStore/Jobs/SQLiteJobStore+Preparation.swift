// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import GRDB
public import Relationships

extension SQLiteJobStore {
  public func create(_ draft: JobDraft, at now: Int64) async throws -> Job {
    try await database.write { database in
      try database.execute(
        sql: JobStatements.insert,
        arguments: [
          "account": draft.account.description, "title": draft.title, "now": now,
          "until": draft.until?.microsecondsSinceEpoch, "undoes": draft.undoes?.number,
        ])
      return try JobTables(database: database).job(JobID(number: database.lastInsertedRowID))
    }
  }

  public func append(_ items: [JobItemDraft], to job: JobID) async throws {
    // Put into words before the file is locked for others.
    let texts = try items.map { (draft: $0, step: try StepText.text(of: $0.step)) }
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(job, in: [.preparing], "nothing can be added to it")
      try tables.append(texts, to: job)
    }
  }

  public func seal(_ job: JobID) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(job, in: [.preparing], "it was written down before")
      try tables.setState(job, .waiting)
      return try tables.job(job)
    }
  }

  public func remove(_ job: JobID) async throws {
    try await database.write { database in
      _ = try JobTables(database: database).job(
        job, in: [.preparing, .done, .cancelled], "cancel it first, with `kith jobs cancel \(job)`")
      try database.execute(sql: JobStatements.delete, arguments: ["job": job.number])
    }
    // Its number is never used again, so that nobody else will come to lock it.
    PrivateFile.remove(self.database.lockPath(of: job.number))
  }

  public func prune(endedBefore moment: Int64) async throws -> [JobID] {
    var gone: [JobID] = []
    while true {
      // What undid a job may go once that job has gone.
      let round = try await pruneOnce(endedBefore: moment)
      if round.isEmpty { return gone.sorted { $0.number < $1.number } }
      gone += round
    }
  }

  private func pruneOnce(endedBefore moment: Int64) async throws -> [JobID] {
    let candidates = try await database.read { database in
      try Int64.fetchAll(database, sql: JobStatements.prunable, arguments: ["moment": moment])
    }
    var gone: [JobID] = []
    for number in candidates {
      // Whoever runs or writes it holds the right to it.
      guard
        let lock = try? JobLock.take(JobID(number: number), at: database.lockPath(of: number), now: moment)
      else {
        continue
      }
      defer { lock.release() }
      try await remove(JobID(number: number))
      gone.append(JobID(number: number))
    }
    return gone
  }
}
