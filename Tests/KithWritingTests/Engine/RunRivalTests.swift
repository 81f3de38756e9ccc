// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Two jobs of one account, with other apps beside them, create each record once.
@Suite struct RunRivalTests {
  private let jobs = RunningJobs()

  /// Both are planned from facts of the same moment; the second runs while the first is in flight.
  @Test func twoConcurrentRunsMakeOneRecord() async throws {
    let (one, two) = (try await jobs.add([draft(1, key: 1)]), try await jobs.add([draft(1, key: 2)]))
    let stamp = try await jobs.stamp()
    let turnstile = Turnstile(isOpen: false)
    let slow = GatedRepository(base: jobs.repository, turnstile: turnstile)
    let first = Task { try await jobs.runner(on: slow).run(one, plannedBy: stamp) }
    await turnstile.untilArrived(1)
    #expect(try await jobs.runner().run(two, plannedBy: stamp) == .done)
    #expect(try await jobs.states(of: two) == [.failed(SkipReason.inDoubtElsewhere(one).description)])
    turnstile.open()
    #expect(try await first.value == .done)
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
    // A retry finds that it exists.
    #expect(try await jobs.journal.retryFailed(two) == 1)
    #expect(try await jobs.runner().run(two) == .done)
    #expect(try await jobs.states(of: two) == [.skipped(SkipReason.holdsAlready.description)])
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  /// The facts of the second are older than the first one's commit, which has arrived since.
  @Test func comparesIfAnotherJobHasDoneTheSameSinceTheFacts() async throws {
    let (one, two) = (
      try await jobs.add([draft(1, key: 1)]), try await jobs.add([draft(2, key: 2), draft(1, key: 3)])
    )
    let stamp = try await jobs.stamp()
    #expect(try await jobs.runner().run(one, plannedBy: stamp) == .done)
    #expect(jobs.repository.listings.isEmpty)
    #expect(try await jobs.runner().run(two, plannedBy: stamp) == .done)
    #expect(jobs.repository.listings.count == 1)
    #expect(try await jobs.states(of: two) == [.done, .skipped(SkipReason.holdsAlready.description)])
    #expect(jobs.repository.subjects().count == 2)
  }

  /// Another app has removed what the first job did, so it has to be done again. By the revision of the old facts, the
  /// first job would be newer than each comparison.
  @Test func sendsWhatIsStillNeededAfterTheComparison() async throws {
    let (one, two) = (try await jobs.add([draft(1, key: 1)]), try await jobs.add([draft(1, key: 2)]))
    let stamp = try await jobs.stamp()
    #expect(try await jobs.runner().run(one, plannedBy: stamp) == .done)
    jobs.repository.put(nil, at: write(1, key: 1))
    let repository = ListingRepository(base: jobs.repository) { [jobs] in
      guard jobs.repository.listings.count > 3 else { return }
      throw RepositoryError(.notAuthorized, detail: "listed again and again")
    }
    #expect(try await jobs.runner(on: repository).run(two, plannedBy: stamp) == .done)
    #expect(try await jobs.states(of: two) == [.done])
    #expect(jobs.repository.listings.count == 1)
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  /// The other job is done after the records were listed and before the commit; the server compares nothing.
  @Test func comparesAgainIfAnotherJobIsDoneDuringTheListing() async throws {
    jobs.repository.nameNoCommits()
    let (one, two) = (try await jobs.add([draft(1, key: 1)]), try await jobs.add([draft(1, key: 2)]))
    let isFirst = PosixMutex(true)
    let slow = ListingRepository(base: jobs.repository) { [jobs] in
      guard
        isFirst.withLock({ first in
          defer { first = false }; return first
        })
      else { return }
      let stamp = try await jobs.stamp()
      #expect(try await jobs.runner().run(two, plannedBy: stamp) == .done)
    }
    #expect(try await jobs.runner(on: slow).run(one) == .done)
    #expect(try await jobs.states(of: one) == [.skipped(SkipReason.holdsAlready.description)])
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  /// The request was lost, and another app makes the same record before the job is resumed.
  @Test(arguments: [true, false])
  func comparesWhatIsInDoubtWhenItIsResumed(namesCommits: Bool) async throws {
    if !namesCommits { jobs.repository.nameNoCommits() }
    let job = try await jobs.add([draft(1, key: 1)])
    jobs.repository.next(.loseRequest)
    jobs.repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    _ = try await jobs.runner().run(job, plannedBy: jobs.stamp())
    #expect(try await jobs.states(of: job) == [.inDoubt(commit: 1)])
    jobs.repository.put(ChangeSamples.record(1), at: ChangeSamples.otherRecord(1))
    #expect(try await jobs.runner().run(job) == .done)
    #expect(try await jobs.states(of: job) == [.skipped(SkipReason.holdsAlready.description)])
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  @Test func doesNotCompareAFreshPlan() async throws {
    let job = try await jobs.add(ChangeSamples.drafts(1..<3))
    #expect(try await jobs.runner().run(job, plannedBy: jobs.stamp()) == .done)
    #expect(jobs.repository.listings.isEmpty && jobs.repository.lookups.isEmpty)
  }

  @Test func comparesWithoutAFactsStamp() async throws {
    jobs.repository.put(ChangeSamples.record(1), at: ChangeSamples.otherRecord(1))
    let job = try await jobs.add(ChangeSamples.drafts(1..<3))
    #expect(try await jobs.runner().run(job) == .done)
    #expect(jobs.repository.listings.count == 1)
    #expect(try await jobs.states(of: job) == [.skipped(SkipReason.holdsAlready.description), .done])
    #expect(jobs.repository.subjects().count == 2)
  }

  /// All items had failed, so the job looks just planned; another app did the same meanwhile.
  @Test func doesNotDuplicateWhatIsRetriedAtOnce() async throws {
    jobs.repository.next(.fail(RepositoryError(.refused, detail: "not today")))
    let job = try await jobs.add(ChangeSamples.drafts(1..<2))
    #expect(try await jobs.runner().run(job, plannedBy: jobs.stamp()) == .done)
    #expect(try await jobs.states(of: job) == [.failed("not today")])
    jobs.repository.put(ChangeSamples.record(1), at: ChangeSamples.otherRecord(1))
    #expect(try await jobs.journal.retryFailed(job) == 1)
    #expect(try await jobs.runner().run(job) == .done)
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
    #expect(try await jobs.states(of: job) == [.skipped(SkipReason.holdsAlready.description)])
  }

  /// A commit in doubt is not sent while another job has the same in doubt: their order would be unknown.
  @Test func keepsTheDoubtOfAChangeInDoubtInAnotherJob() async throws {
    let (one, two) = (try await jobs.add([draft(1, key: 1)]), try await jobs.add([draft(1, key: 2)]))
    let down = RepositoryError(.notAuthorized, detail: "sign in again")
    // The first one was lost and cancelled; so was the second, which could not know of it.
    jobs.repository.next(.loseRequest)
    jobs.repository.failToSettle(down)
    _ = try await jobs.runner().run(one, plannedBy: jobs.stamp())
    #expect(try await jobs.states(of: one) == [.inDoubt(commit: 1)])
    _ = try await jobs.runner().run(two, plannedBy: jobs.stamp())
    #expect(try await jobs.states(of: two) == [.failed(SkipReason.inDoubtElsewhere(one).description)])
    #expect(jobs.repository.attempts == 1)
    #expect(try await jobs.runner().run(one) == .done)
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  // MARK: Beside an undo

  /// A finished job that has unfollowed an account.
  private func unfollowed() async throws -> JobID {
    jobs.repository.put(ChangeSamples.record(1), at: ChangeSamples.create(1))
    let job = try await jobs.add(ChangeSamples.drafts(1..<2, ChangeSamples.unfollow))
    #expect(try await jobs.runner().run(job, plannedBy: jobs.stamp()) == .done)
    return job
  }

  @Test func anUndoLeavesRecordsToAnOpenJob() async throws {
    let job = try await unfollowed()
    let follow = try await jobs.add([draft(1, key: 1)])
    let stamp = try await jobs.stamp()
    let undo = try await jobs.engine().undo(job).job.id
    #expect(try await jobs.states(of: undo) == [.skipped(SkipReason.awaited(follow).description)])
    #expect(try await jobs.runner().run(undo) == .done)
    #expect(jobs.repository.subjects().isEmpty)
    #expect(try await jobs.runner().run(follow, plannedBy: stamp) == .done)
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  /// The process that wrote the first undo has died before it was whole.
  @Test func anUndoReplacesOneThatWasNeverWhole() async throws {
    let job = try await unfollowed()
    let half = try await jobs.journal.create(
      JobDraft(account: jobs.repository.account, title: "undo follow", undoes: job), [draft(1, key: 1)],
      isWhole: false, at: jobs.time.instant
    ).id
    let undo = try await jobs.engine().undo(job).job.id
    #expect(undo != half)
    #expect(Set(try await jobs.journal.summaries(of: nil).map(\.job.id)) == [job, undo])
    #expect(try await jobs.runner().run(undo) == .done)
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  /// The undo was journaled first, and its commit is in flight while the other job runs.
  @Test func aConcurrentJobAndUndoMakeOneRecord() async throws {
    let undo = try await jobs.engine().undo(unfollowed()).job.id
    let follow = try await jobs.add([draft(1, key: 1)])
    let stamp = try await jobs.stamp()
    let turnstile = Turnstile(isOpen: false)
    let slow = GatedRepository(base: jobs.repository, turnstile: turnstile)
    let first = Task { try await jobs.runner(on: slow).run(undo) }
    await turnstile.untilArrived(1)
    #expect(try await jobs.runner().run(follow, plannedBy: stamp) == .done)
    #expect(try await jobs.states(of: follow) == [.failed(SkipReason.inDoubtElsewhere(undo).description)])
    turnstile.open()
    #expect(try await first.value == .done)
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  /// The other job succeeds while the undo waits, or soon after, in any order.
  @Test func anUndoThatComparedBeforeAnotherJobMadeTheSameComparesAgain() async throws {
    let undo = try await jobs.engine().undo(unfollowed()).job.id
    let follow = try await jobs.add([draft(1, key: 1)])
    let stamp = try await jobs.stamp()
    // The undo has compared and waits for a server that is down; the other job succeeds meanwhile.
    jobs.repository.next(.fail(RepositoryError(.unavailable, detail: "down")))
    let other = PosixMutex<Task<JobEnd, any Error>?>(nil)
    let end = try await jobs.runner().run(undo) { [jobs] progress in
      guard progress.wait != nil else { return }
      // It may wait more than once.
      other.withLock { $0 = $0 ?? Task { try await jobs.runner().run(follow, plannedBy: stamp) } }
    }
    #expect(end == .done)
    _ = try await other.withLock { $0 }?.value
    #expect(jobs.repository.subjects() == [Accounts.did(1)])
  }

  private func draft(_ number: Int, key: Int) -> JobItemDraft {
    JobItemDraft(
      input: "user\(number)",
      step: ChangeStep(
        subject: .account(Accounts.did(number)), action: .write([write(number, key: key)])))
  }

  private func write(_ number: Int, key: Int) -> RecordWrite {
    var write = ChangeSamples.create(number)
    write.rkey = ChangeSamples.rkey(1_000 + key)
    return write
  }
}
