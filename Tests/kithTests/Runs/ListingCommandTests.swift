// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Listings, from the command line to a sandbox (Q11 to Q15).
@Suite struct ListingCommandTests {
  private struct Row: Decodable {
    let did: String, handle: String?, displayName: String?, since: String?, record: String?
    let followers: Int?, status: String?
  }

  private func large() async throws -> SignedInRun {
    try await SignedInRun(at: try await SandboxRun(accounts: 1_000))
  }

  private func rows(_ run: KithRun) throws -> [Row] {
    #expect(run.status == 0, "\(run.talk)")
    return try run.rows(Row.self)
  }

  @Test func ownFollowsComeWithDatesAndRecordsFromTheRepository() async throws {
    let alice = try await large()
    let run = try await alice.kith("following -v")
    let rows = try rows(run)
    #expect(rows.count == 125)
    #expect(rows.allSatisfy { $0.since != nil && $0.record?.contains("/app.bsky.graph.follow/") == true })
    #expect(rows.count { $0.handle == nil } == 4)
    #expect(try run.message("listingSummary")?.number("rows") == 125)
    #expect(try run.message("listingCoverage")?.text.contains("follows of alice.test") == true)
    // One page of the AppView, two of the repository, and one call for accounts that the AppView does not
    // list.
    #expect(try run.calls(of: "app.bsky.graph.getFollows") == 1)
    #expect(try run.calls(of: "app.bsky.actor.getProfiles") == 1)
    let theirs = try await alice.kith("following grace.test")
    #expect(try self.rows(theirs).prefix(10).allSatisfy { $0.since == nil })
  }

  @Test func followersAreListedAndHiddenOnesCounted() async throws {
    let alice = try await large()
    let all = try await alice.kith("followers")
    #expect(try rows(all).count == 200)
    #expect(try all.message("listingSummary")?.number("notListable") == 58)
    let some = try await alice.kith("followers alice.test --limit 150")
    #expect(try rows(some).map(\.did) == rows(all).prefix(150).map(\.did))
    let summary = try #require(try some.message("listingSummary"))
    // A partial listing says nothing about the whole.
    #expect(try some.codes == ["listingSummary"] && summary["notListable"] == .null)
    let rest = try await alice.kith("followers --cursor \(try #require(summary.text("cursor")))")
    #expect(try rows(rest).map(\.did) == rows(all).suffix(50).map(\.did))
  }

  @Test func bothSidesAddUp() async throws {
    let alice = try await large()
    func dids(_ line: String) async throws -> Set<String> {
      Set(try rows(try await alice.kith(line)).map(\.did))
    }
    let following = try await dids("following")
    let mutuals = try await dids("mutuals")
    let oneSided = try await dids("not-following-back")
    #expect(mutuals.count == 42 && mutuals.isDisjoint(with: oneSided))
    // Of accounts that the AppView does not show, neither is known.
    let unseen = try await alice.kith("not-following-back").message("listingCoverage")?.number("notShown")
    #expect(unseen == 2)
    #expect(mutuals.union(oneSided).isSubset(of: following))
    #expect(Int64(following.subtracting(mutuals).subtracting(oneSided).count) == unseen)
    let followers = try await dids("followers")
    let strangers = try await dids("not-followed-back")
    #expect(strangers.isDisjoint(with: following) && strangers.isSubset(of: followers))
    #expect(followers.subtracting(strangers) == followers.intersection(following))
    let known = try await dids("known-followers bob.test")
    #expect(known.isSubset(of: following) && known.count == 14)
    #expect(
      try await dids("common me bob.test") == following.intersection(try await dids("following bob.test")))
  }

  @Test func predicatesFiltersAndOrderNarrowAListing() async throws {
    let alice = try await large()
    let zoe = try rows(try await alice.kith("followers --filter ZOE"))
    #expect(zoe.count == 13 && zoe.allSatisfy { $0.displayName?.contains("Zoë") == true })
    let top = try rows(try await alice.kith("followers --sort followers --limit 5"))
    #expect(top.count == 5 && top.map { $0.followers ?? 0 } == top.map { $0.followers ?? 0 }.sorted(by: >))
    let handles = try rows(try await alice.kith("mutuals --sort handle")).map { $0.handle ?? "~" }
    #expect(handles == handles.sorted())
    let gone = try rows(try await alice.kith(["following", "--where", "status is not active"]))
    #expect(gone.map(\.handle) == [nil, nil, nil, nil])
    #expect(Set(gone.map(\.status)).isSubset(of: ["deactivated", "suspended"]))
    let late = try rows(try await alice.kith("followers --since 2024-12-25"))
    #expect(late.count == 5 && late.allSatisfy { ($0.since ?? "") >= "2024-12-25" })
    let both = try rows(try await alice.kith(["followers", "--where", "mutual", "--where", "not mutual"]))
    #expect(both.isEmpty)
    let kept = try await alice.kith([
      "unfollow", "--following", "--where", "mutual", "--where", "not mutual", "--dry-run",
    ])
    #expect(kept.output.isEmpty)
    let nobody = try await alice.kith(["followers", "--where", "blocked and not blocked"])
    #expect(try rows(nobody).isEmpty)
  }

  /// Handles and servers are cached for an hour; relationships are not.
  @Test func handlesAndServersAreCachedAcrossRuns() async throws {
    let alice = try await SignedInRun()
    func calls(_ line: String) async throws -> [String: Int64] {
      let run = try await alice.kith(line + " -v")
      #expect(run.status == 0, "\(run.talk)")
      var calls: [String: Int64] = [:]
      for method in ["app.bsky.actor.getProfiles", "app.bsky.graph.getRelationships", "did document"] {
        calls[method] = try run.calls(of: method)
      }
      return calls
    }
    let first = try await calls("check bob.test carol.test")
    #expect(first == ["app.bsky.actor.getProfiles": 1, "app.bsky.graph.getRelationships": 1])
    #expect(try await calls("check bob.test carol.test") == ["app.bsky.graph.getRelationships": 1])
    #expect(try await calls("check bob.test carol.test --no-cache") == first)
    // Accounts to follow are always resolved again.
    #expect(try await calls("follow carol.test --dry-run")["app.bsky.actor.getProfiles"] ?? 0 > 0)
  }

  /// Activity costs two calls per account, so other conditions are evaluated first.
  @Test func activityIsCheckedLast() async throws {
    let alice = try await SignedInRun()
    let all = try rows(try await alice.kith("following"))
    let lately = try rows(try await alice.kith(["following", "--where", "active within 7d"]))
    let notLately = try rows(try await alice.kith(["following", "--where", "not active within 7d"]))
    #expect(!lately.isEmpty && !notLately.isEmpty && lately.count + notLately.count <= all.count)
    #expect(Set(lately.map(\.did)).isDisjoint(with: notLately.map(\.did)))
    let mutuals = try rows(try await alice.kith("mutuals")).count
    let some = try await alice.kith(["following", "--where", "active within 7d and mutual", "-v"])
    let calls = try #require(try some.calls(of: "com.atproto.sync.getLatestCommit"))
    #expect(calls > 0 && Int(calls) <= mutuals && mutuals < all.count)
    let plan = try await alice.kith(["mutuals", "--where", "active within 7d", "--explain"])
    #expect(plan.output.contains("com.atproto.sync.getLatestCommit"))
  }

  @Test func ownMutesFilterListingsAndChanges() async throws {
    let alice = try await SignedInRun()
    let all = try rows(try await alice.kith("following"))
    let names = all.compactMap(\.handle).prefix(2)
    #expect(try await alice.kith(["mute", "-q"] + names).status == 0)
    let muted = try await alice.kith(["following", "--where", "muted"])
    #expect(try rows(muted).compactMap(\.handle) == Array(names))
    #expect(try await alice.kith(["check", "me", "--is", "muted"] + names).status == 0)
    #expect(try await alice.kith(["check", "me", "--is", "not muted"] + names).status == 1)
    let named = try await alice.kith(["following", "alice.test", "--where", "muted with alice.test"])
    #expect(try rows(named).count == 2)
    let others = try await alice.kith(["following", "--where", "not muted with me"])
    #expect(Set(try rows(others).map(\.did)).isDisjoint(with: try rows(muted).map(\.did)))
    #expect(try await alice.kith(["unfollow", "--following", "--where", "muted", "--yes", "-q"]).status == 0)
    #expect(try rows(try await alice.kith(["following", "--where", "muted"])).isEmpty)
    for line in [
      ["following", "bob.test", "--where", "muted"], ["following", "--where", "muted with bob.test"],
    ] {
      let theirs = try await alice.kith(line)
      #expect(theirs.status == 77 && theirs.output.isEmpty)
      #expect(try theirs.codes == ["mutesOfAnother"])
    }
  }

  /// Data that only the AppView has is not guessed, and its absence is not a success.
  @Test func unreadableMutesFailAListingThatNeedsThem() async throws {
    let method = try NSID(parsing: "app.bsky.actor.getProfiles")
    let lists = [method, try NSID(parsing: "app.bsky.graph.getMutes")]
    let faults = SandboxFaults(rate: 1, kinds: [.internalServerError], methods: Set(lists))
    let alice = try await SignedInRun(at: try await SandboxRun(faults: faults))
    let run = try await alice.kith(["followers", "--where", "muted"])
    #expect(run.status == 69 && run.output.isEmpty, "\(run.talk)")
  }

  @Test func blocksComeFromRecordsAndMutesFromTheAppView() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("block bob.test -q").status == 0)
    #expect(try await alice.kith("mute carol.test -q").status == 0)
    let blocks = try rows(try await alice.kith("blocks"))
    #expect(Set(blocks.map(\.handle)) == ["bob.test", "erin.test"])
    #expect(blocks.allSatisfy { $0.since != nil && $0.record?.contains("/app.bsky.graph.block/") == true })
    #expect(try rows(try await alice.kith("mutes")).map(\.handle) == ["carol.test"])
    #expect(try rows(try await alice.run.kith("blocks frank.test")).map(\.handle) == ["alice.test"])
  }

  private static let failing: [(line: [String], status: Int32)] = [
    (["followers"], 77), (["followers", "nobody.test"], 67), (["mutes"], 77), (["followers", "x y"], 65),
    (["following", "alice.test", "--where", "mutal"], 64),
    (["following", "alice.test", "--since", "soon"], 64), (["followers", "alice.test", "--limit", "0"], 64),
    (["common", "alice.test"], 64), (["followers", "alice.test", "--cursor", "5", "--sort", "name"], 64),
    (["following", "alice.test", "--where", "mutual with me"], 77),
    (["following", "alice.test", "--where", "not muted"], 77), (["mutes", "--since", "7d"], 64),
    (["blocks", "alice.test", "--cursor", "0.5"], 64), (["followers", "alice.test", "--cursor", "abc"], 64),
    (["blocked-by", "alice.test", "bob.test", "nobody.test"], 67),
    (["following", "alice.test", "--where", "mutual with nobody.test"], 67),
  ]

  @Test(arguments: failing)
  func listingErrorsAreReported(line: [String], status: Int32) async throws {
    let run = try await SandboxRun(accounts: 14).kith(line)
    #expect(run.status == status, "\(run.talk)")
    #expect(run.output.isEmpty)
    #expect(try !run.messages.isEmpty)
  }

  @Test func anInvalidPredicateReportsItsPosition() async throws {
    let run = try await SandboxRun(accounts: 14).kith([
      "followers", "alice.test", "--where", "mutual and folowers > 3",
    ])
    #expect(run.status == 64)
    #expect(try run.message("invalidPredicate")?.number("position") == 12)
  }

  /// Promise 1: a failing AppView does not silently hide accounts.
  @Test func aFailedLookupFailsTheListing() async throws {
    let faults = SandboxFaults(
      rate: 1, kinds: [.internalServerError], methods: [try NSID(parsing: "app.bsky.graph.getRelationships")])
    let run = try await SandboxRun(accounts: 200, faults: faults).kith("mutuals alice.test")
    #expect(run.status == 69)
    #expect(run.output.isEmpty)
    #expect(try run.message("listingCoverage")?.number("undecided") ?? 0 > 0)
  }

  @Test func rowsOfACommandCanBeTheInputOfAnother() async throws {
    let alice = try await large()
    let mutuals = try await alice.kith("mutuals")
    let checked = try await alice.kith("check alice.test - --is mutual --all -q", input: mutuals.output)
    #expect(checked.status == 0, "\(checked.talk)")
    let rows = try await alice.kith("check alice.test bob.test nobody.test")
    let again = try await alice.kith("check alice.test -", input: rows.output)
    #expect(
      try again.rows(Target.self).map(\.input) == [try rows.rows(Target.self)[0].target, "nobody.test"])
    let other = try await alice.kith("check alice.test -", input: #"{"name":"bob"}"#)
    #expect(other.status == 65)
  }

  private struct Target: Decodable { let input: String, target: String? }

  @Test func blockersAmongGivenAccountsAreListed() async throws {
    let alice = try await large()
    let all = try await alice.kith("blocked-by me --follows-of me frank.test ivan.test bob.test")
    let blockers = try rows(all)
    #expect(blockers.map(\.handle).contains("frank.test") && blockers.map(\.handle).contains("ivan.test"))
    #expect(!blockers.map(\.handle).contains("bob.test"))
    let frank = try #require(blockers.first { $0.handle == "frank.test" })
    #expect(frank.record?.contains("/app.bsky.graph.block/") == true && frank.since != nil)
    // Ivan blocks by a list; its record does not say when Alice was added.
    #expect(blockers.first { $0.handle == "ivan.test" }?.record == nil)
    let nobody = try await alice.kith("blocked-by me")
    #expect(nobody.status == 64 && nobody.talk.contains("--followers-of"))
  }

  @Test func everyListingIsASourceForChanges() async throws {
    let alice = try await large()
    let oneSided = try rows(try await alice.kith("not-following-back"))
    let unasked = try await alice.kith("unfollow --not-following-back")
    #expect(unasked.status == 64)
    #expect(try unasked.message("needsConfirmation") != nil)
    let line = ["unfollow", "--not-following-back", "--where", "handle contains user09", "--yes"]
    let some = try await alice.kith(line)
    #expect(some.status == 0, "\(some.talk)")
    let wanted = oneSided.filter { $0.handle?.contains("user09") == true }
    let changes = try some.changes()
    #expect(!wanted.isEmpty && Set(changes.map(\.subject)) == Set(wanted.map(\.did)))
    #expect(changes.allSatisfy { $0.state == "done" })
    // What accounts do that the AppView does not show is unknown: they are left alone and reported.
    #expect(try some.message("listingCoverage")?.number("notShown") == 2)
    #expect(try rows(try await alice.kith("not-following-back")).count == oneSided.count - wanted.count)
    let again = try await alice.kith(line)
    #expect(again.status == 0 && again.output.isEmpty)
    let muted = try await alice.kith("mute --mutuals --dry-run")
    #expect(try muted.changes().count == 42)
  }

  /// Promise 1: if a failing server hides accounts, the others are not changed either.
  @Test func aFailedListingChangesNothing() async throws {
    let faults = SandboxFaults(
      rate: 1, kinds: [.internalServerError], methods: [try NSID(parsing: "app.bsky.graph.getRelationships")])
    let alice = try await SignedInRun(faults: faults)
    for line in ["unfollow --not-following-back --yes", "check me --mutuals --is mutual"] {
      let run = try await alice.kith(
        line.replacing("me", with: line.hasPrefix("check") ? "alice.test" : "me"))
      #expect(run.status == 69 && run.output.isEmpty, "\(line): \(run.talk)")
    }
    #expect(try rows(try await alice.kith("following")).count > 10)
  }

  @Test func anUndecidedPredicateChangesNothing() async throws {
    let faults = SandboxFaults(
      rate: 1, kinds: [.internalServerError], methods: [try NSID(parsing: "app.bsky.graph.getRelationships")])
    let alice = try await SignedInRun(faults: faults)
    let run = try await alice.kith(["mute", "bob.test", "carol.test", "--where", "not mutual"])
    #expect(run.status == 69 && run.output.isEmpty)
    #expect(try run.message("predicateUndecided")?.number("count") == 2)
    #expect(try rows(try await alice.kith("mutes")).isEmpty)
  }

  @Test func explainingCostsOneCallAndLimitsTheOthers() async throws {
    let sandbox = try await SandboxRun(accounts: 1_000)
    for line in [
      "followers alice.test --dates", "following alice.test", "not-following-back alice.test",
      "blocked-by alice.test --follows-of alice.test",
    ] {
      let before = sandbox.sandbox.statistics.total
      let plan = try await sandbox.kith(line + " --explain")
      #expect(sandbox.sandbox.statistics.total == before + 1)
      let bound = try #require(try plan.rows(Plan.self).last?.calls)
      let start = sandbox.sandbox.statistics.total
      #expect(try await sandbox.kith(line).status == 0)
      #expect(sandbox.sandbox.statistics.total - start <= bound)
    }
  }

  private struct Plan: Decodable {
    let step: String
    let calls: Int?
  }
}
