// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Plans that are made while jobs of the same journal are open.
@Suite struct PlanningBesideJobsTests {
  private let account = Accounts.did(0)
  private let other = Accounts.did(1)
  private let pds = PDSDouble()
  private let journal = InMemoryJobStore()
  private let clock = ManualClock(.skipping)
  private var time: TimeSource { clock.timeSource(wallAtZero: 1_760_000_000_000_000) }

  private func engine(over transport: ScriptedTransport? = nil, clockID: UInt16 = 1) throws -> ChangeEngine {
    let time = time
    let client = try pds.client(transport ?? pds.transport, time)
    let own = OwnRecords(of: account, client: client)
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    return ChangeEngine(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(account: account, pds: client, appview: client, relationships: source, records: own),
      journal: journal, keys: TIDClock(clockID: clockID) { time.instant }, time: time)
  }

  private func submit(
    _ intents: ChangeIntent..., for lifetime: Duration? = nil, by engine: ChangeEngine
  ) async throws -> ChangeEngine.Submission {
    try await engine.submit(
      intents.map { ChangePlan.Request("x", $0, isResolved: true) }, as: "change", lifetime: lifetime)
  }

  /// Submits and runs a change.
  private func make(
    _ intents: ChangeIntent..., for lifetime: Duration? = nil, by engine: ChangeEngine
  ) async throws -> JobID {
    let submission = try await engine.submit(
      intents.map { ChangePlan.Request("x", $0, isResolved: true) }, as: "change", lifetime: lifetime)
    let job = try #require(submission.job)
    #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
    return job.id
  }

  private func records(_ collection: String) -> [DataValue] {
    pds.records.filter { $0.key.hasPrefix(collection + "/") }.map(\.value)
  }

  // MARK: What would end the intent

  @Test func aTimedChangeMadePermanentStaysSo() async throws {
    let engine = try engine()
    let job = try await make(.block(other), for: .seconds(1), by: engine)
    clock.advance(by: .seconds(2))
    let undo = try await engine.undo(job, endedBy: time.instant).job
    let submission = try await submit(.block(other), by: engine)
    let plan = submission.plan
    #expect(try await engine.run(try #require(submission.job).id) == .done)
    #expect(plan.changes[0].steps.map { $0.end != nil } == [true] && plan.changes[0].changesJobs)
    #expect(plan.changes[0].notes.map(\.code) == [.withdrawn, .endDropped])
    await #expect(throws: JobError.self) { try await engine.run(undo.id) }
    #expect(try await journal.due(at: .distantFuture).isEmpty)
    #expect(records("app.bsky.graph.block").count == 1)
  }

  @Test func aNewEndOfATimedChangeIsKept() async throws {
    let engine = try engine()
    let job = try await make(.block(other), for: .seconds(1), by: engine)
    clock.advance(by: .seconds(2))
    _ = try await engine.undo(job, endedBy: time.instant)
    _ = try await make(.block(other), for: .seconds(60), by: engine)
    #expect(try await journal.due(at: time.instant).isEmpty)
    clock.advance(by: .seconds(61))
    let due = try #require(try await journal.due(at: time.instant).first)
    #expect(due.job.id == job && due.undo == nil)
    #expect(try await engine.end(due).end == .done)
    #expect(records("app.bsky.graph.block").isEmpty)
  }

  /// A changed end is an item of its job, so it can be undone.
  @Test func anUndoGivesATimedChangeItsEndBack() async throws {
    let engine = try engine()
    let job = try await make(.block(other), for: .seconds(60), by: engine)
    let end = try await journal.items(of: job, in: [.done], after: nil, most: .max)[0].until
    let permanent = try await make(.block(other), by: engine)
    #expect(try await journal.due(at: .distantFuture).isEmpty)
    #expect(try await engine.run(try await engine.undo(permanent).job.id) == .done)
    #expect(try await journal.items(of: job, in: [.done], after: nil, most: .max)[0].until == end)
    #expect(try await journal.summary(of: permanent).counts[.undone] == 1)
    #expect(records("app.bsky.graph.block").count == 1)
  }

  /// What is to be kept longer must not end while the rest of its job waits for points.
  @Test func endsAreChangedBeforeAnythingWaits() async throws {
    let engine = try engine()
    let job = try await make(.follow(other), for: .seconds(60), by: engine)
    let submission = try await engine.submit(
      [Accounts.did(2), other].map { ChangePlan.Request("x", .follow($0), isResolved: true) },
      as: "follow", limit: WriteLimit(perHour: 1, leave: 0))
    let options = JobOptions(limit: WriteLimit(perHour: 1, leave: 0), stopsWhenShort: true)
    let end = try await engine.run(
      try #require(submission.job).id, plannedBy: submission.facts, options: options)
    guard case .stopped = end else {
      Issue.record("the job ended as \(end)")
      return
    }
    #expect(try await journal.items(of: job, in: [.done], after: nil, most: .max)[0].until == nil)
  }

  @Test func whatIsWantedAgainIsNotUndone() async throws {
    let engine = try engine()
    let job = try await make(.follow(other), .follow(Accounts.did(2)), by: engine)
    let undo = try await engine.undo(job).job
    let plan = try await submit(.follow(other), by: engine).plan
    #expect(plan.changes[0].holds && plan.changes[0].withdrawals.keys.contains(undo.id))
    #expect(try await engine.run(undo.id) == .done)
    #expect(records("app.bsky.graph.follow").map { $0["subject"]?.string } == ["\(other)"])
  }

  /// Planning alone changes nothing.
  @Test func aDryRunWithdrawsNothing() async throws {
    let engine = try engine()
    let job = try await make(.follow(other), by: engine)
    let undo = try await engine.undo(job).job
    let plan = try await engine.plan([ChangePlan.Request("x", .follow(other), isResolved: true)])
    #expect(plan.changes[0].notes.map(\.code) == [.withdrawn])
    #expect(try await journal.summary(of: undo.id).counts[.pending] == 1)
  }

  @Test func namesTheJobWhoseStepIsInDoubt() async throws {
    let engine = try engine()
    let job = try await make(.follow(other), by: engine)
    let undo = try await engine.undo(job).job
    let items = try await journal.items(of: undo.id, in: [.pending], after: nil, most: .max)
    _ = try await journal.begin(
      JobCommit(number: 1, items: items), of: undo.id, within: WriteLimit(leave: 0), asOf: .max,
      at: time.instant)
    let plan = try await submit(.follow(other), by: engine).plan
    #expect(plan.changes[0].refusal == .unsettled(undo.id))
    #expect(try await journal.summary(of: undo.id).counts[.inDoubt] == 1)
  }

  // MARK: Keys of the server

  @Test func undoesRecordsUnderTheKeysThatTheServerGave() async throws {
    let engine = try engine()
    let follow = try await make(.follow(other), by: engine)
    pds.change { $0.choosesKeys = true }
    let submission = try await submit(.block(other), by: engine)
    let block = try #require(submission.job).id
    let shown = PosixMutex<[Int: ChangeStep]>([:])
    let end = try await engine.run(block, plannedBy: submission.facts) { progress in
      shown.withLock { $0.merge(progress.steps) { $1 } }
    }
    #expect(end == .done)
    let key = try #require(pds.records.keys.first)
    #expect(key.hasPrefix("app.bsky.graph.block/own-"))
    let items = try await journal.items(of: block, in: [.done], after: nil, most: .max)
    #expect(items[0].step.writes.map { "\($0.collection)/\($0.rkey)" }.first == key)
    #expect(items[0].step.writes.count == 2 && shown.withLock(\.self) == [0: items[0].step])
    let undo = try await engine.undo(block).job
    #expect(try await engine.run(undo.id) == .done)
    #expect(pds.records.keys.allSatisfy { $0.hasPrefix("app.bsky.graph.follow/") } && pds.records.count == 1)
    #expect(try await journal.summary(of: follow).counts[.done] == 1)
  }

  /// The answer is lost that would have told the keys.
  @Test func findsRecordsUnderTheKeysThatTheServerGave() async throws {
    let engine = try engine()
    let shown = try await submit(.follow(other), by: engine)
    let job = try #require(shown.job).id
    pds.change {
      $0.choosesKeys = true
      $0.faults = [.answerLost(.connectionLost)]
    }
    #expect(try await engine.run(job, plannedBy: shown.facts) == .done)
    #expect(pds.commits.count == 1 && pds.records.count == 1)
    let items = try await journal.items(of: job, in: [.done], after: nil, most: .max)
    #expect(items[0].step.writes.map { "\($0.collection)/\($0.rkey)" } == Array(pds.records.keys))
    #expect(try await engine.run(try await engine.undo(job).job.id) == .done)
    #expect(pds.records.isEmpty)
  }

  // MARK: Two at once

  /// The first is done after the journal was read and before the repository is.
  @Test func theSecondOfTwoEndsHolds() async throws {
    let first = try engine()
    let submission = try await submit(.block(other), for: .seconds(3_600), by: first)
    let job = try #require(submission.job)
    let isFirst = PosixMutex(true)
    let late = ScriptedTransport { [pds] request in
      let isListing = RequestQuery(request).method == "com.atproto.repo.listRecords"
      let isTurn =
        isListing
        && isFirst.withLock { wasFirst in
          defer { wasFirst = false }
          return wasFirst
        }
      if isTurn { _ = try await first.run(job.id, plannedBy: submission.facts) }
      return try pds.answer(request)
    }
    let second = try engine(over: late, clockID: 2)
    let later = try await submit(.block(other), for: .seconds(7_200), by: second)
    #expect(
      later.plan.changes[0].steps.map { $0.end != nil } == [true]
        && later.plan.changes[0].notes.map(\.code) == [.endMoved])
    #expect(try await second.run(try #require(later.job).id, plannedBy: later.facts) == .done)
    let end = try await journal.items(of: job.id, in: [.done], after: nil, most: .max).first?.until
    #expect(end.map { $0.instant > time.instant + 3_700_000_000 } == true)
  }

  private func list(_ number: Int) -> ATURI { OwnList.uri(ChangeSamples.rkey(number), of: account) }

  private func creation(_ number: Int, _ members: Int...) -> [ChangePlan.Request] {
    let draft = ListDraft(name: "Noise", purpose: .curate)
    return [ChangePlan.Request("Noise", .list(.create(list(number), draft)))]
      + members.map {
        ChangePlan.Request("\($0)", .add(Accounts.did($0), to: list(number)), isResolved: true)
      }
  }

  @Test func membersGoToTheListThatExistsByThen() async throws {
    let engine = try engine()
    for (number, members) in [(1, [11, 12]), (2, [12, 13])] {
      let submission = try await engine.submit(creation(number, members[0], members[1]), as: "create")
      #expect(submission.plan.changes.allSatisfy { $0.change.list == list(1) })
      if let job = submission.job { try await engine.run(job.id, plannedBy: submission.facts) }
    }
    let members = records("app.bsky.graph.listitem")
    #expect(records("app.bsky.graph.list").count == 1 && members.count == 3)
    #expect(Set(members.compactMap { $0["list"]?.string }) == ["\(list(1))"])
  }

  /// The other job is not run: what it contains is left to it, and nothing else.
  @Test func leavesToAnotherJobOnlyWhatItContains() async throws {
    let engine = try engine()
    let first = try #require(try await engine.submit(creation(1, 11), as: "create").job)
    let plan = try await engine.submit(creation(2, 11, 12), as: "create").plan
    #expect(
      plan.changes.map(\.refusal) == [.awaited(first.id), .awaited(first.id), .needsList(of: first.id)])
    #expect(plan.changes.allSatisfy { $0.change.list == list(1) })
  }

  /// It waits for a job that is about to be done, and plans again.
  @Test func waitsForTheListOfAJobThatIsBeingRun() async throws {
    let engine = try engine()
    let submission = try await engine.submit(creation(1, 11), as: "create")
    let first = try #require(submission.job)
    let time = time
    let clock = InterruptedClock(base: clock) {
      _ = try? await engine.run(first.id, plannedBy: submission.facts)
    }
    let waiting = TimeSource(clock) { time.instant }
    let second = ChangeEngine(
      repository: engine.repository, facts: engine.facts, journal: journal,
      keys: TIDClock(clockID: 2) { time.instant }, time: waiting)
    let plan = try await second.submit(creation(2, 11, 12), as: "create").plan
    #expect(plan.changes.map(\.holds) == [true, true, false] && plan.changes[2].steps.count == 1)
    #expect(plan.changes.allSatisfy { $0.change.list == list(1) })
  }
}

/// A clock during whose sleeps something happens.
private struct InterruptedClock: Clock {
  let base: ManualClock
  let event: @Sendable () async -> Void

  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    await event()
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}
