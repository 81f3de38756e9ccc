// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithSandbox
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Checks of a served network.
@Suite struct CheckRelationshipsTests {
  private static let few = FaultyNetwork(accounts: 14)
  private static let large = FaultyNetwork(accounts: 1_000)

  /// A check of named targets; the actor and a single target that are named by DID have to exist.
  private func check(
    _ actor: String, _ targets: [String], is relation: String? = nil, any: Bool = false,
    followersOf owner: String? = nil
  ) throws -> CheckRelationships {
    var check = CheckRelationships(
      of: try ActorInput(parsing: actor).identifier,
      targets: TargetStream(origins: targets.map { .argument($0) }))
    check.companions = targets.compactMap { Handle($0) }
    check.predicate = try relation.map { try AccountPredicate(parsing: $0, now: Datetime(at: .epoch)) }
    check.quantifier = any ? .any : .all
    if let owner {
      check.listings = [.followers(of: try ActorInput(parsing: owner).identifier, in: .bluesky)]
    }
    let deciding = (targets.count == 1 ? targets : []) + [actor]
    let accounts = deciding.compactMap { DID($0) }
    if !accounts.isEmpty { check.verification = .only(Set(accounts)) }
    return check
  }

  private func states(_ run: OperationRun<CheckRelationships>) -> [String] {
    run.rows.map { row in
      switch row.answer.state {
      case .known: "known"
      case .itself: "self"
      case .notFound: "notFound"
      case .failed(let error): error.code == .invalidInput ? "invalid" : "error"
      }
    }
  }

  /// Q2: the AppView answers for an account that does not exist as for one without any relationship.
  @Test func answersAmountToAVerdict() async throws {
    let reader = try await ServedUser(nil, on: Self.few)
    let nobody = "did:plc:" + String(repeating: "z", count: 24)
    let checks: [(String, CheckRelationships, CheckVerdict.Answer)] = [
      ("mutual", try check("alice.test", ["bob.test"], is: "mutual"), .yes),
      ("not mutual", try check("alice.test", ["carol.test"], is: "mutual"), .no),
      ("all", try check("alice.test", ["bob.test", "carol.test"], is: "following"), .yes),
      ("not all", try check("alice.test", ["bob.test", "carol.test"], is: "followed-by"), .no),
      ("any", try check("alice.test", ["bob.test", "carol.test"], is: "followed-by", any: true), .yes),
      ("by list", try check("alice.test", ["heidi.test"], is: "blocking"), .yes),
      ("by their list", try check("alice.test", ["ivan.test"], is: "blocked-by"), .yes),
      ("none", try check("alice.test", ["niaj.test"], is: "none"), .yes),
      ("no handle", try check("alice.test", ["nobody.test"], is: "none"), .notFound),
      ("one of two", try check("alice.test", ["bob.test", "nobody.test"], is: "following"), .no),
      ("no target", try check("alice.test", ["nobody.test"]), .notFound),
      ("no DID, none", try check("alice.test", [nobody], is: "none"), .notFound),
      ("no DID, following", try check("alice.test", [nobody], is: "following"), .notFound),
      ("some exist", try check("alice.test", ["nobody.test", "bob.test"]), .answered),
      (
        "unreadable", try check("alice.test", ["bob.test", "x_y"], is: "following"), .failed(.invalidInput)
      ),
    ]
    var answers: [String: CheckVerdict.Answer] = [:]
    for (name, check, _) in checks {
      let run = try await reader.run(check)
      #expect(run.outcome.rows.interruption == nil, "\(name)")
      answers[name] = run.outcome.verdict.answer
    }
    #expect(answers == Dictionary(uniqueKeysWithValues: checks.map { ($0.0, $0.2) }))
    // The actor has to exist, and so does the account of a listing.
    for check in [
      try check("nobody.test", ["bob.test"]), try check(nobody, ["bob.test"], is: "none"),
      try check(nobody, [nobody]), try check("alice.test", [], followersOf: "nobody.test"),
    ] {
      let failure = try await reader.run(check).outcome.rows.interruption
      #expect(FailureKind(try #require(failure)) == .notFound, "\(check.actor) \(check.listings)")
    }
  }

  @Test func aBatchIsSummed() async throws {
    let reader = try await ServedUser(nil, on: Self.few)
    let targets = ["bob.test", "carol.test", "erin.test", "alice.test", "nobody.test"]
    let run = try await reader.run(try check("alice.test", targets))
    #expect(states(run) == ["known", "known", "known", "self", "notFound"])
    let summary = run.outcome.summary
    #expect(
      Dictionary(uniqueKeysWithValues: summary.counts.map { ($0.field, $0.value) }) == [
        "following": 2, "followedBy": 2, "mutual": 1, "blocked": 1, "notFound": 1, "errors": 0,
      ])
    #expect(summary.rows == 5 && run.calls.values.reduce(0, +) == 3)
    // Two handles take two calls, repeated or not.
    let repeated = try await reader.run(try check("alice.test", ["bob.test", "carol.test", "bob.test"]))
    #expect(repeated.rows.map(\.answer.input) == ["bob.test", "carol.test", "bob.test"])
    #expect(repeated.calls == ["app.bsky.actor.getProfiles": 1, "app.bsky.graph.getRelationships": 1])
  }

  @Test func failingFastStopsAtTheFirstErrorAndNotAtAnAbsence() async throws {
    let reader = try await ServedUser(nil, on: Self.few)
    var fast = try check("alice.test", ["nobody.test", "bob.test", "x_y", "carol.test"])
    fast.failsFast = true
    let run = try await reader.run(fast)
    #expect(states(run) == ["notFound", "known", "invalid"])
    #expect(run.outcome.summary.stopsEarly && run.outcome.verdict.answer == .failed(.invalidInput))
  }

  @Test func listingsSupplyTargetsOverShortPages() async throws {
    let network = FaultyNetwork(accounts: 1_000, paging: .short)
    let reader = try await ServedUser(nil, on: network)
    let followers = try await reader.run(try check("alice.test", [], followersOf: "alice.test"))
    let targets = followers.rows.map(\.answer.target)
    #expect(targets.count > 100 && Set(targets).count == targets.count)
    var follows = try check("alice.test", [], is: "following")
    follows.listings = [.follows(of: follows.actor, in: .bluesky)]
    let run = try await reader.run(follows)
    #expect(run.outcome.verdict.answer == .yes && run.outcome.verdict.count == 125)
    #expect(run.rows.allSatisfy { $0.answer.info?.isFollowing == true })
  }

  /// Q11, Q12: the AppView counts 258 followers and 125 follows, and lists 200 and 100 of them.
  @Test func listingsAreCompleteOrReportGaps() async throws {
    let reader = try await ServedUser(nil, on: Self.large)
    var check = try check("alice.test", [])
    check.listings = [.follows(of: check.actor, in: .bluesky)]
    let follows = try await reader.run(check)
    let views = follows.rows.compactMap(\.answer.view)
    #expect(follows.rows.count == 125 && follows.rows.allSatisfy { $0.answer.info?.isFollowing == true })
    #expect(follows.rows.count { $0.answer.view?.handle == nil } == 4)
    #expect(views.allSatisfy { ($0.handle == nil) == ($0.displayName == nil) })
    let added = try #require(follows.outcome.summary.listings.first)
    #expect([added.counted, added.listed, added.hidden, added.gone, added.missing] == [125, 100, 21, 4, 0])
    check.listings = [.followers(of: check.actor, in: .bluesky)]
    let followers = try await reader.run(check)
    #expect(followers.rows.count { $0.answer.view?.handle != nil } == 200)
    #expect(followers.outcome.summary.notListable == 58)
    guard case .listed(let report)? = followers.notes.last else {
      Issue.record("the listing is not reported: \(followers.notes)")
      return
    }
    #expect(report.listing == .followers(of: check.actor) && report.coverage.missing == 58)
  }

  @Test func namesAreLookedUpIfRequested() async throws {
    let reader = try await ServedUser(nil, on: FaultyNetwork())
    let listed = try await reader.run(try check("alice.test", [], followersOf: "bob.test"))
    let dids = listed.rows.compactMap(\.answer.target)
    #expect(dids.count > 50)
    let without = try await reader.run(try check("alice.test", dids.map(\.description)))
    #expect(without.rows.allSatisfy { $0.answer.view?.handle == nil })
    var named = try check("alice.test", ["carol.test"] + dids.map(\.description))
    named.wantsNames = true
    let run = try await reader.run(named)
    #expect(run.rows.map(\.answer.target) == [try reader.did("carol")] + dids)
    #expect(
      run.rows.map(\.answer.view?.handle) == [Handle("carol.test")] + listed.rows.map(\.answer.view?.handle))
    #expect(
      run.rows.map(\.answer.view?.displayName) == ["Carol"] + listed.rows.map(\.answer.view?.displayName))
    #expect(run.calls["app.bsky.actor.getProfiles"] == (dids.count + 24) / 25 + 1)
    // Rows come without names if the lookup fails.
    let failing = FailingMethods(network: reader.network, methods: ["app.bsky.actor.getProfiles"])
    var unnamed = try check("\(dids[0])", dids.dropFirst().prefix(2).map(\.description))
    unnamed.wantsNames = true
    unnamed.verification = .off
    let failed = try await reader.run(unnamed, over: failing)
    #expect(failed.rows.map(\.answer.view?.handle) == [nil, nil])
    #expect(failed.notes.map(\.code) == ["handlesNotLearned"])
  }

  /// Right after a change, the AppView lags behind: the repository knows it.
  @Test func aCheckShowsWhatWasJustChanged() async throws {
    let network = FaultyNetwork(lag: .seconds(3_600))
    let alice = try await ServedUser(on: network)
    let (niaj, bob, judy) = (try alice.did("niaj"), try alice.did("bob"), try alice.did("judy"))
    for (intent, relation) in [
      (.follow(niaj), "following"), (.unfollow(niaj), "not following"), (.unfollow(bob), "not following"),
      (.block(niaj), "blocking"), (.unblock(niaj), "not blocking"),
    ] as [(ChangeIntent, String)] {
      try await alice.change([intent])
      let me = "\(try alice.did("alice"))"
      let target = ["\(try #require(intent.account))"]
      let opposite = relation.hasPrefix("not ") ? String(relation.dropFirst(4)) : "not \(relation)"
      var answers: [CheckVerdict.Answer] = []
      for text in [relation, opposite] {
        answers.append(try await alice.run(try check(me, target, is: text)).outcome.verdict.answer)
      }
      #expect(answers == [.yes, .no], "\(intent)")
    }
    try await alice.change([.follow(niaj), .block(judy)])
    let own = try await alice.run(try check("alice.test", ["niaj.test", "judy.test", "carol.test"]))
    let infos = own.rows.map(\.answer.info)
    #expect(infos.map { $0?.source } == [.repository, .repository, .appview])
    #expect(infos[0]?.following != nil && infos[1]?.blocking != nil)
    // The other side sees it, too.
    let others = try await alice.run(try check("niaj.test", ["alice.test"])).rows.map(\.answer.info)
    #expect(others.map { $0?.source } == [.repository])
    #expect(others.first??.followedBy == infos[0]?.following)
  }

  @Test func aBatchIsCorrectedWithAsManyCallsAsWereExplained() async throws {
    let network = FaultyNetwork(lag: .seconds(3_600))
    let alice = try await ServedUser(on: network)
    let others = network.accounts.accounts.filter { $0.status == .active }.suffix(40).map(\.did)
    try await alice.change(others.map { .follow($0) })
    let names = others.map(\.description)
    let following = try check("\(try alice.did("alice"))", names, is: "following")
    let plan = try await following.cost(in: alice.workspace()) { _ in }
    let method = "com.atproto.repo.getRecord"
    let step = try #require(plan.steps.first { $0.name == method })
    #expect(step.isEstimate)
    let run = try await alice.run(following)
    #expect(run.outcome.verdict.answer == .yes)
    let calls = try #require(run.calls[method])
    #expect(calls > 0 && calls <= step.calls ?? 0)
  }
}
