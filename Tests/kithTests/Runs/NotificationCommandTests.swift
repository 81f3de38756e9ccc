// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Notifications of the sandbox: reading them changes nothing unless that is asked for.
@Suite struct NotificationCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func run(_ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  private func rows(_ line: String) async throws -> [[String: String]] {
    let ending = try await run(line)
    #expect(ending.status == .success, "\(line): \(ending.talk)")
    return ending.rows
  }

  private func signIn() async throws {
    let ending = try await user.kith(["login", "alice.test"], password: "pw-alice")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  @Test func readingMarksNothingAsSeen() async throws {
    try await signIn()
    let first = try await rows("notifications --unread --limit 5")
    #expect(first.count == 5 && first.allSatisfy { $0["isRead"] == "false" })
    #expect(try await rows("notifications --unread --limit 5") == first)
  }

  /// What a limit, a kind, a date or an account leaves out would be marked as seen without having been shown.
  @Test(arguments: ["--limit 3", "--kind follow", "--unread --limit 1", "--since 20d"])
  func nothingIsMarkedAsSeenIfAnUnreadOneIsNotListed(options: String) async throws {
    try await signIn()
    let before = try await rows("notifications --unread --limit 2000")
    let ending = try await run("notifications --mark-seen \(options)")
    #expect(ending.status == .no && ending.rows.count < before.count, "\(ending.talk)")
    let message = try #require(KithMessage.all(in: ending.talk).first { $0.code == "notificationsRead" })
    #expect(try #require(message.number("unseen")) > 0 && !ending.talk.contains("\"seen\":\""))
    #expect(try await rows("notifications --unread --limit 2000") == before)
  }

  @Test func whatIsListedIsMarkedAsSeenIfThatIsAsked() async throws {
    try await signIn()
    let marked = try await run("notifications --limit 2000 --mark-seen")
    #expect(marked.status == .success, "\(marked.talk)")
    let newest = try #require(marked.rows.first?.text("at"))
    #expect(marked.talk.contains("\"seen\":\"\(newest)\""), "\(marked.talk)")
    #expect(try await rows("notifications --unread").isEmpty)
    #expect(try await rows("notifications --limit 3").allSatisfy { $0["isRead"] == "true" })
    // Nothing is listed, so nothing is marked.
    #expect(try await run("notifications --unread --mark-seen").talk.contains("\"seen\":null"))
  }

  @Test func kindsAndDatesNarrowTheList() async throws {
    try await signIn()
    let all = try await rows("notifications --limit 2000")
    let kinds = Set(all.compactMap { $0.text("kind") })
    #expect(kinds.isSuperset(of: ["like", "follow"]))
    let follows = try await rows("notifications --limit 2000 --kind follow,quote")
    #expect(follows == all.filter { ["follow", "quote"].contains($0.text("kind")) })
    let start = Datetime(at: user.network.clock.timeSource().instant - .days(20)).description
    let late = try await rows("notifications --limit 2000 --since 20d")
    #expect(!late.isEmpty && late.count < all.count && late.allSatisfy { $0.text("at") ?? "" >= start })
  }

  @Test func mutedAndBlockedAccountsAreLeftOut() async throws {
    try await signIn()
    let name = try #require(try await rows("notifications").compactMap { $0.text("handle") }.first)
    for verb in ["mute", "block"] {
      #expect(try await run("\(verb) \(name)").status == .success)
      #expect(try await rows("notifications --limit 2000").allSatisfy { $0.text("handle") != name })
    }
  }

  /// What others write about one is told by the record that they wrote.
  @Test func mentionsAndReactionsOfUsersAreListed() async throws {
    try await signIn()
    _ = try await user.kith(["login", "bob.test"], password: "pw-bob")
    let bobDID = try user.did("bob")
    let bob = ["--account", "bob.test"]
    let own = try await user.kith(["post", "hello", "--yes", "--account", "alice.test"])
    let post = try #require(own.rows.first?.text("subject"))
    for words in [
      ["post", "Hi @alice.test", "--yes"], ["post", "Yes, @alice.test", "--reply-to", post, "--yes"],
      ["like", post], ["repost", post],
    ] {
      let ending = try await user.kith(words + bob)
      #expect(ending.status == .success, "\(ending.talk)")
    }
    try await user.network.clock.sleep(for: .seconds(1))
    let listed = try await user.kith(["notifications", "--account", "alice.test", "--limit", "4"])
    #expect(Set(listed.rows.compactMap { $0.text("kind") }) == ["mention", "like", "repost"])
    #expect(listed.rows.count { $0.text("kind") == "mention" } == 2)
    let records = try ["post", "like", "repost"].flatMap { name in
      user.network.live.records(of: bobDID, in: try NSID(parsing: "app.bsky.feed.\(name)")).map {
        "\($0.key)"
      }
    }
    #expect(
      listed.rows.allSatisfy { row in records.contains { row.text("uri")?.hasSuffix("/\($0)") == true } })
  }

  @Test func settingsChangeOnlyWhatIsNamed() async throws {
    try await signIn()
    let before = try await rows("notifications settings")
    let changed = try await rows("notifications settings like reply --push off --include follows")
    #expect(
      changed.allSatisfy { $0["push"] == "false" && $0.text("include") == "follows" } && changed.count == 2)
    let after = try await rows("notifications settings")
    #expect(
      after.filter { !["like", "reply"].contains($0.text("kind")) }
        == before.filter { !["like", "reply"].contains($0.text("kind")) })
    #expect(after.filter { changed.contains($0) }.count == 2)
  }

  @Test func aWrongSettingChangesNothing() async throws {
    try await signIn()
    let before = try await rows("notifications settings")
    for line in [
      "notifications settings like verified --include follows", "notifications settings like nope --push off",
      "notifications settings --push off", "notifications settings like --push maybe",
      "notifications --kind likes",
      "notifications subscribe --off", "notifications subscribe bob.test --off --replies",
      "notifications --limit 0",
    ] {
      #expect(try await run(line).status == .usage, "\(line)")
    }
    #expect(try await rows("notifications settings") == before)
  }

  @Test func subscriptionsAreMadeListedAndEnded() async throws {
    try await signIn()
    #expect(try await rows("notifications subscribe").isEmpty)
    #expect(try await rows("notifications subscribe bob.test carol.test").count == 2)
    #expect(
      try await Set(rows("notifications subscribe").compactMap { $0.text("handle") }) == [
        "bob.test", "carol.test",
      ])
    _ = try await rows("notifications subscribe bob.test --off")
    #expect(try await rows("notifications subscribe").compactMap { $0.text("handle") } == ["carol.test"])
    // One that is not there stops the others before anything is changed.
    #expect(try await run("notifications subscribe dave.test nobody.test").status == .notFound)
    #expect(try await rows("notifications subscribe").count == 1)
  }

  @Test func signedOutThereAreNone() async throws {
    for line in ["notifications", "notifications settings", "notifications subscribe bob.test"] {
      #expect(try await run(line).status == .notAllowed, "\(line)")
    }
  }
}
