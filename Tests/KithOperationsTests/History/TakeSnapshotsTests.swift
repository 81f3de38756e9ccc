// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Snapshots of a served network, and the changes between them.
@Suite struct TakeSnapshotsTests {
  /// What a network says of a loss.
  private struct Loss: Hashable {
    let actor: DID
    let account: DID?
    let cause: LossCause
  }

  private func changes(
    of actor: DID, _ filter: HistoryFilter = HistoryFilter(), by user: ServedUser
  ) async throws -> [HistoryChange] {
    let run = try await user.run(ListChanges(of: actor, filter))
    #expect(run.outcome.rows.interruption == nil)
    return run.rows.map(\.change)
  }

  /// Each day, alice loses followers for another reason, and bob loses some through a third party's block.
  @Test func findsEachCauseInTheNetwork() async throws {
    let network = FaultyNetwork(.reference, accounts: 1_000, days: 7)
    let user = try await ServedUser(nil, on: network)
    let (alice, bob) = (try user.did("alice"), try user.did("bob"))
    try await user.takeSnapshots(of: ["alice", "bob"], sides: [.followers])
    var truth: Set<Loss> = []
    for _ in 1...7 {
      for event in try await network.passDay() {
        // For a block by alice or bob, the lost account is the subject; otherwise it is the author.
        let isTheirs = event.account == alice || event.account == bob
        let cause: LossCause? =
          switch event.kind {
          case .unfollowed: .unfollowed
          case .deleted: .deleted
          case .deactivated: .deactivated
          case .suspended, .takenDown: .suspended
          case .blocked: isTheirs ? .blocking : .blockedBy
          case .followed, .reactivated, .renamed: nil
          }
        guard let cause else { continue }
        let (actor, other) =
          isTheirs ? (event.account, event.subject) : (event.subject ?? alice, event.account)
        truth.insert(Loss(actor: actor, account: other, cause: cause))
      }
      try await user.takeSnapshots(of: ["alice", "bob"], sides: [.followers])
    }
    var found: Set<Loss> = []
    for actor in [alice, bob] {
      for change in try await changes(of: actor, HistoryFilter(sides: [.followers], kinds: [.lost]), by: user)
      {
        found.insert(
          Loss(actor: actor, account: change.account, cause: try #require(change.loss?.cause)))
      }
    }
    #expect(truth.subtracting(found) == [])
    // A deleted account may have followed both.
    #expect(
      found.filter { loss in !truth.contains { $0.account == loss.account && $0.cause == loss.cause } } == [])
    let returned = HistoryFilter(sides: [.followers], kinds: [.returned])
    #expect(try await changes(of: alice, returned, by: user).count == 1)
    // A changed handle is not a loss.
    let causes = Set(found.filter { $0.actor == alice }.map(\.cause))
    #expect(
      causes == [.unfollowed, .deleted, .deactivated, .suspended, .blocking, .blockedBy])
  }

  @Test func recordsEverySideOfTheOwnAccount() async throws {
    let user = try await ServedUser(on: FaultyNetwork(.reference))
    let (alice, bob) = (try user.did("alice"), try user.did("bob"))
    let (carol, dave) = (try user.did("carol"), try user.did("dave"))
    func sides() async throws -> [HistoryListing.Side] {
      try await user.takeSnapshots().map(\.listing.side)
    }
    func told(_ filter: HistoryFilter = HistoryFilter()) async throws -> Set<String> {
      Set(
        try await changes(of: alice, filter, by: user).map {
          "\($0.listing.side) \($0.kind) \($0.loss?.cause.rawValue ?? "-") \($0.account)"
        })
    }
    #expect(try await sides() == [.followers, .follows, .blocks, .mutes])
    let member = try user.writeList("Birds", with: bob)
    try await user.change(.mute(carol, .everything), .unfollow(bob), .block(dave))
    try await user.network.clock.sleep(for: .seconds(60))
    #expect(try await sides() == [.followers, .follows, .blocks, .mutes, .members])
    #expect(
      try await told() == [
        "followers lost blocking \(dave)", "follows lost unfollowed \(bob)", "blocks gained - \(dave)",
        "mutes gained - \(carol)",
      ])
    let (key, collection) = (try #require(member.recordKey), try #require(member.collection))
    #expect(user.network.setRecords([key: nil], in: collection, of: alice))
    try await user.change(ChangeIntent.unmute(carol))
    try await user.network.clock.sleep(for: .seconds(60))
    _ = try await sides()
    #expect(
      try await told(HistoryFilter(since: user.network.time.instant - .seconds(30))) == [
        "members lost removed \(bob)", "mutes lost removed \(carol)",
      ])
  }

  @Test(arguments: [Fault.serverError, .appViewDown, .pdsDown, .plcDown])
  func serverFailuresCauseNoLosses(fault: Fault) async throws {
    let network = FaultyNetwork(.reference, accounts: 1_000, days: 3)
    let user = try await ServedUser(on: network)
    let alice = try user.did("alice")
    try await user.takeSnapshots()
    network.begin(fault)
    let failure: FailureKind?
    do {
      let during = try await user.run(TakeSnapshots(of: .these([alice]), .init(isFull: true)))
      failure =
        during.outcome.summary.failure
        ?? during.outcome.rows.interruption.map { FailureKind($0) ?? .internalError }
    } catch { failure = FailureKind(error) }
    // The account's own server is known without the directory.
    #expect((failure == nil) == (fault == .plcDown))
    network.begin(.none)
    #expect(try await changes(of: alice, by: user).isEmpty)
    // After recovery, it finds the changes.
    let events = try await network.passDay()
    try await user.takeSnapshots()
    let lost = try await changes(of: alice, HistoryFilter(sides: [.followers], kinds: [.lost]), by: user)
    #expect(lost.count == events.count { [.unfollowed, .deleted].contains($0.kind) })
    let states = try await user.run(ListSnapshots(of: alice)).rows.map(\.snapshot.state)
    #expect(states.contains(.failed) == (fault != .plcDown))
  }

  /// The plan of a first snapshot is exact, but includes the keys of followers that the AppView counts and does
  /// not list.
  @Test func theCostOfASnapshotIsKnownBefore() async throws {
    let user = try await ServedUser(nil, on: FaultyNetwork(.reference))
    let snapshot = TakeSnapshots(of: .these([try user.did("alice")]))
    let plan = try await snapshot.cost(in: user.workspace()) { _ in }
    let method = "app.bsky.graph.getRelationships"
    let calls = plan.steps.filter { $0.name != method }.compactMap(\.calls).reduce(0, +)
    let planned = plan.steps.filter { $0.name == method }.compactMap(\.calls).reduce(0, +)
    let run = try await user.run(snapshot)
    let keys = run.calls[method] ?? 0
    #expect((calls - 4...calls).contains(run.callCount - keys))
    let followers = try #require(run.rows.map(\.snapshot).first { $0.listing.side == .followers })
    #expect(keys > 0 && keys <= planned && keys == (followers.counts.listed + 29) / 30)
  }
}
