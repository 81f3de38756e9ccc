// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCrypto
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

/// Contract of a journal: plans that wait to be approved.
@Suite struct JournalProposalTests {
  private static let alice = Accounts.did(0)
  private static let day = Duration.days(1)

  private static func digest(_ digit: Character = "a") throws -> PlanDigest {
    try #require(PlanDigest(String(repeating: digit, count: 64)))
  }

  private func proposal(at now: Instant) throws -> JobProposal {
    JobProposal(
      digest: try Self.digest(), expiresAt: Datetime(at: now + Self.day), steps: 2, points: 6,
      lifetime: .seconds(60))
  }

  private func requests(_ numbers: Range<Int>) -> [ProposedRequest] {
    numbers.map { number in
      ProposedRequest(
        ChangePlan.Request("user\(number)", .follow(Accounts.did(number)), isResolved: true),
        steps: [ChangeSamples.follow(number)])
    }
  }

  private func propose(
    _ numbers: Range<Int>, in store: any JobStore, at now: Instant
  ) async throws -> Job {
    try await store.propose(
      JobDraft(account: Self.alice, title: "follow"), try proposal(at: now), requests(numbers), at: now)
  }

  @Test(arguments: JournalUnderTest.all)
  func givesBackWhatWasProposed(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    var narrowing = Narrowing()
    narrowing.keepsEnds = true
    narrowing.createdAt = Datetime(at: 1_000_000)
    narrowing.settles = RecordVersion(
      uri: try ATURI(parsing: "at://\(Self.alice)/app.bsky.graph.follow/3k"),
      cid: try CID(parsing: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"))
    narrowing.leftOut = Set(ChangeSamples.block(3).lines(of: Self.alice))
    let refusal = ChangeRefusal(.oneself, "no\t\"one\"", jobNumber: 3)
    narrowing.refusal = refusal
    let wanted = [
      ProposedRequest(
        ChangePlan.Request(
          "@a,\n", .follow(Accounts.did(1)), isResolved: true, until: Datetime(at: 5_000_000)),
        narrowing: narrowing, steps: [ChangeSamples.follow(1), ChangeSamples.mute(2)], changesJobs: true),
      ProposedRequest(ChangePlan.Request("b", .block(Self.alice)), refusal: refusal),
    ]
    let draft = JobDraft(
      account: Self.alice, title: "follow", limit: WriteLimit(perHour: 12, perDay: 34, leave: 5))
    let proposal = try proposal(at: place.now)
    let job = try await place.reopen().propose(draft, proposal, wanted, at: place.now)
    let store = try place.reopen()
    #expect(job.state == .proposed && job.proposal == proposal && job.limit == draft.limit)
    #expect(job.until == nil && job.endedAt == nil && job.isUnapproved)
    #expect(try await store.job(job.id) == job)
    #expect(try await store.proposals() == [job])
    #expect(try await store.requests(of: job.id, after: 0, most: 9) == wanted)
    #expect(try await store.requests(of: job.id, after: 1, most: 9) == [wanted[1]])
    #expect(try await store.requests(of: job.id, after: 0, most: 1) == [wanted[0]])
    #expect(try await store.summaries(of: Self.alice).map(\.job) == [job])
  }

  @Test(arguments: JournalUnderTest.all)
  func holdsNothing(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let job = try await propose(1..<3, in: store, at: now).id
    let subjects = [ChangeStep.Subject.account(Accounts.did(1))]
    #expect(try await store.history(of: subjects, by: Self.alice).isEmpty)
    #expect(try await store.due(at: .distantFuture).isEmpty)
    #expect(try await store.standing(of: nil).isEmpty)
    #expect(try await store.jobs(endedAfter: 0).isEmpty)
    #expect(try await store.preparing().isEmpty)
    #expect(try await store.allItems(of: job).isEmpty)
    #expect(try await store.pointsCounted(at: now) == 0)
    #expect(try await store.summary(of: job).counts.total == 0)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await store.start(job) }, { _ = try await store.pause(job) },
      { _ = try await store.cancel(job, at: now) }, { _ = try await store.retryFailed(job) },
      { try await store.append(ChangeSamples.drafts(0..<1), to: job) }, { try await store.remove(job) },
    ]
    for call in calls { await expectJobError(.wrongState, about: job) { try await call() } }
    #expect(try await store.job(job).state == .proposed)
  }

  @Test(arguments: JournalUnderTest.all)
  func isDecidedOnce(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, other, now) = (try place.reopen(), try place.reopen(), place.now)
    let job = try await propose(1..<3, in: store, at: now).id
    let rejected = try await propose(3..<5, in: store, at: now).id
    let until = Datetime(at: now + .seconds(60))
    let limit = WriteLimit(perHour: 100, leave: 1)
    let approved = try await store.approve(
      job, ChangeSamples.drafts(1..<3), until: until, limit: limit, at: now)
    #expect(approved.id == job && approved.state == .waiting && approved.until == until)
    #expect(approved.limit == limit && !approved.isUnapproved && approved.kinds?.count == 1)
    #expect(try await other.job(job) == approved)
    #expect(try await other.allItems(of: job).map(\.until) == [until, until])
    #expect(try await other.requests(of: job, after: 0, most: 9).isEmpty)
    await expectJobError(.notProposed, about: job) {
      _ = try await other.approve(job, ChangeSamples.drafts(1..<3), until: nil, limit: nil, at: now)
    }
    #expect(try await other.reject(rejected, note: "why", at: now).state == .cancelled)
    for job in [job, rejected] {
      await expectJobError(.notProposed, about: job) { _ = try await store.reject(job, note: nil, at: now) }
    }
    await expectJobError(.notProposed, about: rejected) {
      _ = try await store.approve(rejected, [], until: nil, limit: nil, at: now)
    }
    // What it was can still be read.
    #expect(try await store.requests(of: rejected, after: 0, most: 9).count == 2)
    #expect(try await store.allItems(of: job).count == 2)
  }

  @Test(arguments: JournalUnderTest.all)
  func isDoneIfNothingIsToBeSent(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await propose(1..<2, in: store, at: place.now).id
    let done = try await store.approve(job, [], until: nil, limit: nil, at: place.now)
    #expect(done.state == .done && done.endedAt != nil)
  }

  /// What is approved later comes later, whatever its number is.
  @Test(arguments: JournalUnderTest.all)
  func hasItsPlaceByItsApproval(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let early = try await propose(3..<4, in: store, at: now).id
    let between = try await store.addEndedJob(
      ChangeSamples.drafts(3..<4, ChangeSamples.mute), [.done], at: now
    ).id
    try await store.remember(LastChange("people dismiss", .done), by: Self.alice, at: now)
    let approved = try await store.approve(
      early, ChangeSamples.drafts(3..<4, ChangeSamples.mute), until: nil, limit: nil, at: now)
    try await store.record([.done], of: early)
    let last = try #require(try await store.lastChange(by: Self.alice))
    #expect(approved.order > between && approved.order > last.newestJob && approved.id < between)
    let subject = ChangeStep.Subject.account(Accounts.did(3))
    let history = try await store.history(of: [subject], by: Self.alice)[subject] ?? []
    #expect(history.map(\.job) == [between, early] && history.map(\.order) == [between, approved.order])
    // The call of the job between is the superseded one.
    let (first, second) = (try await store.allItems(of: between), try await store.allItems(of: early))
    #expect(try await store.isSuperseded(first[0], of: between))
    #expect(try await !store.isSuperseded(second[0], of: early))
    let undo = try await store.addJob(ChangeSamples.drafts(3..<4, ChangeSamples.mute), undoes: early, at: now)
    #expect(undo.id > approved.order)
    #expect(try await !store.isSuperseded(second[0], of: undo.id))
  }

  @Test(arguments: JournalUnderTest.all)
  func isPrunedOnceItHasExpired(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    _ = try await store.addEndedJob(ChangeSamples.drafts(9..<10), [.done], at: now + .days(9))
    let job = try await propose(1..<3, in: store, at: now).id
    let rejected = try await propose(1..<3, in: store, at: now).id
    _ = try await store.reject(rejected, note: nil, at: now)
    #expect(try await store.prune(endedBefore: now + .seconds(1)) == [rejected])
    #expect(try await store.prune(endedBefore: now + Self.day) == [])
    #expect(try await store.prune(endedBefore: now + Self.day + .seconds(1)) == [job])
    #expect(try await store.requests(of: job, after: 0, most: 9).isEmpty)
    // It has never changed anything.
    #expect(try await store.lastChange(by: Self.alice) == nil)
  }

  @Test(arguments: JournalUnderTest.all)
  func expiresAfterADayAndIfTheClockIsFarBehind(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now + .days(10))
    let job = try await propose(1..<3, in: store, at: now)
    let proposal = try #require(job.proposal)
    #expect(!proposal.isExpired(at: now) && !proposal.isExpired(at: now + Self.day - .seconds(1)))
    #expect(proposal.isExpired(at: now + Self.day) && !proposal.isExpired(at: now - .seconds(3_600)))
    #expect(proposal.isExpired(at: now - Self.day - .seconds(1)))
    // By the clock of the journal it lies ten days ahead.
    #expect(try await JobManager(journal: store, time: place.time).cancelExpired() == [job.id])
    let cancelled = try await store.job(job.id)
    #expect(cancelled.note == "expired" && cancelled.state == .cancelled)
    #expect(try await JobManager(journal: store, time: place.time).cancelExpired() == [])
  }

  @Test(arguments: JournalUnderTest.all)
  func keepsItsFiles(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let bytes = [UInt8](repeating: 7, count: 100)
    let file = Blob(ref: try #require(CID(ofFile: bytes)), mimeType: "image/png", size: bytes.count)
    #expect(try await store.keep(bytes, as: file.ref, at: now))
    var edit = ProfileEdit()
    edit.avatar = file
    let write = RecordWrite(
      collection: .profile, rkey: .literalSelf,
      action: .create(["$type": "app.bsky.actor.profile", "avatar": try DataValue(encoding: file)]))
    let request = ProposedRequest(
      ChangePlan.Request("me", .profile(edit)),
      steps: [ChangeStep(subject: .profile, action: .write([write]))])
    let job = try await store.propose(
      JobDraft(account: Self.alice, title: "edit profile"), try proposal(at: now), [request], at: now)
    let later = [UInt8](repeating: 8, count: 100)
    #expect(try await store.keep(later, as: try #require(CID(ofFile: later)), at: now + .days(2)))
    #expect(try await place.reopen().file(file.ref) == bytes)
    _ = try await store.reject(job.id, note: nil, at: now)
    try await store.remove(job.id)
    #expect(try await store.file(file.ref) == nil)
  }
}
