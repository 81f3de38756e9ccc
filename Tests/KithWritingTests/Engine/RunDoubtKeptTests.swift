// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// What the journal keeps of a commit whose answer was lost, after it was split.
@Suite struct RunDoubtKeptTests {
  private let jobs = RunningJobs()

  private func putFollows(_ numbers: Range<Int>) {
    for number in numbers {
      jobs.repository.put(ChangeSamples.record(number), at: ChangeSamples.create(number))
    }
  }

  /// Deletions were sent and split because there was no answer; the process was killed, and then they arrived
  /// after all.
  @Test func countsDeletionsThatArrivedAfterASplitAsItsOwn() async throws {
    putFollows(1..<5)
    let job = try await jobs.add(ChangeSamples.drafts(1..<5, ChangeSamples.unfollow))
    jobs.repository.next(.loseRequest, .loseRequest)
    // Nothing comes of it twice: the pieces are journaled as pending, and then the run ends.
    jobs.repository.always { _ in .fail(RepositoryError(.notAuthorized, detail: "sign in again")) }
    guard case .stopped = try await jobs.runner().run(job, plannedBy: jobs.stamp()) else {
      Issue.record("it did not stop")
      return
    }
    let left = try await jobs.items(of: job)
    #expect(left.allSatisfy { $0.wasInDoubt && ($0.state == .pending || $0.state.kind == .inDoubt) })
    for number in 1..<5 { jobs.repository.put(nil, at: ChangeSamples.create(number)) }
    jobs.repository.always { _ in .happen }
    #expect(try await jobs.runner().run(job) == .done)
    #expect(try await jobs.states(of: job) == Array(repeating: .done, count: 4))
    let undo = try await jobs.engine().undo(job).job
    #expect(try await jobs.runner().run(undo.id) == .done)
    #expect(Set(jobs.repository.subjects()) == Set((1..<5).map { Accounts.did($0) }))
  }

  /// Other items of the same job were never sent: what another app removed of those does not count as done.
  @Test func doesNotCountUnsentDeletionsAsItsOwn() async throws {
    putFollows(1..<7)
    let job = try await jobs.add(ChangeSamples.drafts(1..<7, ChangeSamples.unfollow))
    let items = try await jobs.items(of: job)
    let now = jobs.time.instant
    _ = try await jobs.journal.begin(
      JobCommit(number: 1, items: Array(items.prefix(3))), of: job, within: WriteLimit(), asOf: .max, at: now)
    try await jobs.journal.record(
      JobOutcome(commit: 1, states: [0: .pending, 1: .pending, 2: .pending], keepsDoubt: true), of: job,
      at: now)
    // The first three arrived late; another app removed the fourth.
    for number in 1..<5 { jobs.repository.put(nil, at: ChangeSamples.create(number)) }
    #expect(try await jobs.runner().run(job) == .done)
    let states = try await jobs.states(of: job)
    #expect(Array(states[..<3]) == [.done, .done, .done])
    #expect(states[3].kind == .skipped)
    #expect(Array(states[4...]) == [.done, .done])
    let undo = try await jobs.engine().undo(job).job
    #expect(try await jobs.runner().run(undo.id) == .done)
    #expect(Set(jobs.repository.subjects()) == Set([1, 2, 3, 5, 6].map { Accounts.did($0) }))
  }

  /// A commit in doubt whose item is left to another job may still arrive.
  @Test func keepsTheDoubtOfAnItemLeftToAnotherJob() async throws {
    let (one, two) = (
      try await jobs.add(ChangeSamples.drafts(1..<2)), try await jobs.add(ChangeSamples.drafts(1..<2))
    )
    let now = jobs.time.instant
    func begin(_ job: JobID) async throws -> CommitReservation {
      try await jobs.journal.begin(
        JobCommit(number: 1, items: jobs.items(of: job)), of: job, within: WriteLimit(), asOf: .max, at: now)
    }
    #expect(try await begin(one) == .begun)
    try await jobs.journal.record(
      JobOutcome(commit: 1, states: [0: .pending], keepsDoubt: true), of: one, at: now)
    #expect(try await begin(two) == .begun)
    #expect(try await jobs.runner().run(one) == .done)
    let item = try #require(try await jobs.items(of: one).first)
    #expect(item.state.kind == .failed && item.wasInDoubt)
  }
}
