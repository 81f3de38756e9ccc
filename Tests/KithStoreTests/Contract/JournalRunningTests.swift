// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: what a job may do in each state, and what is recorded of commits and outcomes.
@Suite struct JournalRunningTests {
  private static let allowance = WriteLimit(leave: 0)

  // MARK: Starting

  @Test(arguments: JournalUnderTest.all)
  func startsWhatWaitsRunsOrWasPaused(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    #expect(try await store.start(job).state == .running)
    // A dead runner leaves it running; the next one starts it again.
    #expect(try await place.reopen().start(job).state == .running)
    _ = try await store.pause(job)
    #expect(try await store.start(job).state == .running)
    try await store.record([.done, .done], of: job)
    try await store.stop(job, as: .done, note: nil, at: place.now)
    await expectJobError(.wrongState, about: job) { _ = try await store.start(job) }
  }

  @Test(arguments: JournalUnderTest.all)
  func startsACancelledJobOnlyToSettleWhatIsInDoubt(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let clean = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    _ = try await store.cancel(clean, at: place.now)
    await expectJobError(.wrongState, about: clean) { _ = try await store.start(clean) }
    let doubtful = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    _ = try await store.start(doubtful)
    _ = try await store.begin(1, 0..<1, of: doubtful, at: place.now)
    _ = try await store.cancel(doubtful, at: place.now)
    #expect(try await store.start(doubtful).state == .cancelled)
    #expect(try await store.states(of: doubtful) == [.inDoubt(commit: 1), .cancelled])
  }

  // MARK: Commits

  @Test(arguments: JournalUnderTest.all)
  func beginsACommitBeforeItIsSent(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<4), at: place.now).id
    _ = try await store.start(job)
    #expect(try await store.begin(1, 0..<2, of: job, at: place.now) == .begun)
    #expect(try await store.begin(2, 2..<3, of: job, at: place.now) == .begun)
    let after = try place.reopen()
    #expect(
      try await after.states(of: job)
        == [.inDoubt(commit: 1), .inDoubt(commit: 1), .inDoubt(commit: 2), .pending])
    let counts = try await after.summary(of: job).counts
    #expect(counts[.inDoubt] == 3 && counts[.pending] == 1 && counts.pointsLeft == 12)
    #expect(try await after.pointsCounted(at: place.now) == 9)
  }

  /// A server may give its records other keys; an undo deletes those.
  @Test(arguments: JournalUnderTest.all)
  func writesTheStepDownAsItWasDone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    var renamed = ChangeSamples.follow(1)
    renamed.action = .write(
      renamed.writes.map {
        RecordWrite(collection: $0.collection, rkey: ChangeSamples.rkey(7), action: $0.action)
      })
    _ = try await store.begin(1, 0..<2, of: job, at: place.now)
    try await store.record(
      JobOutcome(
        commit: 1, isPaid: true, states: [0: .done, 1: .done], steps: [1: renamed]),
      of: job)
    #expect(
      try await place.reopen().allItems(of: job).map(\.step) == [
        ChangeSamples.follow(0), renamed,
      ])
  }

  /// A run may send less of a step than was planned; what is settled later is what was sent.
  @Test(arguments: JournalUnderTest.all)
  func writesTheStepDownAsItIsSent(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(
      ChangeSamples.drafts(0..<2, ChangeSamples.block), at: place.now
    ).id
    _ = try await store.start(job)
    var item = try #require(try await store.allItems(of: job).first)
    item.step.action = .write([ChangeSamples.create(0, in: ChangeSamples.blocks)])
    let commit = JobCommit(number: 1, items: [item])
    #expect(
      try await store.begin(commit, of: job, within: Self.allowance, at: place.now) == .begun)
    let items = try await place.reopen().allItems(of: job)
    #expect(items.map(\.step) == [item.step, ChangeSamples.block(1)])
    #expect(try await store.summary(of: job).counts.pointsLeft == 3 + 4)
    #expect(try await store.pointsCounted(at: place.now) == 3)
  }

  @Test(arguments: JournalUnderTest.all)
  func beginsTheSameCommitAgain(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<3), at: place.now).id
    _ = try await store.start(job)
    for _ in 0..<3 { #expect(try await store.begin(1, 0..<2, of: job, at: place.now) == .begun) }
    #expect(try await store.pointsCounted(at: place.now) == 6)
    // Fewer writes, because one of its items turned out to need nothing.
    try await store.record(JobOutcome(states: [0: .skipped("held")]), of: job)
    #expect(try await store.begin(1, 1..<2, of: job, at: place.now) == .begun)
    #expect(try await store.pointsCounted(at: place.now) == 3)
    #expect(try await store.states(of: job) == [.skipped("held"), .inDoubt(commit: 1), .pending])
  }

  @Test(arguments: [JobItemState.done, .failed("no"), .skipped("held"), .inDoubt(commit: 7)])
  func beginsNoCommitIfAnItemIsNotPending(_ state: JobItemState) async throws {
    for journal in JournalUnderTest.all {
      let place = journal.makePlace()
      let store = try place.reopen()
      let job = try await store.addJob(ChangeSamples.drafts(0..<3), at: place.now).id
      _ = try await store.start(job)
      if case .inDoubt(let number) = state {
        _ = try await store.begin(number, 1..<2, of: job, at: place.now)
      } else {
        try await store.record(JobOutcome(states: [1: state]), of: job)
      }
      let before = try await store.pointsCounted(at: place.now)
      await expectJobError(.journal, about: job) {
        _ = try await store.begin(8, 0..<3, of: job, at: place.now)
      }
      // The transaction left nothing behind: neither the earlier items nor points.
      #expect(try await store.states(of: job) == [.pending, state, .pending])
      #expect(try await store.pointsCounted(at: place.now) == before)
    }
  }

  @Test(arguments: JournalUnderTest.all)
  func beginsNoCommitOfAStoppedJob(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    // While its items are still being added, none of them is sent.
    let unwritten = try await store.create(JobDraft(account: Accounts.did(0), title: "x"), at: place.now).id
    try await store.append(ChangeSamples.drafts(5..<6), to: unwritten)
    #expect(try await store.begin(1, 0..<1, of: unwritten, at: place.now) == .halted(.preparing))
    _ = try await store.start(job)
    _ = try await place.reopen().pause(job)
    #expect(try await store.begin(1, 0..<1, of: job, at: place.now) == .halted(.paused))
    #expect(try await store.states(of: job) == [.pending, .pending])
    let items = try await store.allItems(of: job)
    _ = try await place.reopen().cancel(job, at: place.now)
    let commit = JobCommit(number: 1, items: items)
    #expect(
      try await store.begin(commit, of: job, within: Self.allowance, at: place.now)
        == .halted(.cancelled))
    #expect(try await store.states(of: job) == [.cancelled, .cancelled])
    #expect(try await store.pointsCounted(at: place.now) == 0)
  }

  @Test(arguments: JournalUnderTest.all)
  func beginsNothingThatCannotBePaid(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let drafts = ChangeSamples.drafts(0..<3) + ChangeSamples.drafts(3..<4, ChangeSamples.mute)
    let job = try await store.addJob(drafts, at: place.now).id
    _ = try await store.start(job)
    let little = WriteLimit(perHour: 6, perDay: 35_000, leave: 0)
    let start = place.now
    #expect(try await store.begin(1, 0..<1, of: job, within: little, at: start) == .begun)
    place.clock.advance(by: .seconds(600))
    #expect(
      try await store.begin(2, 1..<3, of: job, within: little, at: place.now)
        == .short(left: 3, until: start + 3_600_000_000))
    let never = WriteLimit(perHour: 5, perDay: 35_000, leave: 0)
    #expect(
      try await store.begin(2, 1..<3, of: job, within: never, at: place.now) == .short(left: 2, until: nil))
    #expect(try await store.states(of: job) == [.inDoubt(commit: 1), .pending, .pending, .pending])
    #expect(try await store.pointsCounted(at: place.now) == 3)
    // A call costs no points, so it is sent with none left.
    let none = WriteLimit(perHour: 0, perDay: 0, leave: 0)
    #expect(try await store.begin(2, 3..<4, of: job, within: none, at: place.now) == .begun)
    #expect(try await store.begin(3, 1..<2, of: job, within: little, at: start + 3_600_000_000) == .begun)
  }

  // MARK: Outcomes

  @Test(arguments: JournalUnderTest.all)
  func recordsEachKindOfOutcome(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<6), at: place.now).id
    _ = try await store.start(job)
    _ = try await store.begin(1, 0..<4, of: job, at: place.now)
    let states: [JobItemState] = [
      .done, .skipped("ä \"held\""), .failed("Invalid\nrecord"), .pending, .cancelled, .undone,
    ]
    try await store.record(
      JobOutcome(
        commit: 1, isPaid: true,
        states: Dictionary(states.enumerated().map { ($0.offset, $0.element) }) { first, _ in first }),
      of: job)
    let after = try place.reopen()
    #expect(try await after.states(of: job) == states)
    let counts = try await after.summary(of: job).counts
    #expect(JobItemState.Kind.allCases.map { counts[$0] } == [1, 0, 1, 1, 1, 1, 1])
    #expect(counts.total == 6 && counts.left == 1 && counts.pointsLeft == 3)
    // A reason is stored with the state that it explains.
    try await after.record(JobOutcome(states: [1: .done, 2: .pending]), of: job)
    #expect(try await after.states(of: job).prefix(3) == [.done, .done, .pending])
  }

  @Test(arguments: JournalUnderTest.all)
  func cancelsItemsThatBecomePendingInACancelledJob(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<4), at: place.now).id
    _ = try await store.start(job)
    _ = try await store.begin(1, 0..<3, of: job, at: place.now)
    _ = try await place.reopen().cancel(job, at: place.now)
    try await store.record(
      JobOutcome(commit: 1, states: [0: .done, 1: .pending, 2: .failed("no")]), of: job)
    #expect(try await store.states(of: job) == [.done, .cancelled, .failed("no"), .cancelled])
  }

  // MARK: Stopping

  @Test(arguments: JournalUnderTest.all)
  func saysWhyAJobIsStopped(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    _ = try await store.start(job)
    try await store.stop(job, as: .waiting, note: "sign in again", at: place.now)
    let stopped = try await place.reopen().job(job)
    #expect(stopped.state == .waiting && stopped.note == "sign in again" && stopped.endedAt == nil)
    let started = try await store.start(job)
    #expect(started.note == nil)
    // It is not done while items are left.
    try await store.stop(job, as: .done, note: nil, at: place.now)
    #expect(try await store.job(job).state == .waiting)
  }

  @Test(arguments: JournalUnderTest.all)
  func isDoneOnceNothingIsLeft(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<3), at: place.now).id
    _ = try await store.start(job)
    _ = try await store.begin(1, 2..<3, of: job, at: place.now)
    try await store.record(JobOutcome(states: [0: .done, 1: .failed("no")]), of: job)
    try await store.stop(job, as: .done, note: nil, at: place.now)
    // Items in doubt are left.
    #expect(try await store.job(job).state == .waiting)
    _ = try await store.start(job)
    let outcome = JobOutcome(commit: 1, isPaid: true, states: [2: .done])
    #expect(try await store.record(outcome, of: job, at: place.now) == .done)
    // Even if the run believes that it was interrupted.
    try await store.stop(job, as: .waiting, note: "interrupted", at: place.now)
    let done = try await store.job(job)
    #expect(done.state == .done && done.note == nil)
    #expect(done.endedAt?.instant == place.now)
  }

  @Test(arguments: JournalUnderTest.all)
  func keepsAPauseOrACancellationThatCameMeanwhile(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let paused = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    let cancelled = try await store.addJob(ChangeSamples.drafts(2..<4), at: place.now).id
    for job in [paused, cancelled] { _ = try await store.start(job) }
    let ended = place.now
    #expect(try await place.reopen().pause(paused).state == .paused)
    #expect(try await place.reopen().cancel(cancelled, at: ended).state == .cancelled)
    place.clock.advance(by: .seconds(9))
    for job in [paused, cancelled] {
      try await store.stop(job, as: .waiting, note: "interrupted", at: place.now)
      #expect(try await store.job(job).note == nil)
    }
    #expect(try await store.job(paused).state == .paused)
    #expect(try await store.job(cancelled).state == .cancelled)
    #expect(try await store.job(cancelled).endedAt?.instant == ended)
  }

  @Test(arguments: JournalUnderTest.all)
  func pausesOnlyWhatHasNotEnded(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<2), at: place.now).id
    for _ in 0..<2 { #expect(try await store.pause(job).state == .paused) }
    #expect(try await store.states(of: job) == [.pending, .pending])
    let done = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: place.now).id
    let draft = JobDraft(account: Accounts.did(0), title: "follow")
    let preparing = try await store.create(draft, at: place.now).id
    _ = try await store.cancel(job, at: place.now)
    for job in [job, done, preparing] {
      await expectJobError(.wrongState, about: job) { _ = try await store.pause(job) }
    }
  }

  @Test(arguments: JournalUnderTest.all)
  func cancelsWhatIsPending(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<5), at: place.now).id
    _ = try await store.start(job)
    try await store.record(JobOutcome(states: [0: .done, 1: .failed("no"), 2: .skipped("held")]), of: job)
    _ = try await store.begin(1, 3..<4, of: job, at: place.now)
    let cancelled = try await store.cancel(job, at: place.now)
    #expect(cancelled.state == .cancelled)
    #expect(cancelled.endedAt?.instant == place.now)
    #expect(
      try await store.states(of: job)
        == [.done, .failed("no"), .skipped("held"), .inDoubt(commit: 1), .cancelled])
    let done = try await store.addEndedJob(ChangeSamples.drafts(0..<1), [.done], at: place.now).id
    for job in [job, done] {
      await expectJobError(.wrongState, about: job) { _ = try await store.cancel(job, at: place.now) }
    }
    let draft = JobDraft(account: Accounts.did(0), title: "follow")
    let preparing = try await store.create(draft, at: place.now).id
    #expect(try await store.cancel(preparing, at: place.now).state == .cancelled)
  }

  @Test(arguments: JournalUnderTest.all)
  func retriesWhatFailed(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addEndedJob(
      ChangeSamples.drafts(0..<4), [.failed("no"), .done, .skipped("held"), .failed("never")], at: place.now
    ).id
    #expect(try await store.retryFailed(job) == 2)
    let again = try await place.reopen().job(job)
    #expect(again.state == .waiting && again.endedAt == nil && again.note == nil)
    #expect(try await store.states(of: job) == [.pending, .done, .skipped("held"), .pending])
    _ = try await store.start(job)
    await expectJobError(.wrongState, about: job) { _ = try await store.retryFailed(job) }
    _ = try await store.pause(job)
    // Nothing has failed since, so it stays paused.
    #expect(try await store.retryFailed(job) == 0)
    #expect(try await store.job(job).state == .paused)
    _ = try await store.cancel(job, at: place.now)
    await expectJobError(.wrongState, about: job) { _ = try await store.retryFailed(job) }
  }
}
