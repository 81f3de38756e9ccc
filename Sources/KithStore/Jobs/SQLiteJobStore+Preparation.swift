// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
package import KithWriting

extension SQLiteJobStore {
  package func create(
    _ draft: JobDraft, _ items: [JobItemDraft], isWhole: Bool, at now: Instant
  ) async throws -> Job {
    // Encoded before the write transaction locks the file.
    let texts = try texts(of: items)
    return try await database.write { database in
      let tables = JobTables(database: database)
      let job = try tables.insert(draft, isWhole ? .waiting : .preparing, at: now)
      try tables.append(texts, to: job)
      return try tables.job(job.id)
    }
  }

  package func append(_ items: [JobItemDraft], to job: JobID) async throws {
    let texts = try texts(of: items)
    try await database.write { database in
      let tables = JobTables(database: database)
      try tables.append(texts, to: try tables.job(job, in: [.preparing], "no items can be added"))
    }
  }

  func texts(of items: [JobItemDraft]) throws -> [(draft: JobItemDraft, step: String)] {
    try items.map { (draft: $0, step: try StepText.text(of: $0.step)) }
  }

  package func seal(_ job: JobID) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      _ = try tables.job(job, in: [.preparing], "it is already prepared")
      try tables.setState(job, .waiting)
      return try tables.job(job)
    }
  }

  package func remove(_ job: JobID) async throws {
    let files = KeptFiles(beside: database)
    try await database.write { database in
      _ = try JobTables(database: database).job(
        job, in: [.preparing, .done, .cancelled], "cancel it first")
      try database.removeJob(job.number, files: files)
    }
    try self.database.removeLock(of: job.number)
  }

  package func forget(_ account: DID) async throws -> [JobID] {
    let files = KeptFiles(beside: database)
    let name: StatementArguments = ["account": account.description]
    let gone = try await database.write { database -> [Int64] in
      let gone = try Int64.fetchAll(database, sql: JobStatements.ofAccount, arguments: name)
      for job in gone { try database.removeJob(job, files: files) }
      for statement in JournalStatements.forget { try database.execute(sql: statement, arguments: name) }
      return gone
    }
    for job in gone { try database.removeLock(of: job) }
    return gone.map(JobID.init(number:))
  }

  package func prune(endedBefore moment: Instant) async throws -> [JobID] {
    let candidates = try await database.read { database in
      try Int64.fetchAll(
        database, sql: JobStatements.prunable, arguments: ["moment": moment.databaseValue, "job": nil])
    }
    var gone: [JobID] = []
    for job in candidates.map(JobID.init(number:)) where !gone.contains(job) {
      gone += try await prune(job, endedBefore: moment)
    }
    return gone.sorted { $0.number < $1.number }
  }

  /// Removes a job together with the jobs that undid it; an undo without its job would look like a change of
  /// its own.
  ///
  /// - Returns: The removed jobs; none if another process holds one of them, or if the job is no longer
  ///   finished.
  func prune(_ job: JobID, endedBefore moment: Instant) async throws -> [JobID] {
    // A process that runs, undoes or prepares a job holds its lease; with this lease, no undo of it can
    // start.
    guard let claim = try claimUnlessHeld(job, at: moment) else { return [] }
    defer { claim.release() }
    let undos = try await database.read { database in
      try Int64.fetchAll(database, sql: JobStatements.undos, arguments: ["job": job.number])
    }
    let others = try undos.map { try claimUnlessHeld(JobID(number: $0), at: moment) }
    defer { for other in others { other?.release() } }
    guard !others.contains(where: { $0 == nil }) else { return [] }
    let files = KeptFiles(beside: database)
    let gone = try await database.write { database -> [Int64] in
      let isPrunable = try Int64.fetchOne(
        database, sql: JobStatements.prunable, arguments: ["moment": moment.databaseValue, "job": job.number])
      guard isPrunable != nil else { return [] }
      let gone = undos + [job.number]
      for number in gone { try database.removeJob(number, files: files) }
      return gone
    }
    for number in gone { try database.removeLock(of: number) }
    return gone.map(JobID.init(number:))
  }

  private func claimUnlessHeld(_ job: JobID, at now: Instant) throws -> JobLock? {
    do {
      return try JobLock.acquire(job, in: database, now: now)
    } catch let error as JobError where error.code == .held {
      return nil
    }
  }
}
