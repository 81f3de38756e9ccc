// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

@Suite struct ChangeCostTests {
  private let account = Accounts.did(0)

  private func plan(
    _ changes: [ChangeIntent], follows: Int? = 0, listItems: Int? = 0, wait: Duration? = .zero,
    writesPerCommit: Int = 200
  ) -> CostPlan {
    let counts = ChangeCost.Counts(follows: follows, lists: 1, listItems: listItems)
    var plan = CostPlan()
    ChangeCost(of: changes, by: account, counts: counts, writesPerCommit: writesPerCommit).add(
      to: &plan, wait: wait)
    return plan
  }

  private func calls(_ plan: CostPlan, _ name: String) -> [Int?] {
    plan.steps.filter { $0.name == name }.map(\.calls)
  }

  private func list() throws -> ATURI { try ATURI(parsing: "at://\(account)/app.bsky.graph.list/3l") }

  /// The worst case: nothing to be created exists, and everything to be deleted does.
  private func worst(_ list: ATURI) throws -> SubjectFacts {
    let key = try RecordKey(parsing: "3k")
    let record = OwnRecord(rkey: key, value: nil)
    let own = OwnList(
      uri: list,
      value: [
        "$type": "app.bsky.graph.list", "name": "Noise", "purpose": "app.bsky.graph.defs#modlist",
        "createdAt": "2025-01-01T00:00:00.000Z",
      ])
    return SubjectFacts.knowing(
      follows: [record], blocks: [record], listBlocks: [record],
      list: ListFacts(lists: [own], items: [record]),
      relationship: RelationshipInfo(
        actor: account, target: Accounts.did(1), checkedAt: Datetime(at: 0),
        source: .appview))
  }

  /// The planner decides what a change needs; the estimate must not be lower.
  @Test func aChangeCostsAsManyPointsAsTheWorstPlan() throws {
    let list = try list()
    let worst = try worst(list)
    var none = worst
    (none.follows, none.blocks, none.listBlocks) = ([], [], [])
    none.list = worst.list.map { ListFacts(lists: $0.lists, items: []) }
    var blocked = worst
    blocked.blocks = []
    let one = Accounts.did(1)
    let cases: [(ChangeIntent, SubjectFacts)] = [
      (.follow(one), none), (.unfollow(one), worst), (.block(one), blocked), (.unblock(one), worst),
      (.blockList(list), none), (.unblockList(list), worst), (.mute(one, .everything), none),
      (.unmute(one), none), (.muteList(list), none), (.unmuteList(list), none),
      (.add(one, to: list), none), (.remove(one, from: list), worst),
      (.list(.edit(list, ListEdit(name: "Racket"))), worst), (.list(.delete(list)), worst),
    ]
    let time = ManualClock().timeSource()
    let planner = ChangePlanner(account: account, keys: TIDClock(time: time), time: time)
    for (change, known) in cases {
      let planned = planner.plan(change, knowing: known)
      #expect(!planned.steps.isEmpty, "\(change): \(planned.outcome)")
      let plan = plan([change], listItems: 1)
      #expect(plan.points == planned.points, "\(change)")
      let methods = planned.steps.map { $0.writes.isEmpty ? "call" : "com.atproto.repo.applyWrites" }
      #expect(calls(plan, "com.atproto.repo.applyWrites").count == methods.count { $0 != "call" })
    }
  }

  @Test(arguments: [
    (1, 200, 1), (200, 200, 1), (201, 200, 2), (400, 200, 2), (401, 200, 3), (3, 1, 3), (7, 3, 3),
  ])
  func followsFillCommits(count: Int, size: Int, commits: Int) {
    let plan = plan(Accounts.dids(1..<count + 1).map(ChangeIntent.follow), writesPerCommit: size)
    #expect(calls(plan, "com.atproto.repo.applyWrites") == [commits])
    #expect(plan.points == 3 * count)
  }

  /// An AppView may return any number of items.
  @Test(arguments: [Int.min, -3, .max]) func acceptsAnyNumberOfItems(count: Int) throws {
    let list = try #require(ATURI("at://\(Accounts.did(0))/app.bsky.graph.list/3k2a"))
    let counts = ChangeCost.Counts(deletedItems: [list: count])
    let cost = ChangeCost(of: [.list(.delete(list))], by: Accounts.did(0), counts: counts)
    #expect(2...1_000_002 ~= cost.points)
  }

  @Test func aBlockAndItsUnfollowShareACommit() {
    let plan = plan(Accounts.dids(1..<102).map(ChangeIntent.block))
    #expect(calls(plan, "com.atproto.repo.applyWrites") == [2])
    #expect(plan.points == 4 * 101)
    // Servers do not count blocks.
    #expect(calls(plan, "com.atproto.repo.listRecords") == [1, nil])
    #expect(plan.calls == nil && plan.assumptions.contains(.uncounted))
  }

  @Test func aMuteIsACallAndCostsNoPoints() {
    let plan = plan(Accounts.dids(1..<27).map { .mute($0, .everything) })
    #expect(plan.steps.map(\.name) == ["app.bsky.actor.getProfiles", "app.bsky.graph.muteActor"])
    #expect(plan.steps.map(\.calls) == [2, 26])
    #expect(plan.points == 0)
    #expect(plan.steps[0].assumptions == [] && plan.steps[1].assumptions == .facts)
  }

  /// What another app does meanwhile is not foreseen, however long the run takes.
  @Test func readsOwnRecordsOnce() {
    let many = Accounts.dids(1..<32).map(ChangeIntent.follow)
    #expect(calls(plan(many, follows: 99), "com.atproto.repo.listRecords") == [2])
    #expect(calls(plan(many, follows: 990), "com.atproto.repo.listRecords") == [30])
    #expect(calls(plan(many, follows: 990), "com.atproto.sync.getLatestCommit") == [2])
    let waiting = plan(many, follows: 990, wait: .seconds(3_600))
    #expect(calls(waiting, "com.atproto.repo.listRecords") == [30])
    #expect(waiting.time ?? .zero > .seconds(3_600))
    #expect(plan(many, wait: nil).time == nil)
  }

  @Test func doesNotAskAboutTheOwnAccount() {
    #expect(calls(plan([.unfollow(account)]), "app.bsky.graph.getRelationships") == [])
  }

  /// Accounts that are only counted cost what as many named ones would, whatever is done to them.
  @Test(arguments: [1, 30, 31, 400]) func countedChangesCostWhatAsManyNamedOnesDo(count: Int) throws {
    let list = try list()
    let kinds: [(DID) -> ChangeIntent] = [
      { .follow($0) }, { .unfollow($0) }, { .block($0) }, { .unblock($0) }, { .mute($0, .everything) },
      { .unmute($0) }, { .add($0, to: list) }, { .add($0, to: list, allowsFollowed: true) },
      { .remove($0, from: list) },
    ]
    let counts = ChangeCost.Counts(follows: 250, lists: 1, listItems: 120)
    for kind in kinds {
      let named = ChangeCost(
        of: Accounts.dids(1..<count + 1).map(kind), by: account, counts: counts, writesPerCommit: 7)
      let counted = ChangeCost(
        of: [], and: [CountedChanges(like: kind(account), count: count)], by: account, counts: counts,
        writesPerCommit: 7)
      var plans = [CostPlan(), CostPlan()]
      named.add(to: &plans[0], wait: .seconds(1))
      counted.add(to: &plans[1], wait: .seconds(1))
      #expect(plans[0] == plans[1] && named.points == counted.points && named.count == counted.count)
    }
  }

  /// A server can count any number of accounts; they are not kept one by one.
  @Test func veryManyCountedChangesNeedNoMemoryForEach() {
    let cost = ChangeCost(
      of: [], and: [CountedChanges(like: .follow(account), count: 2_000_000)], by: account,
      counts: ChangeCost.Counts())
    var plan = CostPlan()
    cost.add(to: &plan, wait: .zero)
    #expect(cost.points == 6_000_000 && calls(plan, "com.atproto.repo.applyWrites") == [10_000])
  }
}
