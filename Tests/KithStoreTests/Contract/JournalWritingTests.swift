// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: jobs and their items are added, read and removed.
@Suite struct JournalWritingTests {
  private static let everyKind = Set(JobItemState.Kind.allCases)

  @Test(arguments: JournalUnderTest.all)
  func givesBackEveryKindOfStep(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let update = RecordWrite(
      collection: ChangeSamples.follows, rkey: .literalSelf,
      action: .update(
        [
          "$type": "app.bsky.graph.follow", "name": "ä \"quoted\" \u{1F600}", "list": [1, true, .null],
          "data": .bytes([0, 255]),
        ],
        former: ["$type": "app.bsky.graph.follow", "name": "old/slash"]))
    let list = try #require(ATURI("at://did:web:example.com/app.bsky.graph.list/self"))
    let did = Accounts.did(4)
    let steps = [
      ChangeSamples.follow(1), ChangeSamples.block(2), ChangeSamples.mute(3),
      ChangeStep(subject: .listName("ä \"quoted\""), action: .write([update])),
      ChangeStep(
        subject: .account(did),
        action: .write([
          ChangeSamples.delete(5),
          RecordWrite(
            collection: ChangeSamples.blocks, rkey: ChangeSamples.rkey(6), action: .delete(former: nil)),
        ])),
      ChangeStep(subject: .list(list), action: .call(.muteList(list), former: nil)),
      ChangeStep(subject: .list(list), action: .call(.unmuteList(list), former: .muteList(list))),
      ChangeStep(subject: .account(did), action: .call(.mute(did, .quotes), former: .mute(did, .reposts))),
    ]
    var drafts = steps.map { JobItemDraft(input: "@user, as typed\n", step: $0) }
    drafts[0].skipped = "follows already"
    let job = try await place.reopen().addJob(drafts, at: place.now)
    let store = try place.reopen()
    let items = try await store.allItems(of: job.id)
    #expect(items.map(\.step) == steps)
    #expect(items.map(\.position) == Array(0..<8))
    #expect(items.map(\.state) == [.skipped("follows already")] + Array(repeating: .pending, count: 7))
    #expect(items.allSatisfy { $0.input == "@user, as typed\n" && $0.origin == nil })
    let counts = try await store.summary(of: job.id).counts
    #expect(counts.total == 8 && counts[.skipped] == 1 && counts[.pending] == 7)
    #expect(counts.pointsLeft == 3 + 1 + 2 + 1 + 1)
  }

  @Test(arguments: JournalUnderTest.all)
  func givesBackWhatADraftSays(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let plain = try await store.create(JobDraft(account: Accounts.did(1), title: "block"), at: place.now)
    #expect(plain.state == .preparing)
    #expect(plain.account == Accounts.did(1) && plain.title == "block")
    #expect(plain.createdAt.instant == place.now)
    #expect(plain.until == nil && plain.undoes == nil && plain.endedAt == nil && plain.note == nil)
    let draft = JobDraft(
      account: Accounts.did(1), title: "undo block",
      until: Datetime(at: place.now + 7_000_000),
      limit: WriteLimit(perHour: 12, perDay: 34, leave: 5), undoes: plain.id)
    let full = try await store.create(draft, at: place.now)
    #expect(full.limit == draft.limit && full.until == draft.until && full.undoes == plain.id)
    #expect(plain.limit == nil)
    #expect(try await place.reopen().job(full.id) == full)
  }

  @Test(arguments: JournalUnderTest.all)
  func appendsBehindTheItemsThatAreThere(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (one, other) = (try place.reopen(), try place.reopen())
    let job = try await one.create(JobDraft(account: Accounts.did(0), title: "follow"), at: place.now)
    try await one.append(ChangeSamples.drafts(0..<3), to: job.id)
    try await other.append([], to: job.id)
    try await other.append(ChangeSamples.drafts(3..<5), to: job.id)
    #expect(try await one.seal(job.id).state == .waiting)
    let items = try await other.allItems(of: job.id)
    #expect(items.map(\.position) == Array(0..<5))
    #expect(items.map(\.input) == (0..<5).map { "user\($0)" })
  }

  @Test(arguments: JournalUnderTest.all)
  func readsItemsInWindowsAndByState(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    var drafts = ChangeSamples.drafts(0..<1_000)
    for index in stride(from: 0, to: 1_000, by: 10) { drafts[index].skipped = "held" }
    let job = try await store.addJob(drafts, at: place.now).id
    var position: Int?
    var seen: [Int] = []
    repeat {
      let items = try await store.items(of: job, in: [.pending], after: position, most: 400)
      #expect(items.count <= 400)
      seen += items.map(\.position)
      position = items.last?.position
    } while position != nil
    #expect(seen == (0..<1_000).filter { !$0.isMultiple(of: 10) })
    #expect(try await store.items(of: job, in: [.skipped], after: nil, most: .max).count == 100)
    #expect(try await store.items(of: job, in: [.done], after: nil, most: .max).isEmpty)
    #expect(
      try await store.items(of: job, in: Self.everyKind, after: 997, most: 9).map(\.position) == [998, 999])
    #expect(try await store.items(of: job, in: Self.everyKind, after: nil, most: 1).map(\.position) == [0])
  }

  @Test(arguments: JournalUnderTest.all)
  func addsNothingToASealedJob(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    await expectJobError(.wrongState, about: job) {
      try await store.append(ChangeSamples.drafts(2..<4), to: job)
    }
    await expectJobError(.wrongState, about: job) { _ = try await store.seal(job) }
    #expect(try await store.allItems(of: job).count == 2)
  }

  @Test(arguments: JournalUnderTest.all)
  func runsNothingOfAJobThatIsNotFullyPrepared(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.create(JobDraft(account: Accounts.did(0), title: "follow"), at: place.now).id
    try await store.append(ChangeSamples.drafts(0..<3), to: job)
    let repository = ScriptedRepository()
    await expectJobError(.wrongState, about: job) {
      _ = try await place.runner(repository, place.reopen()).run(job)
    }
    #expect(repository.attempts == 0)
    #expect(try await store.job(job).state == .preparing)
  }

  @Test(arguments: JournalUnderTest.all)
  func cancelsAnUnrecordedJobOnlyWhenItsProcessIsGone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let manager = JobManager(journal: store, time: place.time)
    let sealed = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    let job = try await store.create(JobDraft(account: Accounts.did(0), title: "follow"), at: place.now).id
    let other = try await store.create(JobDraft(account: Accounts.did(1), title: "follow"), at: place.now).id
    #expect(try await store.preparing().map(\.id) == [job, other])
    // Recorded by a process that lives, or about to be: a process plans.
    let lease = try await store.lease(job, at: place.now)
    let planning = try await store.leasePlanning(of: Accounts.did(1), at: place.now)
    #expect(try await manager.cancelUnrecorded() == [])
    lease.release()
    #expect(try await manager.cancelUnrecorded() == [job])
    try await manager.cancelUnrecorded(whilePlanningFor: Accounts.did(1))
    planning.release()
    #expect(try await store.preparing().isEmpty)
    #expect(try await store.job(job).state == .cancelled)
    #expect(try await store.job(other).state == .cancelled)
    #expect(try await store.job(sealed).state == .waiting)
    #expect(try await manager.cancelUnrecorded() == [])
  }

  @Test(arguments: JournalUnderTest.all)
  func removesOnlyJobsThatNeverBeganOrHaveEnded(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    await expectJobError(.wrongState, about: job) { try await store.remove(job) }
    _ = try await store.start(job)
    await expectJobError(.wrongState, about: job) { try await store.remove(job) }
    _ = try await store.pause(job)
    await expectJobError(.wrongState, about: job) { try await store.remove(job) }
    _ = try await store.cancel(job, at: place.now)
    let draft = JobDraft(account: Accounts.did(0), title: "follow")
    let unfinished = try await store.create(draft, at: place.now).id
    let done = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: place.now).id
    for job in [job, unfinished, done] {
      try await store.remove(job)
      await expectJobError(.notFound, about: job) { _ = try await store.job(job) }
      #expect(try await store.allItems(of: job).isEmpty)
    }
    #expect(try await place.reopen().summaries(of: nil).isEmpty)
    // A job number is never reused, because a person may still remember it.
    #expect(try await store.create(draft, at: place.now).id > done)
  }

  @Test(arguments: JournalUnderTest.all)
  func namesAMissingJob(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let job = JobID(number: 12)
    let commit = JobCommit(number: 1, items: ChangeSamples.items(0..<1))
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await store.job(job) }, { _ = try await store.summary(of: job) },
      { try await store.append(ChangeSamples.drafts(0..<1), to: job) }, { _ = try await store.seal(job) },
      { try await store.remove(job) }, { _ = try await store.lease(job, at: now) },
      { _ = try await store.start(job) },
      { _ = try await store.begin(commit, of: job, within: WriteLimit(), at: now) },
      { try await store.record(JobOutcome(states: [0: .done]), of: job) },
      { try await store.stop(job, as: .done, note: nil, at: now) }, { _ = try await store.pause(job) },
      { _ = try await store.cancel(job, at: now) }, { _ = try await store.retryFailed(job) },
    ]
    for call in calls { await expectJobError(.notFound, about: job) { try await call() } }
  }

  @Test(arguments: JournalUnderTest.all)
  func listsTheJobsOfOneAccountOrOfAll(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (one, other) = (try place.reopen(), try place.reopen())
    let first = try await one.addJob(ChangeSamples.drafts(0..<3), at: place.now)
    let second = try await other.addJob(
      ChangeSamples.drafts(0..<2_000), of: Accounts.did(1), title: "block", at: place.now)
    let third = try await one.addJob([], of: Accounts.did(1), at: place.now)
    #expect(try await other.summaries(of: nil).map(\.job) == [first, second, third])
    #expect(try await one.summaries(of: Accounts.did(1)).map(\.job) == [second, third])
    #expect(try await one.summaries(of: Accounts.did(1)).map(\.counts.total) == [2_000, 0])
    #expect(try await one.summaries(of: Accounts.did(2)).isEmpty)
    // The manager adds the estimated end of a job: 6,000 points take two windows.
    let estimated = try await JobManager(journal: one, time: place.time).summaries(
      of: Accounts.did(1), within: WriteLimit())
    #expect(estimated.map(\.eta) == [Datetime(at: place.now + 3_600_000_000), nil])
  }

  @Test(arguments: JournalUnderTest.all)
  func keepsNothingOfAJobWhoseItemsFail(_ journal: JournalUnderTest) async throws {
    struct BadLine: Error {}
    let place = journal.makePlace()
    let store = try place.reopen()
    let stream = AsyncThrowingStream<JobItemDraft, any Error> { continuation in
      for draft in ChangeSamples.drafts(0..<1_200) { continuation.yield(draft) }
      continuation.finish(throwing: BadLine())
    }
    await #expect(throws: BadLine.self) {
      try await JobManager(journal: store, time: place.time).add(
        JobDraft(account: Accounts.did(0), title: "follow"), stream)
    }
    #expect(try await store.summaries(of: nil).isEmpty)
  }

  @Test(arguments: JournalUnderTest.all)
  func takesAStreamOfItems(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let stream = AsyncStream { continuation in
      for draft in ChangeSamples.drafts(0..<1_700) { continuation.yield(draft) }
      continuation.finish()
    }
    let job = try await JobManager(journal: store, time: place.time).add(
      JobDraft(account: Accounts.did(0), title: "follow"), stream)
    #expect(job.state == .waiting)
    #expect(try await store.allItems(of: job.id).map(\.input) == (0..<1_700).map { "user\($0)" })
  }
}
