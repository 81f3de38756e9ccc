// SPDX-License-Identifier: Apache-2.0

import GRDB
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

/// Tests specific to SQLite; the suites in `Contract` test what every journal has to do.
@Suite struct SQLiteJobStoreTests {
  private let place = TemporaryStore()

  /// The journal is executed with the user's session, so no forged row may be sent.
  @Test(arguments: ["app.bsky.feed.post", "app.bsky.actor.profile", "app.bsky.graph.starterpack"])
  func refusesAStepThatWritesToAnotherCollection(collection: String) async throws {
    let (store, job) = try await place.job([JobItemDraft(input: "a", step: ChangeSamples.follow(1))])
    try await store.database.write { database in
      try database.execute(
        sql: "UPDATE items SET step = replace(step, 'app.bsky.graph.follow', ?)", arguments: [collection])
    }
    let kinds = Set(JobItemState.Kind.allCases)
    let error = await #expect(throws: JobError.self) {
      try await store.items(of: job.id, in: kinds, after: nil, most: 100)
    }
    #expect(error?.code == .journal && error?.detail.contains(collection) == true)
    let repository = ScriptedRepository()
    await #expect(throws: JobError.self) { try await place.runner(repository, store).run(job.id) }
    #expect(repository.attempts == 0)
  }

  @Test func sendsNoRecordOfAnotherTypeThanItsCollection() async throws {
    let (store, job) = try await place.job([JobItemDraft(input: "a", step: ChangeSamples.follow(1))])
    try await store.database.write { database in
      try database.execute(
        sql: "UPDATE items SET step = replace(step, ?, ?)",
        arguments: [#""$type":"app.bsky.graph.follow""#, #""$type":"app.bsky.feed.post""#])
    }
    let repository = ScriptedRepository()
    let error = await #expect(throws: JobError.self) {
      try await place.runner(repository, store).run(job.id)
    }
    #expect(error?.code == .journal && repository.attempts == 0)
  }

  /// What an undo would write back.
  @Test func keepsNoFormerRecordOfAnotherTypeThanItsCollection() async throws {
    let former = RecordWrite(
      collection: ChangeSamples.blocks, rkey: ChangeSamples.rkey(1),
      action: .delete(former: ["$type": "app.bsky.feed.post", "text": "planted"]))
    let step = ChangeStep(
      subject: .account(Accounts.did(1)), action: .write([former, ChangeSamples.delete(1)]))
    let (store, job) = try await place.job([JobItemDraft(input: "a", step: step)])
    // One that a server had let in is not remembered.
    let items = try await store.items(of: job.id, in: [.pending], after: nil, most: 9)
    #expect(items.first?.step.writes.first?.action == .delete(former: nil))
    try await store.database.write { database in
      try database.execute(
        sql: "UPDATE items SET step = replace(step, ?, ?)",
        arguments: [#""$type":"app.bsky.graph.follow""#, #""$type":"app.bsky.feed.post""#])
    }
    // Nor one that an earlier version has stored; the job can still be run, and its undo writes nothing.
    let read = try #require(try await store.items(of: job.id, in: [.pending], after: nil, most: 9).first)
    #expect(read.step.writes.map(\.action) == [.delete(former: nil), .delete(former: nil)])
    #expect(read.step.reversal == .impossible("the previous content of a record is unknown"))
  }

  @Test func readsAStepOfEachCollectionThatJobsWriteTo() async throws {
    let post = ChangeStep.Subject.post(
      ATURI(authority: .did(Accounts.did(1)), collection: .post, recordKey: ChangeSamples.rkey(1)))
    let subjects: [NSID: ChangeStep.Subject] = [
      .post: post, .threadgate: post, .postgate: post, .profile: .profile, EdgeKind.like.collection: post,
      EdgeKind.repost.collection: post,
    ]
    let steps = RecordKind.known.map(\.collection).map { collection in
      ChangeStep(
        subject: subjects[collection] ?? .account(Accounts.did(1)),
        action: .write([ChangeSamples.create(1, in: collection)]))
    }
    let (store, job) = try await place.job(steps.map { JobItemDraft(input: "a", step: $0) })
    let items = try await store.items(of: job.id, in: [.pending], after: nil, most: 100)
    #expect(items.map(\.step) == steps && steps.count == 14)
  }

  /// Another process retries or removes a job after it was found to be done.
  @Test func doesNotPruneAJobThatIsNoLongerDone() async throws {
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

  /// As an earlier version stored it.
  @Test func survivesAReadingBeyondAllBounds() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<3))
    let now = place.now
    try await store.database.write { database in
      try database.execute(
        sql: BudgetStatements.observe,
        arguments: [
          "account": Accounts.did(0).description, "span": "hour", "limit": Int64.max, "remaining": Int64.max,
          "resets": (now + 1_000_000).databaseValue, "now": now.databaseValue,
        ])
    }
    #expect(try await place.runner(ScriptedRepository(), store).run(job.id) == .done)
  }
}
