// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Listings of a served network (Q11 to Q15).
@Suite struct ListAccountsTests {
  private static let network = FaultyNetwork(accounts: 1_000)
  private static let small = FaultyNetwork(accounts: 200)

  private let moment = Datetime(at: 1_760_000_000_000_000)

  private func predicate(_ text: String) throws -> AccountPredicate {
    try AccountPredicate(parsing: text, now: moment)
  }

  /// Lists accounts to the end, without doubts.
  private func list(
    _ query: ListingQuery, where predicate: AccountPredicate? = nil, by user: ServedUser,
    with details: Listings.Details = [], limit: Int? = nil, from cursor: ListingCursor? = nil,
    sortedBy key: ListAccounts.Key? = nil, _ place: SourceLocation = #_sourceLocation
  ) async throws -> OperationRun<ListAccounts> {
    let listing = ListAccounts(
      predicate.map { query.narrowed(to: $0) } ?? query, details: details, limit: limit, from: cursor,
      sortedBy: key)
    let run = try await user.run(listing)
    #expect(
      run.outcome.rows.interruption == nil && run.outcome.report.coverage.fault == nil,
      sourceLocation: place)
    return run
  }

  private func accounts(
    _ query: ListingQuery, where text: String? = nil, by user: ServedUser
  ) async throws -> Set<DID> {
    Set(try await list(query, where: try text.map(predicate), by: user).views.map(\.account))
  }

  @Test func ownFollowsComeWithDatesAndRecordsFromTheRepository() async throws {
    let alice = try await ServedUser(on: Self.network)
    let run = try await list(.follows(of: alice.actor("alice"), in: .bluesky), by: alice)
    #expect(run.views.count == 125 && run.views.count { $0.handle == nil } == 4)
    #expect(
      run.views.allSatisfy {
        $0.since != nil && $0.record.map { "\($0)".contains("/app.bsky.graph.follow/") } == true
      })
    #expect(run.outcome.report.owner == Handle("alice.test"))
    // One page of the AppView, two of the repository, and one call for accounts that the AppView does not list.
    #expect(
      [run.calls["app.bsky.graph.getFollows"], run.calls["app.bsky.actor.getProfiles"]] == [1, 1])
    let theirs = try await list(.follows(of: alice.actor("grace"), in: .bluesky), by: alice)
    #expect(theirs.views.prefix(10).map(\.since) == Array(repeating: nil, count: 10))
  }

  @Test func followersAreListedAndHiddenOnesCounted() async throws {
    let alice = try await ServedUser(on: Self.network)
    let followers = ListingQuery.followers(of: try alice.actor("alice"), in: .bluesky)
    let all = try await list(followers, by: alice)
    #expect(all.views.count == 200 && all.outcome.report.coverage.missing == 58 && all.outcome.isAtEnd)
    let some = try await list(followers, by: alice, limit: 150)
    #expect(some.views.map(\.account) == all.views.prefix(150).map(\.account) && !some.outcome.isAtEnd)
    let cursor = try #require(some.outcome.cursor)
    let rest = try await list(followers, by: alice, from: cursor)
    #expect(rest.views.map(\.account) == all.views.suffix(50).map(\.account))
  }

  @Test func bothSidesAddUp() async throws {
    let alice = try await ServedUser(on: Self.network)
    let (me, bob) = (try alice.actor("alice"), try alice.actor("bob"))
    let following = try await accounts(.follows(of: me, in: .bluesky), by: alice)
    let mutuals = try await accounts(.mutuals(of: me), by: alice)
    let oneSided = try await list(.notFollowingBack(me), by: alice)
    let notBack = Set(oneSided.views.map(\.account))
    #expect(mutuals.count == 42 && mutuals.isDisjoint(with: notBack))
    #expect(mutuals.union(notBack).isSubset(of: following))
    // Of accounts that the AppView does not show, neither is known.
    let unseen = oneSided.outcome.report.coverage.unseen
    #expect([unseen, following.subtracting(mutuals).subtracting(notBack).count] == [2, 2])
    let followers = try await accounts(.followers(of: me, in: .bluesky), by: alice)
    let strangers = try await accounts(.notFollowedBack(by: me), by: alice)
    #expect(strangers.isDisjoint(with: following) && strangers.isSubset(of: followers))
    #expect(followers.subtracting(strangers) == followers.intersection(following))
    let known = try await accounts(.knownFollowers(of: bob, to: me), by: alice)
    #expect(known.isSubset(of: following) && known.count == 14)
    let theirs = try await accounts(.follows(of: bob, in: .bluesky), by: alice)
    #expect(try await accounts(.common(me, [bob]), by: alice) == following.intersection(theirs))
  }

  @Test func predicatesFiltersAndOrderNarrowAListing() async throws {
    let alice = try await ServedUser(on: Self.network)
    let me = try alice.actor("alice")
    let (followers, following) = (
      ListingQuery.followers(of: me, in: .bluesky), ListingQuery.follows(of: me, in: .bluesky)
    )
    let zoe = try await list(followers, where: AccountPredicate(wordsContaining: "ZOE"), by: alice).views
    #expect(zoe.count == 13 && zoe.allSatisfy { $0.displayName?.contains("Zoë") == true })
    let top = try await list(followers, by: alice, with: .counts, limit: 5, sortedBy: .followers).views
      .map { $0.counts?.followers ?? 0 }
    #expect(top.count == 5 && top == top.sorted(by: >))
    let handles = try await list(.mutuals(of: me), by: alice, sortedBy: .handle).views
      .map { $0.handle?.description ?? "~" }
    #expect(!handles.isEmpty && handles == handles.sorted())
    let gone = try await list(following, where: try predicate("status is not active"), by: alice).views
    #expect(gone.map(\.handle) == [nil, nil, nil, nil])
    #expect(gone.allSatisfy { $0.status == .deactivated || $0.status == .suspended })
    let start = try #require(Datetime("2024-12-25T00:00:00Z"))
    let late = try await list(
      followers, where: AccountPredicate(followedSince: start), by: alice, with: .dates
    ).views
    #expect(late.count == 5 && late.allSatisfy { $0.since.map { $0.instant >= start.instant } == true })
    for impossible in ["mutual and not mutual", "blocked and not blocked"] {
      #expect(try await accounts(followers, where: impossible, by: alice).isEmpty)
    }
  }

  /// Activity costs two calls per account, so other conditions are evaluated first.
  @Test func activityIsCheckedLast() async throws {
    let alice = try await ServedUser(on: Self.small)
    let me = try alice.actor("alice")
    let following = ListingQuery.follows(of: me, in: .bluesky)
    let all = try await accounts(following, by: alice)
    let lately = try await accounts(following, where: "active within 7d", by: alice)
    let notLately = try await accounts(following, where: "not active within 7d", by: alice)
    #expect(!lately.isEmpty && !notLately.isEmpty && lately.count + notLately.count <= all.count)
    #expect(lately.isDisjoint(with: notLately))
    let mutuals = try await accounts(.mutuals(of: me), by: alice)
    let both = try predicate("active within 7d and mutual")
    let method = "com.atproto.sync.getLatestCommit"
    let calls = try #require(try await list(following, where: both, by: alice).calls[method])
    #expect(calls > 0 && calls <= mutuals.count && mutuals.count < all.count)
    let plan = try await ListAccounts(following.narrowed(to: both)).cost(in: alice.workspace()) { _ in }
    #expect(plan.steps.contains { $0.name == method })
  }

  @Test func ownMutesFilterListings() async throws {
    let grace = try await ServedUser("grace", on: Self.small)
    let me = try grace.actor("grace")
    let following = ListingQuery.follows(of: me, in: .bluesky)
    let some = try await list(following, by: grace).views.filter { $0.handle != nil }.prefix(2).map(\.account)
    try #require(some.count == 2)
    try await grace.change(some.map { .mute($0, .everything) })
    for text in ["muted", "muted with grace.test"] {
      #expect(try await accounts(following, where: text, by: grace) == Set(some), "\(text)")
    }
    #expect(try await accounts(following, where: "not muted", by: grace).isDisjoint(with: some))
    #expect(try await accounts(ListingQuery(.mutes(of: me)), by: grace) == Set(some))
    for (wanted, answer) in [("muted", CheckVerdict.Answer.yes), ("not muted", .no)] {
      var check = CheckRelationships(
        of: me, targets: TargetStream(origins: some.map { .argument("\($0)") }))
      check.predicate = try predicate(wanted)
      #expect(try await grace.run(check).outcome.verdict.answer == answer)
    }
    // Those of others are unknown.
    for query in [
      ListingQuery.follows(of: try grace.actor("bob"), in: .bluesky).narrowed(to: try predicate("muted")),
      following.narrowed(to: try predicate("muted with bob.test")),
    ] {
      let error = try await #require(throws: OperationError.self) { try await grace.run(ListAccounts(query)) }
      #expect(error.code == .mutesOfAnother)
    }
  }

  @Test func blocksComeFromRecordsAndMutesFromTheAppView() async throws {
    let dave = try await ServedUser("dave", on: Self.small)
    try await dave.change([.block(try dave.did("bob")), .mute(try dave.did("carol"), .everything)])
    let blocks = try await list(ListingQuery(.blocks(of: dave.actor("dave"))), by: dave).views
    let bobs = try #require(blocks.first { $0.handle?.description == "bob.test" })
    let record = try #require(bobs.record)
    #expect(bobs.since != nil && "\(record)".contains("/app.bsky.graph.block/"))
    let mutes = try await list(ListingQuery(.mutes(of: dave.actor("dave"))), by: dave).views
    #expect(mutes.map(\.handle?.description) == ["carol.test"])
    let nobody = try await ServedUser(nil, on: Self.small)
    let theirs = try await list(ListingQuery(.blocks(of: .handle(Handle(parsing: "frank.test")))), by: nobody)
    #expect(theirs.views.map(\.handle?.description) == ["alice.test"])
  }

  @Test func blockersAmongGivenAccountsAreListed() async throws {
    let alice = try await ServedUser(on: Self.network)
    let me = try alice.actor("alice")
    let names = ["frank.test", "ivan.test", "bob.test"]
    let candidates = BlockerCandidates(
      TargetStream(origins: names.map { .argument($0) }), listings: [.follows(of: me, in: .bluesky)],
      skippingInvalid: false)
    let among = try await candidates.accounts(in: alice.workspace()) { _ in }
    let blockers = try await list(.blockers(of: me, among: among), by: alice).views
    let records = Dictionary(
      blockers.compactMap { view in view.handle.map { ("\($0)", view.record.map { "\($0)" }) } }
    ) { first, _ in first }
    #expect(records["frank.test"]??.contains("/app.bsky.graph.block/") == true)
    #expect(blockers.first { $0.handle?.description == "frank.test" }?.since != nil)
    // Ivan blocks by a list; its record does not say when Alice was added.
    #expect(records["ivan.test"] == .some(nil) && records["bob.test"] == nil)
  }

  /// Promise 1: a failing AppView does not silently hide accounts, and data that only the AppView has is not guessed.
  @Test func whatCannotBeLookedUpIsNotLeftOutSilently() async throws {
    let alice = try await ServedUser(on: Self.small)
    let me = try alice.actor("alice")
    let listing = ListAccounts(.mutuals(of: me))
    let undecided = try await alice.run(
      listing, over: FailingMethods(network: Self.small, methods: ["app.bsky.graph.getRelationships"]))
    let coverage = undecided.outcome.report.coverage
    #expect(undecided.rows.isEmpty && coverage.undecided > 0)
    #expect(FailureKind(try #require(coverage.fault)) == .unavailable)
    let mutes = ListAccounts(
      ListingQuery.followers(of: me, in: .bluesky).narrowed(to: try predicate("muted")))
    let methods: Set = ["app.bsky.actor.getProfiles", "app.bsky.graph.getMutes"]
    let unread = try await alice.run(mutes, over: FailingMethods(network: Self.small, methods: methods))
    let fault = try #require(unread.outcome.rows.interruption ?? unread.outcome.report.coverage.fault)
    #expect(unread.rows.isEmpty && FailureKind(fault) == .unavailable)
  }

  @Test func explainingCostsOneCallAndLimitsTheOthers() async throws {
    let reader = try await ServedUser(nil, on: Self.network)
    let alice = ATIdentifier.handle(try Handle(parsing: "alice.test"))
    for (query, details) in [
      (.followers(of: alice, in: .bluesky), .dates), (.follows(of: alice, in: .bluesky), []),
      (.notFollowingBack(alice), []),
    ] as [(ListingQuery, Listings.Details)] {
      let listing = ListAccounts(query, details: details)
      let workspace = reader.workspace()
      let bound = try #require(try await listing.cost(in: workspace) { _ in }.calls)
      #expect(workspace.meter.cost.calls == 1, "\(query)")
      let run = try await list(query, by: reader, with: details)
      #expect(!run.rows.isEmpty && run.calls.values.reduce(0, +) <= bound, "\(query)")
    }
    let candidates = BlockerCandidates(
      TargetStream(origins: []), listings: [.follows(of: alice, in: .bluesky)], skippingInvalid: false)
    let needs = AccountPredicate(.blockedBy).needs.with(.names)
    let (workspace, asking) = (reader.workspace(), reader.workspace())
    let plan = try await candidates.cost(of: alice, needs: needs, in: workspace) { _ in }
    #expect(workspace.meter.cost.calls == 1)
    let among = try await candidates.accounts(in: asking) { _ in }
    let blockers = try await list(.blockers(of: alice, among: among), by: reader)
    let made = asking.meter.cost.calls + blockers.calls.values.reduce(0, +)
    let bound = try #require(plan.calls)
    #expect(!blockers.rows.isEmpty && made <= bound)
  }
}

extension OperationRun<ListAccounts> {
  fileprivate var views: [AccountView] { rows.map(\.view) }
}
