// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Items that are not sent because their dependency failed.
@Suite struct RunDependencyTests {
  private let jobs = RunningJobs()
  private let lost = JobItemState.failed(SkipReason.dependencyFailed.description)

  /// A list and its members, as planned: the members depend on the list.
  private func list(members: Range<Int>) throws -> [JobItemDraft] {
    let rkey = ChangeSamples.rkey(900)
    let list = try ATURI(parsing: "at://\(jobs.repository.account)/app.bsky.graph.list/\(rkey)")
    let create = RecordWrite(
      collection: .list, rkey: rkey,
      action: .create(["name": "Noise", "createdAt": "2026-01-01T00:00:00.000Z"]))
    let first = JobItemDraft(
      input: "Noise", step: ChangeStep(subject: .listName("Noise"), action: .write([create])))
    return [first]
      + members.map { number in
        let write = RecordWrite(
          collection: .listitem, rkey: ChangeSamples.rkey(number),
          action: .create([
            "subject": .string("\(Accounts.did(number))"), "list": .string("\(list)"),
            "createdAt": "2026-01-01T00:00:00.000Z",
          ]))
        let step = ChangeStep(subject: .account(Accounts.did(number)), action: .write([write]))
        return JobItemDraft(input: "user\(number)", step: step, dependsOn: 0)
      }
  }

  /// The first of them alone in its commit, or all together.
  @Test(arguments: [1, 3, 200]) func doesNotSendMembersOfARefusedList(writes: Int) async throws {
    let drafts = try list(members: 1..<8)
    let create = try #require(drafts.first?.step.writes.first)
    jobs.repository.refuse(create)
    let job = try await jobs.add(drafts + ChangeSamples.drafts(20..<22))
    let runner = jobs.runner(.init(writesPerCommit: writes))
    #expect(try await runner.run(job, plannedBy: jobs.stamp()) == .done)
    let states = try await jobs.states(of: job)
    #expect(states.first == .failed("Invalid record"))
    #expect(Array(states[1..<8]) == Array(repeating: lost, count: 7))
    // Independent items are done.
    #expect(Array(states[8...]) == [.done, .done])
    #expect(jobs.repository.records.keys.allSatisfy { $0.hasPrefix("app.bsky.graph.follow/") })
    #expect(try await jobs.journal.job(job).state == .done)
  }

  @Test func sendsTheMembersOnceTheListIsAccepted() async throws {
    let drafts = try list(members: 1..<8)
    let create = try #require(drafts.first?.step.writes.first)
    let refusing = jobs.repository
    refusing.refuse(create)
    let job = try await jobs.add(drafts)
    #expect(try await jobs.runner().run(job, plannedBy: jobs.stamp()) == .done)
    #expect(try await jobs.journal.retryFailed(job) == 8)
    let willing = ScriptedRepository()
    #expect(try await jobs.runner(.init(writesPerCommit: 3), on: willing).run(job) == .done)
    #expect(try await jobs.states(of: job) == Array(repeating: .done, count: 8))
    #expect(willing.records.count == 8)
    // The list was sent first.
    #expect(willing.commits.first?.first == create)
  }

  /// The removal of a large list: members in several commits, the list with the last of them.
  @Test func stopsAChainAfterTheFailedStep() async throws {
    let chain = (0..<5).map { index in
      JobItemDraft(
        input: "x", step: ChangeSamples.unfollow(index + 1), dependsOn: index == 0 ? nil : index - 1)
    }
    for number in 1..<6 {
      jobs.repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number))
    }
    jobs.repository.refuse(ChangeSamples.delete(3))
    let job = try await jobs.add(chain)
    let runner = jobs.runner(.init(writesPerCommit: 1))
    #expect(try await runner.run(job, plannedBy: jobs.stamp()) == .done)
    #expect(try await jobs.states(of: job) == [.done, .done, .failed("Invalid record"), lost, lost])
    #expect(jobs.repository.attempts == 3)
    // Again, with a server that accepts it.
    let willing = ScriptedRepository()
    for number in 3..<6 { willing.put(ChangeSamples.record(number), at: ChangeSamples.create(number)) }
    #expect(try await jobs.journal.retryFailed(job) == 3)
    #expect(try await jobs.runner(.init(writesPerCommit: 1), on: willing).run(job) == .done)
    #expect(try await jobs.states(of: job) == Array(repeating: .done, count: 5))
    #expect(willing.records.isEmpty)
  }

  /// The failure was recorded by an earlier run: the next run only knows it from the journal.
  @Test func doesNotSendWhatDependsOnAnEarlierFailure() async throws {
    var drafts = ChangeSamples.drafts(1..<4)
    drafts[2].dependsOn = 0
    let job = try await jobs.add(drafts)
    let runner = jobs.runner(.init(writesPerCommit: 1))
    _ = try await jobs.journal.begin(
      JobCommit(number: 1, items: Array(jobs.items(of: job).prefix(1))), of: job, within: WriteLimit(),
      asOf: .max, at: jobs.time.instant)
    try await jobs.journal.record(
      JobOutcome(commit: 1, states: [0: .failed("no")]), of: job, at: jobs.time.instant)
    #expect(try await runner.run(job) == .done)
    #expect(try await jobs.states(of: job) == [.failed("no"), .done, lost])
  }
}
