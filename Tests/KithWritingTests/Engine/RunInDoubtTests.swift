// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

/// How an impatient run handles a commit whose outcome it does not learn.
@Suite struct RunInDoubtTests {
  private let repository = ScriptedRepository()
  private let journal = InMemoryJobStore()
  private let time = ManualClock(.skipping).timeSource()

  private func run(_ step: ChangeStep) async throws -> (end: JobEnd, state: JobItemState) {
    let job = try await JobManager(journal: journal, time: time).add(
      JobDraft(account: repository.account, title: "follow"), [JobItemDraft(input: "x", step: step)])
    let runner = JobRunner(
      repository: repository, store: journal, time: time,
      options: JobOptions(stopsWhenShort: true, patience: .seconds(5)))
    let facts = FactsStamp(revision: 0, readAt: time.now)
    let end = try await runner.run(job.id, plannedBy: facts)
    let items = try await journal.items(
      of: job.id, in: Set(JobItemState.Kind.allCases), after: nil, most: .max)
    return (end, try #require(items.first).state)
  }

  /// The first attempt is still in flight, and had not arrived when it was looked up.
  @Test(arguments: [
    RepositoryError(.rateLimited, detail: "too many", retryAfter: .seconds(60)),
    RepositoryError(.unavailable, detail: "down for long", retryAfter: .seconds(60)),
    RepositoryError(.notAuthorized, detail: "the account is taken down"),
  ])
  func aRefusalDoesNotSettleADoubt(refusal: RepositoryError) async throws {
    repository.next(.comeLate, .fail(refusal))
    let (end, state) = try await run(ChangeSamples.follow(1))
    guard case .stopped = end else {
      Issue.record("it ended: \(end)")
      return
    }
    #expect(state.kind == .inDoubt)
    #expect(repository.records.count == 1)
  }

  @Test func aRefusalWithoutADoubtIsCertain() async throws {
    repository.next(.fail(RepositoryError(.refused, detail: "the account is taken down")))
    #expect(try await run(ChangeSamples.follow(1)).state == .failed("the account is taken down"))
  }

  @Test func aTakenKeySettlesTheDoubt() async throws {
    repository.next(.loseRequest)
    repository.failToSettle(RepositoryError(.taken, detail: "another record is under the key"))
    #expect(try await run(ChangeSamples.follow(1)).state == .failed("another record is under the key"))
  }

  /// Its commit took effect, because a step is never split; one of its records was removed since.
  @Test func aPartlyPresentStepIsDone() async throws {
    repository.next(.loseAnswer)
    repository.failToSettle(RepositoryError(.partial, detail: "one is there"))
    let step = ChangeStep(
      subject: .account(Accounts.did(1)),
      action: .write([ChangeSamples.create(1), ChangeSamples.create(2)]))
    #expect(try await run(step).state == .done)
    #expect(repository.attempts == 1 && repository.questions == 1)
  }

  /// A server that names the time to come back is not contacted until then.
  @Test func waitsAsLongAsTheServerAsks() async throws {
    repository.next(.fail(RepositoryError(.unavailable, detail: "busy", retryAfter: .seconds(4))))
    let start = time.now
    #expect(try await run(ChangeSamples.follow(1)).state == .done)
    #expect(time.now - start >= .seconds(4))
  }
}
