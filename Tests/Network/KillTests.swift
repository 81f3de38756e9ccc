// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Foundation
import TestSupport
import Testing

/// A job whose processes are killed, again and again, wherever they are: each record is made, and once.
@Suite(.enabled(if: LiveNetwork.isUp), .timeLimit(.minutes(KillPlan.isLong ? 45 : 5)))
struct KillTests {
  private static let points =
    "--points 1000000/1000000 --leave 0 --commit-size \(KillPlan.writesPerCommit)"

  @Test func makesEachRecordOnceHoweverOftenItIsKilled() async throws {
    let plan = KillPlan()
    let peggy = try await Person.signedIn(as: "peggy", to: try await LiveNetwork.populated().network)
    defer { peggy.end() }
    let contact = "mailto:\(UUID())@test"
    var (kills, doubts, unwritten) = (0, 0, 0)
    for moment in plan.moments {
      guard let line = try await nextLine(of: peggy) else { break }
      let run = try await peggy.kith(line, input: plan.subjects.joined(separator: "\n"), contact: contact) {
        var log = try CommitLog(of: peggy.network, contact: contact)
        try await log.wait(for: moment.commits)
        try await Task.sleep(for: .milliseconds(moment.milliseconds))
        $0.send(SIGKILL)
      }
      #expect(run.status == 128 + SIGKILL, "\(run.talk)")
      kills += 1
      let job = try await peggy.kith("jobs --all").rows(Person.JobLine.self).last
      if (job?.inDoubt ?? 0) > 0 { doubts += 1 }
      if job.map({ $0.state == "preparing" }) ?? true { unwritten += 1 }
    }
    #expect(kills == plan.moments.count)
    if let line = try await nextLine(of: peggy) {
      let run = try await peggy.kith(line, input: plan.subjects.joined(separator: "\n"))
      #expect(run.status == 0, "\(run.talk)")
    }
    #expect(try await nextLine(of: peggy) == nil)
    let records = try await RecordReader(peggy.network).subjects(
      of: peggy.network.did("peggy"), in: "app.bsky.graph.follow")
    #expect(records == plan.subjects.sorted())
    print(
      "\(kills) kills, \(unwritten) before the job was written down and \(doubts) with a commit in doubt:",
      "\(records.count) records of \(Set(records).count) subjects for \(plan.subjects.count) follows")
  }

  /// What somebody types after the last process died: the same again where it had not written the job down, or
  /// else that the job is to go on; nil when it is done.
  private func nextLine(of person: Person) async throws -> String? {
    let jobs = try await person.kith("jobs --all").rows(Person.JobLine.self)
    guard let job = jobs.last(where: { $0.state != "preparing" }) else { return "follow - \(Self.points)" }
    return job.state == "done" ? nil : "jobs resume \(job.job) \(Self.points)"
  }
}
