// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Other apps and other installations write to the same repository at the same time.
@Suite struct RivalAppTests {
  private static let follow = "app.bsky.graph.follow"
  private static let commits = "com.atproto.repo.applyWrites"
  private let account = Accounts.did(0)

  /// An engine with a journal of its own, as on another machine. The AppView lags: it shows no follows.
  private func engine(
    _ pds: PDSDouble, _ transport: ScriptedTransport? = nil, clockID: UInt16 = 1
  ) throws -> ChangeEngine {
    let time = ManualClock(.skipping).timeSource(wallAtZero: 1_760_000_000_000_000)
    let client = try pds.client(transport ?? pds.transport, time)
    let own = OwnRecords(of: account, client: client)
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    return ChangeEngine(
      repository: PDSRepository(account: account, pds: client, records: own),
      facts: FactLoader(
        account: account, pds: client, appview: client, relationships: source, records: own),
      journal: InMemoryJobStore(), keys: TIDClock(clockID: clockID) { time.instant },
      time: time)
  }

  private func requests(_ numbers: Range<Int>) -> [ChangePlan.Request] {
    Accounts.dids(numbers).map { ChangePlan.Request("\($0)", .follow($0), isResolved: true) }
  }

  private func follow(
    _ numbers: Range<Int>, by engine: ChangeEngine
  ) async throws -> (done: Int, skipped: Int) {
    let submission = try await engine.submit(requests(numbers), as: "follow")
    guard let job = submission.job else { return (0, 0) }
    #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
    let counts = try await engine.journal.summary(of: job.id).counts
    return (counts[.done], counts[.skipped])
  }

  private func follows(_ pds: PDSDouble) -> [String] {
    pds.records.filter { $0.key.hasPrefix(Self.follow) }.compactMap { $0.value["subject"]?.string }
  }

  /// Another app has followed 400 accounts seconds ago, and the AppView has not seen it.
  @Test(arguments: PDSDouble.Manner.allCases, [20, 400])
  func doublesNothingThatAnotherAppJustFollowed(_ manner: PDSDouble.Manner, _ count: Int) async throws {
    let pds = PDSDouble(account: account, manner)
    let records = (0..<1_400).map { number -> (String, DataValue) in
      // Those of the other app are the first 400 accounts.
      let key = TID(at: 1_700_000_000_000_000 + Int64(1_400 - number) * 3_600_000_000, clockID: 3)
      return ("\(Self.follow)/\(key)", PDSDouble.edge(Self.follow, Accounts.did(number + 1)))
    }
    pds.change { $0.records = Dictionary(records) { first, _ in first } }
    let engine = try engine(pds)
    let submission = try await engine.submit(requests(1..<count + 1), as: "follow")
    #expect(submission.job == nil)
    #expect(submission.plan.changes.allSatisfy { $0.outcome == .holds })
    #expect(submission.plan.following == 1_400)
    #expect(follows(pds).count == 1_400)
  }

  /// Another app follows some of the accounts while the job runs, between its commits.
  @Test(arguments: PDSDouble.Manner.allCases)
  func doublesNothingThatAnotherAppFollowsDuringTheJob(_ manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(account: account, manner)
    let engine = try engine(pds)
    // Where commits are not compared, the other app has to be earlier: a moment remains in which it is not noticed.
    let moment = manner == .arroba ? "com.atproto.sync.getLatestCommit" : Self.commits
    let skips = manner == .arroba ? 4 : 2
    for _ in 0..<skips { pds.before(moment) { _ in } }
    pds.before(moment) { records in
      for number in 600..<700 {
        records["\(Self.follow)/3other\(number)"] = PDSDouble.edge(Self.follow, Accounts.did(number))
      }
    }
    let (done, skipped) = try await follow(1..<1_001, by: engine)
    #expect(done == 900 && skipped == 100)
    #expect(follows(pds).count == 1_000 && Set(follows(pds)).count == 1_000)
  }

  /// Where commits are not compared, the end of each collection is read after an own commit, not all of it.
  @Test func aJobReadsOnlyTheEndAfterEachOfItsCommits() async throws {
    let pds = PDSDouble(account: account, .arroba)
    let records = (0..<5_000).map { number -> (String, DataValue) in
      let key = TID(at: 1_700_000_000_000_000 + Int64(number) * 3_600_000_000, clockID: 3)
      return ("\(Self.follow)/\(key)", PDSDouble.edge(Self.follow, Accounts.did(10_000 + number)))
    }
    pds.change { $0.records = Dictionary(records) { first, _ in first } }
    let transport = pds.transport
    let engine = try engine(pds, transport)
    #expect(try await follow(1..<2, by: engine).done == 1)
    let before = transport.calls(of: "com.atproto.repo.listRecords")
    #expect(try await follow(2..<1_402, by: engine).done == 1_400)
    // Each commit adds two pages at most, all of the last minute.
    let most = (1..<pds.commits.count).reduce(0) { $0 + 2 * $1 + 1 }
    #expect(transport.calls(of: "com.atproto.repo.listRecords") - before <= most)
    #expect(Set(follows(pds)).count == 6_401)
  }

  /// Two installations, each with a journal of its own, follow the same accounts at once.
  @Test(arguments: [PDSDouble.Manner.reference, .lenient])
  func twoInstallationsAtOnceDoubleNothing(_ manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(account: account, manner)
    let (one, other) = (try engine(pds, clockID: 1), try engine(pds, clockID: 2))
    async let first = follow(1..<1_001, by: one)
    async let second = follow(1..<1_001, by: other)
    let outcomes = try await [first, second]
    #expect(outcomes.reduce(0) { $0 + $1.done } == 1_000)
    #expect(follows(pds).count == 1_000 && Set(follows(pds)).count == 1_000)
  }

  /// An update would overwrite what another app has written a moment ago.
  @Test func doesNotOverwriteAListThatAnotherAppEdits() async throws {
    let pds = PDSDouble(account: account)
    func list(_ name: String) -> DataValue {
      [
        "$type": "app.bsky.graph.list", "name": .string(name), "purpose": "app.bsky.graph.defs#modlist",
        "createdAt": "2025-01-01T00:00:00.000Z",
      ]
    }
    let (former, new) = (list("Noise"), list("Elsewhere"))
    pds.change { $0.records["app.bsky.graph.list/3a"] = former }
    pds.before(Self.commits) { $0["app.bsky.graph.list/3a"] = new }
    let engine = try engine(pds)
    let uri = try ATURI(parsing: "at://\(account)/app.bsky.graph.list/3a")
    let submission = try await engine.submit(
      [.init("3a", .list(.edit(uri, ListEdit(name: "Racket"))))], as: "edit")
    let job = try #require(submission.job)
    #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
    #expect(pds.records["app.bsky.graph.list/3a"] == new)
    #expect(try await engine.journal.summary(of: job.id).counts[.skipped] == 1)
  }

  /// After its own commits, a second job reads nothing at all.
  @Test func theNextJobReadsNothing() async throws {
    let pds = PDSDouble(account: account)
    let transport = pds.transport
    let engine = try engine(pds, transport)
    #expect(try await follow(1..<301, by: engine).done == 300)
    let (pages, questions) = (
      transport.calls(of: "com.atproto.repo.listRecords"),
      transport.calls(of: "com.atproto.sync.getLatestCommit")
    )
    #expect(try await follow(200..<401, by: engine).done == 100)
    #expect(transport.calls(of: "com.atproto.repo.listRecords") == pages)
    #expect(transport.calls(of: "com.atproto.sync.getLatestCommit") == questions + 1)
    #expect(follows(pds).count == 400)
  }
}
