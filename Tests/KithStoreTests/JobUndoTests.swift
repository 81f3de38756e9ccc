// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithStore
@testable import KithWriting

@Suite struct JobUndoTests {
  private let place = TemporaryStore()
  private let repository = ScriptedRepository()

  private func done(
    _ drafts: [JobItemDraft]
  ) async throws -> (store: SQLiteJobStore, job: Job, desk: JobManager) {
    let (store, job) = try await place.job(drafts)
    #expect(try await place.runner(repository, store).runPlanned(job.id) == .done)
    return (store, job, JobManager(journal: store, time: place.time))
  }

  @Test func removesExactlyWhatTheJobMadeTheLastFirst() async throws {
    repository.put(ChangeSamples.record(900), at: ChangeSamples.create(900))
    repository.refuse(ChangeSamples.create(3))
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<601))
    let sent = repository.commits.count
    let undo = try await desk.undo(job.id)
    #expect(undo.undoes == job.id && undo.title == "undo follow")
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    #expect(repository.subjects() == [Accounts.did(900)])
    let keys = repository.commits[sent...].joined().map(\.rkey)
    #expect(keys == (1..<601).filter { $0 != 3 }.reversed().map(ChangeSamples.rkey))
    let counts = try await store.summary(of: job.id).counts
    #expect(counts[.undone] == 599 && counts[.failed] == 1)
  }

  @Test func bringsBackTheFollowThatABlockRemoved() async throws {
    repository.put(ChangeSamples.record(1), at: ChangeSamples.create(1))
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<2, ChangeSamples.block))
    #expect(repository.subjects().isEmpty)
    #expect(try await place.runner(repository, store).run(desk.undo(job.id).id) == .done)
    #expect(repository.records == ["app.bsky.graph.follow/\(ChangeSamples.rkey(1))": ChangeSamples.record(1)])
    #expect(repository.commits.last?.count == 2)
  }

  @Test func leavesAloneWhatTheUserChangedSince() async throws {
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<5))
    repository.put(ChangeSamples.record(77), at: ChangeSamples.create(2))
    repository.put(nil, at: ChangeSamples.create(3))
    let undo = try await desk.undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    #expect(repository.subjects() == [Accounts.did(77)])
    let left = try await store.items(of: undo.id, in: [.skipped], after: nil, most: 10)
    let changed = SkipReason.changed("app.bsky.graph.follow/\(ChangeSamples.rkey(2))")
    #expect(left.map(\.input) == ["user3", "user2"])
    #expect(left.map(\.state.reason) == [SkipReason.nothingLeft.description, changed.description])
  }

  private func again(_ number: Int, at key: Int, in collection: NSID = ChangeSamples.follows) -> RecordWrite {
    var write = ChangeSamples.create(number, in: collection)
    write.rkey = ChangeSamples.rkey(key)
    return write
  }

  @Test func doesNotFollowTwiceAfterAnotherFollow() async throws {
    for number in 1..<601 { repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number)) }
    let (store, job, desk) = try await done(
      ChangeSamples.drafts(1..<601) {
        ChangeStep(subject: .account(Accounts.did($0)), action: .write([ChangeSamples.delete($0)]))
      })
    repository.put(ChangeSamples.record(7), at: again(7, at: 900))
    let undo = try await desk.undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    #expect(repository.subjects().count == 600 && Set(repository.subjects()).count == 600)
    let left = try await store.items(of: undo.id, in: [.skipped], after: nil, most: 10)
    #expect(left.map(\.input) == ["user7"] && left.first?.state.reason == SkipReason.holdsAgain.description)
    // Once for all items; it shows which keys are free.
    #expect(repository.listings == [ChangeSamples.follows])
    #expect(repository.lookups.isEmpty)
  }

  @Test func doesNotFollowUnaskedAfterAnUnblockMeanwhile() async throws {
    for number in 1..<3 { repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number)) }
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<3, ChangeSamples.block))
    for number in 1..<3 { repository.put(nil, at: ChangeSamples.create(number, in: ChangeSamples.blocks)) }
    repository.put(ChangeSamples.record(2), at: again(2, at: 900))
    let undo = try await desk.undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    #expect(repository.subjects() == [Accounts.did(2)])
    let left = try await store.items(of: undo.id, in: [.skipped], after: nil, most: 10)
    let changed = (1..<3).map {
      SkipReason.changed("\(ChangeSamples.blocks)/\(ChangeSamples.rkey($0))").description
    }
    #expect(Set(left.compactMap(\.state.reason)) == Set(changed))
  }

  /// Regardless of the size of the commits.
  @Test func looksUpAWholeLoadOfItemsAtOnce() async throws {
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<601))
    let undo = try await desk.undo(job.id)
    let runner = place.runner(repository, store, options: .init(writesPerCommit: 20))
    #expect(try await runner.run(undo.id) == .done)
    #expect(repository.subjects().isEmpty)
    #expect(repository.lookups == [400, 200])
  }

  /// What the undo itself has changed is looked up again: here each record is created again and removed.
  @Test func looksAgainAtARecordThatTwoItemsAreAbout() async throws {
    repository.put(ChangeSamples.record(1), at: ChangeSamples.create(1))
    let (store, job, desk) = try await done([
      JobItemDraft(
        input: "a",
        step: ChangeStep(subject: .account(Accounts.did(1)), action: .write([ChangeSamples.delete(1)]))),
      JobItemDraft(input: "b", step: ChangeSamples.follow(1)),
      JobItemDraft(input: "c", step: ChangeSamples.follow(2)),
    ])
    #expect(try await place.runner(repository, store).run(desk.undo(job.id).id) == .done)
    #expect(repository.subjects() == [Accounts.did(1)])
    #expect(repository.lookups == [2, 1])
    #expect(try await store.summary(of: job.id).counts[.undone] == 3)
  }

  /// Ten minutes after the lookup, another app may have changed the records: a server that names no commits does not
  /// say.
  @Test func looksAgainIfCommitsTakeLong() async throws {
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<101))
    let undo = try await desk.undo(job.id)
    let clock = place.clock
    repository.nameNoCommits()
    repository.always { _ in
      clock.advance(by: .seconds(200))
      return .happen
    }
    let runner = place.runner(repository, store, options: .init(writesPerCommit: 20))
    #expect(try await runner.run(undo.id) == .done)
    #expect(repository.lookups.count == 5)
  }

  @Test(arguments: PDSDouble.Manner.allCases)
  func undoesHundredsOfBlocksWithADozenReads(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(manner)
    for number in 1_000..<1_050 {
      pds.put("\(ChangeSamples.follows)", "\(ChangeSamples.rkey(number))", subject: Accounts.did(number))
    }
    let transport = pds.transport
    let repository = PDSRepository(account: pds.account, pds: try pds.client(transport, place.time))
    let drafts = ChangeSamples.drafts(0..<301) { number in
      // A tenth of them were followed.
      number % 10 > 0
        ? ChangeStep(
          subject: .account(Accounts.did(number)),
          action: .write([ChangeSamples.create(number, in: ChangeSamples.blocks)]))
        : ChangeSamples.block(number)
    }
    for number in stride(from: 0, to: 301, by: 10) {
      let key = "\(ChangeSamples.follows)/\(ChangeSamples.rkey(number))"
      pds.change { $0.records[key] = ChangeSamples.record(number) }
    }
    let before = pds.records
    let (store, job) = try await place.job(drafts)
    let options = JobOptions(writesPerCommit: 20)
    #expect(try await place.runner(repository, store, options: options).run(job.id) == .done)
    let undo = try await JobManager(journal: store, time: place.time).undo(job.id)
    func reads() -> Int {
      ["listRecords", "getRecord"].reduce(0) { $0 + transport.calls(of: "com.atproto.repo.\($1)") }
    }
    let earlier = reads()
    #expect(try await place.runner(repository, store, options: options).run(undo.id) == .done)
    #expect(pds.records == before)
    // A server that does not compare commits is read again after each of the 17.
    #expect(reads() - earlier <= (manner == .arroba ? 60 : 12), "\(reads() - earlier) reads")
  }

  @Test func isBegunOnce() async throws {
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<5))
    let undo = try await desk.undo(job.id)
    #expect(try await desk.undo(job.id) == undo)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    let error = await #expect(throws: JobError.self) { try await desk.undo(job.id) }
    #expect(error?.code == .undone && error?.job == job.id)
  }

  @Test func cannotBeUndoneItself() async throws {
    let (store, job, desk) = try await done(ChangeSamples.drafts(1..<5))
    let undo = try await desk.undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    let error = await #expect(throws: JobError.self) { try await desk.undo(undo.id) }
    #expect(error?.code == .wrongState)
    #expect(error?.job == undo.id)
    #expect(repository.subjects().isEmpty)
  }

  @Test func reportsWhatCannotBeUndone() async throws {
    let write = RecordWrite(
      collection: ChangeSamples.follows, rkey: ChangeSamples.rkey(1), action: .delete(former: nil))
    repository.put(ChangeSamples.record(1), at: write)
    let step = ChangeStep(subject: .account(Accounts.did(1)), action: .write([write]))
    let (store, job, desk) = try await done([JobItemDraft(input: "user1", step: step)])
    let undo = try await desk.undo(job.id)
    #expect(try await place.runner(repository, store).run(undo.id) == .done)
    let left = try await store.items(of: undo.id, in: [.skipped], after: nil, most: 10)
    #expect(left.map(\.state) == [.skipped("the previous content of a record is unknown")])
  }

  @Test func endsNoMuteThatALaterJobMade() async throws {
    let (store, first, desk) = try await done(ChangeSamples.drafts(1..<3, ChangeSamples.mute))
    let did = Accounts.did(2)
    let again = ChangeStep(
      subject: .account(did), action: .call(.mute(did, .quotes), former: .mute(did, .everything)))
    let second = try await place.job([JobItemDraft(input: "user2", step: again)], in: store)
    #expect(try await place.runner(repository, store).run(second.id) == .done)
    #expect(try await place.runner(repository, store).run(desk.undo(first.id).id) == .done)
    #expect(repository.calls.last == .unmute(Accounts.did(1)))
    #expect(!repository.calls.contains(.unmute(did)))
    // When the later one is undone, the mute of the first job is in effect again and may end.
    #expect(try await place.runner(repository, store).run(desk.undo(second.id).id) == .done)
    #expect(repository.calls.last == .mute(did, .everything))
    #expect(try await place.runner(repository, store).run(desk.undo(first.id).id) == .done)
    #expect(repository.calls.last == .unmute(did))
  }

  /// As with Ctrl-C: the call was made, but its response was not awaited.
  private func interruptedMute() async throws -> (store: SQLiteJobStore, job: Job) {
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<4, ChangeSamples.mute))
    repository.always { count in
      guard count == 1 else { return .happen }
      withUnsafeCurrentTask { $0?.cancel() }
      return .loseAnswer
    }
    let runner = place.runner(repository, store)
    let waits = PosixMutex(0)
    let end = try await Task {
      try await runner.run(job.id) { progress in if progress.wait != nil { waits.withLock { $0 += 1 } } }
    }.value
    // The process that ends it does not report that it waits.
    #expect(waits.withLock { $0 } == 0)
    #expect(end == .stopped(JobStop(.interrupted, "interrupted")))
    let counts = try await store.summary(of: job.id).counts
    #expect(counts[.done] == 1 && counts[.inDoubt] == 1 && counts[.pending] == 1)
    return (store, job)
  }

  @Test func undoesACallInDoubt() async throws {
    let (store, job) = try await interruptedMute()
    let desk = JobManager(journal: store, time: place.time)
    #expect(try await place.runner(repository, store).run(desk.undo(job.id).id) == .done)
    #expect(repository.calls.suffix(2) == [.unmute(Accounts.did(2)), .unmute(Accounts.did(1))])
    #expect(try await store.summary(of: job.id).counts[.undone] == 2)
    // What was undone is not done again.
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.calls.last == .mute(Accounts.did(3), .everything) && repository.calls.count == 5)
  }

  @Test func repeatsACallInDoubtWhenItGoesOn() async throws {
    let (store, job) = try await interruptedMute()
    #expect(try await place.runner(repository, store).run(job.id) == .done)
    #expect(repository.calls == [1, 2, 2, 3].map { .mute(Accounts.did($0), .everything) })
    #expect(try await store.summary(of: job.id).counts[.done] == 3)
  }

  @Test func refusesWhatIsInDoubt() async throws {
    repository.next(.loseAnswer)
    repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    let (store, job) = try await place.job(ChangeSamples.drafts(1..<5))
    _ = try await place.runner(repository, store).run(job.id)
    let error = await #expect(throws: JobError.self) {
      try await JobManager(journal: store, time: place.time).undo(job.id)
    }
    #expect(error?.code == .inDoubt && error?.job == job.id)
  }
}
