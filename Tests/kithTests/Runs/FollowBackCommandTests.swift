// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Following followers back: which ones, and how fast.
@Suite struct FollowBackCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func run(_ words: String...) async throws -> InProcessUser.Ending { try await user.kith(words) }

  private func signIn() async throws {
    let ending = try await user.kith(["login", "alice.test"], password: "pw-alice")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  private func handles(_ words: String...) async throws -> Set<String> {
    Set(try await user.kith(words).rows.compactMap { $0.text("handle") })
  }

  private func inputs(_ ending: InProcessUser.Ending) -> Set<String> {
    Set(ending.rows.compactMap { $0.text("input") })
  }

  @Test func followersAreFollowedThatTheListingNames() async throws {
    try await signIn()
    let wanted = try await handles("not-followed-back")
    let plan = try await run("follow-back", "--dry-run")
    #expect(plan.status == .success, "\(plan.talk)")
    #expect(wanted.isSuperset(of: inputs(plan)) && inputs(plan).count > 20)
    #expect(try await handles("not-followed-back") == wanted, "a dry run changes nothing")
    let done = try await run("follow-back", "--where", "handle is dave.test", "--yes")
    #expect(done.status == .success, "\(done.talk)")
    #expect(try await handles("not-followed-back") == wanted.subtracting(["dave.test"]))
  }

  @Test func itAsksAndDoesNothingWithoutAnAnswer() async throws {
    try await signIn()
    let before = try await handles("not-followed-back")
    let ending = try await run("follow-back", "--where", "handle is dave.test")
    #expect(ending.status == .usage, "\(ending.talk)")
    #expect(try await handles("not-followed-back") == before)
  }

  @Test func mutedAndBlockedFollowersAreLeftOutAndCounted() async throws {
    try await signIn()
    #expect(try await run("mute", "dave.test").status == .success)
    #expect(try await run("block", "judy.test").status == .success)
    let plan = try await run("follow-back", "--dry-run")
    #expect(inputs(plan).isDisjoint(with: ["dave.test", "judy.test"]) && !inputs(plan).isEmpty)
    #expect(plan.talk.contains("\"muted\":1"), "\(plan.talk)")
  }

  /// All labels of the sandbox are Grace's.
  @Test func followersWithALabelOfAServiceAreLeftOut() async throws {
    try await signIn()
    let all = try await handles("not-followed-back")
    let labelled = try await user.kith(["people", "recent", "--limit", "1000"]).rows
      .filter { all.contains($0.text("handle") ?? "") && $0["labels"] != "[]" }
    let plan = try await run("follow-back", "--dry-run")
    #expect(inputs(plan).isDisjoint(with: labelled.compactMap { $0.text("handle") }))
    #expect(
      !labelled.isEmpty && plan.talk.contains("\"labelled\":{\"grace.test\":\(labelled.count)}"),
      "\(plan.talk)")
  }

  @Test func thePaceIsThatOfTheAccountUnlessItIsNamed() async throws {
    try await signIn()
    let slow = try await run("follow-back", "--dry-run", "--per-day", "7")
    #expect(slow.talk.contains("\"perHour\":null,\"perDay\":7"), "\(slow.talk)")
    let usual = try await run("follow-back", "--dry-run")
    #expect(usual.talk.contains("\"perHour\":30,\"perDay\":150"), "\(usual.talk)")
    // It says when it is done, and that it reads no policies.
    let messages = try KithMessage.all(in: slow.talk)
    let needed = try #require(messages.first { $0.code == "pointsNeeded" })
    #expect(needed.number("perDay") == 7 && needed.number("waitMilliseconds") ?? 0 > 2 * 86_400_000)
    #expect(messages.contains { $0.code == "approvalNotAsked" })
    // What is not a follow does not count.
    for words in [["like", try user.post(of: "bob")], ["mute", "grace.test"], ["block", "heidi.test"]] {
      let other = try await user.kith(words)
      #expect(other.status == .success, "\(words): \(other.talk)")
    }
    let ending = try await run("follow-back", "--yes", "--per-day", "2", "--no-wait")
    #expect(ending.status == .tryLater, "\(ending.talk)")
    #expect(ending.rows.count { $0.text("state") == "done" } == 2)
  }

  @Test func aYoungAccountIsSlower() throws {
    let now = Datetime(at: Instant(secondsSinceEpoch: 1_900_000_000))
    func pace(_ days: Int) -> FollowPace {
      FollowPace(createdAt: Datetime(at: now.instant - .days(days)), now: now)
    }
    #expect([pace(1), pace(29), pace(30), pace(364), pace(365)].map(\.perDay) == [20, 20, 60, 60, 150])
    #expect(FollowPace(createdAt: nil, now: now) == pace(0))
    // A clock that was set back makes no account old.
    #expect(pace(-5) == pace(0))
  }
}
