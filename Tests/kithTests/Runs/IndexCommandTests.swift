// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Listings and audits with a backlink index, against a sandbox that has one.
@Suite struct IndexCommandTests {
  private let user: InProcessUser
  private let alice: DID

  init() throws {
    user = try InProcessUser(accounts: 1_000)
    alice = try user.did("alice")
  }

  private func kith(
    _ line: String, index: String = FaultyNetwork.appview
  ) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init) + ["--index", index])
  }

  private func text(_ field: String, of ending: InProcessUser.Ending) -> [String] {
    ending.rows.compactMap { $0[field]?.trimmingCharacters(in: ["\""]).replacing("\\/", with: "/") }
  }

  /// The accounts with a relationship to Alice in the records, regardless of the AppView.
  private func accounts(where holds: (LiveGraph, _ account: Int, _ alice: Int) -> Bool) throws -> Set<String>
  {
    let live = user.network.live
    let own = try #require(live.network.index(of: alice))
    let graph = live.state { $0.graph }
    return Set(
      live.network.dids.indices.filter { $0 != own && holds(graph, $0, own) }
        .map { live.network.dids[$0].description })
  }

  @Test func allBlockersAreListedWithTheirRecords() async throws {
    let all = try await kith("blocked-by alice.test --format ndjson")
    #expect(all.status == .success, "\(all.talk)")
    let truth = try accounts { graph, account, alice in
      graph.blocks.edge(from: account, to: alice) != nil || graph.listBlocked(by: account, with: alice) != nil
    }
    #expect(truth.count > 1 && Set(text("did", of: all)) == truth && all.rows.count == truth.count)
    #expect(all.rows.allSatisfy { $0["record"] != "null" && $0["since"] != "null" })
    #expect(all.rows.contains { $0["handle"] != "null" })
    #expect(
      text("record", of: all).contains { $0.contains("/app.bsky.graph.listblock/") }
        && text("record", of: all).contains { $0.contains("/app.bsky.graph.block/") })
    #expect(all.talk.contains("\"isLowerBound\":true"))
    #expect(
      try await user.kith(["blocked-by", "alice.test"]).talk.contains("\"code\":\"blockersNeedIndex\""))
  }

  @Test(arguments: ["followers alice.test", "followers alice.test --dates"])
  func followersHiddenByTheAppViewAreAddedAndExplained(line: String) async throws {
    let listed = try await user.kith(line.split(separator: " ").map(String.init))
    let all = try await kith(line)
    #expect(all.status == .success, "\(all.talk)")
    let truth = try accounts { graph, account, alice in
      graph.follows.edge(from: account, to: alice) != nil
        && graph.standings.status(at: account) != .deleted
    }
    #expect(Set(text("did", of: all)) == truth)
    #expect(Set(text("did", of: listed)).isStrictSubset(of: truth))
    let dated = all.rows.filter { $0["since"] != "null" }
    #expect(dated.count == (line.hasSuffix("--dates") ? all.rows.count : truth.count - listed.rows.count))
    #expect(all.talk.contains("\"notListable\":0") && !all.talk.contains("\"hidden\":0"))
  }

  @Test func datesCostACallForAThousandFollowersAndNotForThirty() async throws {
    let sandbox = try await SandboxRun(accounts: 1_000)
    let url = try #require(sandbox.environment["KITH_APPVIEW"])
    let (without, with) = (
      try await sandbox.kith("followers alice.test --dates -v"),
      try await sandbox.kith("followers alice.test --dates -v --index \(url)")
    )
    #expect(try with.calls(of: "blue.microcosm.links.getBacklinks") == 1)
    let method = "app.bsky.graph.getRelationships"
    let plan = try await sandbox.kith("followers alice.test --dates --explain --index \(url)")
    #expect(
      try plan.rows(Plan.self).last?.calls ?? 0 >= with.message("totalCost")?.number("calls") ?? .max)
    // The others are checked because the AppView does not list them.
    #expect(try with.calls(of: method) ?? 0 < without.calls(of: method) ?? 0)
  }

  /// The listing of the AppView is kept, with dates as without an index.
  @Test func aFailingIndexIsReported() async throws {
    let method = try NSID(parsing: "blue.microcosm.links.getBacklinks")
    let faults = SandboxFaults(rate: 1, kinds: [.internalServerError], methods: [method])
    let sandbox = try await SandboxRun(accounts: 1_000, faults: faults)
    let index = ["KITH_INDEX": try #require(sandbox.environment["KITH_APPVIEW"])]
    let followers = try await sandbox.kith("followers alice.test --dates", environment: index)
    #expect(followers.status == 0, "\(followers.talk)")
    let rows = try followers.rows(Row.self)
    #expect(rows.count > 100 && rows.allSatisfy { $0.since != nil })
    #expect(try followers.message("listingCoverage")?.level == "warning")
    #expect(try await sandbox.kith("blocked-by alice.test", environment: index).status == 69)
  }

  /// An index knows records, but not their effect.
  @Test func unconfirmedBlockersAreNotListed() async throws {
    let method = try NSID(parsing: "app.bsky.graph.getRelationships")
    let faults = SandboxFaults(rate: 1, kinds: [.internalServerError], methods: [method])
    let sandbox = try await SandboxRun(accounts: 1_000, faults: faults)
    let index = ["KITH_INDEX": try #require(sandbox.environment["KITH_APPVIEW"])]
    let blockers = try await sandbox.kith("blocked-by alice.test", environment: index)
    #expect(blockers.status == 69 && blockers.output.isEmpty, "\(blockers.talk)")
    #expect(try blockers.message("listingCoverage")?.level == "warning")
  }

  private struct Row: Decodable { let since: String? }

  private struct Plan: Decodable { let calls: Int64? }

  @Test func doctorReportsListsOfOthers() async throws {
    _ = try await user.kith(["login", "alice.test"])
    let found = try await kith("doctor --only on-list")
    #expect(found.status == .success && !found.rows.isEmpty, "\(found.talk)")
    #expect(text("list", of: found).contains(try user.list("Loud people", of: "ivan")))
    #expect(found.rows.allSatisfy { $0["problem"] == "false" && $0["detail"]?.contains(": ") == true })
    #expect(try await user.kith(["doctor", "--only", "on-list"]).status == .usage)
    #expect(text("kind", of: try await kith("doctor")).contains("on-list"))
    #expect(!text("kind", of: try await user.kith(["doctor"])).contains("on-list"))
  }
}
