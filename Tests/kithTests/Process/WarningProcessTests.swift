// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// What is said before changes that moderators take for spam (Q27), of what many changes cost, and of what is left alone.
@Suite struct WarningProcessTests {
  private func warning(_ run: KithRun) -> Substring? {
    run.talk.split(separator: "\n").first { $0.hasPrefix("kith: warning: ") }
  }

  @Test func aShareOfAllFollowsIsWarnedOf() async throws {
    let alice = try await SignedInRun()
    let followed = try alice.follows()
    try #require((100...200).contains(followed.count))
    let few = try await alice.kith("unfollow - --yes", input: followed.prefix(49).joined(separator: "\n"))
    #expect(few.status == 0)
    #expect(warning(few) == nil)
    let left = followed.dropFirst(49)
    let many = max(50, left.count / 2 + 1)
    let run = try await alice.kith("unfollow - --yes", input: left.prefix(many).joined(separator: "\n"))
    #expect(run.status == 0)
    let said = "kith: warning: \(many) unfollows, where the account follows \(left.count): "
    #expect(warning(run)?.hasPrefix(said) == true, "\(run.talk)")
  }

  @Test(arguments: [
    ("", "for which there is room now"), ("--points 60/1000", "which the budget has room for within 1 h"),
    ("--points 1/1", "more than the budget ever allows"),
  ])
  func aDryRunTellsWhatItTakes(points: String, time: String) async throws {
    let alice = try await SignedInRun()
    let followed = try alice.follows().prefix(60)
    let run = try await alice.kith("unfollow - --dry-run \(points)", input: followed.joined(separator: "\n"))
    #expect(run.status == 0)
    #expect(run.talk.hasSuffix("kith: it takes 60 points of the write budget, \(time)\n"), "\(run.talk)")
    let quiet = try await alice.kith("unfollow - --dry-run -q", input: followed.joined(separator: "\n"))
    #expect(quiet.talk == "")
  }

  @Test func anUndoTellsWhatItLeavesAlone() async throws {
    let alice = try await SignedInRun()
    _ = try await alice.kith("follow dave.test")
    _ = try await alice.kith("unfollow dave.test")
    let undo = try await alice.kith("jobs undo 1")
    #expect(undo.status == 0)
    #expect(undo.talk == "kith: left alone: 1 of 1; kith jobs show 3 tells why\n")
  }
}
