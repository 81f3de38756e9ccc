// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

@Suite struct ResolveCommandTests {
  private struct Row: Decodable {
    let input: String
    let did: String?
    let handle: String?
    let verified: Bool?
    let verifiedBy: [String]?
    let contradictedBy: [String]?
    let error: String?
  }

  @Test func aHundredAccountsTakeTheFewestCallsAndKeepTheirOrder() async throws {
    let sandbox = try await SandboxRun()
    let accounts = sandbox.sandbox.network.accounts.filter { $0.status == .active }.prefix(100)
    #expect(accounts.count == 100)
    // Alternating handles and DIDs: for DIDs, the claimed handles are resolved too.
    let names = accounts.enumerated().map { $0 % 2 == 0 ? $1.handle.description : $1.did.description }
    let run = try await sandbox.kith("resolve -", input: names.joined(separator: "\n"))
    #expect(run.status == 0)
    #expect(run.talk == "")
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.input) == names)
    #expect(rows.map(\.did) == accounts.map { Optional($0.did.description) })
    #expect(rows.map(\.handle) == accounts.map { Optional($0.handle.description) })
    #expect(rows.allSatisfy { $0.verified == true && $0.contradictedBy == [] })
    #expect(rows.allSatisfy { $0.verifiedBy == ["appview", "resolver"] })
    let statistics = sandbox.sandbox.statistics
    #expect(statistics["app.bsky.actor.getProfiles"] == 4)
    #expect(statistics["/{did}"] == 100)
    let proofs = statistics["com.atproto.identity.resolveHandle"]
    #expect(proofs >= 100)
    #expect(statistics.total - proofs == 104)
  }

  /// Names under .test do not exist in the public DNS.
  @Test func aHandleOfALocalNetworkIsUnverifiedWithoutAResolver() async throws {
    let run = try await SandboxRun(accounts: 14).kith("resolve bob.test", environment: ["KITH_RESOLVER": ""])
    let row = try #require(try run.rows(Row.self).first)
    #expect(row.verified == nil && row.verifiedBy == ["appview"])
    #expect(run.status == 0)
  }

  @Test func fieldsAreInOrder() async throws {
    let run = try await SandboxRun(accounts: 14).kith("resolve bob.test nobody.test --format csv")
    let lines = run.output.split(separator: "\n")
    #expect(lines[0] == "input,did,handle,verified,verifiedBy,contradictedBy,pds,signingKey,error")
    #expect(lines[1].hasPrefix("bob.test,did:plc:"))
    #expect(lines[2].hasPrefix("nobody.test,,,,,,,,nobody.test: "))
    #expect(run.status == 0)
  }

  @Test(
    arguments: [
      ("resolve nobody.test", 67, ["identity.notFound"], "subject", "nobody.test"),
      ("resolve bob.test nobody.test", 0, [], "", nil),
      ("resolve bob.test did:key:zabc", 65, ["invalidInput"], "input", "did:key:zabc"),
      ("resolve did:web:127.0.0.1", 69, ["identity.unavailable"], "cause", "transport.forbiddenAddress"),
      ("resolve", 64, ["usage"], "", nil),
      ("resolve bob.test --from /no/such/file", 74, ["systemError"], "file", "/no/such/file"),
      (
        "resolve nobody.test --appview http://127.0.0.1:1", 67, ["identity.notFound"], "subject",
        "nobody.test"
      ), ("resolve bob.test --appview http://127.0.0.1:1", 0, [], "", nil),
    ] as [(String, Int32, [String], String, String?)])
  func endsWithTheDocumentedStatus(
    line: String, status: Int32, codes: [String], field: String, value: String?
  ) async throws {
    let run = try await SandboxRun(accounts: 14).kith(line)
    #expect(run.status == status)
    #expect(try run.codes == codes)
    #expect(try run.messages.first?.text(field) == value)
  }

  @Test func invalidLinesAreReportedAndTheRunContinues() async throws {
    let run = try await SandboxRun(accounts: 14).kith("resolve --from -", input: "x y\nbob.test\n")
    #expect(run.status == 65)
    #expect(try run.rows(Row.self).map(\.handle) == [nil, "bob.test"])
    let message = try #require(try run.message("invalidInput"))
    #expect(message.text("place") == "stdin:1" && message.text("input") == "x y")
  }
}
