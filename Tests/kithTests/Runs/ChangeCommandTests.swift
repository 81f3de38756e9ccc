// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

/// Commands that change relationships: what their options do, and what they say.
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

  /// A script that tries again must be able to tell this from wrong usage.
  @Test func undoingTwiceIsNoError() async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith("block bob.test").status == 0)
    #expect(try await alice.kith("jobs undo 1").status == 0)
    #expect(try await edges(alice, "bob.test")?.blocking == nil)
    let again = try await alice.kith("undo 1")
    #expect(again.status == 0)
    #expect(try again.codes == ["jobUndone"])
    #expect(again.output.contains(#""undone":1"#))
  }

  @Test func eachVerbMakesOrEndsItsRelationship() async throws {
    let alice = try await SignedInRun()
    for line in [
      "block dave.test", "unblock dave.test", "mute dave.test --only reposts",
      "unmute dave.test --only reposts",
      "follow dave.test", "unfollow dave.test",
    ] {
      let run = try await alice.kith(line)
      #expect(try run.status == 0 && run.changes().map(\.state) == ["done"], "\(line): \(run.talk)")
    }
    let planned = try await alice.kith("follow dave.test --dry-run")
    #expect(planned.output.contains(#""record":{"$type":"app.bsky.graph.follow","createdAt":"#))
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

  @Test func aLimitEndsTheRunWithATime() async throws {
    let alice = try await SignedInRun()
    let names = "dave.test niaj.test trent.test judy.test"
    let run = try await alice.kith("follow \(names) --points 6/6 --leave 0 --no-wait")
    #expect(run.status == 75)
    #expect(try run.changes().map(\.state) == ["done", "done", "pending", "pending"])
    let stopped = try #require(try run.message("jobStopped"))
    #expect(stopped.number("job") == 1 && stopped.text("reason") == "budget")
    #expect(try await alice.kith("jobs resume 1 --per-day 2 --no-wait").status == 75)
    #expect(try await alice.kith("jobs resume 1 --points 5000/35000").status == 0)
    #expect(try await alice.kith("jobs show 1").changes().allSatisfy { $0.state == "done" })
    let late = try await alice.kith("jobs resume 1")
    #expect(late.status == 0)
    #expect(try late.codes == ["jobDone"])
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

  @Test func theReasonOfASingleRowIsTheError() async throws {
    let alice = try await SignedInRun()
    for (line, status, cause) in [
      ("follow nobody.test", 67, "identity.notFound"), ("follow alice.test", 77, "refusal.oneself"),
      ("unblock heidi.test", 77, "refusal.blockedByList"),
    ] as [(String, Int32, DataValue)] {
      let run = try await alice.kith(line)
      #expect(run.status == status)
      #expect(try run.codes == ["changeFault"], "\(line)")
      #expect(try run.messages.first?["cause"]?["code"] == cause)
    }
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
}
