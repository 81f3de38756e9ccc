// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: what it keeps per item, and what belongs to a job.
@Suite struct JournalItemTests {
  private func end(_ place: any JournalPlace, after seconds: Int64) -> Datetime {
    Datetime(at: place.now + seconds * 1_000_000)
  }

  // MARK: Dependencies

  @Test(arguments: JournalUnderTest.all)
  func includesTheStateOfTheDependencyOfAnItem(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    var drafts = ChangeSamples.drafts(0..<4)
    drafts[1].dependsOn = 0
    drafts[3].dependsOn = 1
    let job = try await store.addJob(drafts, at: place.now).id
    func dependencies(_ store: any JobStore) async throws -> [JobItem.Dependency?] {
      try await store.allItems(of: job).map(\.dependency)
    }
    #expect(
      try await dependencies(store)
        == [nil, .init(position: 0, state: .pending), nil, .init(position: 1, state: .pending)])
    _ = try await store.begin(1, 0..<1, of: job, at: place.now)
    #expect(try await dependencies(place.reopen())[1]?.state == .inDoubt)
    try await store.record(JobOutcome(commit: 1, states: [0: .done, 1: .failed("no")]), of: job)
    let after = try await dependencies(place.reopen())
    #expect(after[1]?.state == .done && after[3]?.state == .failed)
    // So does an item that is read alone.
    let last = try await store.items(of: job, in: [.pending], after: 2, most: 1)
    #expect(last.first?.dependency == .init(position: 1, state: .failed))
  }

  @Test(arguments: JournalUnderTest.all)
  func keepsDependenciesOfItemsThatAreAppended(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let draft = JobDraft(account: Accounts.did(0), title: "x")
    let job = try await store.create(draft, ChangeSamples.drafts(0..<2), isWhole: false, at: place.now).id
    var more = ChangeSamples.drafts(2..<4)
    more[0].dependsOn = 1
    more[1].dependsOn = 2
    try await store.append(more, to: job)
    _ = try await store.seal(job)
    let positions = try await place.reopen().allItems(of: job).map { $0.dependency?.position }
    #expect(positions == [nil, nil, 1, 2])
  }

  // MARK: Doubts

  @Test(arguments: JournalUnderTest.all)
  func keepsThatAnAnswerWasLostWhateverComesNext(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<3), at: place.now).id
    func doubts() async throws -> [Bool] { try await place.reopen().allItems(of: job).map(\.wasInDoubt) }
    _ = try await store.begin(1, 0..<2, of: job, at: place.now)
    #expect(try await doubts() == [false, false, false])
    try await store.record(
      JobOutcome(commit: 1, states: [0: .pending, 1: .pending], keepsDoubt: true), of: job)
    #expect(try await doubts() == [true, true, false])
    // A later commit without a doubt does not clear it, nor does a retry.
    _ = try await store.begin(2, 0..<3, of: job, at: place.now)
    try await store.record(
      JobOutcome(commit: 2, states: [0: .pending, 1: .failed("no"), 2: .failed("no")]), of: job)
    try await store.stop(job, as: .waiting, note: nil, at: place.now)
    #expect(try await store.retryFailed(job) == 2)
    #expect(try await store.states(of: job) == [.pending, .pending, .pending])
    #expect(try await doubts() == [true, true, false])
    // A plan for the same change sees the doubt.
    let subjects = (0..<3).map { ChangeStep.Subject.account(Accounts.did($0)) }
    let history = try await store.history(of: subjects, by: Accounts.did(0))
    #expect(subjects.map { history[$0]?.first?.wasInDoubt } == [true, true, false])
  }

  // MARK: Ends

  @Test(arguments: JournalUnderTest.all)
  func movesTheEndOfSingleItemsAndOfTheirJobWithThem(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let (early, usual, late) = (end(place, after: 10), end(place, after: 20), end(place, after: 30))
    let job = try await store.addEndedJob(
      ChangeSamples.drafts(0..<3), [.done, .done, .done], until: usual, at: place.now
    ).id
    func due(after seconds: Int64) async throws -> [JobID] {
      try await place.reopen().due(at: place.now + seconds * 1_000_000).map(\.job.id)
    }
    #expect(try await store.allItems(of: job).map(\.until) == [usual, usual, usual])
    try await store.setEnd(of: [1], in: job, to: late)
    #expect(try await place.reopen().allItems(of: job).map(\.until) == [usual, late, usual])
    #expect(try await store.job(job).until == late)
    #expect(try await due(after: 19).isEmpty)
    try await store.setEnd(of: [0], in: job, to: early)
    #expect(try await due(after: 9).isEmpty)
    #expect(try await due(after: 10) == [job])
    // A permanent one is no longer due; the others are.
    try await store.setEnd(of: [0], in: job, to: nil)
    #expect(try await due(after: 19).isEmpty)
    #expect(try await due(after: 20) == [job])
    try await store.setEnd(of: [1, 2], in: job, to: nil)
    #expect(try await store.job(job).until == nil)
    #expect(try await due(after: 1_000_000).isEmpty)
  }

  /// Items of an import end at different times, and their job with the last of them.
  @Test(arguments: JournalUnderTest.all)
  func givesItemsEndsOfTheirOwn(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    var drafts = ChangeSamples.drafts(0..<3)
    (drafts[0].until, drafts[1].until) = (end(place, after: 10), end(place, after: 30))
    let job = try await store.addEndedJob(drafts, [.done, .done, .done], at: place.now).id
    #expect(try await place.reopen().allItems(of: job).map(\.until) == drafts.map(\.until))
    #expect(try await store.job(job).until == drafts[1].until)
    #expect(try await store.due(at: place.now + 9_000_000).isEmpty)
    #expect(try await store.due(at: place.now + 10_000_000).map(\.job.id) == [job])
  }

  /// A later change of the same end, or an undo, has had its way.
  @Test(arguments: JournalUnderTest.all)
  func leavesAnEndThatWasChangedSinceItWasPlanned(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let (early, late) = (end(place, after: 10), end(place, after: 30))
    let job = try await store.addEndedJob(
      ChangeSamples.drafts(0..<2), [.done, .undone], until: early, at: place.now
    ).id
    func move(_ position: Int, in job: JobID, from former: Datetime?) async throws -> [JobItemState] {
      let change = EndChange(job: job, position: position, until: late, former: former)
      let step = ChangeStep(subject: .account(Accounts.did(1)), action: .end(change))
      let mover = try await store.addJob([JobItemDraft(input: "x", step: step)], until: late, at: place.now)
      _ = try await place.reopen().moveEnds(of: mover.id, at: place.now)
      #expect(try await store.job(mover.id).state == .done)
      // What changes an end has none itself.
      #expect(try await store.allItems(of: mover.id).map(\.until) == [nil])
      return try await store.states(of: mover.id)
    }
    #expect(try await move(0, in: job, from: nil) == [.endChanged])
    #expect(try await move(1, in: job, from: early) == [.endChanged])
    #expect(try await move(0, in: JobID(number: 99), from: nil) == [.endChanged])
    #expect(try await store.allItems(of: job).map(\.until) == [early, early])
    #expect(try await move(0, in: job, from: early) == [.done])
    #expect(try await store.allItems(of: job).map(\.until) == [late, early])
  }

  /// What a later job has undone by itself has no end any more, unless that was undone in turn.
  @Test(arguments: JournalUnderTest.all)
  func namesWhatIsStillToEndAndWhatMutesAPart(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let (early, late) = (end(place, after: 10), end(place, after: 30))
    func mute(_ number: Int, _ scope: MuteScope) -> JobItemDraft {
      let account = Accounts.did(number)
      return JobItemDraft(
        input: "x",
        step: ChangeStep(
          subject: .account(account), action: .call(.mute(account, scope), former: .unmute(account))))
    }
    func add(_ items: [JobItemDraft], until: Datetime? = nil) async throws -> JobID {
      try await store.addEndedJob(items, items.map { _ in .done }, until: until, at: place.now).id
    }
    func standing() async throws -> [String] {
      try await place.reopen().standing(of: Accounts.did(0)).map { change in
        "\(change.job.id)/\(change.item.position) \(change.until == nil ? "" : "ends")"
      }
    }
    let follows = try await add(ChangeSamples.drafts(0..<2), until: late)
    let mutes = try await add([mute(7, .everything), mute(8, .reposts)], until: early)
    let parts = try await add([mute(9, .quotes), mute(10, .everything)])
    let all = ["\(mutes)/0 ends", "\(mutes)/1 ends", "\(follows)/0 ends", "\(follows)/1 ends", "\(parts)/0 "]
    #expect(try await standing() == all)
    #expect(try await store.standing(of: Accounts.did(1)).isEmpty)
    let account = Accounts.did(8)
    let unmute = JobItemDraft(
      input: "x",
      step: ChangeStep(
        subject: .account(account), action: .call(.unmute(account), former: .mute(account, .reposts))))
    let made = try #require(ChangeSamples.drafts(0..<1).first)
    let removal = JobItemDraft(
      input: "x",
      step: ChangeStep(
        subject: made.step.subject,
        action: .write(
          made.step.writes.map {
            RecordWrite(collection: $0.collection, rkey: $0.rkey, action: .delete(former: nil))
          })))
    let later = try await add([unmute, removal])
    #expect(try await standing() == ["\(mutes)/0 ends", "\(follows)/1 ends", "\(parts)/0 "])
    try await store.record([.undone, .undone], of: later)
    #expect(try await standing() == all)
  }

  /// A job that is still to end is kept; one that is permanent after all is not.
  @Test(arguments: JournalUnderTest.all)
  func prunesAJobOnceNothingOfItIsToEnd(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addEndedJob(
      ChangeSamples.drafts(0..<2), [.done, .done], until: end(place, after: 500), at: place.now
    ).id
    place.clock.advance(by: .seconds(9))
    try await store.setEnd(of: [0], in: job, to: nil)
    #expect(try await store.prune(endedBefore: place.now).contains(job) == false)
    try await store.setEnd(of: [1], in: job, to: nil)
    #expect(try await store.prune(endedBefore: place.now).contains(job))
  }

  /// A permanent change gets an end.
  @Test(arguments: JournalUnderTest.all)
  func givesAnEndToAPermanentChange(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addEndedJob(ChangeSamples.drafts(0..<2), [.done, .done], at: place.now).id
    let end = end(place, after: 5)
    try await store.setEnd(of: [1], in: job, to: end)
    let subject = ChangeStep.Subject.account(Accounts.did(1))
    #expect(try await store.history(of: [subject], by: Accounts.did(0))[subject]?.first?.until == end)
    #expect(try await store.job(job).until == end)
    #expect(try await store.due(at: end.instant).map(\.job.id) == [job])
  }

  // MARK: Limits

  @Test(arguments: JournalUnderTest.all)
  func keepsTheLimitOfAJobUntilARunHasAnother(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let limit = WriteLimit(perHour: 100, perDay: 900, leave: 7)
    let draft = JobDraft(account: Accounts.did(0), title: "x", limit: limit)
    let job = try await store.create(draft, ChangeSamples.drafts(0..<2), isWhole: true, at: place.now)
    #expect(job.limit == limit)
    #expect(try await place.reopen().start(job.id, limit: nil).limit == limit)
    let more = WriteLimit(perHour: 200, perDay: 1_000, leave: 0)
    #expect(try await store.start(job.id, limit: more).limit == more)
    #expect(try await place.reopen().job(job.id).limit == more)
    #expect(try await place.reopen().summaries(of: nil).map(\.job.limit) == [more])
    let open = WriteLimit(leave: 3)
    #expect(try await place.reopen().start(job.id, limit: open).limit == open)
    #expect(try await place.reopen().job(job.id).limit == open)
    let plain = try await store.addJob(ChangeSamples.drafts(0..<1), at: place.now)
    #expect(plain.limit == nil)
  }

  // MARK: States that come along

  @Test(arguments: JournalUnderTest.all)
  func waitsOnceItIsWrittenDownWholeAndRunsFromItsFirstCommit(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let draft = JobDraft(account: Accounts.did(0), title: "x")
    let whole = try await store.create(draft, ChangeSamples.drafts(0..<2), isWhole: true, at: place.now)
    let part = try await store.create(draft, ChangeSamples.drafts(2..<4), isWhole: false, at: place.now)
    #expect(whole.state == .waiting && part.state == .preparing)
    #expect(try await place.reopen().states(of: whole.id) == [.pending, .pending])
    await expectJobError(.wrongState, about: whole.id) { _ = try await store.seal(whole.id) }
    try await store.stop(whole.id, as: .waiting, note: "sign in again", at: place.now)
    #expect(try await store.begin(1, 0..<1, of: whole.id, at: place.now) == .begun)
    let running = try await place.reopen().job(whole.id)
    #expect(running.state == .running && running.note == nil)
  }

  @Test(arguments: JournalUnderTest.all)
  func endsAJobWithTheOutcomeOfItsLastItem(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<3), at: place.now).id
    _ = try await store.begin(1, 0..<2, of: job, at: place.now)
    let first = JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .failed("no")])
    #expect(try await store.record(first, of: job, at: place.now) == .running)
    place.clock.advance(by: .seconds(3))
    #expect(
      try await store.record(JobOutcome(states: [2: .skipped("held")]), of: job, at: place.now) == .done)
    let ended = try await place.reopen().job(job)
    #expect(ended.state == .done && ended.endedAt?.instant == place.now)
    // A pause or cancellation takes precedence.
    let paused = try await store.addJob(ChangeSamples.drafts(5..<6), at: place.now).id
    _ = try await store.begin(1, 0..<1, of: paused, at: place.now)
    _ = try await store.pause(paused)
    let outcome = JobOutcome(commit: 1, isPaid: true, states: [0: .done])
    #expect(try await store.record(outcome, of: paused, at: place.now) == .paused)
  }
}
