// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithLexicons
import KithRelationships
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

/// An app and `kith` change the same account at the same time, with a shared journal.
@Suite(.timeLimit(.minutes(10))) struct SharedJournalTests {
  private static let follow = App.Bsky.Graph.Follow.nsid

  private struct Scene {
    let shell: SignedInRun
    let app: SandboxApp
    /// The journal of the command, as opened by the app.
    let store: SQLiteJobStore

    /// - Parameter latency: the delay of each response, to make room for concurrent work.
    init(latency: Duration = .zero) async throws {
      shell = try await SignedInRun(at: try await SandboxRun(latency: latency))
      app = try await SandboxApp(shell.run)
      store = SQLiteJobStore(try StoreDatabase(folder: shell.dataFolder))
    }

    /// Runs one command line as a process with real waits, because it shares leases with the app.
    func kith(
      _ line: String, input: String = "",
      meddling meddle: (@Sendable (KithRun.Victim) async throws -> Void)? = nil
    ) async throws -> KithRun {
      try await KithRun(
        line.split(separator: " ").map(String.init),
        environment: shell.environment.merging(["KITH_TEST_SPEED": "1"]) { _, new in new }, input: input,
        meddling: meddle)
    }

    /// Accounts that Alice does not follow, by index.
    func strangers(_ numbers: Range<Int>) throws -> [DID] {
      let followed = Set(app.subjects(SharedJournalTests.follow))
      let free = app.sandbox.network.accounts.dropFirst(14).map(\.did).filter {
        !followed.contains($0.description)
      }
      return Array(free[numbers])
    }

    /// Expects exactly one follow record for each new account and each earlier one.
    func expectFollows(_ before: [String], and new: some Sequence<DID>) {
      #expect(app.subjects(SharedJournalTests.follow) == (before + new.map(\.description)).sorted())
    }

    func expectAllJobsDone(_ count: Int) async throws {
      let summaries = try await store.summaries(of: nil)
      #expect(summaries.map(\.job.state) == Array(repeating: .done, count: count))
      #expect(summaries.allSatisfy { $0.counts[.failed] == 0 && $0.counts.left == 0 && $0.holder == nil })
    }
  }

  private func line(_ dids: some Sequence<DID>) -> String { dids.map { "\($0)\n" }.joined() }

  // MARK: An app that plans jobs

  /// Before it requests the lease, the command only resolves handles.
  @Test func theCommandWaitsUntilTheAppHasRecordedItsPlan() async throws {
    let scene = try await Scene()
    let before = scene.app.subjects(Self.follow)
    let dids = try scene.strangers(0..<3)
    let changes = [ChangeIntent.follow(try scene.app.did("niaj"))] + dids.map(ChangeIntent.follow)
    let surveys = [
      "app.bsky.graph.getRelationships", "com.atproto.repo.listRecords", "com.atproto.repo.getRecord",
    ]
    let command = PosixMutex<Task<KithRun, any Error>?>(nil)
    let (plans, job) = try await scene.app.plan(changes, in: scene.store) {
      let statistics = scene.app.sandbox.statistics
      let run = Task { try await scene.kith("follow niaj.test dave.test \(dids[0])") }
      command.withLock { $0 = run }
      // It has resolved the handles, so it requests the lease next.
      try await eventually {
        let now = scene.app.sandbox.statistics
        return ["app.bsky.actor.getProfiles", "com.atproto.identity.resolveHandle"].contains {
          now[$0] > statistics[$0]
        }
      }
      let now = scene.app.sandbox.statistics
      for method in surveys { #expect(now[method] == statistics[method]) }
      #expect(try await scene.store.summaries(of: nil).isEmpty)
    }
    #expect(plans.allSatisfy { $0.steps.count == 1 })
    let run = try await #require(command.withLock { $0 }).value
    // Pending items of the app are not planned again.
    #expect(try run.changes().map(\.state) == ["pending", "done", "pending"])
    #expect(run.status == 75)
    #expect(try await scene.app.runner(scene.store).run(#require(job).id) == .done)
    let new = [try scene.app.did("niaj"), try scene.app.did("dave")] + dids
    scene.expectFollows(before, and: new)
    try await scene.expectAllJobsDone(2)
  }

  /// The command has sent three of its items and waits for points; its job is open, and held by its process.
  @Test func theAppLeavesPendingItemsToTheCommand() async throws {
    let scene = try await Scene()
    let before = scene.app.subjects(Self.follow)
    let dids = try scene.strangers(0..<12)
    let input = line(dids.prefix(8))
    let run = try await scene.kith("follow - --points 9/9 --leave 0", input: input) { kith in
      defer { kith.send(SIGINT) }
      let job = JobID(number: 1)
      try await eventually {
        try await scene.store.summaries(of: nil).first?.counts[.done] == 3
      }
      // The journal is not locked while the command waits.
      let overlap = dids[1..<12].map(ChangeIntent.follow)
      let (plans, own) = try await scene.app.plan(overlap, in: scene.store)
      #expect(plans.prefix(2).allSatisfy { $0.outcome == .holds })
      #expect(plans.map(\.isAwaited) == (0..<11).map { (2..<7).contains($0) })
      #expect(try await scene.app.runner(scene.store).run(#require(own).id) == .done)
      let error = await #expect(throws: JobError.self) { try await scene.app.runner(scene.store).run(job) }
      #expect(error?.code == .held && error?.holder?.process == kith.number)
    }
    #expect(run.status == 130)
    scene.expectFollows(before, and: dids[..<3] + dids[8...])
    #expect(try await scene.kith("jobs resume 1 --points 5000/35000").status == 0)
    scene.expectFollows(before, and: dids)
    try await scene.expectAllJobsDone(2)
  }

  /// Both at full speed, in any order.
  @Test(arguments: 0..<4) func concurrentAppAndCommandCreateEachRecordOnce(_ round: Int) async throws {
    let scene = try await Scene()
    let before = scene.app.subjects(Self.follow)
    let dids = try scene.strangers(0..<24)
    let first = Array(dids[..<16])
    let input = line(round.isMultiple(of: 2) ? first : first.reversed())
    async let command = scene.kith("follow - --commit-size \(round + 1)", input: input)
    let (_, job) = try await scene.app.plan(dids[8...].map(ChangeIntent.follow), in: scene.store)
    if let job { #expect(try await scene.app.runner(scene.store, writesPerCommit: 2).run(job.id) == .done) }
    let run = try await command
    #expect([0, 75].contains(run.status))
    let states = Set(try run.changes().map(\.state))
    #expect(states.isSubset(of: ["done", "unchanged", "pending"]))
    // Items that one left to the other are done by now.
    scene.expectFollows(before, and: dids)
    try await scene.expectAllJobsDone(try await scene.store.summaries(of: nil).count)
  }

  // MARK: An app that writes at once

  /// The app does the last of sixty commits while the command makes the first ones. They are faster than it can read
  /// the repository, so it may have to wait for the command's last one.
  @Test func aTapDuringARunningJobCreatesNoDuplicate() async throws {
    let scene = try await Scene(latency: .milliseconds(30))
    let before = scene.app.subjects(Self.follow)
    let dids = try scene.strangers(0..<60)
    let tap = PosixMutex<Task<ChangeOutcome, any Error>?>(nil)
    let run = try await scene.kith("follow - --commit-size 1", input: line(dids)) { _ in
      try await eventually { scene.app.sandbox.statistics.commits > 0 }
      try #require(try await scene.store.summary(of: JobID(number: 1)).counts[.pending] > 0)
      let writer = scene.app.writer(in: scene.store)
      tap.withLock { $0 = Task { try await writer.follow(dids[59]) } }
    }
    #expect(run.status == 0)
    let ending = try await #require(tap.withLock { $0 }).value.ending
    #expect(ending == .done || ending == .held)
    #expect(Set(scene.app.subjects(Self.follow)) == Set(before + dids.map(\.description)))
    try await scene.expectAllJobsDone(2)
    scene.expectFollows(before, and: dids)
  }

  /// A job that was paused for a while compares with the repository and finds the changes of the app.
  @Test func aTapDuringAPausedJobCreatesNoDuplicate() async throws {
    let scene = try await Scene()
    let before = scene.app.subjects(Self.follow)
    let dids = try scene.strangers(0..<6)
    let begun = try await scene.kith(
      "follow - --points 9/9 --leave 0 --no-wait", input: line(dids))
    #expect(begun.status == 75)
    let writer = scene.app.writer(in: scene.store)
    #expect(try await writer.follow(dids[5]).ending == .done)
    #expect(try await writer.follow(dids[0]).ending == .held)
    #expect(try await scene.kith("jobs resume 1 --points 5000/35000").status == 0)
    scene.expectFollows(before, and: dids)
    try await scene.expectAllJobsDone(2)
  }

  /// A tap uses the same write budget as a job.
  @Test func aTapCountsAgainstTheBudgetInTheJournal() async throws {
    let scene = try await Scene()
    #expect(try await scene.kith("follow niaj.test").status == 0)
    #expect(try await scene.app.writer(in: scene.store).follow(try scene.app.did("dave")).ending == .done)
    let counted = try await scene.store.pointsCounted(of: scene.app.account)
    #expect(counted == 6)
  }
}

extension PlannedChange {
  /// Whether it is refused because it is a pending item of a job.
  fileprivate var isAwaited: Bool {
    if case .refused(let refusal) = outcome { refusal.code == .awaited } else { false }
  }
}

extension SQLiteJobStore {
  /// The points counted as spent in the last hour, of the 5,000 of the reference server.
  fileprivate func pointsCounted(of account: DID) async throws -> Int {
    let now = TimeSource.system.instant
    return 5_000
      - (try await budget(of: account, within: WriteLimit(leave: 0), counting: nil, at: now).left(at: now))
  }
}
