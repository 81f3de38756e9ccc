// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import kith

/// `kith doctor`, from the command line to a sandbox with records that no well-behaved app would write.
@Suite struct DoctorCommandTests {
  private let user: InProcessUser
  private let alice: DID
  private let bob: DID

  init() throws {
    user = try InProcessUser()
    (alice, bob) = (try user.did("alice"), try user.did("bob"))
  }

  private func kith(_ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  private func kinds(_ line: String) async throws -> [String] {
    let ending = try await kith(line)
    #expect(ending.status == .success, "\(line): \(ending.talk)")
    return ending.rows.compactMap { $0["kind"]?.trimmingCharacters(in: ["\""]) }.sorted()
  }

  /// A second follow of bob, a follow of herself, a block of a missing list, a member of a missing list.
  private func makeAMess() throws {
    let nowhere = "app.bsky.graph.list/3khuwc44c9999"
    try user.write(
      [
        ("follow", ["subject": .string("\(bob)")]), ("follow", ["subject": .string("\(alice)")]),
        ("listblock", ["subject": .string("at://\(bob)/\(nowhere)")]),
        ("listitem", ["subject": .string("\(bob)"), "list": .string("at://\(alice)/\(nowhere)")]),
        ("follow", ["subject": "nonsense"]),
      ], as: alice)
  }

  @Test func findsAndFixesProblems() async throws {
    _ = try await kith("login alice.test")
    let before = try user.records("follow")
    try makeAMess()
    let mended = "duplicate self dead-list-block orphan-members"
    let found = try await kinds("doctor --only \(mended) malformed")
    #expect(found == ["dead-list-block", "duplicate", "malformed", "orphan-members", "self"])

    let plan = try await kith("doctor --fix \(mended) --dry-run")
    #expect(plan.status == .success && plan.rows.count == 4)
    #expect(plan.rows.allSatisfy { $0["state"] == "\"planned\"" })
    #expect(try user.records("follow") == before + 3)
    // There is no terminal to ask on.
    #expect(try await kith("doctor --fix \(mended)").status == .usage)
    #expect(try user.records("follow") == before + 3)

    let done = try await kith("doctor --fix \(mended) --yes")
    #expect(done.status == .success && done.rows.allSatisfy { $0["state"] == "\"done\"" })
    #expect(try await kinds("doctor --only \(mended)") == [])
    #expect(try user.records("follow") == before + 1)
    #expect(try user.records("follow", about: "\(bob)") == 1)

    // Undo does not restore a deleted duplicate, because the follow exists, nor a member of a list that does not.
    _ = try await kith("jobs undo 1 --yes")
    #expect(try await kinds("doctor --only \(mended)") == ["dead-list-block", "self"])
  }

  /// A domain that is gone does not come back, so waiting for it would never end.
  @Test func fixesWhatIsProvenAndLeavesTheRest() async throws {
    _ = try await kith("login alice.test")
    try user.write(
      [("follow", ["subject": .string("\(alice)")]), ("follow", ["subject": "did:web:gone.invalid"])],
      as: alice)
    let done = try await kith("doctor --fix self deleted --yes")
    #expect(done.status == .unavailable)
    #expect(done.rows.contains { $0["state"] == "\"done\"" })
    #expect(try user.records("follow", about: "\(alice)") == 0)
    #expect(try user.records("follow", about: "did:web:gone.invalid") == 1)
    let again = try await kith("doctor --fix self --fix deleted --yes")
    #expect(again.status == .unavailable && again.talk.contains(#""code":"nothingFixed""#))
  }

  @Test func findsWhatIsAskedFor() async throws {
    _ = try await kith("login alice.test")
    let rows = try await kith("doctor --only blocker blocked deactivated suspended deleted ghost unindexed")
      .rows
    let truth = try user.hiddenFollows(of: alice)
    #expect(!truth.isEmpty && Set(rows.compactMap { $0["did"] }) == Set(truth.map { "\"\($0)\"" }))
    let inactive = try await kith("doctor --only inactive --inactive 1mo").rows
    #expect(!inactive.isEmpty)
    #expect(inactive.allSatisfy { $0["since"] != "null" && $0["repair"] == "\"unfollow\"" })
    // Nothing to fix makes no job.
    let ending = try await kith("doctor --fix duplicate self --yes")
    #expect(ending.status == .success && ending.rows.isEmpty)
    #expect(try await kith("jobs").rows.isEmpty)
  }
}
