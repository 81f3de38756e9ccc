// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import GRDB
import HTTPTypes
import TestSupport
import Testing

@testable import RelationshipStore
@testable import Relationships

/// What is SQLite's own; the suites in `Contract` try what every journal has to do.
@Suite struct SQLiteJobStoreTests {
  private let place = TemporaryStore()

  /// Another process retries a job, or forgets it, after it was found to be over.
  @Test func prunesNothingThatIsNotOverAnyMore() async throws {
    let repository = ScriptedRepository()
    repository.refuse(ChangeSamples.create(1))
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<3))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    let moment = place.now + 1_000
    #expect(try await store.retryFailed(job.id) == 1)
    #expect(try await store.prune(job.id, endedBefore: moment).isEmpty)
    #expect(try await store.prune(JobID(number: 99), endedBefore: moment).isEmpty)
    #expect(try await store.summaries(of: nil).map(\.job.id) == [job.id])
  }

  @Test func sharesItsPointsWithTheLedgerOfTheSameFile() async throws {
    let store = try place.open()
    var fields = HTTPFields()
    for (name, value) in [
      ("RateLimit-Limit", "5000"), ("RateLimit-Remaining", "1300"), ("RateLimit-Policy", "5000;w=3600"),
      ("RateLimit-Reset", "\(place.now / 1_000_000 + 60)"),
    ] {
      fields[try #require(HTTPField.Name(name))] = value
    }
    let rateLimit = try #require(RateLimit(fields, at: place.now))
    let ledger = SQLitePointLedger(store.database)
    try await ledger.observed(rateLimit, of: Accounts.did(0), at: place.now)
    try await ledger.spend(100, of: Accounts.did(0), at: place.now)
    let budget = try await store.budget(of: Accounts.did(0), within: PointAllowance(leave: 0), at: place.now)
    #expect(budget.left(at: place.now) == 1_200)
  }

  /// As an earlier version wrote it down.
  @Test func bearsAReadingBeyondAllBounds() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<3))
    let now = place.now
    try await store.database.write { database in
      try database.execute(
        sql: PointStatements.observe,
        arguments: [
          "account": Accounts.did(0).description, "span": "hour", "limit": Int64.max, "remaining": Int64.max,
          "resets": now + 1_000_000, "now": now,
        ])
    }
    #expect(try await place.runner(ScriptedRepository(), store).run(job.id) == .done)
  }
}
