// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Contract of a journal and the single changes over it: wherever an app or a command dies, the next one
/// makes each record exactly once; and however taps and jobs interleave, each notices the other.
@Suite struct JournalTapTests {
  private let other = Accounts.did(1)

  private func expectNothingLeft(_ scene: TapScene, _ store: any JobStore, _ comment: Comment) async throws {
    let summaries = try await store.summaries(of: nil)
    #expect(summaries.allSatisfy { $0.counts.left == 0 && $0.job.state.isEnded }, comment)
    let counted = try await store.pointsCounted(at: scene.place.now)
    #expect(counted == scene.pointsSpent, comment)
  }

  /// Lets a process die at each of its calls, until one survives.
  private func dieEverywhere(
    _ journal: JournalUnderTest, work: (TapScene, any JobStore, MortalProcess) async throws -> Void,
    check: (TapScene, any JobStore, Comment) async throws -> Void
  ) async throws {
    var isAlive = false
    for lastCall in 0..<100 where !isAlive {
      let scene = TapScene(place: journal.makePlace())
      let process = MortalProcess(dyingIn: lastCall)
      let store = MortalJobStore(base: try scene.place.reopen(), process: process)
      do { try await work(scene, store, process) } catch  where process.isDead {}
      isAlive = !process.isDead
      let comment: Comment = "died in call \(lastCall) of its work"
      #expect(scene.follows(of: other).count <= 1, comment)
      // A restart takes longer than a microsecond, so another process has other keys.
      scene.place.clock.advance(by: .seconds(2))
      try await check(scene, try scene.place.reopen(), comment)
      if isAlive { #expect(lastCall > 7) }
    }
    #expect(isAlive, "no process lived long enough")
  }

  // MARK: Death

  @Test(arguments: JournalUnderTest.all)
  func makesASmallChangeOnceWhereverItsProcessDies(_ journal: JournalUnderTest) async throws {
    func follow(_ engine: ChangeEngine) async throws {
      let submission = try await engine.submit([.init("user1", .follow(other))], as: "follow")
      if let job = submission.job {
        #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
      }
    }
    try await dieEverywhere(journal) { scene, store, process in
      try await follow(scene.engine(store, in: process))
    } check: { scene, store, comment in
      let engine = try scene.engine(store)
      #expect(try await store.pointsCounted(at: scene.place.now) >= scene.pointsSpent, comment)
      for summary in try await store.summaries(of: nil) where !summary.job.state.isEnded {
        #expect(try await engine.run(summary.job.id) == .done, comment)
      }
      try await follow(engine)
      #expect(scene.follows(of: other).count == 1, comment)
      try await expectNothingLeft(scene, store, comment)
    }
  }

  /// The person taps again after each crash, for the same change or the opposite one.
  @Test(arguments: JournalUnderTest.all, [true, false])
  func makesATapOnceWhereverItsProcessDies(_ journal: JournalUnderTest, _ isSame: Bool) async throws {
    try await dieEverywhere(journal) { scene, store, process in
      try await scene.writer(store, in: process).follow(other)
    } check: { scene, store, comment in
      #expect(try await store.pointsCounted(at: scene.place.now) >= scene.pointsSpent, comment)
      let next = try scene.writer(store)
      if isSame {
        try await next.follow(other)
      } else {
        try await next.unfollow(other)
      }
      #expect(scene.follows(of: other).count == (isSame ? 1 : 0), comment)
      // A change that the dead one never began is not in doubt: it waits, or was cancelled.
      for summary in try await store.summaries(of: nil) where !summary.job.state.isEnded {
        #expect(summary.counts[.inDoubt] == 0, comment)
        _ = try await store.cancel(summary.job.id, at: scene.place.now)
      }
      try await expectNothingLeft(scene, store, comment)
    }
  }

  /// An app that is killed with a change in doubt leaves it to the next one, over the same file.
  @Test(arguments: JournalUnderTest.all, [true, false])
  func newWriterSettlesTheDoubtOfADeadOne(_ journal: JournalUnderTest, _ hasHappened: Bool) async throws {
    let scene = TapScene(place: journal.makePlace())
    scene.pds.change { $0.faults = [hasHappened ? .answerLost(.timedOut) : .requestLost(.timedOut)] }
    scene.isDead.withLock { $0 = true }
    let before = try scene.writer(scene.place.reopen())
    #expect(await ChangeFailure.thrown { try await before.follow(other) }?.isInDoubt == true)
    let store = try scene.place.reopen()
    let subject = ChangeStep.Subject.account(other)
    let history = try await store.history(of: [subject], by: scene.pds.account)[subject]
    let reserved = try #require(history?.first?.step.writes.first?.rkey)
    scene.isDead.withLock { $0 = false }
    scene.place.clock.advance(by: .seconds(60))
    #expect(try await scene.writer(store).follow(other).ending == .done)
    // Under the key that the dead one chose.
    #expect(scene.follows(of: other) == [reserved])
    #expect(scene.pds.commits.count == 1)
    try await expectNothingLeft(scene, store, "settled")
  }

  // MARK: Taps in between

  /// One tap is suspended after each of its calls in turn, while another one comes and goes; then a job
  /// unfollows.
  @Test(arguments: JournalUnderTest.all)
  func noticesAJobHoweverTapsCameInBetween(_ journal: JournalUnderTest) async throws {
    var wasHeldUp = true
    var call = 0
    while wasHeldUp, call < 60 {
      call += 1
      let comment: Comment = "held up after call \(call)"
      let scene = TapScene(place: journal.makePlace())
      let base = try scene.place.reopen()
      let turnstile = Turnstile(isOpen: false)
      let process = MortalProcess(dyingIn: .max, pausingAfter: (call, turnstile))
      let writer = try scene.writer(MortalJobStore(base: base, process: process), in: process)
      let first = Task {
        let ending = try? await writer.follow(other).ending
        let wasHeldUp = turnstile.arrivals > 0
        // The waiter for the suspension need not wait any longer.
        turnstile.open()
        try await turnstile.pass {}
        return (ending, wasHeldUp)
      }
      await turnstile.untilArrived(1)
      #expect(try await writer.follow(Accounts.did(2)).ending == .done, comment)
      turnstile.open()
      let outcome = try await first.value
      wasHeldUp = outcome.1
      #expect(outcome.0 == .done, comment)
      let engine = try scene.engine(base)
      let both = [other, Accounts.did(2)]
      let submission = try await engine.submit(both.map { .init("x", .unfollow($0)) }, as: "unfollow")
      let job = try #require(submission.job).id
      #expect(try await engine.run(job, plannedBy: submission.facts) == .done, comment)
      for account in both {
        #expect(scene.follows(of: account).isEmpty, comment)
        #expect(try await writer.follow(account).ending == .done, comment)
        #expect(scene.follows(of: account).count == 1, comment)
      }
    }
    #expect(call > 7 && !wasHeldUp)
  }
}
