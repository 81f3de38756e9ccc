// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import kith

/// Which changes are asked about. Without a terminal these end with 64 and change nothing.
@Suite struct QuestionTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func run(_ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  private func signIn() async throws { #expect(try await run("login alice.test").status == .success) }

  /// One line for each command that finds accounts, with a verb that asks nothing about named ones; `AccountSourcesTests` has
  /// the options.
  @Test func severalAccountsThatTheUserDidNotNameAreAskedAbout() async throws {
    try await signIn()
    #expect(try await run("lists create Birds --purpose curate").status == .success)
    let list = try user.list("Book people", of: "grace")
    for line in [
      "follow --people recommend --first 3", "mute --mutuals",
      "follow --graph grain --following-in tangled", "lists add Birds --mutuals",
      "lists add Birds --from \(list)", "lists import Birds \(list)",
      "lists create Others --purpose curate --mutuals", "friends request --mutuals",
      "follow-back --where followed-by",
      // Also when they are named.
      "friends request dave.test judy.test",
    ] {
      let ending = try await run(line)
      #expect(ending.status == .usage && ending.rows.isEmpty, "\(line): \(ending.talk)")
      #expect(try Self.question(ending) != nil, "\(line): \(ending.talk)")
    }
    // Nothing but the list was written.
    #expect(try await run("jobs --all").rows.count == 1)
    // A DID is what is written, but not what an account is known by.
    let others = try ["bob", "carol", "dave", "judy"].map { try user.did($0).description }
    let ending = try await user.kith(["block"] + others)
    #expect(ending.status == .usage)
    let question = try #require(try Self.question(ending))
    #expect(["bob.test", "carol.test", "dave.test"].allSatisfy(question.contains), "\(question)")
    #expect(!others.contains(where: question.contains), "\(question)")
  }

  @Test func oneAccountAndNamedAccountsAreNotAskedAbout() async throws {
    try await signIn()
    for line in [
      "follow --people recommend --first 1", "mute dave.test judy.test",
      "follow niaj.test trent.test", "friends request judy.test",
    ] {
      let ending = try await run(line)
      #expect(ending.status == .success, "\(line): \(ending.talk)")
      #expect(ending.rows.contains { $0.text("state") == "done" }, "\(line)")
    }
    let confirmed = try await run("friends request dave.test judy.test --yes")
    #expect(confirmed.status == .success && confirmed.rows.count == 2, "\(confirmed.talk)")
  }

  @Test func theAudienceOfFriendsTellsWhatIsAddedAndWhatIsRemoved() async throws {
    try await signIn()
    #expect(try await run("lists create Close --purpose curate").status == .success)
    #expect(try await run("lists add Close bob.test").status == .success)
    for name in ["Close", try user.list("Close", of: "alice")] {
      let ending = try await run("friends audience \(name)")
      #expect(ending.status == .usage)
      let parts = try #require(try Self.question(ending)).split(separator: ",")
      #expect(parts.count == 2 && parts[0].contains("carol.test") && parts[0].contains("Close"), "\(parts)")
      #expect(parts.last?.contains("bob.test") == true, "\(parts)")
    }
  }

  /// The question that could not be asked.
  private static func question(_ ending: InProcessUser.Ending) throws -> String? {
    try KithMessage.all(in: ending.talk).first { $0.code == "needsConfirmation" }?.text("question")
  }
}
