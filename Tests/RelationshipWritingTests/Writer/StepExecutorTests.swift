// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import TestSupport
import Testing

@testable import RelationshipWriting
@testable import Relationships

@Suite struct StepExecutorTests {
  private let repository = ScriptedRepository()
  private let carrier: StepExecutor

  init() {
    carrier = StepExecutor(
      repository: repository, patience: .seconds(5), time: ManualClock(.skipping).timeSource())
  }

  /// What was sent first is still on its way, and was not there when it was asked for.
  @Test(arguments: [
    RepositoryError(.rateLimited, detail: "too many", retryAfter: .seconds(60)),
    RepositoryError(.refused, detail: "the account is taken down"),
  ])
  func aRefusalAfterADoubtDoesNotEndIt(refusal: RepositoryError) async {
    repository.next(.comeLate, .fail(refusal))
    let error = await #expect(throws: RepositoryError.self) {
      try await carrier.carryOut(ChangeSamples.follow(1))
    }
    #expect(error?.code == .inDoubt)
    #expect(repository.records.count == 1)
  }

  @Test func aRefusalWithoutADoubtIsCertain() async {
    repository.next(.fail(RepositoryError(.refused, detail: "the account is taken down")))
    let error = await #expect(throws: RepositoryError.self) {
      try await carrier.carryOut(ChangeSamples.follow(1))
    }
    #expect(error?.code == .refused)
  }

  @Test func aKeyThatIsTakenEndsTheDoubt() async {
    repository.next(.loseRequest)
    repository.failToSettle(RepositoryError(.taken, detail: "another record is under the key"))
    let error = await #expect(throws: RepositoryError.self) {
      try await carrier.carryOut(ChangeSamples.follow(1))
    }
    #expect(error?.code == .taken)
  }
}
