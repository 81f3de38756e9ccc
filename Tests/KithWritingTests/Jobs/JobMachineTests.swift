// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct JobMachineTests {
  private let now = JobMachine.Moment(wall: 1_800_000_000_000_000, steady: .seconds(1_000))

  /// A moment this long after the first one, by both clocks.
  private func later(_ span: Duration) -> JobMachine.Moment {
    JobMachine.Moment(
      wall: now.wall + span.components.seconds * 1_000_000, steady: now.steady + span)
  }

  private func job(
    _ state: JobState = .running, undoes: JobID? = nil
  ) -> Job {
    Job(
      id: JobID(number: 1), account: Accounts.did(0), title: "follow", state: state,
      createdAt: .init(at: now.wall), undoes: undoes)
  }

  /// A commit of the job, as its server names it.
  private let made = CID("zCommit1000").map { RepositoryCommit(cid: $0, revision: "1") }

  private func machine(
    _ job: Job? = nil, doubts: [JobCommit] = [], items: Int = 0, stopsWhenShort: Bool = false
  ) -> JobMachine {
    var counts = JobCounts()
    counts.add(items, .pending, points: 3 * items)
    return JobMachine(
      job: job ?? self.job(), doubts: doubts, counts: counts, stopsWhenShort: stopsWhenShort,
      facts: FactsStamp(revision: 0, readAt: now.steady))
  }

  @Test func journalsThenSendsThenRecords() {
    var machine = machine(items: 2)
    let items = ChangeSamples.items(1..<3)
    let commit = JobCommit(number: 1, items: items)
    #expect(machine.start(at: now) == .load(after: nil))
    #expect(machine.received(.loaded(items), at: now) == .begin(commit))
    #expect(machine.received(.began(.begun), at: now) == .send(commit, after: nil))
    let outcome = JobOutcome(commit: 1, isPaid: true, states: [0: .done, 1: .done])
    #expect(machine.received(.sent(made), at: now) == .record(outcome))
    #expect(machine.received(.recorded, at: now) == .load(after: 1))
    #expect(machine.received(.loaded([]), at: now) == .end(.done))
    #expect(machine.counts[.done] == 2 && machine.counts.left == 0 && machine.counts.pointsLeft == 0)
  }

  @Test func countsItemsAsInDoubtUntilTheyAreSettled() {
    let (first, second) = (ChangeSamples.items(1..<3), ChangeSamples.items(3..<5))
    var counts = JobCounts()
    counts.add(4, .inDoubt, points: 12)
    counts.add(5, .pending, points: 15)
    let doubts = [JobCommit(number: 1, items: first), JobCommit(number: 2, items: second)]
    var machine = JobMachine(
      job: job(), doubts: doubts, counts: counts, facts: FactsStamp(revision: 0, readAt: now.steady))
    func expect(pending: Int, inDoubt: Int, done: Int, points: Int) {
      #expect(machine.counts[.pending] == pending && machine.counts[.inDoubt] == inDoubt)
      #expect(machine.counts[.done] == done && machine.counts.pointsLeft == points)
    }
    _ = machine.start(at: now)
    _ = machine.received(.settled(true), at: now)
    expect(pending: 5, inDoubt: 2, done: 2, points: 21)
    // A split batch is pending in the journal.
    _ = machine.received(.recorded, at: now)
    _ = machine.received(.failed(RepositoryError(.partial, detail: "one is there")), at: now)
    expect(pending: 7, inDoubt: 0, done: 2, points: 21)
    _ = machine.received(.recorded, at: now)
    _ = machine.received(.settled(true), at: now)
    expect(pending: 6, inDoubt: 0, done: 3, points: 18)
  }

  @Test func settlesEarlierCommitsFirst() {
    let first = JobCommit(number: 4, items: ChangeSamples.items(1..<3))
    let second = JobCommit(number: 7, items: ChangeSamples.items(3..<5))
    var machine = machine(doubts: [second, first])
    #expect(machine.start(at: now) == .resolveInDoubt(first))
    // Not yet: the same again, under the same number and keys.
    #expect(machine.received(.settled(false), at: now) == .begin(first))
    #expect(machine.received(.began(.begun), at: now) == .send(first, after: nil))
    #expect(
      machine.received(.sent(made), at: now)
        == .record(JobOutcome(commit: 4, isPaid: true, states: [0: .done, 1: .done])))
    #expect(machine.received(.recorded, at: now) == .resolveInDoubt(second))
    #expect(
      machine.received(.settled(true), at: now)
        == .record(JobOutcome(commit: 7, isPaid: true, states: [0: .done, 1: .done])))
    #expect(machine.received(.recorded, at: now) == .load(after: nil))
    // A number is not reused while it may be in doubt.
    let items = ChangeSamples.items(5..<6)
    #expect(machine.received(.loaded(items), at: now) == .takeSnapshot)
    #expect(
      machine.received(.snapshotTaken(RepositorySnapshot(), nil), at: now)
        == .begin(JobCommit(number: 8, items: items)))
  }

  @Test func keepsTheDoubtIfTheLookUpFails() {
    let commit = JobCommit(number: 1, items: ChangeSamples.items(1..<3))
    var machine = machine(doubts: [commit])
    _ = machine.start(at: now)
    let down = RepositoryError(.unavailable, detail: "down")
    #expect(machine.received(.failed(down), at: now) == .wait(.seconds(1), .trouble("down")))
    #expect(machine.received(.waited, at: now) == .resolveInDoubt(commit))
    #expect(machine.received(.failed(down), at: now) == .wait(.seconds(2), .trouble("down")))
    #expect(machine.received(.waited, at: now) == .resolveInDoubt(commit))
    let out = RepositoryError(.notAuthorized, detail: "sign in again")
    #expect(
      machine.received(.failed(out), at: now) == .end(.stopped(JobStop(.notAuthorized, "sign in again"))))
  }

  /// What the session may not do fails; the rest is done; the end says that signing in otherwise would help.
  @Test func failsWhatTheSessionMayNotDo() {
    var machine = machine(items: 2)
    let items = ChangeSamples.items(1..<3)
    let scope = RepositoryError(.notPermitted, detail: "Bad token scope")
    _ = machine.start(at: now)
    _ = machine.received(.loaded(Array(items[..<1])), at: now)
    _ = machine.received(.began(.begun), at: now)
    #expect(
      machine.received(.failed(scope), at: now)
        == .record(JobOutcome(commit: 1, isPaid: false, states: [0: .failed("Bad token scope")])))
    #expect(machine.received(.recorded, at: now) == .load(after: 0))
    _ = machine.received(.loaded(Array(items[1...])), at: now)
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.sent(nil), at: now)
    #expect(machine.received(.recorded, at: now) == .load(after: 1))
    #expect(
      machine.received(.loaded([]), at: now) == .end(.stopped(JobStop(.notPermitted, "Bad token scope"))))
    #expect(machine.counts[.done] == 1 && machine.counts[.failed] == 1 && machine.counts.left == 0)
  }

  /// Signing in again would not help, so nothing waits for it.
  @Test(arguments: [
    (RepositoryError.Code.accountSuspended, JobStop.Code.accountSuspended),
    (.accountDeactivated, .accountDeactivated),
  ])
  func failsWhatAnInactiveAccountMayNotWrite(code: RepositoryError.Code, stop: JobStop.Code) {
    var machine = machine(items: 1)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    _ = machine.received(.began(.begun), at: now)
    #expect(
      machine.received(.failed(RepositoryError(code, detail: "inactive")), at: now)
        == .record(JobOutcome(commit: 1, isPaid: false, states: [0: .failed("inactive")])))
    #expect(machine.received(.recorded, at: now) == .load(after: 0))
    #expect(machine.received(.loaded([]), at: now) == .end(.stopped(JobStop(stop, "inactive"))))
  }

  @Test func looksForWhatWasSentBeforeTheSessionLostAPermission() {
    let commit = JobCommit(number: 1, items: ChangeSamples.items(1..<2))
    var machine = machine(doubts: [commit])
    _ = machine.start(at: now)
    _ = machine.received(.settled(false), at: now)
    _ = machine.received(.began(.begun), at: now)
    let scope = RepositoryError(.notPermitted, detail: "Bad token scope")
    #expect(machine.received(.failed(scope), at: now) == .resolveInDoubt(commit))
  }

  @Test func stopsIfTheSessionMayDoNothing() {
    var machine = machine(items: 100)
    let scope = RepositoryError(.notPermitted, detail: "Bad token scope")
    _ = machine.start(at: now)
    for number in 1...JobMachine.mostStrikes {
      _ = machine.received(.loaded(ChangeSamples.items(number..<(number + 1))), at: now)
      _ = machine.received(.began(.begun), at: now)
      _ = machine.received(.failed(scope), at: now)
      let next = machine.received(.recorded, at: now)
      let isLast = number == JobMachine.mostStrikes
      #expect((next == .end(.stopped(JobStop(.notPermitted, "Bad token scope")))) == isLast)
    }
  }

  @Test func backsOffFromABusyServerThatAsksForNoWait() {
    var machine = machine(items: 1)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    var waits: [Int64] = []
    for retryAfter in [0, 0, 0, 500] {
      _ = machine.received(.began(.begun), at: now)
      let busy = RepositoryError(.rateLimited, detail: "busy", retryAfter: .seconds(retryAfter))
      guard case .record(let outcome) = machine.received(.failed(busy), at: now) else {
        Issue.record("it stays in doubt while it waits")
        return
      }
      #expect(outcome == JobOutcome(commit: waits.count + 1, isPaid: false, states: [0: .pending]))
      if case .wait(let span, .rateLimit) = machine.received(.recorded, at: now) {
        waits.append(span.components.seconds)
      }
      _ = machine.received(.waited, at: now)
    }
    #expect(waits == [1, 2, 4, 500])
  }

  /// Only a server that refuses again and again is asked ever later.
  @Test func aPaidCommitEndsTheBackOff() {
    var machine = machine(items: 2)
    _ = machine.start(at: now)
    let busy = RepositoryError(.rateLimited, detail: "busy", retryAfter: .zero)
    for item in ChangeSamples.items(1..<3) {
      _ = machine.received(.loaded([item]), at: now)
      _ = machine.received(.began(.begun), at: now)
      _ = machine.received(.failed(busy), at: now)
      #expect(machine.received(.recorded, at: now) == .wait(.seconds(1), .rateLimit))
      _ = machine.received(.waited, at: now)
      _ = machine.received(.began(.begun), at: now)
      _ = machine.received(.sent(made), at: now)
      #expect(machine.received(.recorded, at: now) == .load(after: item.position))
    }
  }

  /// A server that names no time has not asked for the wait.
  @Test func doesNotSayThatTheServerAskedForAWait() {
    var machine = machine(items: 1)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.failed(RepositoryError(.rateLimited, detail: "busy")), at: now)
    #expect(machine.received(.recorded, at: now) == .wait(.seconds(60), .trouble("busy")))
  }

  @Test(arguments: [(5, true), (6, false)])
  func stopsIfTheServerAsksForALongerWaitThanAllowed(seconds: Int, isWaitedFor: Bool) {
    var counts = JobCounts()
    counts.add(1, .pending, points: 3)
    var machine = JobMachine(
      job: job(), doubts: [], counts: counts, longestWait: .seconds(5),
      facts: FactsStamp(revision: 0, readAt: now.steady))
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    _ = machine.received(.began(.begun), at: now)
    let busy = RepositoryError(.rateLimited, detail: "busy", retryAfter: .seconds(seconds))
    _ = machine.received(.failed(busy), at: now)
    let until = now.wall + Int64(seconds) * 1_000_000
    let action = machine.received(.recorded, at: now)
    #expect(
      action
        == (isWaitedFor
          ? .wait(.seconds(seconds), .rateLimit)
          : .end(.stopped(JobStop(.rateLimited, "busy", until: until)))))
  }

  @Test func aRefusalIsCertainIfTheServerDoesNotAnswerTheLookUp() {
    let refusal = RepositoryError(.refused, detail: "Invalid record")
    let silence = RepositoryError(.refused, detail: "Could not find repo")
    var machine = machine(items: 1)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    _ = machine.received(.began(.begun), at: now)
    guard case .resolveInDoubt = machine.received(.failed(refusal), at: now) else {
      Issue.record("the repository does not have the last word")
      return
    }
    #expect(
      machine.received(.failed(silence), at: now)
        == .record(JobOutcome(commit: 1, isPaid: false, states: [0: .failed("Invalid record")])))
  }

  @Test func doesNotCountARefusedAndPartlyPresentStepAsDone() {
    let refusal = RepositoryError(.refused, detail: "Invalid record")
    let partial = RepositoryError(.partial, detail: "one is there")
    var machine = machine(items: 1)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.failed(refusal), at: now)
    #expect(
      machine.received(.failed(partial), at: now)
        == .record(JobOutcome(commit: 1, isPaid: false, states: [0: .failed("Invalid record")])))
  }

  /// Each refused commit costs points; the reference PDS reports its limit.
  @Test(arguments: [
    ("Too many writes. Max: 2", 2), ("Too many writes. Max: 5", 2), ("Too many writes. Max: 0", 2),
    ("Too many writes", 2), ("Too many writes. Max: 4", 4), ("too many writes, MAX: 1 is allowed", 1),
  ])
  func sendsAsManyWritesAsTheServerAccepts(words: String, size: Int) async throws {
    let pds = PDSDouble()
    pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", words))] }
    let repository = try pds.repository()
    let refusal = await #expect(throws: RepositoryError.self) {
      try await repository.commit([ChangeSamples.create(1)])
    }
    let tooLarge = try #require(refusal)
    let items = ChangeSamples.items(0..<5)
    var machine = machine(items: 5)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(items), at: now)
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.failed(tooLarge), at: now)
    #expect(
      machine.received(.recorded, at: now) == .begin(JobCommit(number: 2, items: Array(items[..<size]))))
  }

  @Test func failsTheStepWhoseKeyIsTakenAndContinues() {
    let items = ChangeSamples.items(1..<4)
    let taken = RepositoryError(.taken, detail: "another record is there")
    var machine = machine(doubts: [JobCommit(number: 1, items: items)])
    #expect(machine.start(at: now) == .resolveInDoubt(JobCommit(number: 1, items: items)))
    // Split and looked up: nothing is sent before the step is found.
    #expect(
      machine.received(.failed(taken), at: now)
        == .record(
          JobOutcome(
            commit: 1, isPaid: false, states: [0: .pending, 1: .pending, 2: .pending], keepsDoubt: true)))
    #expect(machine.received(.recorded, at: now) == .resolveInDoubt(JobCommit(number: 2, items: [items[0]])))
    #expect(
      machine.received(.failed(taken), at: now)
        == .record(JobOutcome(commit: 2, isPaid: false, states: [0: .failed("another record is there")])))
    let rest = JobCommit(number: 3, items: Array(items[1...]))
    #expect(machine.received(.recorded, at: now) == .resolveInDoubt(rest))
    #expect(machine.received(.settled(false), at: now) == .begin(rest))
  }

  @Test func findsWhatALateCommitHasDoneByBisection() {
    let items = ChangeSamples.items(1..<4)
    let partial = RepositoryError(.partial, detail: "one is there")
    var machine = machine(doubts: [JobCommit(number: 1, items: items)])
    _ = machine.start(at: now)
    #expect(
      machine.received(.failed(partial), at: now)
        == .record(
          JobOutcome(
            commit: 1, isPaid: false, states: [0: .pending, 1: .pending, 2: .pending], keepsDoubt: true)))
    let first = JobCommit(number: 2, items: [items[0]])
    #expect(machine.received(.recorded, at: now) == .resolveInDoubt(first))
    #expect(
      machine.received(.settled(true), at: now)
        == .record(JobOutcome(commit: 2, isPaid: true, states: [0: .done])))
    let rest = JobCommit(number: 3, items: Array(items[1...]))
    #expect(machine.received(.recorded, at: now) == .resolveInDoubt(rest))
    #expect(machine.received(.settled(false), at: now) == .takeSnapshot)
    #expect(machine.received(.snapshotTaken(RepositorySnapshot(), nil), at: now) == .begin(rest))
  }

  /// Cancelled items must not count as cancelled while they may exist.
  @Test func keepsTheDoubtOfACancelledCommitUntilEachHalfIsSettled() {
    let items = ChangeSamples.items(1..<3)
    let partial = RepositoryError(.partial, detail: "one is there")
    var machine = machine(job(.cancelled), doubts: [JobCommit(number: 1, items: items)])
    _ = machine.start(at: now)
    #expect(
      machine.received(.failed(partial), at: now) == .resolveInDoubt(JobCommit(number: 1, items: [items[0]])))
    // Half of a step exists: it was made, and the rest was removed since.
    #expect(
      machine.received(.failed(partial), at: now)
        == .record(JobOutcome(commit: 1, isPaid: true, states: [0: .done])))
    #expect(machine.received(.recorded, at: now) == .resolveInDoubt(JobCommit(number: 3, items: [items[1]])))
    #expect(
      machine.received(.settled(false), at: now)
        == .record(JobOutcome(commit: 3, isPaid: false, states: [1: .cancelled])))
  }

  @Test func keepsTheDoubtIfTheServerDoesNotAnswer() {
    var machine = machine(doubts: [JobCommit(number: 1, items: ChangeSamples.items(1..<2))])
    _ = machine.start(at: now)
    let silence = RepositoryError(.refused, detail: "Could not find repo")
    #expect(
      machine.received(.failed(silence), at: now) == .end(.stopped(JobStop(.refused, "Could not find repo"))))
  }

  @Test func repeatsACallInsteadOfLookingItUp() {
    let call = JobCommit(number: 1, items: ChangeSamples.items(1..<2, ChangeSamples.mute))
    var machine = machine(doubts: [call])
    #expect(machine.start(at: now) == .begin(call))
    #expect(machine.received(.began(.begun), at: now) == .send(call, after: nil))
    let lost = RepositoryError(.inDoubt, detail: "lost")
    #expect(machine.received(.failed(lost), at: now) == .wait(.seconds(1), .trouble("lost")))
    #expect(machine.received(.waited, at: now) == .begin(call))
  }

  @Test func sendsACallAlone() {
    var machine = machine(items: 3)
    var items = ChangeSamples.items(1..<4)
    items[1].step = ChangeSamples.mute(2)
    _ = machine.start(at: now)
    #expect(machine.received(.loaded(items), at: now) == .begin(JobCommit(number: 1, items: [items[0]])))
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.sent(made), at: now)
    #expect(machine.received(.recorded, at: now) == .begin(JobCommit(number: 2, items: [items[1]])))
  }

  @Test func writesEachRecordOncePerCommit() {
    var machine = machine(items: 3)
    var items = ChangeSamples.items(1..<4)
    items[2].step = items[0].step
    _ = machine.start(at: now)
    #expect(
      machine.received(.loaded(items), at: now) == .begin(JobCommit(number: 1, items: Array(items[..<2]))))
  }

  @Test func sendsWhatTheBudgetAllowsAndWaitsForTheRest() {
    var machine = machine(items: 100)
    let items = ChangeSamples.items(1..<101)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(items), at: now)
    // 100 of 300 points: a third of the commit.
    #expect(
      machine.received(.began(.short(left: 100, until: now.wall + 5)), at: now)
        == .begin(JobCommit(number: 2, items: Array(items[..<33]))))
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.sent(made), at: now)
    #expect(machine.received(.recorded, at: now) == .begin(JobCommit(number: 3, items: Array(items[33...]))))
    #expect(
      machine.received(.began(.short(left: 1, until: now.wall + 5)), at: now)
        == .wait(.microseconds(5), .budget))
  }

  @Test func sendsAsManyChangesAsAreAllowed() {
    var machine = machine(items: 100)
    let items = ChangeSamples.items(1..<101)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(items), at: now)
    // Fewer than a quarter: the limit is meant to spread them.
    let few = JobMachine.Event.began(.short(left: 4_000, changes: 7, until: nil))
    #expect(machine.received(few, at: now) == .begin(JobCommit(number: 2, items: Array(items[..<7]))))
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.sent(made), at: now)
    #expect(machine.received(.recorded, at: now) == .begin(JobCommit(number: 3, items: Array(items[7...]))))
    // None are left, and all the others are never allowed at once: smaller parts are tried, then waited for.
    var next = machine.received(.began(.short(left: 4_000, changes: 0, until: nil)), at: now)
    var sizes: [Int] = []
    while case .begin(let commit) = next, sizes.count < 20 {
      sizes.append(commit.items.count)
      let until = commit.items.count <= 7 ? now.wall + 5 : nil
      next = machine.received(.began(.short(left: 4_000, changes: 0, until: until)), at: now)
    }
    #expect(next == .wait(.microseconds(5), .budget))
    #expect(sizes == [46, 23, 11, 5])
  }

  @Test(arguments: [(74, 0), (75, 25), (76, 25)])
  func sendsAPartFromAQuarterOfTheCommitOn(left: Int, sent: Int) {
    var machine = machine(items: 100)
    let items = ChangeSamples.items(1..<101)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(items), at: now)
    // The whole commit costs 300 points.
    #expect(
      machine.received(.began(.short(left: left, until: now.wall + 5)), at: now)
        == (sent == 0
          ? .wait(.microseconds(5), .budget) : .begin(JobCommit(number: 2, items: Array(items[..<sent])))))
  }

  /// The rest of what was in doubt stays so: it may still arrive late.
  @Test(arguments: [true, false])
  func sendsThePayablePartOfACommitThatDidNotTakeEffect(isNever: Bool) {
    let items = ChangeSamples.items(1..<101)
    let whole = JobCommit(number: 4, items: items)
    var machine = machine(doubts: [whole])
    #expect(machine.start(at: now) == .resolveInDoubt(whole))
    #expect(machine.received(.settled(false), at: now) == .begin(whole))
    // 100 of 300 points are 33 follows.
    let short = JobMachine.Event.began(.short(left: 100, until: isNever ? nil : now.wall + 5))
    let states = Dictionary((0..<33).map { ($0, JobItemState.pending) }) { first, _ in first }
    #expect(
      machine.received(short, at: now)
        == .record(JobOutcome(commit: 4, isPaid: false, states: states, keepsDoubt: true)))
    #expect(
      machine.received(.recorded, at: now) == .begin(JobCommit(number: 5, items: Array(items[..<33]))))
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.sent(made), at: now)
    let rest = JobCommit(number: 4, items: Array(items[33...]))
    #expect(machine.received(.recorded, at: now) == .begin(rest))
  }

  /// A quarter is worth a commit, less is not.
  @Test(arguments: [(75, true), (74, false)])
  func sendsAPartFromAQuarterOn(_ left: Int, _ isSent: Bool) {
    var machine = machine(items: 100)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<101)), at: now)
    let next = machine.received(.began(.short(left: left, until: now.wall + 5)), at: now)
    #expect(
      next
        == (isSent
          ? .begin(JobCommit(number: 2, items: ChangeSamples.items(1..<26)))
          : .wait(.microseconds(5), .budget)))
  }

  /// A later change has cancelled them while this run waited; the journal has them already.
  @Test func dropsWhatWasWithdrawn() {
    var machine = machine(items: 3)
    var items = ChangeSamples.items(1..<4)
    items[2].dependency = JobItem.Dependency(position: 1, state: .pending)
    _ = machine.start(at: now)
    #expect(machine.received(.loaded(items), at: now) == .begin(JobCommit(number: 1, items: items)))
    let next = machine.received(.began(.withdrawn([1])), at: now)
    // What depends on it is not done either.
    let stranded = JobItemState.failed(SkipReason.dependencyFailed.description)
    #expect(next == .record(JobOutcome(states: [2: stranded])))
    #expect(machine.counts[.cancelled] == 1 && machine.counts[.failed] == 1 && machine.counts.pointsLeft == 3)
    #expect(machine.received(.recorded, at: now) == .begin(JobCommit(number: 1, items: [items[0]])))
    #expect(machine.received(.began(.withdrawn([0])), at: now) == .load(after: 2))
    #expect(machine.received(.loaded([]), at: now) == .end(.done))
  }

  @Test func skipsWhatIsToBeUndoneAlready() {
    var machine = machine(items: 2)
    let items = ChangeSamples.items(1..<3)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(items), at: now)
    let skipped = JobItemState.skipped(SkipReason.expired.description)
    #expect(
      machine.received(.began(.expired([0])), at: now) == .record(JobOutcome(states: [0: skipped])))
    #expect(machine.received(.recorded, at: now) == .begin(JobCommit(number: 1, items: [items[1]])))
  }

  /// Each time that the server asks to slow down, the wait starts at one second, unless nothing was done in between.
  @Test func startsTheBackoffAgainAfterAnAcceptedCommit() {
    var machine = machine(items: 2)
    let items = ChangeSamples.items(1..<3)
    let slow = JobMachine.Event.failed(RepositoryError(.rateLimited, detail: "slow", retryAfter: .zero))
    func limited() -> JobMachine.Action {
      _ = machine.received(.began(.begun), at: now)
      _ = machine.received(slow, at: now)
      return machine.received(.recorded, at: now)
    }
    _ = machine.start(at: now)
    _ = machine.received(.loaded([items[0]]), at: now)
    #expect(limited() == .wait(.seconds(1), .rateLimit))
    _ = machine.received(.waited, at: now)
    #expect(limited() == .wait(.seconds(2), .rateLimit))
    _ = machine.received(.waited, at: now)
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.sent(made), at: now)
    #expect(machine.received(.recorded, at: now) == .load(after: 0))
    _ = machine.received(.loaded([items[1]]), at: now)
    #expect(limited() == .wait(.seconds(1), .rateLimit))
  }

  @Test func endsIfItsJobHasEnded() {
    var machine = machine(items: 1)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    #expect(machine.received(.began(.halted(.done)), at: now) == .end(.done))
  }

  @Test func stopsIfAStepIsOverTheBudget() {
    var machine = machine(items: 2)
    let items = ChangeSamples.items(1..<3)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(items), at: now)
    let never = JobMachine.Event.began(.short(left: 0, until: nil))
    #expect(machine.received(never, at: now) == .begin(JobCommit(number: 2, items: [items[0]])))
    guard case .end(.stopped(let stop)) = machine.received(never, at: now) else {
      Issue.record("it goes on")
      return
    }
    #expect(stop.code == .budget && stop.until == nil)
  }

  @Test func cancelsWhatDidNotTakeEffectOfACancelledJob() {
    let write = JobCommit(number: 1, items: ChangeSamples.items(1..<2))
    let call = JobCommit(number: 2, items: ChangeSamples.items(2..<3, ChangeSamples.mute))
    var machine = machine(job(.cancelled), doubts: [write, call])
    #expect(machine.start(at: now) == .resolveInDoubt(write))
    #expect(
      machine.received(.settled(false), at: now)
        == .record(JobOutcome(commit: 1, isPaid: false, states: [0: .cancelled])))
    // Whether a call took effect cannot be looked up; repeating it makes sure.
    #expect(machine.received(.recorded, at: now) == .send(call, after: nil))
    #expect(
      machine.received(.sent(made), at: now)
        == .record(JobOutcome(commit: 2, isPaid: true, states: [0: .done])))
    #expect(machine.received(.recorded, at: now) == .end(.cancelled))
  }

  @Test func comparesAgainAfterWaitingForPoints() {
    var machine = machine(job(undoes: JobID(number: 9)), items: 1)
    let items = ChangeSamples.items(1..<2)
    _ = machine.start(at: now)
    #expect(machine.received(.loaded(items), at: now) == .takeSnapshot)
    let snapshot = RepositorySnapshot()
    #expect(machine.received(.snapshotTaken(snapshot, nil), at: now) == .check(items, snapshot))
    let checks = [0: StepPrecondition.proceed(items[0].step)]
    #expect(machine.received(.checked(checks), at: now) == .begin(JobCommit(number: 1, items: items)))
    #expect(
      machine.received(.began(.short(left: 0, until: now.wall + 9)), at: now)
        == .wait(.microseconds(9), .budget))
    #expect(machine.received(.waited, at: now) == .check(items, snapshot))
  }

  /// Five minutes after the facts were read, whether it waited or worked since then.
  @Test(arguments: [true, false]) func comparesWhenItsFactsAreOld(_ waits: Bool) {
    for (age, isOld) in [(Duration.seconds(299), false), (.seconds(300), true)] {
      var machine = machine(items: 2)
      let items = ChangeSamples.items(1..<3)
      _ = machine.start(at: now)
      let next: JobMachine.Action
      if waits {
        _ = machine.received(.loaded(items), at: now)
        _ = machine.received(.began(.short(left: 0, until: later(age).wall)), at: now)
        next = machine.received(.waited, at: later(age))
      } else {
        next = machine.received(.loaded(items), at: later(age))
      }
      #expect(next == (isOld ? .takeSnapshot : .begin(JobCommit(number: 1, items: items))))
    }
  }

  @Test func listsAgainAfterALongWait() {
    var machine = machine(items: 1)
    let items = ChangeSamples.items(1..<2)
    _ = machine.start(at: now)
    #expect(machine.received(.loaded(items), at: now) == .begin(JobCommit(number: 1, items: items)))
    let later = later(.seconds(3_600))
    _ = machine.received(.began(.short(left: 0, until: later.wall)), at: now)
    #expect(machine.received(.waited, at: later) == .takeSnapshot)
    var snapshot = RepositorySnapshot()
    snapshot.ask(about: ChangeSamples.create(1))
    snapshot.record(ChangeSamples.rkey(9), RecordEdge(ChangeSamples.record(1), in: .follow), in: .follow)
    #expect(
      machine.received(.snapshotTaken(snapshot, nil), at: later)
        == .record(JobOutcome(commit: 1, states: [0: .skipped(SkipReason.holdsAlready.description)])))
  }

  // MARK: Commits of other apps

  private func commit(_ number: Int) throws -> RepositoryCommit {
    RepositoryCommit(cid: try CID(parsing: "zCommit\(1_000 + number)"), revision: "\(number)")
  }

  private func boundMachine(items: Int) throws -> JobMachine {
    var counts = JobCounts()
    counts.add(items, .pending, points: 3 * items)
    return JobMachine(
      job: job(), doubts: [], counts: counts, writesPerCommit: 1,
      facts: FactsStamp(revision: 0, readAt: now.steady, commit: try commit(1)))
  }

  /// However long it waits: the server would refuse the commit if anything had changed.
  @Test func eachCommitFollowsOnTheOneBefore() throws {
    var machine = try boundMachine(items: 2)
    let items = ChangeSamples.items(1..<3)
    _ = machine.start(at: now)
    let later = later(.seconds(3_600))
    #expect(machine.received(.loaded(items), at: later) == .begin(JobCommit(number: 1, items: [items[0]])))
    let first = JobCommit(number: 1, items: [items[0]])
    #expect(machine.received(.began(.begun), at: later) == .send(first, after: try commit(1)))
    _ = machine.received(.sent(try commit(2)), at: later)
    let second = JobCommit(number: 2, items: [items[1]])
    #expect(machine.received(.recorded, at: later) == .begin(second))
    #expect(machine.received(.began(.begun), at: later) == .send(second, after: try commit(2)))
  }

  @Test func comparesAfterACommitOfAnotherApp() throws {
    var machine = try boundMachine(items: 1)
    let items = ChangeSamples.items(1..<2)
    let outdated = RepositoryError(.outdated, detail: "changed")
    _ = machine.start(at: now)
    _ = machine.received(.loaded(items), at: now)
    _ = machine.received(.began(.begun), at: now)
    // It was not written, and is not left in doubt.
    #expect(
      machine.received(.failed(outdated), at: now)
        == .record(JobOutcome(commit: 1, isPaid: false, states: [0: .pending])))
    #expect(machine.received(.recorded, at: now) == .takeSnapshot)
    var snapshot = RepositorySnapshot()
    snapshot.ask(about: ChangeSamples.create(1))
    snapshot.record(ChangeSamples.rkey(9), RecordEdge(ChangeSamples.record(1), in: .follow), in: .follow)
    #expect(
      machine.received(.snapshotTaken(snapshot, try commit(2)), at: now)
        == .record(JobOutcome(commit: nil, states: [0: .skipped(SkipReason.holdsAlready.description)])))
  }

  /// Without a commit to follow on, others may have come in between.
  @Test func comparesAfterACommitThatIsNotBound() throws {
    var machine = try boundMachine(items: 2)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<3)), at: now)
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.sent(nil), at: now)
    #expect(machine.received(.recorded, at: now) == .takeSnapshot)
  }

  @Test func comparesAfterALostAnswer() throws {
    var machine = try boundMachine(items: 2)
    _ = machine.start(at: now)
    _ = machine.received(.loaded(ChangeSamples.items(1..<3)), at: now)
    _ = machine.received(.began(.begun), at: now)
    _ = machine.received(.failed(RepositoryError(.inDoubt, detail: "lost")), at: now)
    _ = machine.received(.waited, at: now)
    _ = machine.received(.settled(true), at: now)
    #expect(machine.received(.recorded, at: now) == .takeSnapshot)
  }

  /// Something else changes the repository all the time.
  @Test func waitsIfOthersAreAlwaysFaster() throws {
    var machine = try boundMachine(items: 1)
    let outdated = RepositoryError(.outdated, detail: "changed")
    _ = machine.start(at: now)
    var action = machine.received(.loaded(ChangeSamples.items(1..<2)), at: now)
    var comparisons = 0
    while comparisons < 20 {
      switch action {
      case .begin: action = machine.received(.began(.begun), at: now)
      case .send: action = machine.received(.failed(outdated), at: now)
      case .record: action = machine.received(.recorded, at: now)
      case .takeSnapshot:
        comparisons += 1
        action = machine.received(.snapshotTaken(RepositorySnapshot(), try commit(comparisons)), at: now)
      default:
        #expect(action == .wait(.seconds(1), .trouble("changed")))
        #expect(comparisons == 5)
        return
      }
    }
    Issue.record("it does not wait")
  }
}
