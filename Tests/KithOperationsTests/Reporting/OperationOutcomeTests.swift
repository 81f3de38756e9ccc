// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithRelationships
@testable import KithWriting

@Suite struct OperationOutcomeTests {
  private let lost = RelationshipError.networkError(TransportError(.timedOut, host: "a.test"))

  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private struct Unknown: Error {}

  @Test func anOutcomeOfRowsSaysHowItEnded() throws {
    var rows = RowsOutcome(count: 3)
    #expect(rows.ending == .done)
    #expect(try json(rows) == #"{"ending":"done","error":null,"reason":null,"rows":3}"#)
    rows = RowsOutcome(count: 3, interruption: lost)
    #expect(rows.ending == .interrupted(.failed(.unavailable)))
    #expect(
      try json(rows)
        == #"{"ending":"interrupted","error":{"cause":"transport.timedOut","code":"relationship.networkError","#
        + #""host":"a.test"},"reason":"unavailable","rows":3}"#)
    #expect(RowsOutcome(interruption: CancellationError()).ending == .interrupted(.cancelled))
    #expect(RowsOutcome(interruption: Unknown(), isClosed: true).ending == .interrupted(.closed))
    #expect(RowsOutcome(interruption: Unknown()).ending == .interrupted(.failed(.internalError)))
  }

  @Test func theMostSevereFailureCounts() {
    #expect(Ending(failure: .notFound) == .partly(.notFound))
    #expect(Ending(lost, failure: .notFound) == .interrupted(.failed(.unavailable)))
    #expect(Ending(lost, failure: .notAllowed) == .interrupted(.failed(.notAllowed)))
    #expect(Ending(CancellationError(), failure: .notAllowed) == .interrupted(.cancelled))
  }

  @Test func aJobEndsAsItsRunAndItsItems() {
    #expect(Ending(JobEnd.done) == .done)
    #expect(Ending(JobEnd.done, failure: .unavailable) == .partly(.unavailable))
    #expect(Ending(JobEnd.paused) == .interrupted(.failed(.tryLater)))
    #expect(Ending(JobEnd.paused, failure: .unavailable) == .interrupted(.failed(.unavailable)))
    #expect(Ending(JobEnd.cancelled, failure: .unavailable) == .interrupted(.cancelled))
    #expect(Ending(JobEnd.stopped(JobStop(.interrupted, "stopped"))) == .interrupted(.cancelled))
    #expect(Ending(JobEnd.stopped(JobStop(.notPermitted, "no"))) == .interrupted(.failed(.notAllowed)))
  }

  @Test func aSessionIsEncodedWithoutItsTokens() throws {
    let text = try json(SignInAccount.Outcome.signedIn(try ScriptedWorkspace.session(at: "https://pds.test")))
    #expect(text.contains(#""did":"\#(ScriptedWorkspace.alice)""#) && text.contains(#""ending":"done""#))
    #expect(!text.contains("oken") && !text.contains("Jwt"), "\(text)")
    #expect(
      try json(SignInAccount.Outcome.declined)
        == #"{"did":null,"ending":"declined","error":null,"handle":null,"pds":null,"reason":null}"#)
  }

  /// Every operation is run by some test; here are those whose outcomes are not only rows.
  @Test func outcomesHaveTheirFieldsAfterTheEnding() throws {
    #expect(
      try json(WatchAccounts.Outcome(added: 2, known: 1))
        == #"{"added":2,"ending":"done","error":null,"known":1,"reason":null}"#)
    let report = ListingReport(.mutes(of: .did(ScriptedWorkspace.alice)), ListingCoverage())
    let listed = ListAccounts.Outcome(
      rows: RowsOutcome(count: 2), source: .appview, report: report, isAtEnd: true, cursor: nil)
    #expect(listed.ending == .done)
    #expect(listed.fields.prefix(4).map(\.name) == ["rows", "source", "isAtEnd", "cursor"])
    #expect(ShowProfile.Outcome(isShown: false).ending == .partly(.notFound))
  }
}
