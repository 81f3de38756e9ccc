// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// Two processes that resume the same job.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(3)))
struct LeaseOwnerTests {
  @Test func oneResumesAndTheOtherLearnsWhoHasTheLease() async throws {
    let rupert = try await Person.signedIn(as: "rupert", to: try await LiveNetwork.populated().network)
    defer { rupert.end() }
    let subjects = try await rupert.network.strangers(120, seed: 2)
    let begun = try await rupert.kith(
      "follow - --points 3/3 --leave 0 --no-wait", input: subjects.joined(separator: "\n"))
    #expect(begun.status == 75, "\(begun.talk)")
    let resume = "jobs resume 1 --points 1000000/1000000 --leave 0 --commit-size 1"
    let contact = "mailto:\(UUID())@test"
    let told = PosixMutex<(holder: Int32, run: KithRun)?>(nil)
    let first = try await rupert.kith(resume, contact: contact) { victim in
      var log = try CommitLog(of: rupert.network, contact: contact)
      try await log.wait(for: 1)
      // Held in the middle, so the other certainly starts while it has the job.
      victim.send(SIGSTOP)
      defer { victim.send(SIGCONT) }
      let second = try await rupert.kith(resume)
      told.withLock { $0 = (victim.number, second) }
    }
    let second = try #require(told.withLock { $0 })
    #expect(first.status == 0, "\(first.talk)")
    #expect(second.run.status == 75)
    let held = try second.run.message("job.held")
    #expect(held?.number("process") == Int64(second.holder), "\(second.run.talk)")
    let followed = try await RecordReader(rupert.network).subjects(
      of: rupert.network.did("rupert"), in: "app.bsky.graph.follow")
    #expect(followed == subjects.sorted())
  }
}
