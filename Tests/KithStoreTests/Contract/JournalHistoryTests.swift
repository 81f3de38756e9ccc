// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: what later commands ask about earlier jobs.
@Suite struct JournalHistoryTests {
  private static let day: Int64 = 86_400_000_000

  /// The undo of the items of a job at these positions.
  private func reversals(_ positions: [Int], _ step: (Int) -> ChangeStep = Self.unfollow) -> [JobItemDraft] {
    positions.map { JobItemDraft(input: "user\($0)", step: step($0), origin: $0) }
  }

  private static func unfollow(_ number: Int) -> ChangeStep {
    ChangeStep(subject: .account(Accounts.did(number)), action: .write([ChangeSamples.delete(number)]))
  }

  private static func unmute(_ number: Int) -> ChangeStep {
    let did = Accounts.did(number)
    return ChangeStep(subject: .account(did), action: .call(.unmute(did), former: .mute(did, .everything)))
  }

  // MARK: Servers

  @Test(arguments: JournalUnderTest.all)
  func remembersTheServerThatChoosesKeys(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (account, other) = (Accounts.did(0), Accounts.did(1))
    for server in ["https://one.test", "https://two.test", nil, nil] {
      try await place.reopen().note(serverChoosingKeys: server, of: account)
      #expect(try await place.reopen().serverChoosingKeys(of: account) == server)
      #expect(try await place.reopen().serverChoosingKeys(of: other) == nil)
    }
  }

  // MARK: Traces

  @Test(arguments: JournalUnderTest.all)
  func reportsWhatJobsDidOrWillDoToASubject(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let until = Datetime(at: place.now + Self.day)
    let first = try await store.addEndedJob(
      ChangeSamples.drafts(0..<4), [.done, .failed("no"), .skipped("held"), .undone], until: until,
      at: place.now)
    let second = try await store.addJob(
      ChangeSamples.drafts(0..<2, ChangeSamples.block) + ChangeSamples.drafts(0..<1, ChangeSamples.mute),
      at: place.now)
    _ = try await store.start(second.id)
    _ = try await store.begin(1, 1..<2, of: second.id, at: place.now)
    // Other accounts leave no trace here, nor does a job that is not fully prepared.
    _ = try await store.addJob(ChangeSamples.drafts(0..<4), of: Accounts.did(1), at: place.now)
    let draft = JobDraft(account: Accounts.did(0), title: "follow")
    let preparing = try await store.create(draft, at: place.now).id
    try await store.append(ChangeSamples.drafts(0..<5), to: preparing)
    let traces = try await place.reopen().history(
      of: Accounts.dids(0..<6).map(ChangeStep.Subject.account), by: Accounts.did(0))
    #expect(Set(traces.keys) == [.account(Accounts.did(0)), .account(Accounts.did(1))])
    #expect(
      traces[.account(Accounts.did(0))] == [
        JobHistoryEntry(
          job: first.id, position: 0, until: until, state: .done, step: ChangeSamples.follow(0), revision: 1),
        JobHistoryEntry(job: second.id, position: 0, state: .pending, step: ChangeSamples.block(0)),
        JobHistoryEntry(job: second.id, position: 2, state: .pending, step: ChangeSamples.mute(0)),
      ])
    #expect(
      traces[.account(Accounts.did(1))]
        == [JobHistoryEntry(job: second.id, position: 1, state: .inDoubt, step: ChangeSamples.block(1))])
    #expect(try await store.history(of: [], by: Accounts.did(0)).isEmpty)
    _ = try await store.seal(preparing)
    #expect(try await store.history(of: [.account(Accounts.did(4))], by: Accounts.did(0)).count == 1)
  }

  // MARK: Undo

  @Test(arguments: JournalUnderTest.all)
  func marksWhatAnUndoTookBack(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addEndedJob(
      ChangeSamples.drafts(0..<4), [.done, .done, .done, .failed("no")], at: place.now
    ).id
    #expect(try await store.undo(of: job) == nil)
    let undo = try await store.addJob(reversals([2, 1, 0]), undoes: job, at: place.now)
    #expect(try await place.reopen().undo(of: job) == undo)
    #expect(try await store.allItems(of: undo.id).map(\.origin) == [2, 1, 0])
    _ = try await store.start(undo.id)
    _ = try await store.begin(1, 0..<2, of: undo.id, at: place.now)
    #expect(try await store.states(of: job) == [.done, .done, .done, .failed("no")])
    try await store.record(
      JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .failed("no")]), of: undo.id)
    try await store.record(JobOutcome(states: [2: .skipped("changed since")]), of: undo.id)
    #expect(try await place.reopen().states(of: job) == [.done, .done, .undone, .failed("no")])
    // It is done with the last of its items.
    #expect(try await store.job(undo.id).state == .done)
    #expect(try await store.undo(of: job) == nil)
  }

  @Test(arguments: JournalUnderTest.all)
  func namesTheLatestUndoThatHasNotEnded(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addEndedJob(ChangeSamples.drafts(0..<2), [.done, .done], at: place.now).id
    let other = try await store.addEndedJob(ChangeSamples.drafts(2..<4), [.done, .done], at: place.now).id
    let first = try await store.addJob(reversals([0]), undoes: job, at: place.now)
    let draft = JobDraft(account: Accounts.did(0), title: "undo follow", undoes: job)
    let second = try await store.create(draft, at: place.now)
    _ = try await store.addJob(reversals([1]), undoes: other, at: place.now)
    #expect(try await store.undo(of: job) == second)
    try await store.remove(second.id)
    #expect(try await store.undo(of: job) == first)
    _ = try await store.cancel(first.id, at: place.now)
    #expect(try await store.undo(of: job) == nil)
  }

  /// A call in doubt is undone like one that was made.
  @Test(arguments: JournalUnderTest.all)
  func undoesACallThatIsInDoubt(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<1, ChangeSamples.mute), at: place.now).id
    _ = try await store.start(job)
    _ = try await store.begin(1, 0..<1, of: job, at: place.now)
    _ = try await store.addEndedJob(reversals([0], Self.unmute), [.done], undoes: job, at: place.now)
    #expect(try await store.states(of: job) == [.undone])
  }

  // MARK: Superseded calls

  @Test(arguments: JournalUnderTest.all)
  func knowsThatALaterJobMadeACallAgain(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    func mute(_ number: Int, _ state: JobItemState, of account: DID = Accounts.did(0)) async throws -> Job {
      try await store.addEndedJob(
        ChangeSamples.drafts(number..<number + 1, ChangeSamples.mute), [state], of: account, at: place.now)
    }
    func isSuperseded(_ job: Job) async throws -> Bool {
      let item = try #require(try await store.allItems(of: job.id).first)
      return try await place.reopen().isSuperseded(item, of: job.id)
    }
    let first = try await mute(0, .done)
    let other = try await mute(1, .done)
    #expect(try await !isSuperseded(first))
    // None of these was made, or none of them has the same target.
    _ = try await mute(0, .failed("no"))
    _ = try await mute(0, .skipped("held"))
    _ = try await mute(0, .done, of: Accounts.did(1))
    _ = try await store.addJob(ChangeSamples.drafts(0..<1, ChangeSamples.mute), at: place.now)
    _ = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: place.now)
    #expect(try await !isSuperseded(first))
    let later = try await mute(0, .done)
    #expect(try await isSuperseded(first))
    #expect(try await !isSuperseded(other))
    #expect(try await !isSuperseded(later))
    // For an undo, only calls after the job being undone count.
    let undo = try await store.addJob(reversals([0], Self.unmute), undoes: first.id, at: place.now)
    #expect(try await isSuperseded(undo))
    let undoOfLater = try await store.addJob(reversals([0], Self.unmute), undoes: later.id, at: place.now)
    #expect(try await !isSuperseded(undoOfLater))
    // The undo of the later job restores what the first one left.
    _ = try await store.start(undoOfLater.id)
    try await store.record([.done], of: undoOfLater.id)
    #expect(try await store.states(of: later.id) == [.undone])
    #expect(try await !isSuperseded(undo))
  }

  @Test(arguments: JournalUnderTest.all)
  func supersedesNoWrites(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let first = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: place.now).id
    _ = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: place.now)
    let item = try #require(try await store.allItems(of: first).first)
    #expect(try await !store.isSuperseded(item, of: first))
  }

  // MARK: Timed jobs

  private func timed(
    _ store: any JobStore, _ numbers: Range<Int>, _ states: [JobItemState], until: Instant, at now: Instant
  ) async throws -> Job {
    try await store.addEndedJob(
      ChangeSamples.drafts(numbers), states, until: Datetime(at: until), at: now)
  }

  @Test(arguments: JournalUnderTest.all)
  func listsTimedJobsThatAreDueTheEarliestFirst(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let late = try await timed(store, 0..<1, [.done], until: now + 2 * Self.day, at: now)
    let early = try await timed(store, 1..<2, [.done], until: now + Self.day, at: now)
    let foreign = try await store.addEndedJob(
      ChangeSamples.drafts(1..<2), [.done], of: Accounts.did(1),
      until: Datetime(at: now + Self.day), at: now)
    // None of these is in effect, or they are permanent.
    _ = try await timed(store, 2..<4, [.failed("no"), .skipped("held")], until: now + Self.day, at: now)
    _ = try await store.addEndedJob(ChangeSamples.drafts(4..<5), [.done], at: now)
    let draft = JobDraft(
      account: Accounts.did(0), title: "follow", until: Datetime(at: now + Self.day))
    let preparing = try await store.create(draft, at: now)
    try await store.append(ChangeSamples.drafts(5..<6), to: preparing.id)
    #expect(try await store.due(at: now + Self.day - 1_000).isEmpty)
    #expect(try await store.due(at: now + Self.day) == [DueJob(job: early), DueJob(job: foreign)])
    #expect(
      try await place.reopen().due(at: now + 2 * Self.day)
        == [DueJob(job: early), DueJob(job: foreign), DueJob(job: late)])
  }

  @Test(arguments: JournalUnderTest.all)
  func keepsATimedJobDueUntilAllOfItWasUndoneOrLeftAlone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let job = try await timed(store, 0..<3, [.done, .done, .done], until: now + Self.day, at: now)
    let due = now + Self.day
    let draft = JobDraft(account: Accounts.did(0), title: "undo follow", undoes: job.id)
    let undo = try await store.create(draft, at: now)
    // An undo that is not fully prepared does not count.
    #expect(try await store.due(at: due) == [DueJob(job: job)])
    try await store.append(reversals([2, 1, 0]), to: undo.id)
    _ = try await store.seal(undo.id)
    #expect(try await place.reopen().due(at: due) == [DueJob(job: job, undo: undo.id)])
    _ = try await store.start(undo.id)
    try await store.record(JobOutcome(states: [0: .done, 1: .skipped("changed since")]), of: undo.id)
    #expect(try await store.due(at: due) == [DueJob(job: job, undo: undo.id)])
    try await store.record(JobOutcome(states: [2: .done]), of: undo.id)
    #expect(try await store.due(at: due).isEmpty)
  }

  @Test(arguments: JournalUnderTest.all)
  func countsATimedJobThatNeverCameToItsEndAsDue(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let until = Datetime(at: now + Self.day)
    let pending = try await store.addJob(ChangeSamples.drafts(0..<1), until: until, at: now).id
    let doubtful = try await store.addJob(ChangeSamples.drafts(1..<2), until: until, at: now).id
    _ = try await store.start(doubtful)
    _ = try await store.begin(1, 0..<1, of: doubtful, at: now)
    _ = try await store.cancel(doubtful, at: now)
    #expect(try await store.due(at: now + Self.day).map(\.job.id) == [pending, doubtful])
    _ = try await store.cancel(pending, at: now)
    #expect(try await store.due(at: now + Self.day).map(\.job.id) == [doubtful])
  }

  // MARK: Pruning

  @Test(arguments: JournalUnderTest.all)
  func prunesWhatEndedBeforeAMoment(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let old = try await store.addEndedJob(
      ChangeSamples.drafts(0..<3), [.done, .done, .done], at: now - 1_000)
    let cancelled = try await store.addJob(ChangeSamples.drafts(0..<1), at: now - 1_000)
    _ = try await store.cancel(cancelled.id, at: now - 1_000)
    let abandoned = try await store.create(
      JobDraft(account: Accounts.did(0), title: "follow"), at: now - 1_000)
    try await store.append(ChangeSamples.drafts(0..<2), to: abandoned.id)
    let fresh = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: now)
    var left: [JobID] = [try await store.addJob(ChangeSamples.drafts(0..<1), at: now - 1_000).id]
    let doubtful = try await store.addJob(ChangeSamples.drafts(0..<1), at: now - 1_000).id
    _ = try await store.start(doubtful)
    _ = try await store.begin(1, 0..<1, of: doubtful, at: now - 1_000)
    _ = try await store.cancel(doubtful, at: now - 1_000)
    left.append(doubtful)
    left.append(try await timed(store, 0..<1, [.done], until: now + Self.day, at: now - 1_000).id)
    #expect(try await store.prune(endedBefore: now) == [old.id, cancelled.id, abandoned.id])
    #expect(try await store.prune(endedBefore: now).isEmpty)
    #expect(try await store.prune(endedBefore: now + 1_000) == [fresh.id])
    #expect(try await place.reopen().summaries(of: nil).map(\.job.id) == left)
    #expect(try await store.addJob([], at: now).id > left[2])
  }

  @Test(arguments: JournalUnderTest.all)
  func prunesAJobTogetherWithItsUndo(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let job = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: now - 2_000).id
    let undo = try await store.addJob(reversals([0]), undoes: job, at: now - 2_000).id
    // It is not pruned without its undo.
    #expect(try await store.prune(endedBefore: now).isEmpty)
    _ = try await store.start(undo)
    try await store.record([.done], of: undo, at: now - 1_000)
    #expect(try await store.prune(endedBefore: now - 1_500).isEmpty)
    #expect(try await store.prune(endedBefore: now) == [job, undo])
  }

  @Test(arguments: JournalUnderTest.all)
  func prunesNothingThatAnotherHandleHasInUse(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, other, now) = (try place.reopen(), try place.reopen(), place.now)
    let held = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: now).id
    let undone = try await store.addEndedJob(ChangeSamples.drafts(1..<2), [.done], at: now).id
    let undo = try await store.addEndedJob(reversals([0]), [.done], undoes: undone, at: now).id
    let retried = try await store.addEndedJob(ChangeSamples.drafts(2..<3), [.failed("no")], at: now).id
    #expect(try await store.retryFailed(retried) == 1)
    let claims = [try await other.lease(held, at: now), try await other.lease(undo, at: now)]
    #expect(try await store.prune(endedBefore: now + 1_000).isEmpty)
    for claim in claims { claim.release() }
    #expect(try await store.prune(endedBefore: now + 1_000) == [held, undone, undo])
    #expect(try await other.summaries(of: nil).map(\.job.id) == [retried])
  }

  /// If a later mute were pruned, the end of a timed one could undo it.
  @Test(arguments: JournalUnderTest.all)
  func remembersThatACallWasSupersededAfterPruning(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (store, now) = (try place.reopen(), place.now)
    let mutes = ChangeSamples.drafts(0..<1, ChangeSamples.mute)
    let timed = try await store.addEndedJob(
      mutes, [.done], until: Datetime(at: now + 60 * Self.day), at: now)
    _ = try await store.addEndedJob(mutes, [.done], at: now + Self.day)
    _ = try await store.prune(endedBefore: now + 50 * Self.day)
    let undo = try await store.addJob(
      reversals([0], Self.unmute), undoes: timed.id, at: now + 60 * Self.day)
    let item = try #require(try await store.allItems(of: undo.id).first)
    let isSuperseded = try await store.isSuperseded(item, of: undo.id)
    let isDue = try await store.due(at: now + 60 * Self.day).contains { $0.job.id == timed.id }
    #expect(isSuperseded && isDue)
  }
}
