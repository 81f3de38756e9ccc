// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import GRDB
public import RelationshipWriting

extension SQLiteJobStore {
  public func start(_ job: JobID) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(
        job, in: [.waiting, .running, .paused, .cancelled], "there is nothing to run")
      if found.state == .cancelled {
        guard try tables.count(ItemStatements.inDoubt, of: job) > 0 else {
          throw JobError.wrongState(job, "job \(job) is cancelled: there is nothing to run")
        }
        return found
      }
      try tables.setState(job, .running)
      return try tables.job(job)
    }
  }

  public func begin(
    _ commit: JobCommit, of job: JobID, within allowance: WriteLimit, at now: Int64
  ) async throws -> CommitReservation {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      guard found.state == .running else { return .halted(found.state) }
      let points = BudgetTables(database: database)
      let number = (job: job.number, number: commit.number)
      if commit.points > 0 {
        let account = found.account.description
        let budget = try points.budget(of: account, within: allowance, at: now, without: number)
        let left = budget.left(at: now)
        guard left >= commit.points else {
          return .short(left: left, until: budget.opening(for: commit.points, at: now))
        }
        try points.spend(commit.points, of: account, at: now, commit: number)
      }
      try tables.begin(commit, of: found)
      return .begun
    }
  }

  public func record(_ outcome: JobOutcome, of job: JobID) async throws {
    try await database.write { database in
      let tables = JobTables(database: database)
      let isCancelled = try tables.job(job).state == .cancelled
      // What was given up while its commit was on its way is not pending again.
      let states =
        isCancelled ? outcome.states.mapValues { $0 == .pending ? .cancelled : $0 } : outcome.states
      try tables.record(states, of: job)
      if let commit = outcome.commit {
        try BudgetTables(database: database).settle((job.number, commit), isPaid: outcome.isPaid)
      }
    }
  }

  public func stop(_ job: JobID, as state: JobState, note: String?, at now: Int64) async throws {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      // Whoever paused or cancelled it meanwhile has the last word.
      guard found.state == .running else { return }
      let isFinished = try tables.count(ItemStatements.left, of: job) == 0
      let final: JobState = isFinished ? .done : state == .done ? .waiting : state
      try tables.setState(job, final, note: isFinished ? nil : note, endedAt: final.isEnded ? now : nil)
    }
  }

  public func pause(_ job: JobID) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(job, in: [.waiting, .running, .paused], "there is nothing to hold back")
      try tables.setState(job, .paused)
      return try tables.job(job)
    }
  }

  public func cancel(_ job: JobID, at now: Int64) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(job, in: [.preparing, .waiting, .running, .paused], "there is nothing to give up")
      try database.execute(sql: ItemStatements.cancelPending, arguments: ["job": job.number])
      try tables.setState(job, .cancelled, endedAt: now)
      return try tables.job(job)
    }
  }

  public func retryFailed(_ job: JobID) async throws -> Int {
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(job, in: [.waiting, .paused, .done], "let it end, or pause it first")
      try database.execute(sql: ItemStatements.retryFailed, arguments: ["job": job.number])
      let count = database.changesCount
      if count > 0 { try tables.setState(job, .waiting) }
      return count
    }
  }
}
