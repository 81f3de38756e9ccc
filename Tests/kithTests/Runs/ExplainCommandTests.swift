// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

@testable import kith

/// Compares `--explain` with the calls that are made afterwards.
@Suite struct ExplainCommandTests {
  private struct Row: Decodable {
    let step: String
    let collection: String?
    let calls: Int?
    let targets: Int?
    let points: Int
    let estimate: Bool
  }

  /// A plan, summed by method.
  private struct Plan {
    let rows: [Row]
    let total: Row

    init(_ run: KithRun) throws {
      #expect(run.status == 0, "\(run.talk)")
      let all = try run.rows(Row.self)
      rows = all.dropLast()
      total = try #require(all.last)
      #expect(total.step == "total")
    }

    /// Calls by method; nil if unknown.
    var calls: [String: Int?] {
      rows.reduce(into: [:]) { calls, row in
        let former = calls[row.step] ?? 0
        calls[row.step] = .some(former.flatMap { sum in row.calls.map { sum + $0 } })
      }
    }
  }

  /// Calls that the sandbox answered meanwhile, by the names in a plan.
  private func calls(
    to sandbox: Sandbox, during body: () async throws -> Void
  ) async throws -> [String: Int] {
    let before = sandbox.statistics.calls
    try await body()
    var made: [String: Int] = [:]
    for (method, count) in sandbox.statistics.calls where count > before[method, default: 0] {
      made[method == "/{did}" ? "did document" : method] = count - before[method, default: 0]
    }
    return made
  }

  // MARK: Checks

  /// `ExplainedCallsTests` has more checks and listings.
  @Test func aCheckMakesTheExplainedCalls() async throws {
    let run = try await SandboxRun(accounts: 200)
    let dids = run.sandbox.network.accounts.filter { $0.status == .active }.map(\.did.description)
    let line = "check alice.test " + dids[1..<32].joined(separator: " ")
    var plan: Plan?
    let asked = try await calls(to: run.sandbox) { plan = try Plan(try await run.kith(line + " --explain")) }
    #expect(asked.isEmpty)
    let planned = try #require(plan)
    let made = try await calls(to: run.sandbox) { _ = try await run.kith(line) }
    #expect(made == planned.calls.compactMapValues(\.self))
    #expect(planned.total.calls == made.values.reduce(0, +) && planned.total.estimate)
    let missing = try Plan(try await run.kith("check alice.test --followers-of nobody.test --explain"))
    #expect(missing.total.calls == nil && missing.total.targets == nil && missing.total.estimate)
    let unread = try await run.kith(
      "check alice.test --followers-of bob.test --explain --appview http://127.0.0.1:1")
    #expect(unread.status == 69 && unread.output == "")
  }

  private struct ListName: Decodable { let uri: String }

  // MARK: Changes

  /// Whether a plan is an upper bound of the calls; a step without a number has no bound.
  private func expectBound(_ plan: Plan, on made: [String: Int], _ line: String, _ dialect: SandboxDialect) {
    for (method, count) in made {
      guard let planned = plan.calls[method] else {
        Issue.record("\(line): \(method) is not in the plan")
        continue
      }
      let surcharge = dialect == .arroba ? arrobaSurcharge(method, made) : 0
      if let planned { #expect(count <= planned + surcharge, "\(line): \(method)") }
    }
  }

  /// A server that does not compare commits refuses the first one of a run. It is asked before and after each other
  /// one for the latest commit, and after each for the end of the kept collections.
  private func arrobaSurcharge(_ method: String, _ made: [String: Int]) -> Int {
    let commits = made["com.atproto.repo.applyWrites"] ?? 0
    return switch method {
    case "com.atproto.repo.applyWrites": 1
    case "com.atproto.sync.getLatestCommit": 2 * commits
    case "com.atproto.repo.listRecords": 4 * commits
    default: 0
    }
  }

  /// The number of jobs in the journal; nil if there is no journal.
  private func jobs(of alice: SignedInRun) async throws -> Int? {
    guard try StoreFile.journal.exists(in: alice.dataFolder) else { return nil }
    return try await SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder)).summaries(of: nil).count
  }

  /// Explains a change and makes it.
  private func tryOut(
    _ line: String, _ alice: SignedInRun, dialect: SandboxDialect, input: String = ""
  ) async throws -> (plan: Plan, made: [String: Int]) {
    let sandbox = alice.run.sandbox
    let commits = sandbox.statistics.commits
    let jobs = try await self.jobs(of: alice)
    var plan: Plan?
    let read = try await calls(to: sandbox) {
      plan = try Plan(try await alice.kith(line + " --explain", input: input))
    }
    let counted: Set = [
      "app.bsky.actor.getProfiles", "app.bsky.graph.getLists", "app.bsky.graph.getList",
    ]
    // A starter pack refers to its list.
    if !line.hasPrefix("starter-packs") {
      #expect(Set(read.keys).isSubset(of: counted), "\(line): \(read)")
    }
    #expect(sandbox.statistics.commits == commits, "\(line)")
    #expect(try await self.jobs(of: alice) == jobs, "\(line)")
    let made = try await calls(to: sandbox) {
      let run = try await alice.kith(line + " --yes", input: input)
      #expect([0, 77].contains(run.status), "\(line): \(run.talk)")
    }
    let planned = try #require(plan)
    #expect(!made.isEmpty)
    expectBound(planned, on: made, "\(dialect): \(line)", dialect)
    return (planned, made)
  }

  @Test func aChangeMakesAtMostTheExplainedCalls() async throws {
    let verbs = [
      "follow dave.test niaj", "unfollow dave", "block carol", "mute bob.test carol", "lists create", "post ",
      "profile set",
    ]
    try await expectChangesWithinPlans(dialect: .reference) { line in
      line.hasSuffix(" -") || verbs.contains { line.hasPrefix($0) }
    }
  }

  fileprivate func expectChangesWithinPlans(
    dialect: SandboxDialect, where isWanted: (String) -> Bool
  ) async throws {
    let alice = try await SignedInRun(writing: SandboxWriting(dialect: dialect))
    let names = alice.run.sandbox.network.accounts.filter { $0.status == .active }[20..<150]
      .map { "\($0.handle)\n" }.joined()
    let pack = try #require(
      try await alice.run.kith("starter-packs --of grace.test").rows(ListName.self).first?.uri)
    let list = try #require(
      try await alice.run.kith("lists --of grace.test").rows(ListName.self).first?.uri)
    let post = try #require(
      try await alice.run.kith("feed --of bob.test --limit 1").rows(ListName.self).first?.uri)
    let lines = [
      "post @bob.test --replies followers", "post @carol.test --reply-to \(post) --quote \(post)",
      "profile set --bio Birds",
      "follow dave.test niaj.test bob.test", "unfollow dave.test", "follow dave.test", "follow -",
      "unfollow -", "block carol.test dave.test", "unblock carol.test", "mute bob.test carol.test",
      "mute bob.test", "unmute bob.test", "block-list \(list) --allow-curation",
      "unblock-list \(list)", "mute-list \(list) --allow-curation",
      "unmute-list \(list)", "lists create Birds --purpose mod erin.test judy.test",
      "lists add Birds niaj.test", "lists import Birds --from \(list)", "lists edit Birds --name Owls",
      "lists remove Owls niaj.test", "mute-list Owls", "lists delete Owls", "starter-packs follow \(pack)",
      "report dave.test --reason spam --block", "report \(list) --reason spam -q",
    ]
    for line in lines where isWanted(line) {
      let input = line.hasSuffix(" -") ? names : ""
      _ = try await tryOut(line, alice, dialect: dialect, input: input)
    }
  }

  /// If nothing depends on existing data, the plan is exact.
  @Test func aNewChangeCostsExactlyWhatWasExplained() async throws {
    let alice = try await SignedInRun()
    let active = alice.run.sandbox.network.accounts.filter { $0.status == .active }
    let dids = active[20..<50].map { "\($0.did)" }.joined(separator: " ")
    let (mutes, muted) = try await tryOut("mute \(dids)", alice, dialect: .reference)
    #expect(muted == mutes.calls.compactMapValues(\.self))
    #expect(muted["app.bsky.graph.muteActor"] == 30)
    #expect(mutes.total.points == 0 && mutes.total.targets == 30)
    #expect(mutes.rows.map(\.estimate) == [false, true])
    let (list, made) = try await tryOut(
      "lists create Birds --purpose curate \(dids)", alice, dialect: .reference)
    var planned = list.calls.compactMapValues(\.self)
    // The commit itself shows that what was read before holds; only if nothing is sent, a call finds that out.
    #expect(planned["com.atproto.sync.getLatestCommit"] == 2)
    planned["com.atproto.sync.getLatestCommit"] = 1
    #expect(made == planned)
    #expect(list.total.points == 31 * 3)
  }

  /// The listing of own follows shows that no records of earlier jobs exist.
  @Test func followingAgainAfterAnotherAppUnfollowedNeedsNoLookup() async throws {
    let alice = try await SignedInRun()
    let app = try await SandboxApp(alice.run)
    let names = alice.run.sandbox.network.accounts.filter { $0.status == .active }[20..<60]
      .map { "\($0.handle)\n" }.joined()
    let collection = try #require(NSID("app.bsky.graph.follow"))
    func records() -> Set<RecordKey> {
      Set(alice.run.sandbox.records(of: app.account, in: collection).map(\.key))
    }
    let before = records()
    #expect(try await alice.kith("follow - --yes", input: names).status == 0)
    let made = records().subtracting(before)
    #expect(!made.isEmpty)
    try await app.repository.commit(
      made.map { RecordWrite(collection: collection, rkey: $0, action: .delete(former: nil)) })
    let again = try await tryOut("follow -", alice, dialect: .reference, input: names)
    #expect(again.made["com.atproto.repo.getRecord"] == nil)
    #expect(records().count == before.count + made.count)
  }

  @Test func explainingCreatesNoJournal() async throws {
    let alice = try await SignedInRun()
    let plan = try Plan(try await alice.kith("follow dave.test niaj.test --explain"))
    #expect(plan.total.points == 6)
    #expect(!FileManager.default.fileExists(atPath: alice.dataFolder))
  }

  private struct Seconds: Decodable { let seconds: Double? }

  @Test func theWaitForTheWriteBudgetIsPartOfTheTime() async throws {
    let alice = try await SignedInRun()
    func seconds(_ options: String) async throws -> Double? {
      let run = try await alice.kith("follow dave.test niaj.test judy.test \(options) --explain")
      #expect(run.status == 0)
      return try #require(try run.rows(Seconds.self).last).seconds
    }
    #expect(try #require(try await seconds("--leave 0")) < 10)
    #expect(try #require(try await seconds("--points 6/9 --leave 0")) > 3_500)
    // Spent points count.
    #expect(try await alice.kith("follow trent.test --points 6/9 --leave 0").status == 0)
    #expect(try #require(try await seconds("--points 6/9 --leave 0")) > 80_000)
    // With one point and 99 % kept free, nothing can ever be spent.
    #expect(try await seconds("--points 1/1 --leave 99%") == nil)
  }

  @Test func explainAndDryRunCannotBeCombined() async throws {
    for line in ["follow bob.test", "lists add Birds bob.test", "block-list at://x.test/y/z"] {
      let words = (line + " --explain --dry-run").split(separator: " ").map(String.init)
      let run = try await KithRun.inside(words)
      #expect(run.status == 64 && run.output == "", "\(line)")
    }
  }
}

/// Every change, also against PDSes that list records in other ways.
@Suite struct ExplainLongTests {
  @Test(arguments: [SandboxDialect.reference, .lenient, .arroba])
  func aChangeMakesAtMostTheExplainedCalls(dialect: SandboxDialect) async throws {
    try await ExplainCommandTests().expectChangesWithinPlans(dialect: dialect) { line in
      // Servers differ in how they list records.
      dialect == .reference || line.hasSuffix(" -") || line.hasPrefix("lists ")
    }
  }
}
