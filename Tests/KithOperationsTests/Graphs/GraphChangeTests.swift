// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Follows in the graphs of other apps, compared with the records in the repositories of the network.
@Suite struct GraphChangeTests {
  private let network = FaultyNetwork(accounts: 100)

  @Test func oneJobWritesARecordInEachGraphAndIsUndone() async throws {
    let alice = try await ServedUser(on: network)
    let judy = try "\(alice.did("judy"))"
    let graphs = [FollowGraph.bluesky, .tangled]
    let followed = try await alice.carryOut(ChangeAccounts(.follow(in: graphs), .cast("judy")))
    #expect(followed.rows.map(\.graph) == graphs)
    #expect(Set(followed.rows.map(\.job)).count == 1)
    for graph in graphs { #expect(try alice.subjects(graph.collection).count { $0 == judy } == 1) }
    let again = try await alice.carryOut(ChangeAccounts(.follow(in: [.tangled]), .cast("judy")))
    #expect(again.rows.map(\.state) == [.unchanged])
    // The last command changed nothing, so the job is named.
    try await alice.undo(try #require(followed.outcome.job).id)
    for graph in graphs { #expect(try !alice.subjects(graph.collection).contains(judy)) }
  }

  @Test func aGraphIsCopiedInOneChangeAndUndoneInOne() async throws {
    let alice = try await ServedUser(on: network)
    let before = try Set(alice.subjects(FollowGraph.grain.collection))
    let listed = try await alice.run(
      ListAccounts(.follows(of: alice.actor("alice"), in: .tangled), details: .names))
    let shown = Set(listed.rows.map(\.view).filter { $0.handle != nil }.map { "\($0.account)" })
    #expect(shown.count > 1)
    try await alice.carryOut(
      ChangeAccounts(.follow(in: [.grain]), .found(.following(in: .tangled))), confirmed: true)
    #expect(try Set(alice.subjects(FollowGraph.grain.collection)).isSuperset(of: shown.union(before)))
    try await alice.undo()
    #expect(try Set(alice.subjects(FollowGraph.grain.collection)) == before)
  }

  /// The same words select the same accounts, whether they are listed or changed.
  @Test func aSelectionBelongsToTheGraphOfTheChange() async throws {
    let alice = try await ServedUser(on: network)
    let me = try alice.actor("alice")
    /// The accounts of a preview, by graph.
    func planned(_ change: ChangeAccounts) async throws -> [FollowGraph?: Set<String>] {
      let run = try await alice.carryOut(change, as: .preview, in: try alice.indexedWorkspace())
      return Dictionary(grouping: run.rows.filter { $0.state != .unchanged }, by: \.graph)
        .mapValues { Set($0.compactMap(\.subject)) }
    }
    func listed(_ query: ListingQuery) async throws -> Set<String> {
      let run = try await alice.run(ListAccounts(query), in: try alice.indexedWorkspace())
      return Set(run.rows.map { "\($0.view.account)" })
    }
    let listings: [(AccountChoice.OwnListing, query: (FollowGraph) -> ListingQuery)] = [
      (.following, { .follows(of: me, in: $0) }), (.mutuals, { .mutuals(of: me, in: $0) }),
      (.notFollowingBack, { .notFollowingBack(me, in: $0) }),
    ]
    for (listing, query) in listings {
      let wanted = [
        FollowGraph.bluesky: try await listed(query(.bluesky)), .tangled: try await listed(query(.tangled)),
      ]
      let both = try await planned(
        ChangeAccounts(.unfollow(in: [.bluesky, .tangled]), .found(.own(listing))))
      #expect(both == wanted && wanted[.tangled] != wanted[.bluesky], "\(listing)")
      let one = try await planned(ChangeAccounts(.unfollow(in: [.tangled]), .found(.own(listing))))
      #expect(one == [.tangled: wanted[.tangled] ?? []], "\(listing)")
    }
    let others: [(ChangeAccounts, ListingQuery)] = [
      (
        ChangeAccounts(.follow(in: [.tangled]), .found(.own(.notFollowedBack))),
        .notFollowedBack(by: me, in: .tangled)
      ),
      (
        ChangeAccounts(.unfollow(in: [.tangled]), .found(.follows(of: me))), .follows(of: me, in: .tangled)
      ),
    ]
    for (change, query) in others {
      #expect(try await planned(change) == [.tangled: try await listed(query)], "\(query)")
    }
  }

  @Test func aNamedAccountIsMeantInEachGraphAndAnExclusionCountsInEach() async throws {
    let alice = try await ServedUser(on: network)
    var accounts = AccountChoice.cast("bob")
    accounts.sources = [.own(.following)]
    accounts.exclusions = [AccountChoice.file("carol.test\n").names]
    let run = try await alice.carryOut(
      ChangeAccounts(.unfollow(in: [.bluesky, .tangled]), accounts), as: .preview)
    let (bob, carol) = (try "\(alice.did("bob"))", try "\(alice.did("carol"))")
    let chosen = run.rows.compactMap(\.subject)
    #expect(chosen.count { $0 == bob } == 2 && !chosen.contains(carol))
  }

  @Test func aFollowIsWrittenInTheGraphOfAnUnknownApp() async throws {
    let alice = try await ServedUser(on: network)
    let collection = try NSID(parsing: "xyz.example.follow")
    let graph = try #require(FollowGraph(collection))
    let run = try await alice.carryOut(ChangeAccounts(.follow(in: [graph]), .cast("judy")))
    #expect(try alice.subjects(collection) == ["\(alice.did("judy"))"])
    let shown = try await alice.run(ShowJob(try #require(run.outcome.job).id))
    #expect(shown.rows.map(\.graph?.name) == ["xyz.example.follow"])
    try await alice.undo()
    #expect(try alice.subjects(collection).isEmpty)
  }

  /// A record with fields that Kith does not know comes back as it was.
  @Test func unknownFieldsOfARecordSurviveAnUndo() async throws {
    let alice = try await ServedUser(on: network)
    let (me, collection) = (try alice.did("alice"), FollowGraph.tangled.collection)
    let value: DataValue = [
      "$type": .string("\(collection)"), "subject": .string("\(try alice.did("judy"))"),
      "createdAt": "2026-01-01T00:00:00Z", "via": ["app": "x"],
    ]
    #expect(network.setRecords([try RecordKey(parsing: "3k2yihcrp6f2c"): value], in: collection, of: me))
    func records() -> [RecordKey: DataValue] {
      Dictionary(uniqueKeysWithValues: network.records(of: me, in: collection).map { ($0.key, $0.value) })
    }
    let before = records()
    #expect(before.values.contains { $0["via"] != nil })
    try await alice.carryOut(ChangeAccounts(.unfollow(in: [.tangled]), .cast("judy")), confirmed: true)
    #expect(records().count == before.count - 1)
    try await alice.undo()
    #expect(records() == before)
  }
}
