// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithOperations

/// A workspace that lives as long as a daemon: what its runs share, and what each has of its own.
@Suite struct LivingWorkspaceTests {
  private let network = FaultyNetwork(accounts: 100)
  private static let names = ["alice", "bob", "carol"]

  /// The network with the number of calls of each method.
  private struct Counted: HTTPTransport {
    let network: FaultyNetwork
    let counts = PosixMutex<[String: Int]>([:])

    var capabilities: TransportCapabilities { network.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      counts.withLock { $0[RequestQuery(request).method, default: 0] += 1 }
      return try await network.send(request)
    }
  }

  /// A workspace in which three accounts are signed in.
  private func workspace(over transport: any HTTPTransport) async throws -> Workspace {
    let user = try await ServedUser(nil, on: network)
    let workspace = user.workspace(over: transport)
    for name in Self.names {
      try await workspace.sessions().signIn(
        .handle(try Handle(parsing: "\(name).test")), password: try #require(Password("pw-\(name)")),
        at: workspace.services.pds)
    }
    return workspace
  }

  private func followers(of name: String) throws -> ListAccounts {
    ListAccounts(ListingQuery(.followers(of: .did(try network.did(name)))))
  }

  @Test func aHundredRunsOfThreeAccountsRefreshOnceEachAndCostWhatTheyCostAlone() async throws {
    let counted = Counted(network: network)
    let workspace = try await workspace(over: counted)
    var alone: [String: Int] = [:]
    for name in Self.names {
      alone[name] = try await workspace.run(try followers(of: name), Reporter(rows: { _ in })).cost.calls
    }
    // The tokens of all three expire.
    network.clock.advance(by: .seconds(3 * 3_600))
    counted.counts.withLock { $0 = [:] }
    let before = workspace.meter.cost.calls
    let runs = try await withThrowingTaskGroup(of: (name: String, calls: Int, isOwn: Bool).self) { group in
      for number in 0..<100 {
        let name = Self.names[number % 3]
        group.addTask {
          let acting = workspace.acting(as: .handle(try Handle(parsing: "\(name).test")))
          if number < 50 {
            let run = try await acting.run(try followers(of: name), Reporter(rows: { _ in }))
            return (name, run.cost.calls, false)
          }
          let run = try await acting.run(ReadNotifications(), Reporter(rows: { _ in }))
          #expect(run.outcome.ending == .done)
          return (name, run.cost.calls, true)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counted.counts.withLock { $0["com.atproto.server.refreshSession"] } == 3)
    for run in runs where !run.isOwn { #expect(run.calls == alone[run.name]) }
    #expect(runs.reduce(0) { $0 + $1.calls } == workspace.meter.cost.calls - before)
  }

  @Test func anotherAccountActsInTheSameWorkspace() async throws {
    let workspace = try await workspace(over: network)
    let (alice, bob) = (
      workspace.acting(as: .did(try network.did("alice"))), workspace.acting(as: .did(try network.did("bob")))
    )
    #expect(alice.network.traffic === bob.network.traffic && alice.meter === bob.meter)
    let judy = try network.did("judy")
    let names = TargetStream(origins: [.argument("\(judy)")])
    let change = Change(ChangeAccounts(.block(), AccountChoice(names)))
    #expect(try await bob.run(change, Reporter(rows: { _ in })).outcome.tally.counts[.done] == 1)
    let blocks = { (name: String) in
      try network.records(of: network.did(name), in: .block).contains {
        $0.value["subject"]?.string == "\(judy)"
      }
    }
    #expect(try blocks("bob") && !blocks("alice"))
    #expect(try await alice.account().did == network.did("alice"))
    #expect(try await workspace.account().did == network.did("carol"))
  }

  @Test func theClientsOfAnAccountAreMadeOnceAndForgottenWithItsSession() async throws {
    let workspace = try await workspace(over: network).acting(as: .did(try network.did("alice")))
    let refresher = {
      let authorizer = try await workspace.account().pds.configuration.authorizer as? BearerAuthorizer
      return authorizer?.credentials as? TokenRefresher
    }
    let first = try #require(try await refresher())
    #expect(try await refresher() === first)
    _ = try await SignOutAccounts().run(in: workspace, Reporter(rows: { _ in }))
    await #expect(throws: SessionError.self) { try await workspace.account() }
    try await workspace.sessions().signIn(
      .handle(try Handle(parsing: "alice.test")), password: try #require(Password("pw-alice")),
      at: workspace.services.pds)
    #expect(try await refresher() !== first)
    _ = try await workspace.run(ReadNotifications(), Reporter(rows: { _ in }))
  }

  /// Else a program that makes many would keep their files open.
  @Test func aWorkspaceThatIsNoLongerUsedIsGone() async throws {
    weak var former: Workspace?
    do {
      let workspace = try await workspace(over: network)
      let names = TargetStream(origins: [.argument("judy.test")])
      let change = Change(ChangeAccounts(.block(), AccountChoice(names)))
      _ = try await workspace.run(change, Reporter(rows: { _ in }))
      _ = try await workspace.run(try followers(of: "alice"), Reporter(rows: { _ in }))
      former = workspace
      #expect(former != nil)
    }
    #expect(former == nil)
  }

  /// What one run has changed, the next one sees, although it learned the opposite a moment ago.
  @Test func anOwnChangeIsSeenByTheNextRun() async throws {
    let workspace = try await workspace(over: network).acting(as: .did(try network.did("alice")))
    let listing = ListingQuery(
      .followers(of: .did(try network.did("alice"))),
      where: try AccountPredicate(parsing: "following", now: Datetime(at: workspace.time.instant)))
    let followed = { try await rows(ListAccounts(listing), in: workspace).map(\.view.account) }
    let other = try #require(try await followed().first)
    let change = Change(
      ChangeAccounts(.unfollow(), AccountChoice(TargetStream(origins: [.argument("\(other)")]))))
    #expect(try await workspace.run(change, Reporter(rows: { _ in })).outcome.hasDone)
    #expect(try await !followed().contains(other))
  }

  // MARK: Checks

  private func check(_ actor: String, _ targets: [String]) throws -> CheckRelationships {
    let targets = try targets.map { TargetStream.Origin.argument("\(try network.did($0))") }
    return CheckRelationships(of: .did(try network.did(actor)), targets: TargetStream(origins: targets))
  }

  /// A check with what it said.
  private func run(
    _ check: CheckRelationships, in workspace: Workspace
  ) async throws -> (rows: [RelationshipRow], notes: [Note], calls: Int) {
    let (rows, notes) = (PosixMutex<[RelationshipRow]>([]), PosixMutex<[Note]>([]))
    let run = try await workspace.run(
      check,
      Reporter(
        rows: { some in rows.withLock { $0 += some } }, note: { note in notes.withLock { $0.append(note) } }))
    return (rows.withLock(\.self), notes.withLock(\.self), run.cost.calls)
  }

  /// For its own account, whose mutes are in the answers, and for others.
  @Test(arguments: ["alice", "mallory"]) func asksAboutAPairOnce(actor: String) async throws {
    let workspace = try await workspace(over: network).acting(as: .did(try network.did("alice")))
    let check = try check(actor, ["bob", "carol"])
    let first = try await run(check, in: workspace)
    #expect(
      first.calls == (actor == "alice" ? 2 : 1)
        && first.rows.allSatisfy { $0.answer.info?.source == .appview })
    let again = try await run(check, in: workspace.acting(as: .did(try network.did("alice"))))
    #expect(again.calls == 0 && again.rows.allSatisfy { $0.answer.info?.source == .cache })
    #expect(again.rows.map(\.answer.info?.muted) == first.rows.map(\.answer.info?.muted))
    network.clock.advance(by: .seconds(310))
    let later = try await run(check, in: workspace)
    #expect(later.calls > 0 && later.rows.allSatisfy { $0.answer.info?.source == .appview })
  }

  @Test func withoutACacheEachCheckAsks() async throws {
    let user = try await ServedUser(on: network)
    let workspace = user.workspace(caches: false)
    for _ in 0..<2 {
      let run = try await run(try check("alice", ["bob"]), in: workspace)
      #expect(run.calls == 2 && run.rows.map(\.answer.info?.source) == [.appview])
    }
  }

  /// From both ends: also by a service that the change itself did not use.
  @Test func aChangeIsSeenByTheNextCheck() async throws {
    let workspace = try await workspace(over: network).acting(as: .did(try network.did("alice")))
    let judy = try network.did("judy")
    let checks = [try check("alice", ["judy"]), try check("judy", ["alice"])]
    for check in checks {
      #expect(try await run(check, in: workspace).rows.first?.answer.info?.blocked == false)
    }
    let targets = { TargetStream(origins: [.argument("\(judy)")]) }
    for change in [
      ChangeAccounts(.block(), AccountChoice(targets())), ChangeAccounts(.mute(), AccountChoice(targets())),
    ] {
      #expect(try await workspace.run(Change(change), Reporter(rows: { _ in })).outcome.hasDone)
    }
    let own = try #require(try await run(checks[0], in: workspace).rows.first?.answer.info)
    #expect(own.blocking != nil && own.muted == true)
    #expect(try await run(checks[1], in: workspace).rows.first?.answer.info?.blockedBy != nil)
  }

  /// Fails the calls that ask about an account's mutes.
  private struct WithoutMutes: HTTPTransport {
    let network: FaultyNetwork
    let isDown = PosixMutex(true)

    var capabilities: TransportCapabilities { network.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      if isDown.withLock(\.self), RequestQuery(request).method == "app.bsky.actor.getProfiles" {
        return .xrpcError(400, "InvalidRequest", "no")
      }
      return try await network.send(request)
    }
  }

  /// What one of two checks at once says does not depend on the other, and a failure is not kept.
  @Test func eachCheckSaysWhatItLacks() async throws {
    let transport = WithoutMutes(network: network)
    let workspace = try await workspace(over: transport).acting(as: .did(try network.did("alice")))
    let own = try check("alice", ["bob", "carol"])
    let others = try check("mallory", ["bob", "carol"])
    async let first = run(own, in: workspace)
    async let second = run(own, in: workspace)
    async let third = run(others, in: workspace)
    for run in [try await first, try await second] {
      #expect(run.rows.map(\.answer.info?.muted) == [nil, nil])
      #expect(run.notes.count { if case .mutesNotLearned = $0 { true } else { false } } == 1)
    }
    #expect(try await third.notes.isEmpty)
    transport.isDown.withLock { $0 = false }
    let again = try await run(own, in: workspace)
    #expect(again.rows.map(\.answer.info?.muted) == [false, false] && again.notes.isEmpty)
  }

  private func rows<Operation: KithOperation>(
    _ operation: Operation, in workspace: Workspace
  ) async throws -> [Operation.Row] {
    let run = workspace.start(operation)
    var rows: [Operation.Row] = []
    for try await batch in run.rows { rows += batch }
    _ = try await run.outcome
    return rows
  }

  // MARK: Rows and time

  /// Rows without end, one batch at a time.
  private struct Numbers: KithOperation {
    static let name = "numbers"
    let made: PosixMutex<Int>

    func run(in workspace: Workspace, _ report: Reporter<Int>) async throws -> RowsOutcome {
      await report.deliver { rows in
        while true {
          try Task.checkCancellation()
          let number = made.withLock { made in
            made += 1
            return made
          }
          try await rows.append(number)
          try await rows.flush()
        }
      }
    }
  }

  @Test func anOperationWaitsUntilItsRowsAreTaken() async throws {
    let user = try await ServedUser(nil, on: network)
    let numbers = Numbers(made: PosixMutex(0))
    let run = user.workspace().start(numbers)
    var taken: [Int] = []
    for try await batch in run.rows {
      taken += batch
      // One more may be on its way.
      #expect(numbers.made.withLock(\.self) <= taken.count + 1)
      if taken.count == 5 { break }
    }
    let outcome = try await run.outcome
    #expect(taken == [1, 2, 3, 4, 5] && outcome.isClosed && outcome.ending == .interrupted(.closed))
    #expect(numbers.made.withLock(\.self) <= 7)
  }

  @Test func aCancelledRunSaysSo() async throws {
    let user = try await ServedUser(nil, on: network)
    let run = user.workspace().start(Numbers(made: PosixMutex(0)))
    var count = 0
    for try await batch in run.rows {
      count += batch.count
      if count == 3 { run.cancel() }
    }
    #expect(try await run.outcome.ending == .interrupted(.cancelled) && count >= 3)
  }

  @Test func theTimeOfARunIsNotThatOfAPerson() async throws {
    let alice = try await ServedUser(on: network)
    let names = TargetStream(origins: ["judy", "mallory"].map { .argument("\($0).test") })
    let change = Change(ChangeAccounts(.block(), AccountChoice(names)))
    let run = try await alice.workspace().run(
      change,
      Reporter(
        rows: { _ in },
        ask: { _ in
          network.clock.advance(by: .seconds(3_600))
          return true
        }))
    #expect(run.outcome.ending == .done && run.elapsed < .seconds(60), "\(run.elapsed)")
    #expect(run.cost.calls > 0 && run.costByMethod["com.atproto.repo.applyWrites"]?.calls == 1)
  }

  /// All of them, 10,000, in `LivingWorkspaceLongTests`.
  @Test func memoryStaysFlatOver300Runs() async throws {
    try await Self.expectFlatMemory(runs: 300, most: 16 << 20)
  }

  /// - Parameter most: the most that it may grow, in bytes.
  fileprivate static func expectFlatMemory(runs: Int, most: Int) async throws {
    let network = FaultyNetwork(accounts: 14)
    let user = try await ServedUser(on: network)
    let workspace = user.workspace()
    let followers = ListAccounts(ListingQuery(.followers(of: try user.actor("bob"))))
    let notifications = ReadNotifications()
    func run(_ count: Int) async throws {
      for number in 0..<count {
        if number % 2 == 0 {
          _ = try await workspace.run(followers, Reporter(rows: { _ in }))
        } else {
          _ = try await workspace.run(notifications, Reporter(rows: { _ in }))
        }
      }
    }
    // Caches fill first.
    try await run(50)
    let before = try Memory.resident()
    try await run(runs)
    let grown = try Memory.resident() - before
    #expect(grown < most, "grew by \(grown >> 10) KiB in \(runs) runs")
  }
}

/// The memory of this process.
private enum Memory {
  /// Bytes in memory.
  static func resident() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
  }
}

@Suite struct LivingWorkspaceLongTests {
  @Test func memoryStaysFlatOver10000Runs() async throws {
    try await LivingWorkspaceTests.expectFlatMemory(runs: 10_000, most: 24 << 20)
  }
}
