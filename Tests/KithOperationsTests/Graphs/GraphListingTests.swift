// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithOperations
import KithRelationships
import SandboxSupport
import TestSupport
import Testing

/// Follows in the graphs of other apps: who is listed, and what is unknown.
@Suite struct GraphListingTests {
  private let network = FaultyNetwork(accounts: 100)

  private func list(
    _ query: ListingQuery, by user: ServedUser, in workspace: Workspace? = nil
  ) async throws -> OperationRun<ListAccounts> {
    try await user.run(ListAccounts(query, details: .names), in: workspace)
  }

  private func handles(
    _ query: ListingQuery, by user: ServedUser, in workspace: Workspace? = nil
  ) async throws -> Set<String> {
    let run = try await list(query, by: user, in: workspace)
    #expect(run.outcome.ending == .done)
    return Set(run.rows.map(\.view).handles)
  }

  @Test func followsOfAnAppAreThoseOfTheRepository() async throws {
    let alice = try await ServedUser(on: network)
    let me = try alice.actor("alice")
    let listed = try await list(.follows(of: me, in: .tangled), by: alice).rows
    #expect(
      try Set(listed.map { "\($0.view.account)" }) == Set(alice.subjects(FollowGraph.tangled.collection)))
    #expect(listed.count == 4 && listed.allSatisfy { $0.graph == .tangled })
    #expect(
      try await list(.follows(of: me, in: .bluesky), by: alice).rows.allSatisfy { $0.graph == .bluesky })
  }

  @Test func aSubjectThatIsNoAccountIsCountedAndNoTarget() async throws {
    let alice = try await ServedUser(on: network)
    let subjects = try alice.subjects(FollowGraph.cosmik.collection)
    #expect(subjects.count == 2 && subjects.contains { $0.hasPrefix("at://") })
    let listed = try await list(.follows(of: alice.actor("alice"), in: .cosmik), by: alice)
    #expect(listed.rows.map(\.view).handles == ["bob.test"])
    #expect(listed.outcome.report.coverage.otherSubjects == 1)
    let followed = try await alice.carryOut(
      ChangeAccounts(.follow(in: [.grain]), .found(.following(in: .cosmik))))
    #expect(followed.rows.map(\.input) == ["bob.test"])
  }

  @Test func aFollowOfOneselfIsSaidAndIsNoAccountOfTheListing() async throws {
    let alice = try await ServedUser(on: network)
    let me = try alice.did("alice")
    let value: DataValue = [
      "$type": .string("\(FollowGraph.tangled.collection)"), "subject": .string("\(me)"),
      "createdAt": "2026-01-01T00:00:00Z",
    ]
    #expect(
      network.setRecords(
        [try RecordKey(parsing: "3k2yihcrp6f2c"): value], in: FollowGraph.tangled.collection, of: me))
    let query = ListingQuery.follows(of: .did(me), in: .tangled)
    let listed = try await list(query, by: alice)
    #expect(listed.rows.count == 4 && listed.outcome.report.coverage.aboutItself == 1)
    let taken = try await alice.run(TakeSnapshots(of: .these([me]), sides: [.follows], in: [.tangled]))
    #expect(taken.rows.map(\.snapshot.counts.listed) == [4])
    try await alice.carryOut(ChangeAccounts(.unfollow(in: [.tangled]), .cast("alice")), confirmed: true)
    #expect(try await list(query, by: alice).outcome.report.coverage.aboutItself == 0)
  }

  @Test func whoFollowsBackIsAskedOfItsOwnRepository() async throws {
    let alice = try await ServedUser(on: network)
    let me = try alice.actor("alice")
    #expect(try await handles(.mutuals(of: me, in: .tangled), by: alice) == ["bob.test", "heidi.test"])
    // Oscar's server does not show his repository: that is not a no.
    let query = ListingQuery.notFollowingBack(me, in: .tangled)
    #expect(try await handles(query, by: alice) == ["carol.test"])
    #expect(try await list(query, by: alice).outcome.report.coverage.unseen == 1)
    let common = ListingQuery.common(me, [try alice.actor("bob")], in: .tangled)
    #expect(try await handles(common, by: alice) == ["carol.test"])
  }

  @Test func followersOfAnAppComeFromAnIndexAsALowerBound() async throws {
    let alice = try await ServedUser(on: network)
    let me = try alice.actor("alice")
    let query = ListingQuery.followers(of: me, in: .tangled)
    let listed = try await list(query, by: alice, in: try alice.indexedWorkspace())
    #expect(Set(listed.rows.map(\.view).handles) == ["bob.test", "dave.test", "heidi.test"])
    #expect(listed.outcome.report.coverage.isLowerBound)
    let unfollowed = ListingQuery.notFollowedBack(by: me, in: .tangled)
    #expect(try await handles(unfollowed, by: alice, in: try alice.indexedWorkspace()) == ["dave.test"])
    let error = await #expect(throws: OperationError.self) {
      try await alice.run(Change(ChangeAccounts(.follow(in: [.tangled]), .found(.own(.followers)))))
    }
    #expect(error?.code == .graphNeedsIndex && error?.kind == .usage)
  }

  @Test func aCheckAnswersForEachGraph() async throws {
    let user = try await ServedUser(nil, on: network)
    var check = CheckRelationships(
      of: try user.actor("alice"),
      targets: TargetStream(origins: [.argument("bob.test"), .argument("heidi.test")]))
    check.graphs = [.bluesky, .tangled]
    let rows = try await user.run(check).rows
    #expect(rows.map(\.graph) == [.bluesky, .tangled, .bluesky, .tangled])
    let known = rows.compactMap { row in if case .known(let info) = row.answer.state { info } else { nil } }
    #expect(known.map(\.mutual) == [true, true, false, true])
    #expect(known.count == 4 && known[1].source.rawValue == "repository")
    #expect(try await user.answer("alice", "heidi", is: "mutual", in: .tangled) == .yes)
    #expect(try await user.answer("alice", "carol", is: "mutual", in: .tangled) == .no)
    #expect(try await user.answer("alice", "oscar", is: "followed-by", in: .tangled) == .failed(.unavailable))
  }

  @Test func aFollowThatWaitsForApprovalIsARequest() async throws {
    let user = try await ServedUser(nil, on: network)
    var check = CheckRelationships(
      of: try user.actor("alice"), targets: TargetStream(origins: [.argument("grace.test")]))
    check.graphs = [.weaver]
    check.predicate = try user.predicate("following")
    let run = try await user.run(check)
    guard case .known(let info)? = run.rows.first?.answer.state else {
      Issue.record("not answered: \(run.rows)")
      return
    }
    #expect(
      info.following == nil && run.outcome.verdict.answer == .no && run.notes["followsAwaitApproval"] != nil)
    #expect(try await user.answer("judy", "grace", is: "mutual", in: .weaver) == .yes)
  }

  // MARK: Graphs

  @Test func graphsCountFollowsAndTheirOverlap() async throws {
    let user = try await ServedUser(nil, on: network)
    let list = ListGraphs(of: try user.actor("alice"))
    let graphs = try await user.run(list, in: try user.indexedWorkspace()).rows
    #expect(Set(graphs.map(\.graph)) == [.bluesky, .tangled, .grain, .cosmik, .weaver])
    let byGraph = Dictionary(uniqueKeysWithValues: graphs.map { ($0.graph, $0) })
    let tangled = try #require(byGraph[.tangled])
    #expect(tangled.follows == 4 && tangled.alsoOnBluesky == 3 && tangled.followers == 3)
    #expect(byGraph[.cosmik]?.otherSubjects == 1)
    let onBluesky = try Set(user.subjects(FollowGraph.bluesky.collection))
    #expect(byGraph[.bluesky]?.follows == onBluesky.count)
    #expect(try await user.run(list).rows.allSatisfy { $0.followers == nil })
  }

  @Test func graphsAreCompared() async throws {
    let user = try await ServedUser(nil, on: network)
    func compare(onlyIn graph: FollowGraph? = nil) async throws -> [AccountView] {
      let compare = CompareGraphs(of: try user.actor("alice"), .bluesky, .tangled, onlyIn: graph)
      return try await user.run(compare).rows.map(\.view)
    }
    #expect(try await compare(onlyIn: .tangled).handles == ["heidi.test"])
    let here = try Set(user.subjects(FollowGraph.bluesky.collection))
    let there = try Set(user.subjects(FollowGraph.tangled.collection))
    #expect(try await Set(compare().map { "\($0.account)" }) == here.union(there))
    #expect(try await Set(compare(onlyIn: .bluesky).map { "\($0.account)" }) == here.subtracting(there))
  }
}
