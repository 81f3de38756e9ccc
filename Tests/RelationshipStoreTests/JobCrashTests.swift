// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport
import Testing

@testable import RelationshipStore
@testable import Relationships

/// A process that dies is a run that is dropped between two of its actions.
@Suite struct JobCrashTests {
  /// Runs as many actions of a job as its process lives, and says whether it came to the end.
  private func live(_ actions: Int, _ runner: JobRunner, _ job: JobID) async throws -> Bool {
    let claim = try await runner.store.claim(job, at: runner.time.microsecondsSinceEpoch)
    defer { claim.release() }
    var machine = try await runner.machine(for: job)
    var action = machine.start(at: runner.time.microsecondsSinceEpoch)
    for _ in 0..<actions {
      if case .end = action { return true }
      let event = try await runner.perform(action, of: machine.job)
      action = machine.received(event, at: runner.time.microsecondsSinceEpoch)
    }
    return false
  }

  private func expectEachOnce(_ repository: ScriptedRepository, _ numbers: Range<Int>) {
    #expect(
      repository.subjects().sorted { "\($0)" < "\($1)" }
        == Accounts.dids(numbers).sorted { "\($0)" < "\($1)" })
  }

  @Test(arguments: [ScriptedRepository.Fate.happen, .loseAnswer, .loseRequest, .comeLate])
  func followsEachAccountOnceWhereverItDies(_ fate: ScriptedRepository.Fate) async throws {
    for actions in 0..<100 {
      let place = TemporaryStore()
      let (store, job) = try await place.job(ChangeSamples.drafts(1..<8))
      let repository = ScriptedRepository()
      repository.take(atMost: 3)
      repository.always { $0 == 1 ? fate : .happen }
      let runner = place.runner(repository, store)
      let hasEnded = try await live(actions, runner, job.id)
      if hasEnded { return }
      let end = try await place.runner(repository, place.open()).run(job.id)
      #expect(end == .done, "died after \(actions) actions")
      let counts = try await store.summary(of: job.id).counts
      #expect(counts[.done] == 7 && counts.total == 7, "died after \(actions) actions")
      expectEachOnce(repository, 1..<8)
    }
    Issue.record("the run never ended")
  }

  @Test(arguments: 0..<8)
  func endsWithEachRecordOnceHoweverOftenItDies(_ seed: UInt64) async throws {
    let random = PosixMutex(SeededGenerator(seed: seed))
    let place = TemporaryStore()
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<25))
    let repository = ScriptedRepository(refusesExisting: seed % 2 == 0)
    repository.take(atMost: 7)
    repository.always { _ in
      switch random.withLock({ Int.random(in: 0..<8, using: &$0) }) {
      case 0: .loseAnswer
      case 1: .loseRequest
      case 2: .comeLate
      case 3: .fail(RepositoryError(.unavailable, detail: "down"))
      case 4: .fail(RepositoryError(.rateLimited, detail: "slow", retryAfter: .seconds(3)))
      default: .happen
      }
    }
    var lives = 0
    while try await !live(
      random.withLock { Int.random(in: 1..<14, using: &$0) }, place.runner(repository, store), job.id)
    {
      lives += 1
      try #require(lives < 1_000)
    }
    expectEachOnce(repository, 1..<25)
    let counts = try await store.summary(of: job.id).counts
    #expect(counts[.done] == 24 && counts.total == 24)
  }

  @Test func blocksAndUnfollowsInOneCommitWhereverItDies() async throws {
    for actions in 0..<60 {
      let place = TemporaryStore()
      let (store, job) = try await place.job(ChangeSamples.drafts(1..<6, ChangeSamples.block))
      let repository = ScriptedRepository()
      for number in 1..<6 { repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number)) }
      repository.take(atMost: 5)
      let hasEnded = try await live(actions, place.runner(repository, store), job.id)
      // Between any two actions nobody is both blocked and followed, or neither.
      let blocked = Set(repository.subjects(in: ChangeSamples.blocks))
      #expect(blocked.isDisjoint(with: repository.subjects()))
      #expect(blocked.count + repository.subjects().count == 5)
      if hasEnded { return }
      #expect(try await place.runner(repository, store).run(job.id) == .done)
      #expect(repository.subjects().isEmpty)
      #expect(repository.subjects(in: ChangeSamples.blocks).count == 5)
    }
    Issue.record("the run never ended")
  }

  @Test func undoesExactlyWhatWasDoneWhereverItDies() async throws {
    for actions in 0..<60 {
      let place = TemporaryStore()
      let (store, job) = try await place.job(ChangeSamples.drafts(1..<6))
      let repository = ScriptedRepository()
      repository.put(ChangeSamples.record(9), at: ChangeSamples.create(9))
      let runner = place.runner(repository, store)
      #expect(try await runner.run(job.id) == .done)
      repository.put(ChangeSamples.record(9), at: ChangeSamples.create(4))
      repository.take(atMost: 2)
      let desk = JobDesk(store: store, time: place.time)
      let hasEnded = try await live(actions, runner, desk.undo(job.id).id)
      if hasEnded { return }
      // A second request to undo goes on with the first.
      #expect(try await runner.run(desk.undo(job.id).id) == .done)
      #expect(repository.subjects() == [Accounts.did(9), Accounts.did(9)], "died after \(actions) actions")
      let counts = try await store.summary(of: job.id).counts
      #expect(counts[.undone] == 4 && counts[.done] == 1, "died after \(actions) actions")
    }
    Issue.record("the run never ended")
  }

  @Test func leavesNothingInDoubtWhereItDiesWhileTheServerWantsToBeLeftAlone() async throws {
    let place = TemporaryStore()
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<402))
    let repository = ScriptedRepository()
    let busy = RepositoryError(.rateLimited, detail: "slow", retryAfter: .seconds(3_600))
    repository.next(.happen, .fail(busy))
    let runner = place.runner(repository, store)
    var machine = try await runner.machine(for: job.id)
    var action = machine.start(at: place.now)
    var isWaiting = false
    for _ in 0..<20 where !isWaiting {
      action = machine.received(try await runner.perform(action, of: machine.job), at: place.now)
      if case .wait = action { isWaiting = true }
    }
    #expect(isWaiting)
    let counts = try await store.summary(of: job.id).counts
    #expect(counts[.done] == 200 && counts[.pending] == 201 && counts[.inDoubt] == 0)
    let undo = try await JobDesk(store: store, time: place.time).undo(job.id)
    #expect(try await runner.run(undo.id) == .done)
    #expect(repository.subjects().isEmpty)
  }

  /// The first commit came late, after the run had gone on with less of it and had stopped.
  @Test func writesWhatALateCommitDidNotHold() async throws {
    let place = TemporaryStore()
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<301))
    let repository = ScriptedRepository()
    repository.next(.loseRequest)
    repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    _ = try await place.runner(repository, store).run(job.id)
    #expect(try await store.summary(of: job.id).counts[.inDoubt] == 200)
    for number in 1..<8 { repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number)) }
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    expectEachOnce(repository, 1..<301)
    #expect(try await store.summary(of: job.id).counts[.done] == 300)
  }

  @Test func failsOneItemWhoseKeyWasTakenWhileItsCommitWasInDoubt() async throws {
    let place = TemporaryStore()
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<31))
    // As arroba, which overwrites.
    let repository = ScriptedRepository(refusesExisting: false)
    repository.next(.loseRequest)
    repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    _ = try await place.runner(repository, store).run(job.id)
    #expect(try await store.summary(of: job.id).counts[.inDoubt] == 30)
    repository.put(ChangeSamples.record(99), at: ChangeSamples.create(17))
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    let failed = try await store.items(of: job.id, in: [.failed], after: nil, most: 9)
    #expect(failed.map(\.input) == ["user17"])
    #expect(try await store.summary(of: job.id).counts[.done] == 29)
    #expect(
      Set(repository.subjects())
        == Set(Accounts.dids(1..<31)).subtracting([Accounts.did(17)]).union([Accounts.did(99)]))
  }
}
