// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
package import KithWriting

extension SQLiteJobStore {
  package func start(_ job: JobID, limit: WriteLimit?) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      var found = try tables.job(job)
      found = try tables.job(
        job, in: [.waiting, .running, .paused, .cancelled],
        found.state == .proposed ? "approve it first" : "nothing to run")
      if let limit { try tables.set(limit, of: job) }
      if found.state == .cancelled {
        guard try tables.count(ItemStatements.inDoubt, of: job) > 0 else {
          throw JobError.wrongState(job, "job \(job) is cancelled: nothing to run")
        }
        return try tables.job(job)
      }
      try tables.setState(job, .running)
      return try tables.job(job)
    }
  }

  package func begin(
    _ commit: JobCommit, of job: JobID, within limit: WriteLimit, asOf revision: Int64, at now: Instant
  ) async throws -> CommitReservation {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      guard found.state == .running || found.state == .waiting else { return .halted(found.state) }
      let (withdrawn, expired) = try tables.lost(of: commit, in: job, at: now)
      if !withdrawn.isEmpty { return .withdrawn(withdrawn) }
      if !expired.isEmpty { return .expired(expired) }
      let rivals = try tables.rivals(of: commit, in: found, since: revision, at: now)
      if !rivals.inDoubt.isEmpty { return .contended(rivals.inDoubt) }
      if rivals.haveDone { return .outdated }
      let points = BudgetTables(database: database)
      let number = (job: job.number, number: commit.number)
      let account = found.account.description
      try points.notice(account, at: now)
      // A call, such as a mute, costs no points: it is looked at only where changes are counted.
      if commit.points > 0 || limit.mostChanges < .max {
        let budget = try points.budget(
          of: account, within: limit, counting: found.kinds, at: now, without: number)
        if let short = budget.shortage(for: commit, at: now) { return short }
      }
      try points.spend(commit, of: found, at: now)
      try tables.begin(commit, of: found)
      if found.state == .waiting { try tables.setState(job, .running) }
      return .begun
    }
  }

  @discardableResult
  package func record(_ outcome: JobOutcome, of job: JobID, at now: Instant) async throws -> JobState {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      // Items of a job that was cancelled while their commit was in flight do not become pending again.
      let states =
        found.state == .cancelled
        ? outcome.states.mapValues { $0 == .pending ? .cancelled : $0 } : outcome.states
      try tables.record(states, of: job, keepsDoubt: outcome.keepsDoubt)
      try tables.set(outcome.steps, of: job)
      if let commit = outcome.commit {
        try BudgetTables(database: database).settle((job.number, commit), isPaid: outcome.isPaid)
      }
      guard found.state == .running || found.state == .waiting,
        try tables.count(ItemStatements.left, of: job) == 0
      else { return found.state }
      try tables.setState(job, .done, endedAt: now)
      return .done
    }
  }

  package func stop(_ job: JobID, as state: JobState, note: String?, at now: Instant) async throws {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      // A pause or cancellation in the meantime takes precedence.
      guard found.state == .running || found.state == .waiting else { return }
      let isFinished = try tables.count(ItemStatements.left, of: job) == 0
      let final: JobState = isFinished ? .done : state == .done ? .waiting : state
      try tables.setState(job, final, note: isFinished ? nil : note, endedAt: final.isEnded ? now : nil)
    }
  }

  package func pause(_ job: JobID) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(job, in: [.waiting, .running, .paused], "nothing to pause")
      try tables.setState(job, .paused)
      return try tables.job(job)
    }
  }

  package func cancel(_ job: JobID, at now: Instant) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      _ = try tables.job(
        job, in: [.preparing, .waiting, .running, .paused],
        found.state == .proposed ? "reject it instead" : "nothing to cancel")
      try database.execute(sql: ItemStatements.cancelPending, arguments: ["job": job.number])
      try tables.setState(job, .cancelled, endedAt: now)
      return try tables.job(job)
    }
  }

  package func withdraw(_ items: Set<Int>, of job: JobID, at now: Instant) async throws -> Set<Int> {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      let withdrawn = try tables.withdraw(items, of: job)
      if !withdrawn.isEmpty, !found.state.isEnded, found.state != .preparing,
        try tables.count(ItemStatements.left, of: job) == 0
      {
        try tables.setState(job, .done, endedAt: now)
      }
      return withdrawn
    }
  }

  package func retryFailed(_ job: JobID) async throws -> Int {
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(
        job, in: [.waiting, .paused, .done], "only a waiting, paused or done job can retry failed items")
      try database.execute(sql: ItemStatements.retryFailed, arguments: ["job": job.number])
      let count = database.changesCount
      if count > 0 { try tables.setState(job, .waiting) }
      return count
    }
  }

  package func moveEnds(of job: JobID, at now: Instant) async throws -> [Int: JobItemState] {
    try await database.write { database in
      let tables = JobTables(database: database)
      let found = try tables.job(job)
      let states = try tables.moveEnds(of: job)
      guard !states.isEmpty else { return [:] }
      try tables.record(states, of: job, keepsDoubt: false)
      if found.state == .running || found.state == .waiting,
        try tables.count(ItemStatements.left, of: job) == 0
      {
        try tables.setState(job, .done, endedAt: now)
      }
      return states
    }
  }
}
