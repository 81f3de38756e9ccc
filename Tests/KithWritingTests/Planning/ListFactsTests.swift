// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// The facts that are loaded before lists are changed.
@Suite struct ListFactsTests {
  private let account = Accounts.did(0)

  private func uri(_ key: String) throws -> ATURI {
    try ATURI(parsing: "at://\(account)/app.bsky.graph.list/\(key)")
  }

  private func put(_ pds: PDSDouble, list key: String, _ name: String, _ purpose: String = "curatelist") {
    pds.change {
      $0.records["app.bsky.graph.list/\(key)"] = [
        "$type": "app.bsky.graph.list", "name": .string(name),
        "purpose": .string("app.bsky.graph.defs#\(purpose)"), "createdAt": "2025-01-01T00:00:00.000Z",
      ]
    }
  }

  private func put(_ pds: PDSDouble, item key: String, _ number: Int?, on list: String) throws {
    let list = try uri(list)
    pds.change {
      var value: DataObject = [
        "$type": "app.bsky.graph.listitem", "list": .string("\(list)"),
        "createdAt": "2025-01-01T00:00:00.000Z",
      ]
      value["subject"] = number.map { .string("\(Accounts.did($0))") }
      $0.records["app.bsky.graph.listitem/\(key)"] = .object(value)
    }
  }

  private func known(
    _ pds: PDSDouble, _ changes: [ChangeIntent], _ source: ScriptedSource = ScriptedSource()
  ) async throws -> PlanningFacts {
    let client = try pds.client()
    let loader = FactLoader(account: account, pds: client, appview: client, relationships: source)
    return try await loader.knowledge(for: changes)
  }

  @Test(arguments: PDSDouble.Manner.allCases)
  func readsListsAndTheirItemsFromTheRepository(manner: PDSDouble.Manner) async throws {
    let pds = PDSDouble(account: account, manner)
    put(pds, list: "3a", "Noise")
    put(pds, list: "3b", "Friends")
    for number in 1...250 { try put(pds, item: "3i\(1_000 + number)", number, on: "3a") }
    try put(pds, item: "3j", 1, on: "3a")
    try put(pds, item: "3k", 1, on: "3b")
    try put(pds, item: "3l", nil, on: "3a")
    pds.put("app.bsky.graph.listblock", "3m", subject: try uri("3a"))
    let one = ChangeIntent.remove(Accounts.did(1), from: try uri("3a"))
    let both = try await known(pds, [one, .add(Accounts.did(2), to: try uri("3b"))])
    #expect(both[one].list?.items?.map(\.rkey.description) == ["3i1001", "3j"])
    #expect(both[.add(Accounts.did(2), to: try uri("3b"))].list?.items == [])
    #expect(both.lists?.named("Friends").map(\.uri) == [try uri("3b")])
    let deletion = ChangeIntent.list(.delete(try uri("3a")))
    let whole = try await known(pds, [deletion])[deletion]
    #expect(whole.list?.items?.count == 252)
    #expect(whole.list?.items?.contains { $0.rkey.description == "3l" } == true)
    #expect(whole.listBlocks?.map(\.rkey.description) == ["3m"])
  }

  @Test func asksAboutFollowsOnlyForModerationLists() async throws {
    let pds = PDSDouble(account: account)
    put(pds, list: "3a", "Noise", "modlist")
    put(pds, list: "3b", "Friends")
    let source = ScriptedSource()
    let many = Accounts.dids(1..<41)
    let changes =
      try many.map { ChangeIntent.add($0, to: try uri("3a")) }
      + [
        .add(Accounts.did(50), to: try uri("3b")),
        .add(Accounts.did(51), to: try uri("3a"), allowsFollowed: true),
        .remove(Accounts.did(52), from: try uri("3a")),
      ]
    let known = try await known(pds, changes, source)
    #expect(Set(source.asked.joined()) == Set(many))
    #expect(known[changes[0]].relationship?.isFollowing == true)
  }

  @Test func asksAboutManyConcurrentlyAndStopsAfterAFailure() async throws {
    let pds = PDSDouble(account: account)
    put(pds, list: "3a", "Noise", "modlist")
    let changes = try Accounts.dids(1..<1_201).map { ChangeIntent.add($0, to: try uri("3a")) }
    let all = try await known(pds, changes)
    #expect(all.relationships.count == 1_200)
    #expect(all.faults.isEmpty)
    let failing = ScriptedSource { _, _ in
      throw RelationshipError.networkError(TransportError(.timedOut, host: "appview.test"))
    }
    let none = try await known(pds, changes, failing)
    #expect(none.relationships.isEmpty)
    #expect(!none.faults.isEmpty && failing.asked.count <= 8)
  }

  /// A list and its first members are planned together.
  @Test func treatsAPlannedListAsExisting() async throws {
    let pds = PDSDouble(account: account)
    put(pds, list: "3a", "Noise")
    let time = ManualClock().timeSource()
    let planner = ChangePlanner(
      account: account, keys: TIDClock(clockID: 7) { time.instant }, time: time)
    func outcomes(_ name: String) async throws -> [PlannedChange.Outcome] {
      let list = try uri("3new")
      let changes: [ChangeIntent] = [
        .list(.create(list, ListDraft(name: name, purpose: .moderate))), .add(Accounts.did(1), to: list),
      ]
      let source = ScriptedSource { actor, targets in
        ScriptedSource.follows(actor, targets) { _ in false }
      }
      let known = try await known(pds, changes, source)
      return planner.plan(changes) { known[$0] }.map(\.outcome)
    }
    let made = try await outcomes("New")
    #expect(made.count == 2)
    #expect(made.allSatisfy { if case .steps = $0 { true } else { false } })
    // A list that is not created gets no members.
    let taken = try await outcomes("Noise")
    #expect(taken.allSatisfy { if case .refused = $0 { true } else { false } })
  }
}
