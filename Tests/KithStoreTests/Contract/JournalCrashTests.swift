// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Contract of a journal and the runs over it: wherever a process dies, the next one completes its work, with
/// each record exactly once.
///
/// Each test repeats the same work in a process that dies before its first call, in that call, in the second
/// one, and so on, until a process survives.
@Suite struct JournalCrashTests {
  /// One process: its view of the journal and of the repository.
  private struct Life {
    let process: MortalProcess
    let store: any JobStore
    let runner: JobRunner
    let desk: JobManager
    let time: TimeSource
  }

  /// The state that outlives the processes.
  private struct World {
    let place: any JournalPlace
    var repository = ScriptedRepository()
    var options = JobOptions()

    func life(_ process: MortalProcess) throws -> Life {
      let store = MortalJobStore(base: try place.reopen(), process: process)
      let runner = place.runner(
        MortalRepository(base: repository, process: process), store, options: options)
      return Life(
        process: process, store: store, runner: runner, desk: JobManager(journal: store, time: place.time),
        time: place.time)
    }

    /// The points of all commits that took effect.
    var pointsSpent: Int { repository.commits.joined().reduce(0) { $0 + $1.points } }
  }

  /// Lets processes die at each of their calls, and the next one continue.
  ///
  /// - Parameters:
  ///   - leastCalls: The minimum number of calls; with fewer, hardly anything was tested.
  ///   - prepare: Fills the journal and the repository of a new world.
  ///   - work: The work of a process, whether it is the first one or continues for a dead one.
  ///   - look: Inspects the journal after a death, through a handle that was opened before.
  ///   - check: Inspects the journal when the work is done.
  private func dieEverywhere(
    _ journal: JournalUnderTest, leastCalls: Int = 15, options: JobOptions = .init(),
    prepare: (World, any JobStore) async throws -> JobID,
    work: (Life, JobID) async throws -> Void,
    look: (World, any JobStore, JobID, Comment) async throws -> Void = { _, _, _, _ in },
    check: (World, any JobStore, JobID, Comment) async throws -> Void
  ) async throws {
    var isAlive = false
    // Every third call in `make test`.
    for lastCall in stride(from: 0, to: 400, by: CaseSample.isWhole ? 1 : 3) where !isAlive {
      let world = World(place: journal.makePlace(), options: options)
      let store = try world.place.reopen()
      let job = try await prepare(world, store)
      let life = try world.life(MortalProcess(dyingIn: lastCall))
      do { try await work(life, job) } catch  where life.process.isDead {}
      isAlive = !life.process.isDead
      let comment: Comment = "died in call \(lastCall) of its work"
      if !isAlive {
        try await look(world, store, job, comment)
        try await work(try world.life(MortalProcess()), job)
      } else {
        #expect(lastCall > leastCalls)
      }
      try await check(world, store, job, comment)
    }
    #expect(isAlive, "no process lived long enough")
  }

  /// Runs a job to its end, unless an earlier process has.
  private func finish(_ life: Life, _ job: JobID) async throws {
    if try await life.store.job(job).state == .done { return }
    #expect(try await life.runner.run(job) == .done)
  }

  private func expectSubjects(
    _ repository: ScriptedRepository, _ numbers: some Sequence<Int>,
    in collection: NSID = ChangeSamples.follows, _ comment: Comment
  ) {
    let subjects = repository.subjects(in: collection).map(\.description).sorted()
    #expect(subjects == numbers.map { Accounts.did($0).description }.sorted(), comment)
  }

  private func expectPointsCovered(_ world: World, _ store: any JobStore, _ comment: Comment) async throws {
    let counted = try await store.pointsCounted(at: world.place.now)
    #expect(counted >= world.pointsSpent, comment)
  }

  // MARK: Runs

  @Test(
    arguments: JournalUnderTest.all, [ScriptedRepository.Fate.happen, .loseAnswer, .loseRequest, .comeLate])
  func followsEachAccountOnce(_ journal: JournalUnderTest, _ fate: ScriptedRepository.Fate) async throws {
    try await dieEverywhere(journal) { world, store in
      world.repository.accept(atMost: 3)
      world.repository.always { $0 == 1 ? fate : .happen }
      return try await store.addJob(ChangeSamples.drafts(1..<8), at: world.place.now).id
    } work: { life, job in
      try await finish(life, job)
    } look: { world, store, _, comment in
      try await expectPointsCovered(world, store, comment)
    } check: { world, store, job, comment in
      expectSubjects(world.repository, 1..<8, comment)
      let summary = try await store.summary(of: job)
      #expect(summary.job.state == .done && summary.job.endedAt != nil, comment)
      #expect(summary.counts[.done] == 7 && summary.counts.total == 7, comment)
      #expect(try await store.pointsCounted(at: world.place.now) == 7 * 3, comment)
      #expect(world.pointsSpent == 7 * 3, comment)
    }
  }

  @Test(arguments: JournalUnderTest.all, [true, false])
  func blocksAndUnfollowsInOneCommit(_ journal: JournalUnderTest, _ refusesExisting: Bool) async throws {
    func expectWholeSteps(_ repository: ScriptedRepository, _ comment: Comment) {
      let blocked = Set(repository.subjects(in: ChangeSamples.blocks))
      #expect(blocked.isDisjoint(with: repository.subjects()), comment)
      #expect(blocked.count + repository.subjects().count == 5, comment)
    }
    try await dieEverywhere(journal) { world, store in
      for number in 1..<6 {
        world.repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number))
      }
      world.repository.accept(atMost: 5)
      return try await store.addJob(ChangeSamples.drafts(1..<6, ChangeSamples.block), at: world.place.now).id
    } work: { life, job in
      try await finish(life, job)
    } look: { world, store, _, comment in
      // Each account is blocked or followed, never both.
      expectWholeSteps(world.repository, comment)
      try await expectPointsCovered(world, store, comment)
    } check: { world, store, job, comment in
      expectSubjects(world.repository, 1..<6, in: ChangeSamples.blocks, comment)
      expectSubjects(world.repository, [], comment)
      let states = try await store.states(of: job)
      #expect(states == Array(repeating: .done, count: 5), comment)
      #expect(try await store.pointsCounted(at: world.place.now) == 5 * 4, comment)
    }
  }

  /// A call with an unknown outcome is made again: it is idempotent.
  @Test(arguments: JournalUnderTest.all)
  func mutesEachAccount(_ journal: JournalUnderTest) async throws {
    let mutes = (1..<4).map { ViewerCall.mute(Accounts.did($0), .everything) }
    try await dieEverywhere(journal) { world, store in
      try await store.addJob(ChangeSamples.drafts(1..<4, ChangeSamples.mute), at: world.place.now).id
    } work: { life, job in
      try await finish(life, job)
    } check: { world, store, job, comment in
      var calls = world.repository.calls
      #expect(calls.count <= 4, comment)
      for index in calls.indices.dropLast().reversed() where calls[index] == calls[index + 1] {
        calls.remove(at: index)
      }
      #expect(calls == mutes, comment)
      let states = try await store.states(of: job)
      #expect(states == [.done, .done, .done], comment)
      #expect(try await store.pointsCounted(at: world.place.now) == 0, comment)
    }
  }

  @Test(arguments: JournalUnderTest.all)
  func triesAgainWhatFailed(_ journal: JournalUnderTest) async throws {
    try await dieEverywhere(journal) { world, store in
      world.repository.accept(atMost: 2)
      let states: [JobItemState] = [.failed("no"), .done, .failed("no"), .failed("no")]
      world.repository.put(ChangeSamples.record(2), at: ChangeSamples.create(2))
      return try await store.addEndedJob(ChangeSamples.drafts(1..<5), states, at: world.place.now).id
    } work: { life, job in
      // A person who sees failures retries after each crash.
      if try await life.store.summary(of: job).counts[.failed] > 0 {
        #expect(try await life.store.retryFailed(job) == 3)
      }
      try await finish(life, job)
    } check: { world, store, job, comment in
      expectSubjects(world.repository, 1..<5, comment)
      let states = try await store.states(of: job)
      #expect(states == [.done, .done, .done, .done], comment)
    }
  }

  @Test(arguments: JournalUnderTest.all)
  func settlesWhatACancelledJobHasInDoubt(_ journal: JournalUnderTest) async throws {
    try await dieEverywhere(journal, leastCalls: 6) { world, store in
      let job = try await store.addJob(ChangeSamples.drafts(1..<5), at: world.place.now).id
      _ = try await store.start(job)
      _ = try await store.begin(1, 0..<2, of: job, at: world.place.now)
      try await world.repository.commit((1..<3).map { ChangeSamples.create($0) })
      _ = try await store.cancel(job, at: world.place.now)
      return job
    } work: { life, job in
      if try await life.store.summary(of: job).counts[.inDoubt] == 0 { return }
      #expect(try await life.runner.run(job) == .cancelled)
    } check: { world, store, job, comment in
      expectSubjects(world.repository, 1..<3, comment)
      let states = try await store.states(of: job)
      #expect(states == [.done, .done, .cancelled, .cancelled], comment)
      #expect(try await store.job(job).state == .cancelled, comment)
      #expect(try await store.pointsCounted(at: world.place.now) == 6, comment)
    }
  }

  // MARK: Taking back

  @Test(arguments: JournalUnderTest.all)
  func undoesExactlyWhatWasDone(_ journal: JournalUnderTest) async throws {
    try await dieEverywhere(journal, leastCalls: 30) { world, store in
      world.repository.put(ChangeSamples.record(9), at: ChangeSamples.create(9))
      let job = try await store.addJob(ChangeSamples.drafts(1..<6), at: world.place.now).id
      #expect(try await world.place.runner(world.repository, store).run(job) == .done)
      // Another app has created its own record under one of the keys.
      world.repository.put(ChangeSamples.record(9), at: ChangeSamples.create(4))
      world.repository.accept(atMost: 2)
      return job
    } work: { life, job in
      // A second undo request continues the first one.
      if try await life.store.summary(of: job).counts[.undone] == 4 { return }
      try await finish(life, life.desk.undo(job).id)
    } check: { world, store, job, comment in
      expectSubjects(world.repository, [9, 9], comment)
      let counts = try await store.summary(of: job).counts
      #expect(counts[.undone] == 4 && counts[.done] == 1, comment)
      // One undo, and none of them is half prepared.
      let undos = try await store.summaries(of: nil).filter { $0.job.undoes == job }
      #expect(undos.count == 1 && undos.allSatisfy { $0.counts.total == 5 }, comment)
    }
  }

  @Test(arguments: JournalUnderTest.all)
  func endsATimedJob(_ journal: JournalUnderTest) async throws {
    try await dieEverywhere(journal, leastCalls: 40) { world, store in
      let until = Datetime(at: world.place.now + 60_000_000)
      let job = try await store.addJob(ChangeSamples.drafts(1..<6), until: until, at: world.place.now).id
      // It was never completed: one commit is done, one is in doubt, one was not sent.
      _ = try await store.start(job)
      _ = try await store.begin(1, 0..<2, of: job, at: world.place.now)
      try await world.repository.commit((1..<3).map { ChangeSamples.create($0) })
      try await store.record(JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .done]), of: job)
      _ = try await store.begin(2, 2..<4, of: job, at: world.place.now)
      try await world.repository.commit((3..<5).map { ChangeSamples.create($0) })
      world.repository.accept(atMost: 3)
      world.place.clock.advance(by: .seconds(60))
      return job
    } work: { life, _ in
      for due in try await life.store.due(at: life.time.instant) {
        #expect(try await life.runner.end(due).end == .done)
      }
    } check: { world, store, job, comment in
      expectSubjects(world.repository, [], comment)
      let states = try await store.states(of: job)
      #expect(states == [.undone, .undone, .undone, .undone, .cancelled], comment)
      #expect(try await store.due(at: world.place.now).isEmpty, comment)
      #expect(try await store.pointsCounted(at: world.place.now) == 4 * 3 + 4, comment)
    }
  }

  // MARK: Writing down

  @Test(arguments: JournalUnderTest.all)
  func addsAJobAtomically(_ journal: JournalUnderTest) async throws {
    let draft = JobDraft(account: Accounts.did(0), title: "follow")
    try await dieEverywhere(journal, leastCalls: 5) { _, _ in
      JobID(number: 1)
    } work: { life, _ in
      if try await life.store.summaries(of: nil).contains(where: { $0.job.state == .waiting }) { return }
      _ = try await life.desk.add(draft, ChangeSamples.drafts(0..<600))
    } look: { _, store, _, comment in
      for summary in try await store.summaries(of: nil) {
        #expect(summary.job.state == .preparing || summary.counts.total == 600, comment)
      }
    } check: { world, store, _, comment in
      world.place.clock.advance(by: .seconds(1))
      // A job that never began is pruned.
      _ = try await store.prune(endedBefore: world.place.now)
      let left = try await store.summaries(of: nil)
      #expect(left.map(\.job.state) == [.waiting] && left.map(\.counts.total) == [600], comment)
    }
  }

  // MARK: Points

  /// The server reports that three follows are left until its window ends in a minute.
  @Test(arguments: JournalUnderTest.all)
  func spendsAtMostWhatIsLeft(_ journal: JournalUnderTest) async throws {
    // One write per commit, so each attempt costs three points.
    let options = JobOptions(limit: WriteLimit(leave: 0), writesPerCommit: 1)
    let attempts = PosixMutex<[Duration]>([])
    try await dieEverywhere(journal, leastCalls: 30, options: options) { world, store in
      attempts.withLock { $0 = [] }
      world.repository.always { [clock = world.place.clock] _ in
        attempts.withLock { $0.append(clock.now.offset) }
        return .happen
      }
      let reading = try RateLimit.said(5_000, 9, 3_600, resetsIn: 60, at: world.place.now)
      try await store.observed(reading, of: Accounts.did(0), at: world.place.now)
      return try await store.addJob(ChangeSamples.drafts(1..<8), at: world.place.now).id
    } work: { life, job in
      try await finish(life, job)
    } check: { world, store, job, comment in
      expectSubjects(world.repository, 1..<8, comment)
      let attempts = attempts.withLock { $0 }
      #expect(attempts.count { $0 < .seconds(60) } <= 3 && attempts.count >= 7, comment)
      let states = try await store.states(of: job)
      #expect(states == Array(repeating: .done, count: 7), comment)
    }
  }

  // MARK: More than one death

  @Test(arguments: JournalUnderTest.all, CaseSample.of(0..<3 as Range<UInt64>, one: 3))
  func endsHoweverOftenProcessesDie(_ journal: JournalUnderTest, _ seed: UInt64) async throws {
    let random = PosixMutex(SeededGenerator(seed: seed))
    let world = World(
      place: journal.makePlace(), repository: ScriptedRepository(refusesExisting: seed % 2 == 0))
    let job = try await world.place.reopen().addJob(ChangeSamples.drafts(1..<25), at: world.place.now).id
    world.repository.accept(atMost: 7)
    world.repository.always { _ in
      switch random.withLock({ Int.random(in: 0..<8, using: &$0) }) {
      case 0: .loseAnswer
      case 1: .loseRequest
      case 2: .comeLate
      case 3: .fail(RepositoryError(.unavailable, detail: "down"))
      case 4: .fail(RepositoryError(.rateLimited, detail: "slow", retryAfter: .seconds(3)))
      default: .happen
      }
    }
    var deaths = 0
    var isDone = false
    while !isDone, deaths < 1_000 {
      let lastCall = random.withLock { Int.random(in: 5..<40, using: &$0) }
      let life = try world.life(MortalProcess(dyingIn: lastCall))
      do { try await finish(life, job) } catch  where life.process.isDead { deaths += 1 }
      isDone = !life.process.isDead
    }
    #expect(isDone && deaths > 1)
    let store = try world.place.reopen()
    expectSubjects(world.repository, 1..<25, "seed \(seed)")
    let counts = try await store.summary(of: job).counts
    #expect(counts[.done] == 24 && counts.total == 24)
    // A server that overwrites applies a delayed commit twice; its reported points include that.
    if seed % 2 == 0 { try await expectPointsCovered(world, store, "seed \(seed)") }
  }

  // MARK: Where a process dies while it waits, or after others went on

  @Test(arguments: JournalUnderTest.all)
  func leavesNothingInDoubtWhileTheServerWantsToBeLeftAlone(_ journal: JournalUnderTest) async throws {
    let world = World(place: journal.makePlace())
    let store = try world.place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(1..<402), at: world.place.now).id
    let busy = RepositoryError(.rateLimited, detail: "slow", retryAfter: .seconds(3_600))
    world.repository.next(.happen, .fail(busy))
    let life = try world.life(MortalProcess())
    await #expect(throws: MortalProcess.Death.self) {
      try await life.runner.run(job) { if $0.wait == .rateLimit { life.process.kill() } }
    }
    let counts = try await store.summary(of: job).counts
    #expect(counts[.done] == 200 && counts[.pending] == 201 && counts[.inDoubt] == 0)
    let runner = world.place.runner(world.repository, store)
    #expect(try await runner.run(JobManager(journal: store, time: world.place.time).undo(job).id) == .done)
    #expect(world.repository.subjects().isEmpty)
  }

  /// The first commit arrived late, after the run had continued with fewer items and stopped.
  @Test(arguments: JournalUnderTest.all)
  func writesWhatALateCommitDidNotHold(_ journal: JournalUnderTest) async throws {
    let world = World(place: journal.makePlace())
    let store = try world.place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(1..<301), at: world.place.now).id
    world.repository.next(.loseRequest)
    world.repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    _ = try await world.place.runner(world.repository, store).run(job)
    #expect(try await store.summary(of: job).counts[.inDoubt] == 200)
    for number in 1..<8 {
      world.repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number))
    }
    #expect(try await world.place.runner(world.repository, world.place.reopen()).run(job) == .done)
    expectSubjects(world.repository, 1..<301, "each is there once")
    #expect(try await store.summary(of: job).counts[.done] == 300)
  }

  @Test(arguments: JournalUnderTest.all)
  func failsOneItemWhoseKeyWasTakenWhileItsCommitWasInDoubt(_ journal: JournalUnderTest) async throws {
    // Like arroba, which overwrites.
    let world = World(place: journal.makePlace(), repository: ScriptedRepository(refusesExisting: false))
    let store = try world.place.reopen()
    let job = try await store.addJob(ChangeSamples.drafts(1..<31), at: world.place.now).id
    world.repository.next(.loseRequest)
    world.repository.failToSettle(RepositoryError(.notAuthorized, detail: "sign in again"))
    _ = try await world.place.runner(world.repository, store).run(job)
    #expect(try await store.summary(of: job).counts[.inDoubt] == 30)
    world.repository.put(ChangeSamples.record(99), at: ChangeSamples.create(17))
    #expect(try await world.place.runner(world.repository, world.place.reopen()).run(job) == .done)
    let failed = try await store.items(of: job, in: [.failed], after: nil, most: 9)
    #expect(failed.map(\.input) == ["user17"])
    #expect(try await store.summary(of: job).counts[.done] == 29)
    expectSubjects(world.repository, (1..<31).map { $0 == 17 ? 99 : $0 }, "one key was taken")
  }
}

/// More seeds.
@Suite struct JournalCrashLongTests {
  @Test(arguments: JournalUnderTest.all, 3..<16 as Range<UInt64>)
  func endsHoweverOftenProcessesDie(_ journal: JournalUnderTest, _ seed: UInt64) async throws {
    try await JournalCrashTests().endsHoweverOftenProcessesDie(journal, seed)
  }
}
