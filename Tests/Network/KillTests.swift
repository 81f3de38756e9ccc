// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

/// Jobs whose processes are killed repeatedly at any point: each record is created, or deleted, once.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"),
  .timeLimit(.minutes(KillPlan.isLong ? 45 : 5)))
struct KillTests {
  private static let follows = "app.bsky.graph.follow"
  private static let blocks = "app.bsky.graph.block"

  @Test func followsBlocksAndUndoesHoweverOftenItIsKilled() async throws {
    let peggy = try await Person.signedIn(as: "peggy", to: try await LiveNetwork.populated().network)
    defer { peggy.end() }
    var plan = try await KillPlan(on: peggy.network)
    let (reader, did) = (RecordReader(peggy.network), try peggy.network.did("peggy"))
    let (subjects, names) = (plan.subjects.sorted(), plan.subjects.joined(separator: "\n"))

    var follow = KilledJob("follow", by: peggy, line: "follow - --yes", input: names)
    try await follow.run(killedAt: plan.moments(writes: subjects.count))
    let followed = try await reader.records(of: did, in: Self.follows)
    #expect(followed.compactMap(\.value.subject).sorted() == subjects)
    tell(follow, "\(followed.count) records of \(Set(followed.map(\.value.subject)).count) subjects")

    var block = KilledJob("block", by: peggy, line: "block - --yes", input: names)
    try await block.run(killedAt: plan.moments(writes: 2 * subjects.count))
    let blocked = try await reader.subjects(of: did, in: Self.blocks)
    #expect(blocked == subjects)
    #expect(try await reader.subjects(of: did, in: Self.follows) == [])
    tell(block, "\(blocked.count) records of \(Set(blocked).count) subjects, no follow")

    let number = try await peggy.kith("jobs --all").rows(Person.JobLine.self).last { $0.verb == "block" }?.job
    var undo = KilledJob("undo block", by: peggy, line: "jobs undo \(try #require(number)) --yes")
    try await undo.run(killedAt: plan.moments(writes: 2 * subjects.count))
    let restored = try await reader.records(of: did, in: Self.follows)
    #expect(restored.map(\.uri).sorted() == followed.map(\.uri).sorted())
    #expect(try await reader.subjects(of: did, in: Self.blocks) == [])
    tell(undo, "\(restored.count) records of \(Set(restored.map(\.value.subject)).count) subjects, no block")
  }

  private func tell(_ job: KilledJob, _ outcome: String) {
    print(
      "\(job.title): \(job.kills) kills, \(job.unwritten) before it was written down and \(job.doubts) with a",
      "commit in doubt: \(outcome)")
  }
}
