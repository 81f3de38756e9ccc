// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The table of facts that filters and estimates walk.
@Suite struct AccountFactTests {
  private let now = Datetime(at: 1_800_000_000_000_000)
  private let alice = ATIdentifier.did(Accounts.did(0))

  private func needs(_ text: String) throws -> AccountPredicate.Needs {
    try AccountPredicate(parsing: text, now: now).needs
  }

  /// The calls of a plan by method; nil if their number is unknown.
  private func calls(_ plan: CostPlan) -> [String: Int?] {
    plan.steps.reduce(into: [:]) { calls, step in
      let former = calls[step.name] ?? 0
      calls[step.name] = .some(former.flatMap { sum in step.calls.map { sum + $0 } })
    }
  }

  private func calls(
    _ text: String, about count: Int? = 100, from origin: AccountOrigin = .named()
  ) throws -> [String: Int?] {
    var plan = CostPlan()
    plan.addQuestions(about: count, needs: try needs(text), from: origin)
    return calls(plan)
  }

  @Test(arguments: [
    "verified", "avatar", "label", "name contains a", "followers > 1", "verified and bio contains a",
  ])
  func profilesOfNamedAccountsAreInTheEstimateOnce(text: String) throws {
    #expect(try calls(text) == ["app.bsky.actor.getProfiles": 6])
  }

  @Test func whatAListingHasCostsNothing() throws {
    for text in ["verified", "label", "name contains a", "followed within 1d"] {
      #expect(try calls(text, from: .listing(.follows(of: alice))) == [:], "\(text)")
    }
    #expect(
      try calls("followed within 1d", from: .listing(.followers(of: alice)))
        == ["app.bsky.graph.getRelationships": 6])
    #expect(try calls("verified", from: .listing(.blockers(of: alice))) == ["app.bsky.actor.getProfiles": 6])
    #expect(try calls("mutual or verified or on A or active within 1d", about: 0) == [:])
  }

  @Test func datesOfNamedAccountsAreInRecords() throws {
    let known = try calls("followed within 1d", from: .named(follows: 99))
    #expect(known == ["com.atproto.repo.listRecords": 2, "app.bsky.graph.getRelationships": 6])
    #expect(try calls("followed within 1d")["com.atproto.repo.listRecords"] == .some(nil))
    #expect(try calls("followed within 1d", from: .blockers) == ["app.bsky.graph.getRelationships": 6])
  }

  @Test func aPartyThatIsNamedByItsHandleIsLookedUp() throws {
    let profiles = "app.bsky.actor.getProfiles"
    let (did, handle) = (Accounts.did(7), "user7.test")
    let known = try #require(try calls("following with \(did)")[profiles] ?? nil)
    let unknown = try #require(try calls("following with \(handle)")[profiles] ?? nil)
    #expect(unknown == known + 1)
  }

  /// Expensive facts come last, when the others have left fewer accounts.
  @Test func lookupsComeInTheOrderOfTheirCost() throws {
    let text =
      "friend or active within 1d or on B or on A or status is active or verified or mutual with me or mutual"
    let lookups = FactLookup.lookups(of: try needs(text).facts)
    #expect(
      lookups.map { $0.wanted.map(\.name).sorted() } == [
        ["relationship"], ["relationship"], ["marks", "names", "presence"], ["status"], ["membership"],
        ["membership"], ["activity"], ["friendship"],
      ])
    #expect(lookups.map(\.lookup.parameter)[..<2] == [.party(.actor), .party(.viewer)])
    #expect(lookups.map(\.lookup.parameter)[4...5] == [.list("A"), .list("B")])
  }

  /// A fact is one value: the filter learns it, and the estimate counts it.
  @Test func aNewFactIsLearnedAndCounted() async throws {
    let tag = AccountFact(
      "tag",
      by: FactLookup(.lists, .list("tags")) { _, accounts, _ in
        for place in accounts.indices { accounts[place].lists["tags"] = place == 1 }
      } costing: { plan, count, _, _ in
        plan.add("com.example.getTags", calls: count)
      })
    let predicate = try AccountPredicate(parsing: "on tags", now: now)
    var needs = AccountPredicate.Needs()
    needs.insert(tag)
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"),
      transport: ScriptedTransport { _ in .xrpcError(500, "Oops", "no") })
    let reader = FactReader(Listings(client), predicate, actor: nil, edge: nil)
    var filter = ListingFilter(predicate, needs, reader)
    let found = try await filter.pass((1...3).map { AccountView(Accounts.did($0)) })
    #expect(found.map(\.account) == [Accounts.did(2)])
    var plan = CostPlan()
    plan.addQuestions(about: 3, needs: needs)
    #expect(calls(plan) == ["com.example.getTags": 3])
  }
}
