// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@Suite struct CheckCostTests {
  private let alice = ATIdentifier.did(Accounts.did(0))
  private let handle = ATIdentifier.handle(Accounts.handle(0))

  private func plan(
    of actor: ATIdentifier? = nil, companions: [Handle] = [], dids: Range<Int> = 0..<0,
    handles: Range<Int> = 0..<0, verifies: Bool = false, concurrency: Int = 8
  ) -> CostPlan {
    var cost = CheckCost(
      actor: actor ?? alice, companions: companions, verification: verifies ? .all : .off)
    for did in Accounts.dids(dids) { cost.add(.did(did)) }
    for handle in Accounts.handles(handles) { cost.add(.handle(handle)) }
    return cost.plan(concurrency: concurrency)
  }

  private func steps(_ plan: CostPlan) -> [String] {
    plan.steps.map { "\($0.name) \($0.calls.map(String.init) ?? "?")" }
  }

  @Test(arguments: [(1, 1), (30, 1), (31, 2), (60, 2), (3000, 100)]) func requestsThirtyTargetsPerCall(
    dids: Int, calls: Int
  ) {
    let plan = plan(dids: 1..<dids + 1)
    #expect(steps(plan) == ["app.bsky.graph.getRelationships \(calls)"])
    #expect(plan.calls == calls)
    #expect(plan.targets == dids)
    #expect(plan.assumptions == [])
  }

  @Test(arguments: [(1, 1, 1), (25, 1, 1), (26, 2, 1), (31, 2, 2)])
  func resolvesTwentyFiveHandlesPerCall(handles: Int, profiles: Int, relationships: Int) {
    let plan = plan(handles: 1..<handles + 1)
    #expect(
      steps(plan) == [
        "app.bsky.actor.getProfiles \(profiles)", "app.bsky.graph.getRelationships \(relationships)",
      ])
    #expect(plan.calls == profiles + relationships)
    #expect(plan.assumptions == .existence)
  }

  @Test(arguments: [(1, [1]), (24, [1]), (25, [1, 1])])
  func resolvesCompanionHandlesWithTheActor(handles: Int, calls: [Int]) {
    let plan = plan(of: handle, companions: Accounts.handles(1..<handles + 1), handles: 1..<handles + 1)
    #expect(plan.steps.dropLast().map(\.calls) == calls)
  }

  /// A known handle takes a place in its batch: 24 of 49 are known, and two batches need a call.
  @Test func countsTheBatchesThatNeedACall() {
    let plan = plan(of: handle, companions: Accounts.handles(1..<50), handles: 1..<50)
    #expect(plan.steps.map(\.calls) == [1, 2, 2])
  }

  @Test func anActorAmongTheTargetsCostsNothing() {
    #expect(plan(dids: 0..<31).calls == 1)
    #expect(plan(dids: 0..<31).targets == 31)
    #expect(plan(dids: 0..<1).steps.isEmpty)
    #expect(plan(of: handle, companions: Accounts.handles(0..<1), handles: 0..<1).calls == 1)
  }

  @Test func duplicateTargetsCountOnce() {
    var cost = CheckCost(actor: alice)
    for did in Accounts.dids(1..<31) + Accounts.dids(1..<31) { cost.add(.did(did)) }
    #expect(cost.plan().calls == 1)
    #expect(cost.plan().assumptions == [])
    // Beyond the window of open questions, duplicates may be requested again.
    #expect(cost.plan(concurrency: 1).targets == 30)
    for _ in 0..<500 { cost.add(.did(Accounts.did(1))) }
    #expect(cost.plan().assumptions == .input)
  }

  @Test func slowTargetsMayCostMore() {
    var cost = CheckCost(actor: alice)
    cost.add(.did(Accounts.did(1)))
    #expect(cost.plan(isSlow: true).assumptions == .input)
  }

  @Test func anUnreadableTargetCostsNothing() {
    var cost = CheckCost(actor: alice)
    cost.add(.handle(.invalid))
    cost.add(RelationshipQuestion(typed: "x y").target)
    #expect(cost.plan().steps.isEmpty)
  }

  /// Q2.
  @Test func verifiesTwentyFiveAccountsPerCall() {
    let plan = plan(dids: 1..<21, handles: 1..<11, verifies: true)
    #expect(
      steps(plan) == [
        "app.bsky.actor.getProfiles 1", "app.bsky.graph.getRelationships 1", "app.bsky.actor.getProfiles 2",
      ])
    #expect(steps(self.plan(dids: 0..<1, verifies: true)) == ["app.bsky.actor.getProfiles 1"])
  }

  @Test func verifiesSelectedAccountsInOneCall() {
    var cost = CheckCost(actor: alice, verification: .only(Set(Accounts.dids(0..<2))))
    for number in 1..<101 { cost.add(.did(Accounts.did(number))) }
    #expect(steps(cost.plan()) == ["app.bsky.graph.getRelationships 4", "app.bsky.actor.getProfiles 1"])
  }

  @Test func theCountOfAListingIsAnUpperBound() {
    var cost = CheckCost(actor: alice)
    cost.add(.followers(of: alice), count: 250)
    let plan = cost.plan()
    #expect(
      steps(plan) == [
        "app.bsky.actor.getProfiles 1", "app.bsky.graph.getFollowers 6", "app.bsky.graph.getRelationships 12",
      ])
    #expect(plan.targets == 250)
    #expect(plan.assumptions == .counts)
  }

  /// The AppView is asked whether it shows the accounts that would otherwise count as a "no".
  @Test func aQuestionAboutTheOtherSideCostsOneCallPer25() throws {
    func steps(
      _ text: String, verification: FollowRelationshipService.Verification = .off
    ) throws -> [String] {
      let predicate = try AccountPredicate(parsing: text, now: Datetime(at: 0))
      var cost = CheckCost(actor: alice, verification: verification, predicate: predicate)
      for number in 1..<61 { cost.add(.did(Accounts.did(number))) }
      return self.steps(cost.plan())
    }
    let relationships = "app.bsky.graph.getRelationships 2"
    #expect(try steps("following or blocking") == [relationships])
    for text in ["mutual", "followed-by", "none", "following and not blocked"] {
      #expect(try steps(text) == [relationships, "app.bsky.actor.getProfiles 3"])
    }
    #expect(try steps("mutual", verification: .all) == [relationships, "app.bsky.actor.getProfiles 3"])
    #expect(
      try steps("mutual", verification: .only(Set(Accounts.dids(0..<11)))) == [
        relationships, "app.bsky.actor.getProfiles 1", "app.bsky.actor.getProfiles 2",
      ])
  }

  @Test func namesCostOneCallPer25() {
    var cost = CheckCost(actor: alice, wantsNames: true)
    for number in 1..<61 { cost.add(.did(Accounts.did(number))) }
    #expect(
      steps(cost.plan()) == ["app.bsky.graph.getRelationships 2", "app.bsky.actor.getProfiles 3"])
  }

  @Test func isUnknownIfNoServerProvidesACount() {
    var cost = CheckCost(actor: alice)
    for number in 1..<6 { cost.add(.handle(Accounts.handle(number))) }
    cost.add(.followers(of: alice), count: nil)
    cost.add(.follows(of: alice), count: 10)
    let plan = cost.plan()
    #expect(
      steps(plan) == [
        "app.bsky.actor.getProfiles 1", "app.bsky.graph.getFollowers ?", "app.bsky.actor.getProfiles 1",
        "app.bsky.graph.getFollows 2", "did document 1", "com.atproto.repo.listRecords 2",
        "app.bsky.actor.getProfiles 2", "app.bsky.actor.getProfiles 1", "app.bsky.graph.getRelationships ?",
      ])
    #expect(plan.calls == nil)
    #expect(plan.targets == nil)
    #expect(plan.bytes == nil)
    #expect(plan.time == nil)
    #expect(plan.assumptions.contains(.uncounted))
  }

  @Test func noTargetsCostNothing() {
    let plan = plan(verifies: true)
    #expect(plan.steps.isEmpty)
    #expect(plan.calls == 0)
    #expect(plan.bytes == 0)
    #expect(plan.time == .zero)
  }

  @Test(arguments: [(1, 10), (8, 2), (10, 1), (0, 10)]) func higherConcurrencyTakesFewerRounds(
    lanes: Int, rounds: Int
  ) {
    #expect(plan(dids: 1..<301, concurrency: lanes).time == .milliseconds(100 * rounds))
  }

  @Test func stepsAddUpToTheTotal() {
    let plan = plan(
      of: handle, companions: Accounts.handles(1..<21), dids: 1..<21, handles: 1..<41, verifies: true)
    #expect(plan.steps.compactMap(\.bytes).reduce(0, +) == plan.bytes)
    #expect(plan.steps.compactMap(\.time).reduce(.zero, +) == plan.time)
    #expect(plan.steps.count == 4)
  }

  @Test func theCostGrowsWithTheTargets() throws {
    let small = try #require(plan(dids: 1..<31).bytes)
    let large = try #require(plan(dids: 1..<301).bytes)
    #expect(large == 10 * small)
  }
}
