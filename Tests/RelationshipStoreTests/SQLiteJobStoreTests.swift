// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import GRDB
import HTTPTypes
import TestSupport
import Testing

@testable import RelationshipStore
@testable import Relationships

@Suite struct SQLiteJobStoreTests {
  private let place = TemporaryStore()

  @Test func givesBackWhatWasWrittenDown() async throws {
    let update = RecordWrite(
      collection: ChangeSamples.follows, rkey: .literalSelf,
      action: .update(
        [
          "$type": "x", "name": "ä \"quoted\" \u{1F600}", "list": [1, true, .null], "data": .bytes([0, 255]),
        ],
        former: ["$type": "x", "name": "old/slash"]))
    let list = try #require(ATURI("at://did:web:example.com/app.bsky.graph.list/self"))
    let did = Accounts.did(4)
    let steps = [
      ChangeSamples.follow(1), ChangeSamples.block(2), ChangeSamples.mute(3),
      ChangeStep(subject: nil, action: .write([update])),
      ChangeStep(
        subject: did,
        action: .write([
          ChangeSamples.delete(5),
          RecordWrite(
            collection: ChangeSamples.blocks, rkey: ChangeSamples.rkey(6), action: .delete(former: nil)),
        ])),
      ChangeStep(subject: nil, action: .call(.muteList(list), former: nil)),
      ChangeStep(subject: nil, action: .call(.unmuteList(list), former: .muteList(list))),
      ChangeStep(subject: did, action: .call(.mute(did, .quotes), former: .mute(did, .reposts))),
    ]
    var drafts = steps.map { JobItemDraft(input: "@user, as typed\n", step: $0) }
    drafts[0].skipped = "follows already"
    let until = Datetime(microsecondsSinceEpoch: 1_900_000_000_000_000)
    let (store, job) = try await place.job(drafts, until: until)
    let items = try await store.items(of: job.id, in: Set(JobItemState.Kind.allCases), after: nil, most: 100)
    #expect(items.map(\.step) == steps)
    #expect(items.map(\.position) == Array(0..<8))
    #expect(items.map(\.state) == [.skipped("follows already")] + Array(repeating: .pending, count: 7))
    #expect(items.allSatisfy { $0.input == "@user, as typed\n" })
    #expect(job.until == until && job.state == .waiting && job.title == "follow")
    #expect(try await store.summary(of: job.id).counts.pointsLeft == 3 + 1 + 2 + 1 + 1)
  }

  @Test func takesAStreamOfItemsAndGivesItBackInWindows() async throws {
    let store = try place.open()
    let total = 3_000
    let stream = AsyncStream { continuation in
      for number in 0..<total {
        continuation.yield(JobItemDraft(input: "user\(number)", step: ChangeSamples.follow(number)))
      }
      continuation.finish()
    }
    let job = try await JobDesk(store: store, time: place.time).add(
      JobDraft(account: Accounts.did(0), title: "follow"), stream)
    #expect(try await store.summary(of: job.id).counts[.pending] == total)
    var position: Int?
    var count = 0
    repeat {
      let items = try await store.items(of: job.id, in: [.pending], after: position, most: 400)
      #expect(items.map(\.position) == Array(count..<count + items.count))
      position = items.last?.position
      count += items.count
    } while position != nil
    #expect(count == total)
  }

  @Test func leavesNothingOfAJobWhoseItemsFail() async throws {
    struct BadLine: Error {}
    let store = try place.open()
    let stream = AsyncThrowingStream<JobItemDraft, any Error> { continuation in
      for draft in ChangeSamples.drafts(0..<1_200) { continuation.yield(draft) }
      continuation.finish(throwing: BadLine())
    }
    await #expect(throws: BadLine.self) {
      try await JobDesk(store: store, time: place.time).add(
        JobDraft(account: Accounts.did(0), title: "follow"), stream)
    }
    #expect(try await store.summaries(of: nil).isEmpty)
  }

  @Test func runsNothingThatIsNotWrittenDownWhole() async throws {
    let store = try place.open()
    let job = try await store.create(JobDraft(account: Accounts.did(0), title: "follow"), at: place.now)
    try await store.append(ChangeSamples.drafts(0..<3), to: job.id)
    let error = await #expect(throws: JobError.self) {
      try await place.runner(ScriptedRepository(), store).run(job.id)
    }
    #expect(error?.code == .wrongState)
  }

  @Test func listsJobsOfOneAccountOrOfAll() async throws {
    let (store, first) = try await place.job(ChangeSamples.drafts(0..<3))
    let draft = JobDraft(account: Accounts.did(1), title: "block")
    let second = try await JobDesk(store: store, time: place.time).add(draft, ChangeSamples.drafts(0..<2_000))
    #expect(try await store.summaries(of: nil).map(\.job) == [first, second])
    let summaries = try await JobDesk(store: store, time: place.time).summaries(
      of: Accounts.did(1), within: PointAllowance())
    #expect(summaries.map(\.job) == [second])
    #expect(summaries.first?.counts.total == 2_000)
    #expect(summaries.first?.eta == Datetime(microsecondsSinceEpoch: place.now + 3_600_000_000))
  }

  @Test func namesTheJobThatIsNotThere() async throws {
    let store = try place.open()
    let error = await #expect(throws: JobError.self) { try await store.job(JobID(number: 12)) }
    #expect(error == .notFound(JobID(number: 12)))
    await #expect(throws: JobError.self) { try await store.claim(JobID(number: 12), at: place.now) }
  }

  @Test func cancelsWhatIsPending() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<3))
    let cancelled = try await store.cancel(job.id, at: place.now)
    #expect(cancelled.state == .cancelled && cancelled.endedAt != nil)
    #expect(try await store.summary(of: job.id).counts[.cancelled] == 3)
    await #expect(throws: JobError.self) { try await store.pause(job.id) }
    await #expect(throws: JobError.self) {
      try await place.runner(ScriptedRepository(), store).run(job.id)
    }
  }

  @Test func prunesWhatEndedLongAgo() async throws {
    let (store, old) = try await place.job(ChangeSamples.drafts(0..<3))
    _ = try await store.cancel(old.id, at: place.now - 1)
    let waiting = try await place.job(ChangeSamples.drafts(0..<3), in: store)
    let fresh = try await place.job(ChangeSamples.drafts(0..<3), in: store)
    _ = try await store.cancel(fresh.id, at: place.now)
    let until = Datetime(microsecondsSinceEpoch: place.now + 5)
    let (_, timed) = try await place.job(ChangeSamples.drafts(0..<3), until: until)
    #expect(try await place.runner(ScriptedRepository(), store).run(timed.id) == .done)
    #expect(try await store.prune(endedBefore: place.now) == [old.id])
    #expect(try await store.prune(endedBefore: place.now + 1_000) == [fresh.id])
    // What is to end some day is kept, and so is what waits.
    #expect(try await store.summaries(of: nil).map(\.job.id) == [waiting.id, timed.id])
    // A number is never used again.
    #expect(try await place.job([], in: store).id > timed.id)
  }

  @Test func prunesNothingThatIsInUseOrNotOverAnyMore() async throws {
    let repository = ScriptedRepository()
    repository.refuse(ChangeSamples.create(1))
    let (store, again) = try await place.job(ChangeSamples.drafts(0..<3))
    let held = try await place.job(ChangeSamples.drafts(3..<5), in: store)
    let undone = try await place.job(ChangeSamples.drafts(5..<7), in: store)
    let runner = place.runner(repository, store)
    for job in [again, held, undone] { #expect(try await runner.run(job.id) == .done) }
    let undo = try await JobDesk(store: store, time: place.time).undo(undone.id)
    #expect(try await runner.run(undo.id) == .done)
    let moment = place.now + 1_000
    // Another process retries it, or forgets it, after it was found to be over.
    #expect(try await store.retryFailed(again.id) == 1)
    #expect(try await store.prune(again.id, endedBefore: moment).isEmpty)
    #expect(try await store.prune(JobID(number: 99), endedBefore: moment).isEmpty)
    let claims = [
      try await store.claim(held.id, at: place.now), try await store.claim(undo.id, at: place.now),
    ]
    #expect(try await store.prune(endedBefore: moment).isEmpty)
    for claim in claims { claim.release() }
    #expect(try await store.prune(endedBefore: moment) == [held.id, undone.id, undo.id])
    #expect(try await store.summaries(of: nil).map(\.job.id) == [again.id])
  }

  @Test func givesPointsBackThatWereNotSpent() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<100))
    let repository = ScriptedRepository()
    repository.next(.fail(RepositoryError(.notAuthorized, detail: "sign in again")))
    _ = try await place.runner(repository, store).run(job.id)
    let allowance = PointAllowance(leave: 0)
    let left = try await store.budget(of: Accounts.did(0), within: allowance, at: place.now).left(
      at: place.now)
    #expect(left == 5_000)
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    try await store.spend(7, of: Accounts.did(0), at: place.now)
    let rest = try await place.open().budget(of: Accounts.did(0), within: allowance, at: place.now)
    #expect(rest.left(at: place.now) == 5_000 - 300 - 7)
    #expect(
      try await store.budget(of: Accounts.did(1), within: allowance, at: place.now).left(at: place.now)
        == 5_000)
  }

  @Test func heedsWhatTheServerSaysInAllProcesses() async throws {
    let store = try place.open()
    var fields = HTTPFields()
    for (name, value) in [
      ("RateLimit-Limit", "5000"), ("RateLimit-Remaining", "1300"), ("RateLimit-Policy", "5000;w=3600"),
      ("RateLimit-Reset", "\(place.now / 1_000_000 + 60)"),
    ] {
      fields[try #require(HTTPField.Name(name))] = value
    }
    let rateLimit = try #require(RateLimit(fields, at: place.now))
    try await SQLitePointLedger(store.database).observed(rateLimit, of: Accounts.did(0), at: place.now)
    let job = try await place.job(ChangeSamples.drafts(0..<200), in: store)
    let repository = ScriptedRepository()
    #expect(try await place.runner(repository, try place.open()).run(job.id) == .done)
    // A fifth of 5,000 is left alone, so that 300 points are there until the window starts anew.
    #expect(repository.commits.map(\.count) == [100, 100])
    #expect(place.clock.now.offset == .seconds(60))
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

  @Test func setsPointsAsideOnceForACommitThatIsSentAgain() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(0..<100))
    let repository = ScriptedRepository()
    repository.next(.loseRequest, .loseAnswer)
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.attempts == 2)
    let budget = try await store.budget(of: Accounts.did(0), within: PointAllowance(leave: 0), at: place.now)
    #expect(budget.left(at: place.now) == 5_000 - 300)
  }
}
