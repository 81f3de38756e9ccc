// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// A plan that waits for a yes, with each journal: it is carried out as it was shown, once, or not at all.
@Suite struct ProposedJobTests {
  private let scene: [TapScene]
  private static let follow = "app.bsky.graph.follow"

  init() { scene = JournalUnderTest.all.map { TapScene(place: $0.makePlace()) } }

  private func blocks(_ numbers: some Sequence<Int>) -> [ChangePlan.Request] {
    numbers.map { ChangePlan.Request("user\($0)", .block(Accounts.did($0)), isResolved: true) }
  }

  private func propose(
    _ requests: [ChangePlan.Request], in scene: TapScene, for lifetime: Duration? = nil
  ) async throws -> (job: JobID, digest: PlanDigest) {
    let engine = try scene.engine(try scene.place.reopen())
    let proposal = try await engine.propose(requests, as: "block", lifetime: lifetime)
    scene.place.clock.advance(by: .seconds(1))
    return (try #require(proposal.job).id, proposal.digest)
  }

  /// Approves and runs a job in a process of its own.
  @discardableResult
  private func approve(
    _ job: JobID, _ digest: PlanDigest? = nil, in scene: TapScene, process: MortalProcess = MortalProcess()
  ) async throws -> ChangeEngine.Submission {
    let store = MortalJobStore(base: try scene.place.reopen(), process: process)
    let engine = try scene.engine(store, in: process)
    let submission = try await engine.confirm(job, digest: digest)
    scene.place.clock.advance(by: .seconds(1))
    #expect(try await engine.run(job, plannedBy: submission.facts) == .done)
    return submission
  }

  private func blocked(_ scene: TapScene) -> [String] {
    scene.pds.records.filter { $0.key.hasPrefix("\(NSID.block)/") }.compactMap { $0.value["subject"]?.string }
      .sorted()
  }

  private func names(_ numbers: some Sequence<Int>) -> [String] {
    numbers.map { "\(Accounts.did($0))" }.sorted()
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func carriesOutWhatWasShown(_ index: Int) async throws {
    let scene = scene[index]
    scene.pds.put(Self.follow, "3kfollow22222", subject: Accounts.did(2))
    let (job, digest) = try await propose(blocks(1..<4), in: scene, for: .seconds(3_600))
    #expect(scene.pds.commits.isEmpty)
    let store = try scene.place.reopen()
    let proposed = try await store.job(job)
    #expect(proposed.state == .proposed && proposed.proposal?.steps == 3 && proposed.until == nil)
    let submission = try await approve(job, digest, in: scene)
    #expect(submission.job?.id == job && submission.plan.digest == digest)
    #expect(blocked(scene) == names(1..<4) && scene.follows(of: Accounts.did(2)).isEmpty)
    let summary = try await store.summary(of: job)
    #expect(summary.job.state == .done && summary.counts[.done] == 3)
    // It lasts from the approval on.
    #expect(summary.job.until.map { $0.instant > scene.time.instant + .seconds(3_590) } == true)
    #expect(scene.pointsSpent == 3 * 3 + 1)
    await expectJobError(.notProposed, about: job) { try await approve(job, in: scene) }
    #expect(scene.pds.commits.joined().count == 4)
    scene.place.clock.advance(by: .seconds(1))
    let engine = try scene.engine(store)
    #expect(try await engine.run(try await engine.undo(job).job.id) == .done)
    #expect(blocked(scene).isEmpty && scene.follows(of: Accounts.did(2)).count == 1)
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func changesNothingIfTheRepositoryHasChanged(_ index: Int) async throws {
    let scene = scene[index]
    for number in 1..<5 { scene.pds.put(Self.follow, "3kfollow2222\(number)", subject: Accounts.did(number)) }
    let (job, digest) = try await propose(
      (1..<5).map { ChangePlan.Request("x", .unfollow(Accounts.did($0))) }, in: scene)
    let former = scene.pds.records
    scene.pds.change { $0.records["\(Self.follow)/3kfollow22221"] = nil }
    scene.pds.put(Self.follow, "3kfollow22229", subject: Accounts.did(2))
    var found: JobError?
    do { try await approve(job, digest, in: scene) } catch let error as JobError { found = error }
    #expect(found?.code == .planChanged && found?.job == job)
    let difference = try #require(found?.difference)
    #expect(difference.came == 1 && difference.subjectsThatCame == names([2]))
    #expect(difference.went == 1 && difference.subjectsThatWent == names([1]))
    #expect(scene.pds.commits.isEmpty)
    #expect(try await scene.place.reopen().job(job).state == .proposed)
    // Once it is what was shown, it is carried out.
    scene.pds.change { $0.records = former }
    try await approve(job, digest, in: scene)
    #expect(scene.pds.records.isEmpty)
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func refusesAnotherDigestAndAnotherAccount(_ index: Int) async throws {
    let scene = scene[index]
    let (job, _) = try await propose(blocks(1..<3), in: scene)
    let other = try await scene.engine(try scene.place.reopen()).plan(blocks(1..<4)).digest
    await expectJobError(.otherPlan, about: job) { try await approve(job, other, in: scene) }
    let stranger = TapScene(pds: PDSDouble(account: Accounts.did(50)), place: scene.place)
    await expectJobError(.wrongAccount, about: job) { try await approve(job, in: stranger) }
    let plain = try await scene.place.reopen().addJob(ChangeSamples.drafts(7..<8), at: scene.time.instant).id
    await expectJobError(.notProposed, about: plain) { try await approve(plain, in: scene) }
    await expectJobError(.notFound) { try await approve(JobID(number: 99), in: scene) }
    #expect(scene.pds.commits.isEmpty)
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func expires(_ index: Int) async throws {
    let scene = scene[index]
    let (job, digest) = try await propose(blocks(1..<3), in: scene)
    scene.place.clock.advance(by: .days(1))
    for _ in 0..<2 {
      await expectJobError(.expired, about: job) { try await approve(job, digest, in: scene) }
    }
    #expect(try await scene.place.reopen().job(job).state == .cancelled)
    #expect(scene.pds.commits.isEmpty)
  }

  /// A person may think for longer than the proposal lasts, and another process may be faster.
  @Test(arguments: JournalUnderTest.all.indices)
  func looksAgainAfterTheQuestion(_ index: Int) async throws {
    let scene = scene[index]
    let (job, _) = try await propose(blocks(1..<3), in: scene)
    let engine = try scene.engine(try scene.place.reopen())
    let store = try scene.place.reopen()
    let confirmation = ChangeEngine.Confirmation(isNeeded: { _ in true }) { _ in
      await expectJobError(.held, about: job) { try await self.approve(job, in: scene) }
      let submission = try await scene.engine(store).submit(blocks(1..<2), as: "block")
      #expect(try await scene.engine(store).run(try #require(submission.job).id) == .done)
    }
    await expectJobError(.planChanged, about: job) {
      _ = try await engine.confirm(job, confirmation: confirmation)
    }
    #expect(blocked(scene) == names(1..<2))
    struct No: Error {}
    let (second, _) = try await propose(blocks(5..<6), in: scene)
    await #expect(throws: No.self) {
      _ = try await engine.confirm(
        second, confirmation: ChangeEngine.Confirmation(isNeeded: { _ in true }) { _ in throw No() })
    }
    #expect(try await store.job(second).state == .proposed)
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func isCarriedOutOnceByTwoAtATime(_ index: Int) async throws {
    let scene = scene[index]
    let (job, digest) = try await propose(blocks(1..<30), in: scene)
    let engines = try (0..<4).map { _ in try scene.engine(try scene.place.reopen()) }
    let approvals = try await withThrowingTaskGroup(of: Bool.self) { group in
      for engine in engines {
        group.addTask {
          do { _ = try await engine.confirm(job, digest: digest) } catch let error as JobError {
            #expect([.held, .notProposed].contains(error.code))
            return false
          }
          return true
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(approvals == 1)
    #expect(try await scene.place.reopen().allItems(of: job).count == 29)
    #expect(try await engines[0].run(job) == .done)
    #expect(blocked(scene) == names(1..<30) && scene.pds.commits.joined().count == 29)
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func isCarriedOutOnceWhereverAProcessDies(_ index: Int) async throws {
    var isAlive = false
    for lastCall in stride(from: 0, to: 200, by: CaseSample.isWhole ? 1 : 3) where !isAlive {
      let scene = TapScene(place: JournalUnderTest.all[index].makePlace())
      let (job, digest) = try await propose(blocks(1..<4), in: scene)
      let process = MortalProcess(dyingIn: lastCall)
      do { try await approve(job, digest, in: scene, process: process) } catch  where process.isDead {}
      isAlive = !process.isDead
      let store = try scene.place.reopen()
      if !isAlive {
        let state = try await store.job(job).state
        let items = try await store.allItems(of: job).count
        #expect(items == (state == .proposed ? 0 : 3), "died in call \(lastCall)")
        if state == .proposed {
          try await approve(job, digest, in: scene)
        } else if state != .done {
          #expect(try await scene.engine(store).run(job) == .done)
        }
      } else {
        #expect(lastCall > 10)
      }
      #expect(blocked(scene) == names(1..<4) && scene.pds.records.count == 3, "died in call \(lastCall)")
    }
    #expect(isAlive)
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func othersPlanAsIfItWereNotThere(_ index: Int) async throws {
    let scene = scene[index]
    let (job, _) = try await propose(blocks(1..<3), in: scene)
    let engine = try scene.engine(try scene.place.reopen())
    let submission = try await engine.submit(blocks(1..<3), as: "block")
    #expect(submission.plan.changes.map { $0.steps.count } == [1, 1])
    #expect(submission.plan.changes.allSatisfy { $0.notes.isEmpty })
    #expect(try await engine.run(try #require(submission.job).id) == .done)
    await expectJobError(.planChanged, about: job) { try await approve(job, in: scene) }
    await expectJobError(.wrongState, about: job) { _ = try await engine.run(job) }
    await expectJobError(.wrongState, about: job) { _ = try await engine.undo(job) }
    try await JobManager(journal: try scene.place.reopen(), time: scene.time).reject(job)
    #expect(try await scene.place.reopen().job(job).state == .cancelled)
  }

  @Test(arguments: JournalUnderTest.all.indices)
  func nothingToChangeIsNotProposed(_ index: Int) async throws {
    let scene = scene[index]
    let engine = try scene.engine(try scene.place.reopen())
    let proposal = try await engine.propose(
      [ChangePlan.Request("x", .unfollow(Accounts.did(1)))], as: "unfollow")
    #expect(proposal.job == nil)
    #expect(try await scene.place.reopen().summaries(of: nil).isEmpty)
  }

  /// A list and its members: its URI is chosen again whenever it is planned.
  @Test(arguments: JournalUnderTest.all.indices)
  func createsAListWithMembers(_ index: Int) async throws {
    let scene = scene[index]
    func creation(_ number: Int) -> [ChangePlan.Request] {
      let list = OwnList.uri(ChangeSamples.rkey(number), of: scene.pds.account)
      return [
        ChangePlan.Request("Noise", .list(.create(list, ListDraft(name: "Noise", purpose: .curate)))),
        ChangePlan.Request("a", .add(Accounts.did(4), to: list), isResolved: true),
      ]
    }
    let (job, digest) = try await propose(creation(1), in: scene)
    let engine = try scene.engine(try scene.place.reopen())
    #expect(try await engine.plan(creation(2)).digest == digest)
    try await approve(job, digest, in: scene)
    #expect(scene.pds.records.keys.filter { $0.hasPrefix("\(NSID.listitem)/") }.count == 1)
    #expect(scene.pds.records.keys.filter { $0.hasPrefix("\(NSID.list)/") }.count == 1)
  }

  /// Bounded in calls of the journal and in time; ten thousand in `make test-long`.
  @Test(arguments: JournalUnderTest.all.indices)
  func isFineWithThousands(_ index: Int) async throws {
    let scene = scene[index]
    let count = CaseSample.isWhole ? 10_000 : 600
    let (job, digest) = try await propose(blocks(1...count), in: scene)
    let engine = try scene.engine(try scene.place.reopen())
    let submission = try await engine.confirm(
      job, digest: digest, limit: WriteLimit(perHour: 300, leave: 0))
    #expect(submission.job?.state == .waiting && submission.plan.stepCount == count)
    let end = try await engine.run(
      job, plannedBy: submission.facts,
      options: JobOptions(limit: WriteLimit(perHour: 300, leave: 0), stopsWhenShort: true))
    guard case .stopped(let stop) = end else {
      Issue.record("it ended as \(end)")
      return
    }
    #expect(stop.code == .budget && blocked(scene).count == 100)
  }
}
