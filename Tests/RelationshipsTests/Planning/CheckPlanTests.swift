// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships
import Testing

@Suite struct CheckPlanTests {
  private func plan(_ change: (inout CheckPlan.Question) -> Void, concurrency: Int = 8) -> CheckPlan {
    var question = CheckPlan.Question()
    change(&question)
    return CheckPlan(question, concurrency: concurrency)
  }

  private func steps(_ plan: CheckPlan) -> [String] {
    plan.steps.map { "\($0.method) \($0.calls.map(String.init) ?? "?")" }
  }

  @Test(arguments: [(1, 1), (30, 1), (31, 2), (60, 2), (3000, 100)]) func asksThirtyAtATime(
    dids: Int, calls: Int
  ) {
    let plan = plan { $0.dids = dids }
    #expect(steps(plan) == ["app.bsky.graph.getRelationships \(calls)"])
    #expect(plan.calls == calls)
    #expect(plan.targets == dids)
  }

  @Test(arguments: [(1, 1, 1), (25, 1, 1), (26, 2, 1), (31, 2, 2)])
  func resolvesTwentyFiveHandlesAtATime(handles: Int, profiles: Int, relationships: Int) {
    let plan = plan { $0.handles = handles }
    #expect(
      steps(plan) == [
        "app.bsky.actor.getProfiles \(profiles)", "app.bsky.graph.getRelationships \(relationships)",
      ])
    #expect(plan.calls == profiles + relationships)
  }

  @Test(arguments: [(1, [1]), (24, [1]), (30, [1, 1])])
  func resolvesHandlesThatAreKnownBeforehandWithTheActor(handles: Int, calls: [Int]) {
    let plan = plan {
      $0.actorIsHandle = true
      $0.handles = handles
      $0.companions = min(handles, 24)
    }
    #expect(plan.steps.dropLast().map(\.calls) == calls)
  }

  @Test func countsTheHandleOfTheActor() {
    let plan = plan {
      $0.actorIsHandle = true
      $0.dids = 1
    }
    #expect(steps(plan) == ["app.bsky.actor.getProfiles 1", "app.bsky.graph.getRelationships 1"])
  }

  /// Q2.
  @Test func verifiesExistenceTwentyFiveAtATime() {
    let plan = plan {
      $0.dids = 20
      $0.handles = 10
      $0.verifiesExistence = true
    }
    #expect(
      steps(plan) == [
        "app.bsky.actor.getProfiles 1", "app.bsky.graph.getRelationships 1", "app.bsky.actor.getProfiles 2",
      ])
  }

  @Test func leavesOpenWhatAListingDecides() throws {
    let actor = try ATIdentifier(parsing: "alice.test")
    let plan = plan {
      $0.dids = 5
      $0.handles = 5
      $0.listings = [.followers(of: actor), .follows(of: actor)]
    }
    #expect(
      steps(plan) == [
        "app.bsky.graph.getFollowers ?", "app.bsky.graph.getFollows ?", "app.bsky.actor.getProfiles 1",
        "app.bsky.graph.getRelationships ?",
      ])
    #expect(plan.calls == nil)
    #expect(plan.targets == nil)
    #expect(plan.bytes == nil)
    #expect(plan.time == nil)
  }

  @Test func costsNothingToAskNothing() {
    let plan = plan {
      $0.verifiesExistence = true
    }
    #expect(plan.steps.isEmpty)
    #expect(plan.calls == 0)
    #expect(plan.bytes == 0)
    #expect(plan.time == .zero)
  }

  @Test(arguments: [(1, 10), (8, 2), (10, 1), (0, 10)]) func takesFewerRoundsWithMoreLanes(
    lanes: Int, rounds: Int
  ) {
    let plan = plan({ $0.dids = 300 }, concurrency: lanes)
    #expect(plan.time == .milliseconds(100 * rounds))
  }

  /// 100,000 targets against a limit of 3,000 calls in 5 minutes.
  @Test(arguments: [
    (90_000, 3_000, 300, 37_500), (90_030, 3_000, 300, 300_100), (100_000, 3_000, 300, 304_200),
    (100_000, 1_000, 300, 904_200), (100_000, 3_000, 1, 41_700), (30, 0, 300, 100),
  ])
  func waitsForTheNextWindowBeyondALimit(dids: Int, calls: Int, window: Int, milliseconds: Int) {
    var question = CheckPlan.Question()
    question.dids = dids
    let plan = CheckPlan(question, limit: CheckPlan.Limit(calls: calls, window: .seconds(window)))
    #expect(plan.time == .milliseconds(milliseconds))
    #expect(plan.calls == (dids + 29) / 30)
  }

  @Test func aStepHasItsShareOfTheWhole() throws {
    let plan = plan {
      $0.dids = 20
      $0.handles = 40
      $0.actorIsHandle = true
      $0.companions = 20
      $0.verifiesExistence = true
    }
    #expect(plan.steps.compactMap(\.bytes).reduce(0, +) == plan.bytes)
    #expect(plan.steps.compactMap(\.time).reduce(.zero, +) == plan.time)
    #expect(plan.steps.count == 4)
  }

  @Test func growsWithItsTargets() throws {
    let small = try #require(plan { $0.dids = 30 }.bytes)
    let large = try #require(plan { $0.dids = 300 }.bytes)
    #expect(large == 10 * small)
  }
}
