// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// What `kith follow-back` asks and says.
@Suite struct FollowBackCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func run(_ words: String...) async throws -> InProcessUser.Ending { try await user.kith(words) }

  private func signIn() async throws {
    let ending = try await user.kith(["login", "alice.test"], password: "pw-alice")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  @Test func itAsksAndDoesNothingWithoutAnAnswer() async throws {
    try await signIn()
    let words = ["follow-back", "--where", "handle is dave.test"]
    #expect(try await user.kith(words).status == .usage)
    let done = try await user.kith(words + ["--yes"])
    #expect(done.status == .success && done.rows.map { $0.text("input") } == ["dave.test"], "\(done.talk)")
  }

  @Test func itSaysHowFastAndUntilWhen() async throws {
    try await signIn()
    let slow = try await run("follow-back", "--dry-run", "--per-day", "7")
    #expect(slow.talk.contains("\"perHour\":null,\"perDay\":7"), "\(slow.talk)")
    let messages = try KithMessage.all(in: slow.talk)
    let needed = try #require(messages.first { $0.code == "pointsNeeded" })
    #expect(needed.number("perDay") == 7 && needed.number("waitMilliseconds") ?? 0 > 2 * 86_400_000)
    #expect(messages.contains { $0.code == "approvalNotAsked" })
    let ending = try await run("follow-back", "--yes", "--per-day", "2", "--no-wait")
    #expect(ending.status == .tryLater, "\(ending.talk)")
  }
}
