// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithWriting
import SandboxSupport
import Testing

/// Following followers back: which ones, and how fast.
@Suite struct FollowBackTests {
  private let alice: ServedUser

  init() async throws { alice = try await ServedUser(on: FaultyNetwork(accounts: 400)) }

  private func notFollowedBack() async throws -> Set<String> {
    let listing = ListingQuery.notFollowedBack(by: try alice.actor("alice"))
    return Set(try await alice.run(ListAccounts(listing)).rows.compactMap { $0.view.handle?.description })
  }

  private func dave() throws -> FollowBack {
    let now = Datetime(at: alice.network.time.instant)
    return FollowBack(where: try AccountPredicate(parsing: "handle is dave.test", now: now))
  }

  private func within(_ limit: WriteLimit, _ change: inout Change<FollowBack>) {
    change.options = JobOptions(limit: limit, stopsWhenShort: true)
  }

  @Test func followersAreFollowedThatTheListingNames() async throws {
    let wanted = try await notFollowedBack()
    let plan = try await alice.previewed(FollowBack())
    let inputs = Set(plan.rows.map(\.input))
    #expect(plan.outcome.ending == .done && wanted.isSuperset(of: inputs) && inputs.count > 20)
    #expect(try await notFollowedBack() == wanted, "a preview changes nothing")
    #expect(try await alice.confirmed(dave()).outcome.ending == .done)
    #expect(try await notFollowedBack() == wanted.subtracting(["dave.test"]))
  }

  @Test func itAsksAndDoesNothingWithoutAnAnswer() async throws {
    let before = try await notFollowedBack()
    let run = try await alice.run(Change(dave()))
    #expect(run.outcome.ending == .declined && run.questions.map(\.code) == ["change"])
    #expect(try await notFollowedBack() == before)
  }

  @Test func mutedAndBlockedFollowersAreLeftOutAndCounted() async throws {
    try await alice.change(.mute(alice.did("dave"), .everything), .block(alice.did("judy")))
    let plan = try await alice.previewed(FollowBack())
    let inputs = Set(plan.rows.map(\.input))
    #expect(inputs.isDisjoint(with: ["dave.test", "judy.test"]) && !inputs.isEmpty)
    #expect(plan.notes["followBackScreened"]?["muted"] == .integer(1))
  }

  /// All labels of the sandbox are Grace's.
  @Test func followersWithALabelOfAServiceAreLeftOut() async throws {
    let all = try await notFollowedBack()
    let labelled = try await alice.run(FindPeople(.recent, limit: 1_000)).rows
      .filter { all.contains($0.view.name) && $0.view.marks?.labels.isEmpty == false }
    let plan = try await alice.previewed(FollowBack())
    #expect(Set(plan.rows.map(\.input)).isDisjoint(with: labelled.map(\.view.name)))
    let counts = OutputValue.object([OutputField("grace.test", .integer(labelled.count))])
    #expect(!labelled.isEmpty && plan.notes["followBackScreened"]?["labelled"] == counts)
  }

  @Test func thePaceIsThatOfTheAccountUnlessItIsNamed() async throws {
    let slow = try await alice.previewed(FollowBack()) { within(WriteLimit(changesPerDay: 7), &$0) }
    #expect(
      slow.notes["followBackPaced"] == [OutputField("perHour", .null), OutputField("perDay", .integer(7))])
    let usual = try await alice.previewed(FollowBack())
    #expect(
      usual.notes["followBackPaced"] == [
        OutputField("perHour", .integer(30)), OutputField("perDay", .integer(150)),
      ])
    // It says when it is done, and that it reads no policies.
    let preview = try #require(slow.outcome.preview)
    #expect(preview.limit.changesPerDay == 7 && preview.wait ?? .zero > .seconds(2 * 86_400))
    #expect(slow.notes["approvalNotAsked"] != nil)
    // What is not a follow does not count.
    _ = try await alice.confirmed(ReactToPosts(.like, ["\(try alice.network.post(of: "bob"))"]))
    try await alice.change(.mute(alice.did("grace"), .everything), .block(alice.did("heidi")))
    let run = try await alice.confirmed(FollowBack()) { within(WriteLimit(changesPerDay: 2), &$0) }
    #expect(run.outcome.ending.failure == .tryLater)
    #expect(run.outcome.tally.counts[.done] == 2)
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
