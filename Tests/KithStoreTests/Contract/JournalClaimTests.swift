// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal: the leases of a job and of planning each have one holder, across all handles.
@Suite struct JournalClaimTests {
  @Test(arguments: JournalUnderTest.all)
  func givesTheLeaseOfAJobToOneOfMany(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (one, other, now) = (try place.reopen(), try place.reopen(), place.now)
    let job = try await one.addJob(ChangeSamples.drafts(0..<1), at: now).id
    let claims = await withTaskGroup(of: (any JobLease)?.self) { tasks in
      for number in 0..<8 {
        tasks.addTask { try? await (number.isMultiple(of: 2) ? one : other).lease(job, at: now) }
      }
      return await tasks.reduce(into: []) { $0.append($1) }
    }
    #expect(claims.compactMap(\.self).count == 1)
    withExtendedLifetime(claims) {}
  }

  @Test(arguments: JournalUnderTest.all)
  func namesTheHolderOfAJob(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (one, other) = (try place.reopen(), try place.reopen())
    let job = try await one.addJob(ChangeSamples.drafts(0..<1), at: place.now).id
    let second = try await one.addJob(ChangeSamples.drafts(1..<2), at: place.now).id
    #expect(try await other.summary(of: job).holder == nil)
    let claim = try await one.lease(job, at: place.now)
    let since = Datetime(at: place.now)
    place.clock.advance(by: .seconds(60))
    for store in [one, other] {
      let error = await #expect(throws: JobError.self) { try await store.lease(job, at: place.now) }
      #expect(error?.code == .held && error?.job == job)
      #expect(error?.holder?.since == (journal.namesOwners ? since : nil))
    }
    let owner = journal.namesOwners ? since : nil
    #expect(try await other.summary(of: job).holder?.since == owner)
    #expect(try await other.summaries(of: nil).map(\.holder?.since) == [owner, nil])
    // Each job has a lease of its own.
    try await other.lease(second, at: place.now).release()
    claim.release()
    #expect(try await other.summary(of: job).holder == nil)
    let next = try await other.lease(job, at: place.now)
    // A second release does not affect another holder.
    claim.release()
    await expectJobError(.held, about: job) { _ = try await one.lease(job, at: place.now) }
    next.release()
  }

  @Test(arguments: JournalUnderTest.all)
  func freesALeaseWhoseHolderIsGone(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(0..<1), at: place.now).id
    do {
      let claims = [
        try await store.lease(job, at: place.now),
        try await store.leasePlanning(of: Accounts.did(0), at: place.now),
      ]
      await expectJobError(.held) { _ = try await store.lease(job, at: place.now) }
      withExtendedLifetime(claims) {}
    }
    try await place.reopen().lease(job, at: place.now).release()
    try await place.reopen().leasePlanning(of: Accounts.did(0), at: place.now).release()
  }

  @Test(arguments: JournalUnderTest.all)
  func letsOneHandlePlanAtATime(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let (one, other) = (try place.reopen(), try place.reopen())
    let job = try await one.addJob(ChangeSamples.drafts(0..<1), at: place.now).id
    let planning = try await one.leasePlanning(of: Accounts.did(0), at: place.now)
    for store in [one, other] {
      let error = await #expect(throws: JobError.self) {
        try await store.leasePlanning(of: Accounts.did(0), at: place.now)
      }
      #expect(error?.code == .held && error?.job == nil)
      let now = Datetime(at: place.now)
      #expect(error?.holder?.since == (journal.namesOwners ? now : nil))
    }
    // The planning lease does not keep a job from running.
    try await other.lease(job, at: place.now).release()
    planning.release()
    planning.release()
    try await other.leasePlanning(of: Accounts.did(0), at: place.now).release()
  }

  @Test(arguments: JournalUnderTest.all)
  func waitsForTheLeaseOfPlanningAndGivesUpInTheEnd(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let desk = JobManager(journal: try place.reopen(), time: place.time)
    let planning = try await place.reopen().leasePlanning(of: Accounts.did(0), at: place.now)
    let start = place.clock.now.offset
    await expectJobError(.held) { _ = try await desk.leasePlanning(patience: .seconds(1)) }
    let waited = place.clock.now.offset - start
    #expect(waited >= .seconds(1) && waited < .seconds(2))
    planning.release()
    try await desk.leasePlanning(patience: .zero).release()
  }

  @Test(arguments: JournalUnderTest.all)
  func isRunByOneRunnerAtATime(_ journal: JournalUnderTest) async throws {
    let place = journal.makePlace()
    let store = try place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(1..<3), at: place.now).id
    let claim = try await store.lease(job, at: place.now)
    let repository = ScriptedRepository()
    await expectJobError(.held, about: job) {
      _ = try await place.runner(repository, place.reopen()).run(job)
    }
    #expect(repository.attempts == 0)
    #expect(try await store.job(job).state == .waiting)
    claim.release()
    #expect(try await place.runner(repository, place.reopen()).run(job) == .done)
  }
}
