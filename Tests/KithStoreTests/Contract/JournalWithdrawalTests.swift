// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: pending items that a later change contradicts are never sent, nor are those that are too
/// late.
@Suite struct JournalWithdrawalTests {
  private static let allowance = WriteLimit(leave: 0)

  // MARK: Withdrawing

  @Test(arguments: JournalUnderTest.all)
  func withdrawsOnlyWhatIsPending(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<5), at: place.now).id
    _ = try await store.start(job)
    _ = try await store.begin(1, 0..<2, of: job, at: place.now)
    try await store.record(JobOutcome(commit: 1, isPaid: true, states: [0: .done]), of: job)
    #expect(try await store.withdraw([0, 1, 3, 9], of: job, at: place.now) == [3])
    let states = try await place.reopen().states(of: job)
    #expect(states == [.done, .inDoubt(commit: 1), .pending, .cancelled, .pending])
    #expect(try await store.job(job).state == .running)
    #expect(try await store.withdraw([3], of: job, at: place.now).isEmpty)
    await expectJobError(.notFound) {
      _ = try await store.withdraw([0], of: JobID(number: 999), at: place.now)
    }
  }

  @Test(arguments: JournalUnderTest.all, [JobState.waiting, .running, .paused])
  func endsAJobWithNothingLeft(_ journal: JournalUnderTest, _ state: JobState) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    if state == .running { _ = try await store.start(job) }
    if state == .paused { _ = try await store.pause(job) }
    _ = try await store.withdraw([0], of: job, at: place.now)
    #expect(try await store.job(job).state == state)
    _ = try await store.withdraw([1], of: job, at: place.now)
    let ended = try await place.reopen().job(job)
    #expect(ended.state == .done && ended.endedAt == Datetime(at: place.now))
    await expectJobError(.wrongState, about: job) { _ = try await store.start(job) }
  }

  /// Its runner has read the items before.
  @Test(arguments: JournalUnderTest.all)
  func namesWhatWasWithdrawnInsteadOfBeginningIt(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<4), at: place.now).id
    _ = try await store.start(job)
    let items = try await store.allItems(of: job)
    _ = try await store.withdraw([1, 2], of: job, at: place.now)
    let commit = JobCommit(number: 1, items: items)
    #expect(
      try await store.begin(commit, of: job, within: Self.allowance, at: place.now) == .withdrawn([1, 2]))
    // Also where points are missing, so that it is not waited for them.
    let nothing = WriteLimit(perHour: 1, perDay: 1, leave: 0)
    #expect(try await store.begin(commit, of: job, within: nothing, at: place.now) == .withdrawn([1, 2]))
    #expect(try await store.states(of: job) == [.pending, .cancelled, .cancelled, .pending])
    #expect(try await store.pointsCounted(at: place.now) == 0)
    let rest = JobCommit(number: 1, items: [items[0], items[3]])
    #expect(try await store.begin(rest, of: job, within: Self.allowance, at: place.now) == .begun)
  }

  @Test(arguments: JournalUnderTest.all)
  func neverRevivesWhatWasWithdrawn(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let origin = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: place.now).id
    let reversal = ChangeStep(subject: .account(Accounts.did(0)), action: .write([ChangeSamples.delete(0)]))
    let undo = try await store.addJob(
      [
        JobItemDraft(input: "x", step: reversal, origin: 0),
        JobItemDraft(input: "y", step: ChangeSamples.follow(7)),
      ], undoes: origin, at: place.now
    ).id
    _ = try await store.start(undo)
    _ = try await store.withdraw([0], of: undo, at: place.now)
    for state: JobItemState in [.skipped("gone"), .failed("no"), .pending, .done] {
      try await store.record(JobOutcome(states: [0: state]), of: undo)
      #expect(try await store.states(of: undo) == [.cancelled, .pending])
    }
    #expect(try await store.states(of: origin) == [.done])
  }

  /// It was cancelled, not tried, so a new end of it counts.
  @Test(arguments: JournalUnderTest.all)
  func isDueAgainAtANewEnd(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let end = Datetime(at: place.now + 1_000_000)
    let timed = try await store.addEndedJob(
      ChangeSamples.drafts(0..<1), [.done], until: end, at: place.now
    ).id
    let undo = try await store.addJob(
      [JobItemDraft(input: "x", step: ChangeSamples.follow(0), origin: 0)], undoes: timed, at: place.now
    ).id
    _ = try await store.withdraw([0], of: undo, at: place.now)
    try await store.setEnd(of: [0], in: timed, to: nil)
    #expect(try await store.due(at: place.now + 9_000_000).isEmpty)
    try await store.setEnd(of: [0], in: timed, to: Datetime(at: place.now + 5_000_000))
    let due = try await store.due(at: place.now + 9_000_000)
    #expect(due.map(\.job.id) == [timed] && due.first?.undo == nil)
  }

  // MARK: Too late

  @Test(arguments: JournalUnderTest.all)
  func namesWhatIsToBeUndoneAlreadyInsteadOfBeginningIt(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let end = Datetime(at: place.now + 1_000_000)
    let job = try await store.addJob(ChangeSamples.drafts(0..<3), until: end, at: place.now).id
    try await store.setEnd(of: [1], in: job, to: nil)
    let late = end.instant
    #expect(try await store.begin(1, 0..<1, of: job, at: late - 1) == .begun)
    #expect(try await store.begin(2, 1..<3, of: job, at: late) == .expired([2]))
    #expect(try await store.begin(2, 1..<2, of: job, at: late) == .begun)
    // What is in doubt has to be settled: it may have happened.
    #expect(try await store.begin(1, 0..<1, of: job, at: late) == .begun)
    try await store.record(JobOutcome(commit: 1, states: [0: .pending], keepsDoubt: true), of: job)
    #expect(try await store.begin(3, 0..<1, of: job, at: late) == .begun)
  }
}
