// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

@Suite struct JobRunnerTests {
  private let place = TemporaryStore()
  private let repository = ScriptedRepository()

  @Test func sendsCommitsOfTwoHundredWritesInOrder() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<451))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.commits.map(\.count) == [200, 200, 50])
    #expect(repository.commits.joined().map(\.rkey) == (1..<451).map(ChangeSamples.rkey))
    #expect(try await store.job(job.id).state == .done)
  }

  @Test func neverSplitsAStep() async throws {
    for number in 1..<302 { repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number)) }
    repository.accept(atMost: 5)
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<21, ChangeSamples.block))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.commits.allSatisfy { $0.count.isMultiple(of: 2) && $0.count <= 5 })
  }

  @Test func remembersHowManyWritesTheServerTakes() async throws {
    repository.accept(atMost: 60)
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<501))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    // Two refusals: of 200 and of 100 writes.
    #expect(repository.commits.map(\.count) == Array(repeating: 50, count: 10))
    #expect(repository.attempts == 12)
  }

  @Test func sendsSmallerCommitsOnRequest() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<26))
    let runner = place.runner(repository, store, options: .init(writesPerCommit: 10))
    #expect(try await runner.run(job.id) == .done)
    #expect(repository.commits.map(\.count) == [10, 10, 5])
    #expect(JobOptions(writesPerCommit: 0).writesPerCommit == 1)
    #expect(JobOptions(writesPerCommit: 900).writesPerCommit == RecordWrite.mostPerCommit)
  }

  @Test func isolatesTheStepThatIsRefusedAndContinues() async throws {
    repository.refuse(ChangeSamples.create(77))
    repository.refuse(ChangeSamples.create(150))
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<301))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    let failed = try await store.items(of: job.id, in: [.failed], after: nil, most: 10)
    #expect(failed.map(\.input) == ["user77", "user150"])
    #expect(failed.map(\.state) == [.failed("Invalid record"), .failed("Invalid record")])
    #expect(repository.subjects().count == 298)
    #expect(try await store.summary(of: job.id).counts[.done] == 298)
  }

  @Test func retriesWhatFailed() async throws {
    repository.refuse(ChangeSamples.create(2))
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<4))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(try await store.retryFailed(job.id) == 1)
    let other = ScriptedRepository()
    #expect(try await place.runner(other, store).run(job.id) == .done)
    #expect(other.subjects() == [Accounts.did(2)])
  }

  @Test func takesARefusalOfWhatIsThereForADoneStep() async throws {
    repository.put(ChangeSamples.record(2), at: ChangeSamples.create(2))
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<4))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(try await store.summary(of: job.id).counts[.done] == 3)
  }

  @Test func doesNotCountRemovalsByOthersAsItsOwn() async throws {
    repository.put(ChangeSamples.record(1), at: ChangeSamples.create(1))
    let (store, job) = try await place.job(
      ChangeSamples.drafts(1..<3) {
        ChangeStep(subject: .account(Accounts.did($0)), action: .write([ChangeSamples.delete($0)]))
      })
    #expect(try await place.runner(repository, store).runPlanned(job.id) == .done)
    let items = try await store.items(of: job.id, in: Set(JobItemState.Kind.allCases), after: nil, most: 9)
    #expect(items.map(\.state) == [.done, .skipped(SkipReason.wasGone.description)])
    let undo = try await JobManager(journal: store, time: place.time).undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    #expect(repository.subjects() == [Accounts.did(1)])
  }

  @Test func stopsAtOnceIfItIsNotAuthorized() async throws {
    repository.next(.happen, .fail(RepositoryError(.notAuthorized, detail: "sign in again")))
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<301))
    let end = try await place.runner(repository, store).run(job.id)
    #expect(end == .stopped(JobStop(.notAuthorized, "sign in again")))
    let summary = try await store.summary(of: job.id)
    #expect(summary.job.state == .waiting && summary.job.note == "sign in again")
    #expect(summary.counts[.pending] == 100 && summary.counts[.inDoubt] == 0)
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.subjects().count == 300)
  }

  @Test func waitsLongerAfterEachFailureAndStopsInTheEnd() async throws {
    repository.always { _ in .fail(RepositoryError(.unavailable, detail: "no route")) }
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    let end = try await place.runner(repository, store).run(job.id)
    #expect(end == .stopped(JobStop(.unavailable, "no route")))
    #expect(Array(place.clock.slept.prefix(6)) == [1, 2, 4, 8, 16, 30].map(Duration.seconds))
    #expect(place.clock.now.offset > .seconds(240) && place.clock.now.offset < .seconds(400))
    #expect(try await store.summary(of: job.id).counts[.pending] == 2)
  }

  @Test func sendsLessToAServerThatNeverComesToItsAnswer() async throws {
    repository.timeOut(above: 60)
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<301))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.commits.allSatisfy { $0.count == 50 })
    #expect(repository.subjects().count == 300)
  }

  @Test func stopsWithoutAnyResponse() async throws {
    repository.timeOut(above: 0)
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    let end = try await place.runner(repository, store).run(job.id)
    #expect(end == .stopped(JobStop(.unavailable, "the connection was lost")))
    #expect(try await store.summary(of: job.id).counts.left == 2)
    repository.timeOut(above: 200)
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.subjects().count == 2)
  }

  @Test func waitsAsLongAsTheServerAsks() async throws {
    repository.next(.fail(RepositoryError(.rateLimited, detail: "slow", retryAfter: .seconds(500))))
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(place.clock.now.offset == .seconds(500))
  }

  @Test func endsWithTheTimeIfItMustNotWait() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<2_001))
    let runner = place.runner(repository, store, options: .init(stopsWhenShort: true))
    guard case .stopped(let stop) = try await runner.run(job.id) else {
      Issue.record("it did not stop")
      return
    }
    // A fifth of 5,000 is reserved: 4,000 points are 1,333 follows.
    #expect(stop.code == .budget)
    #expect(repository.subjects().count == 1_333)
    let opening = Datetime(at: place.now + 3_600_000_000 + 999)
    #expect(stop.until == opening)
  }

  @Test func sleepsUntilThePointsComeBack() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<2_001))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.subjects().count == 2_000)
    #expect(place.clock.now.offset >= .seconds(3_600) && place.clock.now.offset < .seconds(3_660))
  }

  @Test func sharesThePointsBetweenJobs() async throws {
    let (store, first) = try await place.job(ChangeSamples.drafts(1..<1_001))
    let (_, second) = try await place.job(ChangeSamples.drafts(1_001..<2_001))
    let runner = place.runner(repository, store, options: .init(stopsWhenShort: true))
    #expect(try await runner.run(first.id) == .done)
    guard case .stopped = try await runner.run(second.id) else {
      Issue.record("it spent what it did not have")
      return
    }
    #expect(repository.subjects().count == 1_333)
  }

  @Test func isRunByOneAndNamesTheHolderToTheOther() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    let claim = try await store.lease(job.id, at: place.now)
    let error = await #expect(throws: JobError.self) {
      try await place.runner(repository, place.open()).run(job.id)
    }
    #expect(error?.code == .held)
    #expect(error?.holder?.process == ProcessInfo.processInfo.processIdentifier)
    #expect(try await store.summary(of: job.id).holder != nil)
    #expect(repository.attempts == 0)
    claim.release()
    #expect(try await store.summary(of: job.id).holder == nil)
    #expect(try await place.runner(repository, store).run(job.id) == .done)
  }

  @Test func noticesThatItIsPausedElsewhereAtTheNextCommit() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<501))
    let other = try place.open()
    let end = try await place.runner(repository, store).run(job.id) { progress in
      guard progress.counts[.done] == 200 else { return }
      let paused = DispatchSemaphore(value: 0)
      Task.detached {
        _ = try await other.pause(job.id)
        paused.signal()
      }
      paused.wait()
    }
    #expect(end == .paused)
    #expect(repository.subjects().count == 200)
    #expect(try await store.job(job.id).state == .paused)
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.subjects().count == 500)
  }

  @Test func settlesWhatIsInDoubtOfACancelledJobAndNothingElse() async throws {
    repository.next(.loseAnswer)
    repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<301))
    _ = try await place.runner(repository, store).run(job.id)
    #expect(try await store.cancel(job.id, at: place.now).state == .cancelled)
    #expect(try await store.summary(of: job.id).counts[.inDoubt] == 200)
    #expect(try await place.runner(repository, store).run(job.id) == .cancelled)
    let counts = try await store.summary(of: job.id).counts
    #expect(counts[.done] == 200 && counts[.cancelled] == 100 && counts.left == 0)
    #expect(repository.subjects().count == 200)
  }

  @Test func isInterruptedBetweenCommits() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<501))
    let runner = place.runner(repository, store)
    let run = Task {
      try await runner.run(job.id) { progress in
        if progress.counts[.done] == 200 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    #expect(try await run.value == .stopped(JobStop(.interrupted, "interrupted")))
    let counts = try await store.summary(of: job.id).counts
    #expect(counts[.done] == 200 && counts[.pending] == 300)
  }

  @Test func belongsToOneAccount() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<3))
    let error = await #expect(throws: JobError.self) {
      try await place.runner(ScriptedRepository(account: Accounts.did(9)), store).run(job.id)
    }
    #expect(error?.code == .wrongAccount)
  }

  @Test func endsIfTheServerRefusesEverything() async throws {
    repository.always { _ in .fail(RepositoryError(.refused, detail: "account suspended")) }
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<201))
    guard case .stopped(let stop) = try await place.runner(repository, store).run(job.id) else {
      Issue.record("it went on")
      return
    }
    #expect(stop.code == .refused)
    #expect(try await store.summary(of: job.id).counts[.failed] == 25)
  }

  @Test func reportsItsProgress() async throws {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<301))
    let told = PosixMutex<[JobProgress]>([])
    _ = try await place.runner(repository, store).run(job.id) { progress in
      told.withLock { $0.append(progress) }
    }
    #expect(told.withLock { $0 }.map(\.counts.left) == [100, 0])
    #expect(told.withLock { $0 }.map(\.counts.pointsLeft) == [300, 0])
  }
}
