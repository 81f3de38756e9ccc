// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import TestSupport
import Testing

@testable import KithCore
@testable import KithRelationships

/// What errors say to the people who use an app.
@Suite struct SentenceTests {
  private let offline = TransportError(.cannotConnect, host: "a.test")

  @Test func isOneSentenceOfEveryCode() throws {
    #expect(
      faultySentences(RelationshipError.Code.all.map { RelationshipError($0, subject: "x", detail: "y") })
        == [])
    #expect(faultySentences(RepositoryError.Code.all.map { RepositoryError($0, detail: "x") }) == [])
    #expect(
      faultySentences([
        ChangeRefusal(.oneself, "this is your own account"), InputError(text: "x", reason: "too short"),
        PredicateError(position: 3, reason: "a word is missing"), ChangeFailure.budgetExhausted(until: nil),
        ChangeFailure.budgetExhausted(until: Datetime(at: .epoch)),
        MalformedRecord(
          uri: "at://x", rkey: nil, value: nil, reason: "not a record of app.bsky.graph.follow"),
      ]) == [])
  }

  @Test func failedChangesSayWhatTheirCauseSays() {
    let unsent = ChangeFailure.failed(RepositoryError(.unavailable, detail: "x", underlying: offline))
    #expect(unsent.isOffline && unsent.isTransient && !unsent.isInDoubt)
    #expect((unsent as any Error).localizedDescription == offline.errorDescription)
    let limited = ChangeFailure.failed(RepositoryError(.rateLimited, detail: "x", retryAfter: .seconds(3)))
    #expect(limited.isTransient && limited.retryAfter == .seconds(3))
    #expect(limited.errorDescription == .tooManyRequests(.seconds(3)))
    let refused = ChangeFailure.refused(ChangeRefusal(.oneself, "this is your own account"))
    #expect(
      !refused.isTransient
        && refused.errorDescription == (refused.underlying as? ChangeRefusal)?.errorDescription)
    #expect(ChangeFailure.budgetExhausted(until: Datetime(at: .epoch)).isTransient)
    #expect(!ChangeFailure.budgetExhausted(until: nil).isTransient)
  }

  @Test func failedLookupsSayWhatTheirCauseSays() {
    let lookup = RelationshipError.networkError(offline)
    #expect(lookup.isOffline && lookup.isTransient)
    #expect(lookup.errorDescription == offline.errorDescription)
    #expect(RelationshipError.networkError(CancellationError()).isTransient)
    #expect(!RelationshipError.actorNotFound("a.test").isTransient)
    let unconfigured = RelationshipError.clientNotConfigured
    #expect(unconfigured.errorDescription == unconfigured.detail.asSentence)
  }

  @Test func refusalsDifferInTheirJob() {
    let refusal = ChangeRefusal(.oneself, "x", jobNumber: 1)
    #expect(refusal == ChangeRefusal(.oneself, "x", jobNumber: 1))
    #expect(refusal != ChangeRefusal(.oneself, "x", jobNumber: 2))
    #expect(ChangeFailure.refused(refusal) != .refused(ChangeRefusal(.oneself, "x", jobNumber: 2)))
    let error = RepositoryError(.refused, detail: "x")
    #expect(ChangeFailure.failed(error) == .failed(error))
    #expect(ChangeFailure.failed(error) != .failed(RepositoryError(.taken, detail: "x")))
    let record = MalformedRecord(uri: "x", rkey: nil, value: 1, reason: "y")
    #expect(record != MalformedRecord(uri: "x", rkey: nil, value: 2, reason: "y"))
  }
}
