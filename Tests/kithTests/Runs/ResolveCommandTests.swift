// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

@Suite struct ResolveCommandTests {
  /// A sandbox that tests share; nothing changes it.
  private static let sandbox = Task { try await SandboxRun(accounts: 14) }

  private struct Row: Decodable {
    let handle: String?, verified: Bool?, verifiedBy: [String]?, contradictedBy: [String]?
  }

  @Test func sourcesOfAHandleAreNamed() async throws {
    let run = try await Self.sandbox.value.kith("resolve bob.test")
    #expect(run.status == 0 && run.talk == "")
    let row = try #require(try run.rows(Row.self).first)
    #expect(row.verified == true && row.verifiedBy == ["appview", "resolver"] && row.contradictedBy == [])
  }

  /// Names under .test do not exist in the public DNS.
  @Test func aHandleOfALocalNetworkIsUnverifiedWithoutAResolver() async throws {
    let run = try await Self.sandbox.value.kith("resolve bob.test", environment: ["KITH_RESOLVER": ""])
    let row = try #require(try run.rows(Row.self).first)
    #expect(row.verified == nil && row.verifiedBy == ["appview"])
    #expect(run.status == 0)
  }

  @Test func fieldsAreInOrder() async throws {
    let run = try await Self.sandbox.value.kith("resolve bob.test nobody.test --format csv")
    let lines = run.output.split(separator: "\n")
    #expect(lines[0] == "input,did,handle,verified,verifiedBy,contradictedBy,pds,signingKey,error")
    #expect(lines[1].hasPrefix("bob.test,did:plc:"))
    #expect(lines[2].hasPrefix("nobody.test,,,,,,,,nobody.test: "))
    #expect(run.status == 0)
  }

  @Test func endsWithTheDocumentedStatus() async throws {
    let sandbox = try await Self.sandbox.value
    let lines: [(String, Int32, [String], String, String?)] = [
      ("resolve nobody.test", 67, ["identity.notFound"], "subject", "nobody.test"),
      ("resolve bob.test nobody.test", 0, [], "", nil),
      ("resolve bob.test did:key:zabc", 65, ["invalidInput"], "input", "did:key:zabc"),
      ("resolve did:web:127.0.0.1", 69, ["identity.unavailable"], "cause", "transport.forbiddenAddress"),
      ("resolve", 64, ["usage"], "", nil),
      ("resolve bob.test --from /no/such/file", 74, ["systemError"], "file", "/no/such/file"),
      (
        "resolve nobody.test --appview http://127.0.0.1:1", 67, ["identity.notFound"], "subject",
        "nobody.test"
      ),
    ]
    for (line, status, codes, field, value) in lines {
      let run = try await sandbox.kith(line)
      #expect(run.status == status, "\(line)")
      #expect(try run.codes == codes && run.messages.first?.text(field) == value, "\(line): \(run.talk)")
    }
  }

  @Test func invalidLinesAreReportedAndTheRunContinues() async throws {
    let run = try await Self.sandbox.value.kith("resolve --from -", input: "x y\nbob.test\n")
    #expect(run.status == 65)
    #expect(try run.rows(Row.self).map(\.handle) == [nil, "bob.test"])
    let message = try #require(try run.message("invalidInput"))
    #expect(message.text("place") == "stdin:1" && message.text("input") == "x y")
  }
}
