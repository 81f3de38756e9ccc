// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import SandboxSupport
@testable import kith

/// The commands around changes that wait for a yes.
@Suite struct ProposalCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 60) }

  @discardableResult private func run(
    _ words: String..., expecting status: kith.ExitStatus = .success,
    _ place: SourceLocation = #_sourceLocation
  ) async throws -> InProcessUser.Ending {
    let ending = try await user.kith(words)
    #expect(ending.status == status, "\(words): \(ending.talk)", sourceLocation: place)
    return ending
  }

  @Test func aProposalIsListedApprovedAndRejected() async throws {
    try await run("login", "alice.test")
    #expect(try await run("follow", "niaj.test", "--propose").rows.first?["state"] == "\"planned\"")
    try await run("block", "judy.test", "--propose")
    let listed = try await run("jobs").rows
    #expect(listed.map { $0["state"] } == ["\"proposed\"", "\"proposed\""])
    let digest = try #require(listed.first?["digest"]).replacing("\"", with: "")
    #expect(try await run("jobs", "show", "1").rows.map { $0["state"] } == ["\"planned\""])
    // There is no terminal to ask on.
    try await run("jobs", "approve", "1", expecting: .usage)
    try await run("jobs", "approve", "2", "--digest", digest, expecting: .usage)
    let approved = try await run("jobs", "approve", "1", "--digest", digest)
    #expect(approved.rows.map { $0["state"] } == ["\"done\""])
    try await run("jobs", "approve", "1", "--yes", expecting: .usage)
    #expect(try await run("jobs", "reject", "2").rows.map { $0["state"] } == ["\"cancelled\""])
    #expect(try await run("undo").rows.map { $0["undoes"] } == ["1"])
  }
}
