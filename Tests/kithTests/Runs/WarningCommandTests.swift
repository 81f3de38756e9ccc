// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox
import TestSupport
import Testing

/// Warnings before changes that look like spam (Q27), the cost of many changes, and what an undo leaves
/// alone.
@Suite struct WarningCommandTests {
  @Test func unfollowingALargeShareIsWarnedAbout() async throws {
    let alice = try await SignedInRun()
    let followed = try alice.follows()
    try #require((100...200).contains(followed.count))
    let few = try await alice.kith("unfollow - --yes", input: followed.prefix(49).joined(separator: "\n"))
    #expect(few.status == 0)
    #expect(try few.message("massChange") == nil)
    let left = followed.dropFirst(49)
    let quiet = try await alice.kith(
      "unfollow - --yes -q --dry-run", input: left.joined(separator: "\n"))
    #expect(quiet.status == 0 && quiet.talk == "")
    let many = max(50, left.count / 2 + 1)
    let run = try await alice.kith("unfollow - --yes", input: left.prefix(many).joined(separator: "\n"))
    #expect(run.status == 0)
    let warning = try #require(try run.message("massChange"), "\(run.talk)")
    #expect(warning.level == "warning")
    #expect(warning.number("unfollows") == Int64(many) && warning.number("following") == Int64(left.count))
  }

  @Test func aDryRunReportsTheCost() async throws {
    let alice = try await SignedInRun()
    let followed = try alice.follows().prefix(60).joined(separator: "\n")
    let waits: [(String, ClosedRange<Int64>?)] = [
      ("", 0...0), ("--points 60/1000", 3_500_000...3_600_000), ("--points 1/1", nil),
    ]
    for (points, wait) in waits {
      let run = try await alice.kith("unfollow - --dry-run \(points)", input: followed)
      #expect(run.status == 0)
      let message = try #require(try run.messages.last)
      #expect(message.code == "pointsNeeded" && message.number("points") == 60)
      let found = message.number("waitMilliseconds")
      #expect(found.map { wait?.contains($0) == true } ?? (wait == nil), "\(points): \(run.talk)")
    }
    #expect(try await alice.kith("unfollow - --dry-run -q", input: followed).talk == "")
  }

  @Test func anUndoReportsWhatItLeavesAlone() async throws {
    let alice = try await SignedInRun()
    _ = try await alice.kith("follow dave.test")
    _ = try await alice.kith("unfollow dave.test")
    let undo = try await alice.kith("jobs undo 1")
    #expect(undo.status == 0)
    #expect(try undo.codes == ["jobItemsSkipped"])
    let skipped = try #require(try undo.messages.first)
    #expect(["job", "skipped", "total"].map(skipped.number) == [3, 1, 1])
  }

  /// Nothing else would tell such a run from one that hangs.
  @Test func aQuietRunSaysThatItWaitsForLong() async throws {
    // On a busy machine, a short deadline comes before the wait.
    for seconds in [3, 30, 300] {
      let alice = try await SignedInRun(writing: SandboxWriting(pointsPerHour: 12))
      let followed = Set(try alice.follows())
      let others = alice.run.sandbox.network.accounts.dropFirst().map { "\($0.did)" }
        .filter { !followed.contains($0) }.prefix(12)
      let run = try await alice.process(
        "follow - --yes -q --commit-size 1 --deadline \(seconds)s", input: others.joined(separator: "\n"))
      let waiting = try run.message("jobWaiting")
      if waiting == nil, seconds < 300 { continue }
      #expect(run.status == 75)
      #expect(try #require(waiting, "\(run.talk)").text("reason") == "budget")
      break
    }
  }
}
