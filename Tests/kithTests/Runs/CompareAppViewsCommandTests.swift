// SPDX-License-Identifier: Apache-2.0

import KithCore
import SandboxSupport
import TestSupport
import Testing

@testable import kith

/// `--compare-appview`: where two AppViews disagree.
@Suite struct CompareAppViewsCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 60) }

  private func compare(
    _ network: DisagreeingNetwork, _ words: String...
  ) async throws -> InProcessUser.Ending {
    try await user.kith(words + ["--compare-appview", DisagreeingNetwork.other], over: network)
  }

  @Test func aCheckPrintsTheDifferences() async throws {
    let (bob, other) = (try user.did("bob"), DisagreeingNetwork.other)
    let network = DisagreeingNetwork(
      user.network, edits: [other: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = nil } }])
    let ending = try await compare(network, "check", "alice.test", "bob.test", "carol.test")
    #expect(ending.status == .success, "\(ending.talk)")
    let rows = ending.rows.map { row in
      ["target", "relation", "shownBy", "repository"].map { row.text($0) ?? "" }
    }
    #expect(rows == [["\(bob)", "followedBy", FaultyNetwork.appview, "true"]])
    #expect(ending.talk.contains(#""firstIsRight":1"#) && ending.talk.contains(#""otherIsRight":0"#))
    let unknown = try await compare(network, "check", "alice.test", "bob.test", "nobody.test", "@@")
    #expect([.notFound, .badInput].contains(unknown.status) && unknown.talk.contains("nobody.test"))
    let silent = try await compare(
      DisagreeingNetwork(user.network, silent: other), "check", "alice.test", "--followers-of", "bob.test")
    #expect(silent.status == .unavailable && silent.rows.isEmpty)
    #expect(silent.talk.contains(#""code":"appViewFailed""#) && silent.talk.contains(other))
  }

  @Test func theDoctorComparesOnesOwnGraph() async throws {
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let network = DisagreeingNetwork(
      user.network, edits: [DisagreeingNetwork.other: { row in row["following"] = nil }])
    let ending = try await compare(network, "doctor")
    #expect(ending.status == .success && !ending.rows.isEmpty, "\(ending.talk)")
    #expect(ending.rows.allSatisfy { $0.text("repository") == "true" && $0.text("relation") == "following" })
  }

  @Test func whatCannotBeComparedIsAnError() async throws {
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let requests = user.network.requests
    for line in [
      "check alice.test bob.test --compare-appview \(FaultyNetwork.appview)",
      "check alice.test bob.test --compare-appview ftp://x",
      "check me --people recommend --compare-appview ftp://x",
      "check alice.test bob.test --is mutual --compare-appview https://other.test",
      "doctor --only self --compare-appview https://other.test",
    ] {
      let ending = try await user.kith(line.split(separator: " ").map(String.init))
      #expect(ending.status == .usage, "\(line)")
    }
    #expect(user.network.requests == requests)
  }
}
