// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Listings as commands: what their options ask for, and what they print. `ListAccountsTests` has what they list.
@Suite struct ListingCommandTests {
  private static let sandbox = Task { try await SandboxRun(accounts: 1_000) }

  private struct Row: Decodable {
    let did: String, handle: String?, displayName: String?, since: String?, record: String?
    let followers: Int?, status: String?
  }

  /// Alice at a sandbox that tests share, which may not change it.
  private func large() async throws -> SignedInRun {
    try await SignedInRun(at: try await Self.sandbox.value)
  }

  private func rows(_ run: KithRun) throws -> [Row] {
    #expect(run.status == 0, "\(run.talk)")
    return try run.rows(Row.self)
  }

  @Test func aListingEndsWithItsSummary() async throws {
    let alice = try await large()
    let follows = try await alice.kith("following -v")
    let rows = try rows(follows)
    #expect(rows.count == 125 && rows.allSatisfy { $0.since != nil && $0.record != nil })
    #expect(try follows.message("listingSummary")?.number("rows") == 125)
    #expect(try follows.message("listingCoverage")?.text.contains("follows of alice.test") == true)
    #expect(try follows.calls(of: "app.bsky.graph.getFollows") == 1)
    let some = try await alice.kith("followers alice.test --limit 150")
    #expect(try self.rows(some).count == 150)
    // A partial listing says nothing about the whole.
    let summary = try #require(try some.message("listingSummary"))
    #expect(try some.codes == ["listingSummary"] && summary["notListable"] == .null)
    let rest = try await alice.kith("followers --cursor \(try #require(summary.text("cursor")))")
    #expect(try self.rows(rest).count == 50)
    let all = try await alice.kith("followers -v")
    #expect(try all.message("listingSummary")?.number("notListable") == 58)
  }

  @Test func everyVerbAndOptionAsksForItsListing() async throws {
    let alice = try await large()
    let lines: [([String], Int)] = [
      (["mutuals"], 42), (["not-following-back"], 81), (["not-followed-back"], 166),
      (["known-followers", "bob.test"], 14), (["common", "me", "bob.test"], 11),
      (["blocked-by", "me", "--follows-of", "me", "frank.test", "ivan.test", "bob.test"], 2),
      (["followers", "--filter", "ZOE"], 13), (["followers", "--since", "2024-12-25"], 5),
      (["following", "--where", "status is not active"], 4),
      (["followers", "--where", "mutual", "--where", "not mutual"], 0),
      (["followers", "--sort", "followers", "--limit", "5"], 5),
    ]
    var counts: [String: Int] = [:]
    for (line, _) in lines {
      counts[line.joined(separator: " ")] = try rows(try await alice.kith(line)).count
    }
    #expect(counts == Dictionary(uniqueKeysWithValues: lines.map { ($0.joined(separator: " "), $1) }))
    let sorted = try rows(try await alice.kith("mutuals --sort handle --fields did,handle,status --status"))
    #expect(sorted.map { $0.handle ?? "~" } == sorted.map { $0.handle ?? "~" }.sorted())
    #expect(sorted.allSatisfy { $0.status != nil })
    let kept = try await alice.kith([
      "unfollow", "--following", "--where", "mutual", "--where", "not mutual", "--dry-run",
    ])
    #expect(kept.output.isEmpty)
  }

  /// Handles and servers are cached for an hour; relationships are not.
  @Test func handlesAndServersAreCachedAcrossRuns() async throws {
    let alice = try await large()
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

  @Test func ownMutesAndBlocksAreListedAndFilterChanges() async throws {
    let alice = try await SignedInRun()
    let names = try rows(try await alice.kith("following")).compactMap(\.handle).prefix(2)
    #expect(try await alice.kith(["mute", "-q"] + names).status == 0)
    let muted = try rows(try await alice.kith(["following", "--where", "muted"]))
    #expect(muted.compactMap(\.handle) == Array(names))
    #expect(try rows(try await alice.kith("mutes")).compactMap(\.handle).sorted() == names.sorted())
    #expect(try await alice.kith(["check", "me", "--is", "not muted"] + names).status == 1)
    #expect(try await alice.kith(["unfollow", "--following", "--where", "muted", "--yes", "-q"]).status == 0)
    #expect(try rows(try await alice.kith(["following", "--where", "muted"])).isEmpty)
    let theirs = try await alice.kith(["following", "bob.test", "--where", "muted"])
    #expect(theirs.status == 77 && theirs.output.isEmpty)
    #expect(try theirs.codes == ["mutesOfAnother"])
    #expect(try await alice.kith("block bob.test -q").status == 0)
    #expect(Set(try rows(try await alice.kith("blocks")).map(\.handle)) == ["bob.test", "erin.test"])
  }

  @Test func listingErrorsAreReported() async throws {
    let sandbox = try await Self.sandbox.value
    let lines: [([String], Int32)] = [
      (["followers"], 77), (["followers", "nobody.test"], 67), (["mutes"], 77), (["followers", "x y"], 65),
      (["following", "alice.test", "--where", "mutal"], 64),
      (["following", "alice.test", "--since", "soon"], 64),
      (["followers", "alice.test", "--limit", "0"], 64),
      (["common", "alice.test"], 64), (["followers", "alice.test", "--cursor", "5", "--sort", "name"], 64),
      (["following", "alice.test", "--where", "mutual with me"], 77),
      (["following", "alice.test", "--where", "not muted"], 77), (["mutes", "--since", "7d"], 64),
      (["blocks", "alice.test", "--cursor", "0.5"], 64),
      (["followers", "alice.test", "--cursor", "abc"], 64),
      (["blocked-by", "alice.test", "bob.test", "nobody.test"], 67), (["blocked-by", "alice.test"], 64),
      (["following", "alice.test", "--where", "mutual with nobody.test"], 67),
    ]
    for (line, status) in lines {
      let run = try await sandbox.kith(line)
      #expect(run.status == status && run.output.isEmpty, "\(line): \(run.talk)")
      #expect(try !run.messages.isEmpty, "\(line)")
    }
    let invalid = try await sandbox.kith(["followers", "me", "--where", "mutual and folowers > 3"])
    #expect(try invalid.message("invalidPredicate")?.number("position") == 12)
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

  @Test func everyListingIsASourceForChanges() async throws {
    let alice = try await SignedInRun(at: try await SandboxRun(accounts: 1_000))
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

  /// Promise 1: if a failing server hides accounts, that is an error, and the others are not changed either.
  @Test func aFailedListingIsAnErrorAndChangesNothing() async throws {
    let faults = SandboxFaults(
      rate: 1, kinds: [.internalServerError], methods: [try NSID(parsing: "app.bsky.graph.getRelationships")])
    let alice = try await SignedInRun(faults: faults)
    let mutuals = try await alice.kith("mutuals alice.test")
    #expect(mutuals.status == 69 && mutuals.output.isEmpty)
    #expect(try mutuals.message("listingCoverage")?.number("undecided") ?? 0 > 0)
    for line in ["unfollow --not-following-back --yes", "check alice.test --mutuals --is mutual"] {
      let run = try await alice.kith(line)
      #expect(run.status == 69 && run.output.isEmpty, "\(line): \(run.talk)")
    }
    #expect(try rows(try await alice.kith("following")).count > 10)
    let mute = try await alice.kith(["mute", "bob.test", "carol.test", "--where", "not mutual"])
    #expect(mute.status == 69 && mute.output.isEmpty)
    #expect(try mute.message("predicateUndecided")?.number("count") == 2)
    #expect(try rows(try await alice.kith("mutes")).isEmpty)
  }

  @Test func explainingCostsOneCall() async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    for line in [
      "followers alice.test --dates", "blocked-by alice.test --follows-of alice.test",
    ] {
      let before = sandbox.sandbox.statistics.total
      let plan = try await sandbox.kith(line + " --explain")
      #expect(sandbox.sandbox.statistics.total == before + 1 && plan.status == 0)
      #expect(try plan.rows(Plan.self).last.map { $0.step == "total" && $0.calls != nil } == true)
    }
  }

  private struct Plan: Decodable {
    let step: String
    let calls: Int?
  }
}
