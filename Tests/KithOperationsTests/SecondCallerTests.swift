// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// A program that does what `kith` does, without it: it gives a workspace a transport and stores, runs operations, and
/// makes of what they report what it likes.
@Suite struct SecondCallerTests {
  /// What a program keeps of a run.
  private final class Listener<Row: Sendable>: Sendable {
    private let heard = PosixMutex((rows: [Row](), notes: 0, questions: [Question]()))
    private let answer: Bool

    init(answering answer: Bool = true) { self.answer = answer }

    var rows: [Row] { heard.withLock(\.rows) }
    var questions: [Question] { heard.withLock(\.questions) }

    var reporter: Reporter<Row> {
      Reporter(
        rows: { [self] rows in heard.withLock { $0.rows += rows } },
        note: { [self] _ in heard.withLock { $0.notes += 1 } },
        ask: { [self] question in
          heard.withLock { $0.questions.append(question) }
          return answer
        })
    }
  }

  /// One program, which acts as one account.
  private struct Program {
    let workspace: Workspace
    let account: AuthorizedAccount

    init(on network: FaultyNetwork, as name: String) async throws {
      let journal = InMemoryJobStore(), history = InMemoryHistoryStore(), sessions = InMemorySessionStore()
      let services = ServiceNetwork.Services(
        appview: try ServiceURL(parsing: FaultyNetwork.appview),
        plc: try ServiceURL(parsing: FaultyNetwork.plc),
        pds: try ServiceURL(parsing: FaultyNetwork.pds),
        resolver: try ServiceURL(parsing: FaultyNetwork.resolver))
      workspace = Workspace(
        ServiceNetwork(services, transport: network, texts: ScriptedTextRecords(), time: network.time),
        stores: Stores(
          sessions: { sessions }, knownAccounts: { KnownAccounts(path: "/dev/null") },
          journal: { _ in journal }, history: { _ in history }))
      try await workspace.sessions().signIn(
        .handle(try Handle(parsing: "\(name).test")), password: try #require(Password("pw-\(name)")),
        at: services.pds)
      account = try await workspace.account()
    }

    func followed() async throws -> [DID] {
      let rows = Listener<AccountViewRow>()
      let outcome = try await ListAccounts(ListingQuery(.follows(of: .did(account.did))))
        .run(in: workspace, rows.reporter)
      #expect(outcome.isAtEnd && outcome.rows.interruption == nil && outcome.rows.count == rows.rows.count)
      return rows.rows.map(\.view.account)
    }

    /// Whether the account follows others.
    func follows(_ others: [DID]) async throws -> [Bool?] {
      let rows = Listener<RelationshipRow>()
      let targets = TargetStream(origins: others.map { .argument("\($0)") })
      let outcome = try await CheckRelationships(of: .did(account.did), targets: targets)
        .run(in: workspace, rows.reporter)
      #expect(outcome.verdict.answer == .answered && outcome.rows.interruption == nil)
      return rows.rows.map { row in
        if case .known(let info) = row.answer.state { info.isFollowing } else { nil }
      }
    }

    func unfollow(_ others: [DID], answering answer: Bool) async throws -> ChangeRunOutcome {
      let rows = Listener<ChangeRow>(answering: answer)
      let names = TargetStream(origins: others.map { .argument("\($0)") })
      let outcome = try await Change(ChangeAccounts(.unfollow(), AccountChoice(names)))
        .run(in: workspace, rows.reporter)
      // The question has the facts of the plan.
      guard case .change(let question)? = rows.questions.first, rows.questions.count == 1 else {
        Issue.record("not asked once: \(rows.questions)")
        return outcome
      }
      #expect(question.plan.affected == others.count && question.rows.count == others.count)
      if !answer { return outcome }
      #expect(rows.rows.map(\.state) == others.map { _ in .done })
      #expect(rows.rows.map(\.subject) == others.map(\.description))
      return outcome
    }

    /// Takes snapshots of both sides.
    func snapshots() async throws -> [Snapshot] {
      let rows = Listener<SnapshotRow>()
      let outcome = try await TakeSnapshots(of: .these([account.did]), sides: [.followers, .follows])
        .run(in: workspace, rows.reporter)
      #expect(outcome.accounts == 1 && outcome.rows.interruption == nil)
      return rows.rows.map(\.snapshot)
    }

    /// The accounts that are not followed any more, by the history.
    func lost() async throws -> [DID] {
      let rows = Listener<HistoryRow>()
      let filter = HistoryFilter(sides: [.follows], kinds: [.lost])
      let outcome = try await ListChanges(of: account.did, filter).run(in: workspace, rows.reporter)
      #expect(outcome.rows.interruption == nil)
      return rows.rows.map(\.change.account)
    }

    /// The figures of a metric.
    func figures(_ metric: InsightMetric) async throws -> [FigureRow] {
      let rows = Listener<FigureRow>()
      let outcome = try await ComputeStatistics(of: account.did, [metric]).run(in: workspace, rows.reporter)
      #expect(outcome.failure == nil && outcome.rows.count == rows.rows.count)
      return rows.rows
    }

    func undo(_ job: JobID) async throws {
      let rows = Listener<JobRow>()
      let outcome = try await UndoJob(job).run(in: workspace, rows.reporter)
      guard case .run(let run) = outcome else {
        Issue.record("the undo was not run")
        return
      }
      #expect(run.end == .done && run.summary.counts[.done] > 0 && rows.rows.count == 1)
    }
  }

  /// Checks, lists, declines, takes snapshots, changes, computes and undoes.
  private func story(of program: Program) async throws {
    let followed = try await program.followed()
    let some = Array(followed.prefix(3))
    try #require(some.count == 3)
    #expect(try await program.follows(some) == [true, true, true])
    #expect(try await program.unfollow(some, answering: false).ending == .declined)
    #expect(try await program.follows(some) == [true, true, true])
    #expect(try await program.snapshots().map(\.counts.listed).last == followed.count)
    let outcome = try await program.unfollow(some, answering: true)
    #expect(outcome.end == .done && outcome.hasDone && outcome.tally.counts[.done] == 3)
    #expect(try await program.follows(some) == [false, false, false])
    #expect(try await program.snapshots().map(\.counts.listed).last == followed.count - 3)
    #expect(Set(try await program.lost()) == Set(some))
    #expect(try await !program.figures(.growth).isEmpty)
    try await program.undo(try #require(outcome.job?.id))
    #expect(try await program.follows(some) == [true, true, true])
    #expect(Set(try await program.followed()) == Set(followed))
  }

  @Test func aProgramDoesWithoutTheCommandWhatTheCommandDoes() async throws {
    try await story(of: try await Program(on: FaultyNetwork(.reference), as: "alice"))
  }

  /// In one process, each with its own account; nothing of a run is shared.
  @Test func twoProgramsRunAtTheSameTime() async throws {
    let network = FaultyNetwork(.reference)
    let (alice, bob) = (
      try await Program(on: network, as: "alice"), try await Program(on: network, as: "bob")
    )
    async let one: Void = story(of: alice)
    async let other: Void = story(of: bob)
    _ = try await (one, other)
  }

  @Test func whatACallerDoesNotTakeEndsAnExport() async throws {
    struct Enough: Error {}
    let program = try await Program(on: FaultyNetwork(.reference), as: "alice")
    let export = ExportRelationships([.following], of: .did(program.account.did), as: program.account)
    let outcome = try await export.run(
      in: program.workspace, Reporter(rows: { (_: [ExportRow]) in throw Enough() }))
    #expect(outcome.isClosed && outcome.interruption is Enough)
  }

  @Test func aCancelledCheckSaysThatItIsNotWhole() async throws {
    let program = try await Program(on: FaultyNetwork(.reference), as: "alice")
    let followed = try await program.followed()
    let targets = TargetStream(origins: followed.map { .argument("\($0)") })
    let check = CheckRelationships(of: .did(program.account.did), targets: targets)
    let run = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await check.run(in: program.workspace, Listener<RelationshipRow>().reporter)
    }
    let outcome = try await run.value
    #expect(outcome.rows.interruption is CancellationError)
  }

  /// Nothing is asked if the answer would be no: the default of a reporter declines.
  @Test func theDefaultDeclines() async throws {
    let program = try await Program(on: FaultyNetwork(.reference), as: "alice")
    let some = try await program.followed().prefix(2)
    let change = Change(
      RequestedChanges(
        some.map { RequestedChange("\($0)", .success(.unfollow($0))) },
        as: ChangeTitle("unfollow", "unfollowed")))
    let outcome = try await change.run(in: program.workspace, Reporter(rows: { _ in }))
    #expect(outcome.isDeclined && outcome.ending == .declined && outcome.job == nil)
    #expect(try await program.followed().count > 1)
    #expect(try await ListJobs(all: true).run(in: program.workspace, Reporter(rows: { _ in })).count == 0)
  }
}
