// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

@testable import kith

/// Commands that change relationships, from the command line to the records of a sandbox.
@Suite struct ChangeCommandTests {
  private struct Edges: Decodable {
    let following: String?
    let blocking: String?
  }

  private func edges(_ alice: SignedInRun, _ target: String) async throws -> Edges? {
    try await alice.kith("check alice.test \(target)").rows(Edges.self).first
  }

  @Test func followsOnlyNewAccounts() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("follow bob.test dave.test nobody.test")
    #expect(run.status == 0)
    let rows = try run.changes()
    #expect(rows.map(\.state) == ["unchanged", "done", "notFound"])
    #expect(rows.map(\.input) == ["bob.test", "dave.test", "nobody.test"])
    #expect(rows.map(\.job) == [nil, 1, nil])
    let made = try #require(rows[1].writes.first)
    #expect(made.action == "create")
    #expect(try await edges(alice, "dave.test")?.following == made.uri)
    let summary = try #require(try run.message("changeSummary"))
    #expect(["rows", "done", "unchanged", "notFound"].map(summary.number) == [3, 1, 1, 1])
  }

  @Test func anExistingRelationshipCostsNoWriteAndNoJob() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("follow bob.test carol.test -v")
    #expect(run.status == 0)
    #expect(try run.changes().allSatisfy { $0.state == "unchanged" && $0.job == nil })
    #expect(try !run.hasCalled("com.atproto.repo.applyWrites"))
    #expect(try await alice.kith("jobs --all").output == "")
  }

  @Test func blockAndUnfollowAreOneCommit() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("block bob.test -v")
    #expect(run.status == 0)
    let row = try #require(try run.changes().first)
    #expect(row.writes.map(\.action) == ["create", "delete"])
    // Bob follows her, and she follows him on Tangled and Cosmik, too.
    #expect(row.notes.count == 2)
    #expect(try run.calls(of: "com.atproto.repo.applyWrites") == 1)
    let now = try await edges(alice, "bob.test")
    #expect(now?.following == nil && now?.blocking == row.writes.first?.uri)
    let back = try await alice.kith("unblock bob.test")
    #expect(try back.changes().first?.notes.count == 1)
    #expect(try await edges(alice, "bob.test")?.following == nil)
  }

  @Test func undoRestoresExactlyWhatAJobDeleted() async throws {
    let alice = try await SignedInRun()
    let before = try await edges(alice, "bob.test")?.following
    #expect(try await alice.kith("block bob.test").status == 0)
    #expect(try await alice.kith("jobs undo 1").status == 0)
    let now = try await edges(alice, "bob.test")
    #expect(now?.following == before && before != nil)
    #expect(now?.blocking == nil)
    #expect(try await alice.kith("jobs show 1").changes().map(\.state) == ["undone"])
    // A script that tries again must be able to tell this from wrong usage.
    let again = try await alice.kith("undo 1")
    #expect(again.status == 0)
    #expect(try again.codes == ["jobUndone"])
    #expect(again.output.contains(#""undone":1"#))
  }

  @Test func aDryRunShowsTheRecordsAndWritesNone() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("follow dave.test --dry-run")
    #expect(run.status == 0)
    #expect(run.output.contains(#""record":{"$type":"app.bsky.graph.follow","createdAt":"#))
    #expect(try run.changes().first?.state == "planned")
    #expect(try await edges(alice, "dave.test")?.following == nil)
  }

  @Test func removingSeveralNeedsConfirmation() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("unfollow bob.test carol.test")
    #expect(run.status == 64)
    #expect(try run.output == "" && run.codes == ["needsConfirmation"])
    #expect(try await edges(alice, "bob.test")?.following != nil)
    #expect(try await alice.kith("unfollow bob.test carol.test --yes").status == 0)
    #expect(try await edges(alice, "bob.test")?.following == nil)
  }

  @Test func everyInvalidLineIsReportedBeforeAnyChange() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("follow -", input: "dave.test\nno one\nniaj.test\n@\n")
    #expect(run.status == 65)
    #expect(run.output == "")
    #expect(try run.codes == ["invalidInput", "invalidInput", "invalidNames"])
    #expect(try run.messages.map { $0.text("place") } == ["stdin:2", "stdin:4", nil])
    #expect(try await edges(alice, "dave.test")?.following == nil)
  }

  @Test func followingOneselfIsRefused() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("follow alice.test")
    #expect(run.status == 77)
    #expect(try run.changes().map(\.state) == ["refused"])
  }

  @Test func withoutASessionTheSignInCommandIsShown() async throws {
    let run = try await SandboxRun().kith("follow bob.test")
    #expect(run.status == 77)
    #expect(try run.output == "" && run.codes == ["session.notSignedIn"])
  }

  @Test func aTimedMuteEndsWhenItIsDue() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("mute bob.test --only reposts --for 5m").status == 0)
    let later = alice.environment.merging(["KITH_CLOCK_SHIFT": "600"]) { $1 }
    #expect(try await !alice.run.kith("jobs due --dry-run", environment: later).output.isEmpty)
    #expect(try await alice.run.kith("jobs due", environment: later).status == 0)
    #expect(try await alice.kith("jobs show 1").changes().map(\.state) == ["undone"])
    #expect(try await alice.run.kith("jobs due", environment: later).output == "")
  }

  @Test func aBlockingListIsNamedWithARemedy() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith("unblock heidi.test")
    #expect(run.status == 77)
    #expect(try run.message("changeFault")?["cause"]?["code"] == "refusal.blockedByList")
  }

  @Test func anExhaustedBudgetEndsTheRunWithATime() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.kith(
      "follow dave.test niaj.test trent.test judy.test --points 6/6 --leave 0 --no-wait")
    #expect(run.status == 75)
    #expect(try run.changes().map(\.state) == ["done", "done", "pending", "pending"])
    let stopped = try #require(try run.message("jobStopped"))
    #expect(stopped.number("job") == 1 && stopped.text("reason") == "budget")
    #expect(try await alice.kith("jobs resume 1 --points 5000/35000").status == 0)
    #expect(try await alice.kith("jobs show 1").changes().allSatisfy { $0.state == "done" })
  }

  @Test func aLimitOfChangesEndsTheRunWithATimeAndCountsThatKindAlone() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("mute mallory.test").status == 0)
    let run = try await alice.kith("follow dave.test niaj.test trent.test judy.test --per-day 3 --no-wait")
    #expect(run.status == 75)
    #expect(try run.changes().map(\.state) == ["done", "done", "done", "pending"])
    // The job keeps its limit.
    #expect(try await alice.kith("jobs resume 2 --no-wait").status == 75)
    #expect(try await alice.kith("jobs resume 2 --per-hour 3 --no-wait").status == 75)
    #expect(try await alice.kith("jobs show 2").changes().count { $0.state == "done" } == 3)
    #expect(try await alice.kith("jobs resume 2 --per-hour 100").status == 0)
    #expect(try await alice.kith("follow dave.test --per-day 0").status == 64)
  }

  /// Other apps use the same budget; all processes use what the server reports about it.
  @Test func theServersBudgetAppliesToLaterRuns() async throws {
    let alice = try await SignedInRun(writing: SandboxWriting(pointsPerHour: 30))
    #expect(try await alice.kith("follow dave.test").status == 0)
    let names = (100..<160).map { "user0\($0).test\n" }.joined()
    let run = try await alice.kith("follow - --leave 0 --no-wait", input: names)
    #expect(run.status == 75)
    #expect(try run.changes().count { $0.state == "done" } == 9)
    #expect(try run.message("jobStopped")?.text("reason") == "budget")
  }

  @Test func anUnknownNameIsAnErrorOnlyIfItIsTheOnlyOne() async throws {
    let run = try await SignedInRun().kith("follow nobody.test")
    #expect(run.status == 67)
    #expect(try run.codes == ["changeFault"])
    #expect(try run.messages.first?["cause"]?["code"] == "identity.notFound")
  }

  @Test func pendingItemsOfAJobAreNotPlannedAgain() async throws {
    let alice = try await SignedInRun()
    let names = "dave.test niaj.test judy.test"
    #expect(try await alice.kith("follow \(names) --points 3/3 --leave 0 --no-wait").status == 75)
    let again = try await alice.kith("follow \(names)")
    #expect(again.status == 75)
    #expect(try again.changes().map(\.state) == ["unchanged", "pending", "pending"])
    let summary = try #require(try again.message("changeSummary"))
    #expect(["rows", "unchanged", "pending"].map(summary.number) == [3, 1, 2])
    #expect(try await alice.kith("jobs resume 1 --points 5000/35000").status == 0)
    let late = try await alice.kith("jobs resume 1")
    #expect(late.status == 0)
    #expect(try late.codes == ["jobDone"])
    let follows = try alice.follows()
    #expect(follows.count == Set(follows).count)
  }

  /// A record about a DID that does not exist would be useless.
  @Test func aMissingAccountIsNotFollowed() async throws {
    let alice = try await SignedInRun()
    let nobody = Accounts.did(77_777)
    let commits = alice.run.sandbox.statistics.commits
    let alone = try await alice.kith("follow \(nobody)")
    #expect(alone.status == 67)
    #expect(try alone.changes().map(\.state) == ["notFound"])
    #expect(alice.run.sandbox.statistics.commits == commits)
    let both = try await alice.kith("block \(nobody) niaj.test --yes")
    #expect(both.status == 0)
    #expect(try both.changes().map(\.state) == ["notFound", "done"])
    // Records about a deleted account can still be removed.
    #expect(try await alice.kith("unfollow \(nobody)").changes().map(\.state) == ["unchanged"])
  }

  @Test func moreThan200FollowsNeedConfirmation() async throws {
    let alice = try await SignedInRun(at: try await SandboxRun(accounts: 500))
    let before = try alice.follows()
    let names = alice.run.sandbox.network.accounts.dropFirst(14).map(\.did.description)
      .filter { !before.contains($0) }.prefix(201)
    try #require(names.count == 201)
    let run = try await alice.kith("follow -", input: names.joined(separator: "\n"))
    #expect(run.status == 64)
    #expect(try run.message("needsConfirmation") != nil)
    #expect(try alice.follows() == before)
    let fewer = try await alice.kith("follow - -q", input: names.dropLast().joined(separator: "\n"))
    #expect(fewer.status == 0)
    #expect(try alice.follows().count == before.count + 200)
  }

  @Test func concurrentCommandsCreateOneRecord() async throws {
    let alice = try await SignedInRun()
    let before = try alice.follows().count
    let states = try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { try await alice.kith("follow dave.test").changes().map(\.state) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(states.contains("done"))
    #expect(try alice.follows().count == before + 1)
  }

  /// Repeating a timed change without a time makes it permanent; with another time, it moves the end.
  @Test(arguments: ["block dave.test", "mute bob.test"])
  func aTimedChangeTakesTheLatestEnd(verb: String) async throws {
    let alice = try await SignedInRun()
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    func end() async throws -> Datetime? { try await store.job(JobID(number: 1)).until }
    #expect(try await alice.kith("\(verb) --for 1h").status == 0)
    let first = try #require(try await end())
    let commits = alice.run.sandbox.statistics.commits
    let longer = try await alice.kith("\(verb) --for 7d")
    #expect(try longer.changes().map(\.state) == ["done"])
    let second = try #require(try await end())
    #expect(second.instant > first.instant + 6 * 86_400_000_000)
    // A dry run changes nothing.
    #expect(try await alice.kith("\(verb) --dry-run").changes().map(\.state) == ["planned"])
    #expect(try await end() == second)
    let lasting = try await alice.kith(verb)
    #expect(try lasting.changes().map(\.state) == ["done"])
    #expect(try lasting.changes().first?.notes.isEmpty == false)
    #expect(try await end() == nil)
    #expect(alice.run.sandbox.statistics.commits == commits)
    #expect(try await store.due(at: second.instant + 1).isEmpty)
    #expect(try await alice.kith(verb).changes().map(\.state) == ["unchanged"])
    #expect(try await alice.kith("\(verb) --for 2d").changes().map(\.state) == ["done"])
    #expect(try await end() != nil)
    // A relationship without a job stays.
    let other = try await alice.kith("block erin.test --for 30d")
    #expect(try other.changes().first?.notes.isEmpty == false)
  }

  @Test func aJobOfAnotherAccountIsNotTouched() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("follow dave.test niaj.test --points 3/3 --leave 0 --no-wait").status == 75)
    #expect(try await alice.kith("login bob.test --password-stdin", input: "pw-bob\n").status == 0)
    for verb in ["pause", "cancel", "show", "resume"] {
      #expect(try await alice.kith("jobs \(verb) 1 --account bob.test").status == 77)
    }
    #expect(try await alice.kith("jobs resume 1 --points 5000/35000").status == 0)
  }

  @Test func unmutingOnePartLeavesOtherMutesAlone() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("mute bob.test --only reposts").status == 0)
    #expect(try await alice.kith("mute carol.test").status == 0)
    let run = try await alice.kith("unmute bob.test carol.test dave.test --only reposts")
    #expect(run.status == 77)
    #expect(try run.changes().map(\.state) == ["done", "refused", "unchanged"])
    #expect(try await alice.kith("unmute carol.test").changes().map(\.state) == ["done"])
  }
}
