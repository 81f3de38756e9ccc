// SPDX-License-Identifier: Apache-2.0

internal import GRDB
package import KithCore
internal import KithRelationships
package import KithWriting

extension SQLiteJobStore {
  package func propose(
    _ draft: JobDraft, _ proposal: JobProposal, _ requests: [ProposedRequest], at now: Instant
  ) async throws -> Job {
    // Encoded before the write transaction locks the file.
    let texts = try requests.map { (input: $0.input, text: try ProposalText.text(of: $0)) }
    let files = Set(requests.lazy.flatMap(\.steps).flatMap(\.writes).flatMap(\.filesNeeded).map(\.ref))
    return try await database.write { database in
      let tables = JobTables(database: database)
      let job = try tables.insert(draft, .preparing, at: now)
      try database.execute(
        sql: ProposalStatements.propose,
        arguments: [
          "job": job.id.number, "digest": proposal.digest.description,
          "expires": proposal.expiresAt.instant.databaseValue,
          "lifetime": proposal.lifetime.map { (Instant.epoch + $0).databaseValue }, "steps": proposal.steps,
          "points": proposal.points,
        ])
      let insert = try database.cachedStatement(sql: ProposalStatements.insert)
      for (position, request) in texts.enumerated() {
        try insert.execute(arguments: [
          "job": job.id.number, "position": position, "input": request.input, "request": request.text,
        ])
      }
      try tables.bind(files, to: job.id)
      return try tables.job(job.id)
    }
  }

  package func proposals() async throws -> [Job] {
    try await database.read { database in
      try Row.fetchAll(database, sql: ProposalStatements.all).map(Job.init)
    }
  }

  package func requests(of job: JobID, after count: Int, most: Int) async throws -> [ProposedRequest] {
    try await database.read { database in
      let arguments: StatementArguments = ["job": job.number, "first": count, "most": most]
      return try Row.fetchAll(database, sql: ProposalStatements.requests, arguments: arguments).map { row in
        do { return try ProposalText.request(row["request"], as: row["input"]) } catch {
          let position: Int = row["position"]
          throw JobError.journal(
            job, "change \(position) of the proposal of job \(job) cannot be read: \(DecodingFault(error))")
        }
      }
    }
  }

  package func approve(
    _ job: JobID, _ items: [JobItemDraft], until: Datetime?, limit: WriteLimit?, at now: Instant
  ) async throws -> Job {
    let texts = try texts(of: items)
    return try await database.write { database in
      let tables = JobTables(database: database)
      try tables.checkIsProposed(job)
      try database.execute(sql: ProposalStatements.takeNumber)
      try database.execute(
        sql: ProposalStatements.approve,
        arguments: ["job": job.number, "until": until?.instant.databaseValue])
      if let limit { try tables.set(limit, of: job) }
      try database.execute(sql: ProposalStatements.remove, arguments: ["job": job.number])
      try tables.append(texts, to: try tables.job(job))
      try tables.setState(job, items.isEmpty ? .done : .waiting, endedAt: items.isEmpty ? now : nil)
      return try tables.job(job)
    }
  }

  package func reject(_ job: JobID, note: String?, at now: Instant) async throws -> Job {
    try await database.write { database in
      let tables = JobTables(database: database)
      try tables.checkIsProposed(job)
      try tables.setState(job, .cancelled, note: note, endedAt: now)
      return try tables.job(job)
    }
  }
}

extension JobTables {
  fileprivate func checkIsProposed(_ id: JobID) throws {
    let job = try job(id)
    guard job.state == .proposed else { throw JobError.notProposed(job) }
  }
}
