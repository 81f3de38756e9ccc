// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

@testable import kith

@Suite struct RetryCommandTests {
  /// A sandbox that tests share; nothing changes it.
  private static let sandbox = Task { try await SandboxRun(accounts: 14) }

  private struct Row: Decodable {
    let input: String
    let state: String
  }

  /// A run against a missing service, with one invalid name among its targets.
  private func failedRun(_ sandbox: SandboxRun) async throws -> KithRun {
    let dids = sandbox.sandbox.network.accounts.dropFirst().prefix(3).map(\.did.description)
    let actor = try #require(sandbox.sandbox.network.accounts.first?.did.description)
    return try await sandbox.kith(
      "check \(actor) \(dids.joined(separator: " ")) --appview http://127.0.0.1:1")
  }

  @Test func repeatsOnlyFailedRows() async throws {
    let sandbox = try await Self.sandbox.value
    let failed = try await failedRun(sandbox)
    #expect(failed.status == 69)
    let earlier = try await sandbox.kith("check alice.test bob.test nobody.test").output + failed.output
    let retried = try await sandbox.kith("check alice.test --retry-errors -", input: earlier)
    #expect(retried.status == 0)
    let rows = try retried.rows(Row.self)
    #expect(rows.map(\.input) == (try failed.rows(Row.self).map(\.input)))
    #expect(rows.map(\.state) == ["known", "known", "known"])
    let again = try await sandbox.kith("check alice.test --retry-errors -", input: retried.output)
    #expect(again.status == 0)
    #expect(again.output == "")
    #expect(try again.codes == ["noFailedRows"])
  }

  @Test func rowsOfAnotherActorEndTheRunWithTheirLine() async throws {
    let sandbox = try await Self.sandbox.value
    let run = try await sandbox.kith(
      "check bob.test --retry-errors -", input: try await failedRun(sandbox).output)
    #expect(run.status == 65)
    #expect(run.output == "")
    #expect(try run.codes == ["actorMismatch"])
    #expect(try run.messages.first?.text("place") == "stdin:1")
  }

  @Test func aTruncatedLastLineIsASeparateRow() async throws {
    let sandbox = try await Self.sandbox.value
    let whole = try await failedRun(sandbox).output
    let run = try await sandbox.kith(
      "check alice.test --retry-errors -", input: String(whole.dropLast(20)))
    #expect(run.status == 65)
    #expect(try run.rows(Row.self).map(\.state) == ["known", "known", "error"])
    #expect(try run.message("invalidInput")?.text("place") == "stdin:3")
  }

  @Test func canBeExplained() async throws {
    let sandbox = try await SandboxRun(accounts: 14)
    let asked = sandbox.sandbox.statistics.total
    let run = try await sandbox.kith(
      "check alice.test --retry-errors - --explain --format csv", input: try await failedRun(sandbox).output)
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").last?.hasPrefix("total,,2,3,") == true)
    #expect(sandbox.sandbox.statistics.total == asked)
  }
}
