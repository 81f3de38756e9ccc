// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// The card of an account, also of one that is blocked, hidden or gone.
@Suite struct ProfileCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func run(_ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  private func signIn() async throws {
    let ending = try await user.kith(["login", "alice.test"], password: "pw-alice")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  private func row(_ line: String, status: Int32 = 0) async throws -> [String: String] {
    let ending = try await run(line)
    #expect(ending.status.rawValue == status, "\(line): \(ending.talk)")
    return try #require(ending.rows.first)
  }

  @Test func signedOutTheProfileAndItsPostsAreShown() async throws {
    let row = try await row("profile bob.test --posts 2")
    #expect(row.text("handle") == "bob.test" && row["status"] == "\"active\"")
    #expect(row.text("relationship") == nil && row["lists"] == "[]")
    #expect(row["latest"]?.components(separatedBy: "\"at\"").count == 3)
    #expect(try await run("profile").status == .notAllowed)
  }

  @Test func signedInItSaysSinceWhenAndWhoIsKnown() async throws {
    try await signIn()
    let bob = try await row("profile bob.test")
    #expect(bob.text("relationship") == "mutual")
    for side in [("follows", "followingSince"), ("followers", "followedSince")] {
      let listed = try await user.kith([side.0 == "follows" ? "following" : "followers", "--dates"]).rows
      let since = listed.first { $0.text("handle") == "bob.test" }?.text("since")
      let shown = try #require(bob.text(side.1))
      #expect(since?.prefix(10) == shown.prefix(10))
    }
    let known = try #require(bob["knownFollowers"].flatMap { Int($0) })
    #expect(known > 0 && bob["knownFollowerNames"] != "[]")
    #expect(try await row("profile").text("relationship") == "self")
  }

  @Test func sharedListsAreThoseWithTheAccount() async throws {
    try await signIn()
    for line in ["lists create Circle --purpose curate", "lists add Circle bob.test"] {
      let ending = try await run(line)
      #expect(ending.status == .success, "\(ending.talk)")
    }
    #expect(try await row("profile bob.test")["lists"]?.contains("Circle") == true)
    #expect(try await row("profile carol.test")["lists"]?.contains("Circle") == false)
  }

  @Test func aBlockedAccountIsShownWithoutItsPosts() async throws {
    try await signIn()
    let erin = try await row("profile erin.test")
    #expect(erin.text("relationship") == "blocking" && erin["latest"] == "null")
  }

  @Test(arguments: [("oscar.test", "deactivated"), ("trent.test", "suspended")])
  func anAccountThatIsHiddenIsShownAsFarAsItIsKnown(name: String, status: String) async throws {
    let row = try await row("profile \(name)", status: 67)
    #expect(row["status"] == "\"\(status)\"" && row["latest"] == "null" && row["followers"] == "null")
  }

  @Test func anAccountThatIsNotThereIsAnError() async throws {
    let ending = try await run("profile nobody.test")
    #expect(ending.status == .notFound && ending.rows.isEmpty)
    #expect(try await run("profile bob.test --posts 51").status == .usage)
    #expect(try await run("profile bob.test --url --fields did").status == .usage)
  }
}
