// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import Testing

@testable import KithOperations
@testable import KithRelationships

@Suite struct ErrorFieldsTests {
  private let lost = TransportError(.timedOut, host: "pds.test")

  @Test func theErrorsBehindAnErrorAddTheirFields() {
    let error = RelationshipError(
      IdentityError(.unavailable, subject: "a.test", detail: "down", underlying: lost))
    let facts = ErrorFields(error)
    #expect(facts.code == "relationship.networkError")
    #expect(
      facts.fields == [
        OutputField("subject", .string("a.test")), OutputField("host", .string("pds.test")),
        OutputField("cause", .string("transport.timedOut")),
      ])
  }

  @Test func anErrorOfAnOperationHasItsOwnFieldsAndThoseOfItsCauseApart() {
    let facts = ErrorFields(
      OperationError(.predicateUndecided, .unavailable, "", "no", ["count": .integer(2)], underlying: lost))
    #expect(facts.code == "predicateUndecided")
    #expect(
      facts.fields == [
        OutputField("count", .integer(2)),
        OutputField(
          "cause",
          .object([
            OutputField("code", .string("transport.timedOut")), OutputField("host", .string("pds.test")),
          ])),
      ])
  }

  @Test func invalidInputIsNamedWithItsPlace() {
    let facts = ErrorFields(InputError(text: "x y", reason: "it is empty", place: "stdin:3"))
    #expect(facts.code == "invalidInput")
    #expect(
      facts.fields.prefix(2) == [
        OutputField("input", .string("x y")), OutputField("place", .string("stdin:3")),
      ])
  }

  @Test func theWaitThatAServerAsksForIsAField() {
    let facts = ErrorFields(
      RelationshipError(.rateLimited, detail: "asked too often", retryAfter: .seconds(900)))
    #expect(facts.fields.last == OutputField("retryAfterMilliseconds", .integer(900_000)))
  }

  @Test func anErrorOfAnotherOriginHasTheCodeOther() throws {
    #expect(ErrorFields(CancellationError()) == ErrorFields(CancellationError()))
    let json = try JSONEncoder().encode(ErrorFields(CancellationError()))
    #expect(String(decoding: json, as: UTF8.self) == #"{"code":"other"}"#)
  }
}
