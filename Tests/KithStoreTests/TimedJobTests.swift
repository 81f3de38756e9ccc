// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

@Suite struct TimedJobTests {
  private let place = TemporaryStore()
  private let repository = ScriptedRepository()
  private var week: Int64 { 7 * 86_400_000_000 }

  private func followForAWeek(_ numbers: Range<Int>) async throws -> (store: SQLiteJobStore, job: Job) {
    let until = Datetime(at: place.now + week)
    return try await place.job(ChangeSamples.drafts(numbers), until: until)
  }

  @Test func endsWhatItDidWhenItsTimeHasCome() async throws {
    let (store, job) = try await followForAWeek(1..<5)
    let runner = place.runner(repository, store)
    #expect(try await runner.run(job.id) == .done)
    #expect(try await store.due(at: place.now + week - 1_000_000).isEmpty)
    place.clock.advance(by: .seconds(7 * 86_400))
    let due = try #require(try await store.due(at: place.now).first)
    #expect(due.job.id == job.id && due.undo == nil)
    #expect(try await runner.end(due).end == .done)
    #expect(repository.subjects().isEmpty)
    #expect(try await store.due(at: place.now).isEmpty)
  }

  @Test func continuesAnEndThatWasInterrupted() async throws {
    let (store, job) = try await followForAWeek(1..<5)
    let runner = place.runner(repository, store)
    #expect(try await runner.run(job.id) == .done)
    place.clock.advance(by: .seconds(7 * 86_400))
    repository.next(.fail(RepositoryError(.notAuthorized, detail: "sign in again")))
    let (undo, end) = try await runner.end(try #require(try await store.due(at: place.now).first))
    #expect(end == .stopped(JobStop(.notAuthorized, "sign in again")))
    let due = try await store.due(at: place.now)
    #expect(due.map(\.undo) == [undo.id])
    let again = try await runner.end(try #require(due.first))
    #expect(again.job.id == undo.id && again.end == .done)
    #expect(repository.subjects().isEmpty)
  }

  @Test func endsAJobThatNeverCameToItsEnd() async throws {
    let (store, job) = try await followForAWeek(1..<401)
    repository.next(.happen, .loseAnswer)
    repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    let runner = place.runner(repository, store)
    _ = try await runner.run(job.id)
    place.clock.advance(by: .seconds(7 * 86_400))
    let due = try #require(try await store.due(at: place.now).first)
    #expect(try await runner.end(due).end == .done)
    #expect(repository.subjects().isEmpty)
    let summary = try await store.summary(of: job.id)
    #expect(summary.job.state == .cancelled && summary.counts[.undone] == 400)
  }

  @Test func hasNothingToEndIfNothingBegan() async throws {
    let (store, job) = try await followForAWeek(1..<3)
    place.clock.advance(by: .seconds(7 * 86_400))
    let due = try #require(try await store.due(at: place.now).first)
    let (ended, end) = try await place.runner(repository, store).end(due)
    #expect(ended.id == job.id && end == .done)
    #expect(repository.attempts == 0)
    #expect(try await store.due(at: place.now).isEmpty)
  }

  @Test func isNotDueOnceItWasUndone() async throws {
    let (store, job) = try await followForAWeek(1..<3)
    let runner = place.runner(repository, store)
    #expect(try await runner.run(job.id) == .done)
    #expect(try await runner.run(JobManager(journal: store, time: place.time).undo(job.id).id) == .done)
    #expect(try await store.due(at: place.now + week).isEmpty)
  }

  /// Some of it was undone, and then it continued.
  private func halfUndone() async throws -> (store: SQLiteJobStore, job: Job) {
    let (store, job) = try await followForAWeek(1..<401)
    repository.next(.happen, .fail(RepositoryError(.notAuthorized, detail: "sign in again")))
    let runner = place.runner(repository, store)
    _ = try await runner.run(job.id)
    let undo = try await JobManager(journal: store, time: place.time).undo(job.id)
    #expect(try await runner.run(undo.id) == .done)
    #expect(try await runner.run(job.id) == .done)
    #expect(repository.subjects().count == 200)
    return (store, job)
  }

  @Test func endsWhatItDidAfterSomeOfItWasUndone() async throws {
    let (store, job) = try await halfUndone()
    place.clock.advance(by: .seconds(7 * 86_400))
    // What is still to end is not pruned.
    #expect(try await store.prune(endedBefore: place.now + 1).isEmpty)
    let due = try #require(try await store.due(at: place.now).first)
    #expect(due.job.id == job.id)
    #expect(try await place.runner(repository, store).end(due).end == .done)
    #expect(repository.subjects().isEmpty)
    #expect(try await store.due(at: place.now).isEmpty)
  }

  @Test func endsWhatAnUndoThatWasBegunEarlierKnowsNothingOf() async throws {
    let (store, job) = try await followForAWeek(1..<401)
    repository.next(.happen, .fail(RepositoryError(.notAuthorized, detail: "sign in again")))
    let runner = place.runner(repository, store)
    _ = try await runner.run(job.id)
    _ = try await JobManager(journal: store, time: place.time).undo(job.id)
    #expect(try await runner.run(job.id) == .done)
    place.clock.advance(by: .seconds(7 * 86_400))
    #expect(try await runner.end(try #require(try await store.due(at: place.now).first)).end == .done)
    #expect(repository.subjects().isEmpty)
    #expect(try await store.due(at: place.now).isEmpty)
  }

  @Test func isNotDueAgainForWhatWasLeftAlone() async throws {
    let (store, job) = try await followForAWeek(1..<4)
    let runner = place.runner(repository, store)
    #expect(try await runner.run(job.id) == .done)
    repository.put(ChangeSamples.record(9), at: ChangeSamples.create(2))
    place.clock.advance(by: .seconds(7 * 86_400))
    let (undo, end) = try await runner.end(try #require(try await store.due(at: place.now).first))
    #expect(end == .done && repository.subjects() == [Accounts.did(9)])
    #expect(try await store.summary(of: job.id).counts[.done] == 1)
    #expect(try await store.due(at: place.now).isEmpty)
    // Neither is pruned before the other.
    #expect(try await store.prune(endedBefore: place.now + 1) == [job.id, undo.id])
  }

  /// An undo whose job was pruned would look like a change of its own, and prevent the end of timed changes.
  @Test func endsAMuteWhoseLaterChangeWasUndoneLongAgo() async throws {
    let day: Int64 = 86_400_000_000
    let did = Accounts.did(1)
    let (store, timed) = try await place.job(
      ChangeSamples.drafts(1..<2, ChangeSamples.mute),
      until: Datetime(at: place.now + 90 * day))
    let runner = place.runner(repository, store)
    #expect(try await runner.run(timed.id) == .done)
    place.clock.advance(by: .seconds(50 * 86_400))
    let narrower = ChangeStep(
      subject: .account(did), action: .call(.mute(did, .reposts), former: .mute(did, .everything)))
    let later = try await place.job([JobItemDraft(input: "user1", step: narrower)], in: store)
    #expect(try await runner.run(later.id) == .done)
    place.clock.advance(by: .seconds(30 * 86_400))
    let undo = try await JobManager(journal: store, time: place.time).undo(later.id)
    #expect(try await runner.run(undo.id) == .done)
    place.clock.advance(by: .seconds(10 * 86_400))
    #expect(try await store.prune(endedBefore: place.now - 30 * day).isEmpty)
    let due = try #require(try await store.due(at: place.now).first)
    let end = try await runner.end(due)
    #expect(due.job.id == timed.id && end.end == .done && repository.calls.last == .unmute(did))
    // They are pruned together.
    place.clock.advance(by: .seconds(25 * 86_400))
    #expect(try await store.prune(endedBefore: place.now - 30 * day) == [later.id, undo.id])
    place.clock.advance(by: .seconds(10 * 86_400))
    #expect(try await store.prune(endedBefore: place.now - 30 * day) == [timed.id, end.job.id])
  }
}
