// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Reports by a caller that is not a command.
@Suite struct ReportToModeratorsTests {
  private static let spammer = Accounts.did(2)
  private static let receipt = TransportResponse(
    #"""
    {"id":7,"reasonType":"com.atproto.moderation.defs#reasonSpam","reportedBy":"\#(ScriptedWorkspace.alice)",
     "subject":{"$type":"com.atproto.admin.defs#repoRef","did":"\#(spammer)"},
     "createdAt":"2026-01-01T00:00:00.000Z"}
    """#)

  private let rows = PosixMutex<[ReportRow]>([])

  private func network(
    _ answer: @escaping @Sendable () throws -> TransportResponse
  ) throws -> ScriptedWorkspace {
    try ScriptedWorkspace(sessions: [ScriptedWorkspace.session()]) { _, _ in try answer() }
  }

  private func report(about account: DID = spammer) throws -> ReportToModerators {
    let service = try #require(ServiceReference(did: Accounts.did(9), service: "atproto_labeler"))
    return ReportToModerators(
      try ReportInput(parsing: "\(account)"), named: "\(account)", because: .spam, to: service)
  }

  private func run(
    _ report: ReportToModerators, _ network: ScriptedWorkspace,
    answering answer: @escaping @Sendable (Question) -> Bool = { _ in false }
  ) async throws -> ReportToModerators.Outcome {
    try await report.run(
      in: network.workspace, Reporter(rows: { [rows] more in rows.withLock { $0 += more } }, ask: answer))
  }

  @Test func nothingIsSentWithoutAnAnswer() async throws {
    let network = try network { Self.receipt }
    let outcome = try await run(report(), network)
    #expect(outcome.isDeclined && outcome.row.state == .planned && rows.withLock(\.self).isEmpty)
    #expect(network.transport.calls(of: "com.atproto.moderation.createReport") == 0)
  }

  @Test func theQuestionNamesReportAndAccount() async throws {
    let network = try network { Self.receipt }
    let outcome = try await run(report(), network) { question in
      guard case .report(let report, let name) = question else { return false }
      return report.subject == .account(Self.spammer) && name == "\(Self.spammer)"
    }
    #expect(outcome.offersBlock == false && outcome.block == nil && outcome.ending == .done)
    #expect(!outcome.isDeclined && outcome.row.receipt?.id == 7)
    #expect(rows.withLock(\.self).map(\.state) == [.reported])
  }

  /// Each report counts: an error would suggest to send it again.
  @Test func aLostAnswerIsAnOutcome() async throws {
    let network = try network { throw TransportError(.timedOut, host: "pds.test") }
    var report = try report()
    report.isConfirmed = true
    let outcome = try await run(report, network)
    #expect(outcome.failure?.code == .inDoubt)
    #expect(rows.withLock(\.self).map(\.state) == [.inDoubt])
    #expect(network.transport.calls(of: "com.atproto.moderation.createReport") == 1)
  }

  /// Also for a caller that sets the text itself.
  @Test func theTextIsPlain() async throws {
    let network = try network { Self.receipt }
    var report = try report()
    report.isConfirmed = true
    report.text = "\u{FEFF}one\r\ntwo"
    #expect(try await run(report, network).row.report.text == "one\ntwo")
    report.text = "a\u{1B}[31mred"
    let error = await #expect(throws: OperationError.self) { try await run(report, network) }
    #expect(error?.code == .controlCharacter && error?.kind == .invalidInput)
    #expect(network.transport.calls(of: "com.atproto.moderation.createReport") == 1)
  }

  @Test func doesNotReportTheOwnAccount() async throws {
    let network = try network { Self.receipt }
    let error = await #expect(throws: OperationError.self) {
      try await run(report(about: ScriptedWorkspace.alice), network)
    }
    #expect(error?.code == .ownAccount && error?.kind == .notAllowed)
  }
}
