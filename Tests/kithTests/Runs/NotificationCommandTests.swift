// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Notifications from the command line. `ReadNotificationsTests` compare what is read and marked with what there is.
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

  @Test func optionsNarrowTheListAndMarkItAsSeen() async throws {
    try await signIn()
    let few = try await rows("notifications --unread --limit 5")
    #expect(few.count == 5 && few.allSatisfy { $0["isRead"] == "false" })
    let follows = try await rows("notifications --kind follow,quote --since 200d --limit 20")
    #expect(
      !follows.isEmpty && follows.allSatisfy { ["follow", "quote"].contains($0.text("kind")) })
    let start = Datetime(at: user.network.clock.timeSource().instant - .days(20)).description
    let late = try await rows("notifications --since 20d --limit 2000")
    #expect(!late.isEmpty && late.allSatisfy { $0.text("at") ?? "" >= start })
    // The count of unread ones is that of all kinds, and the date is by UTC.
    let some = try await run("notifications --kind quote --unread --since 20d")
    let counts = try #require(KithMessage.all(in: some.talk).first { $0.code == "notificationsRead" })
    #expect(
      counts.text("since") == start && counts.text.contains("UTC") && counts.text.contains("of all kinds"))
    // An unread one is not listed, so nothing is marked as seen.
    let refused = try await run("notifications --mark-seen --limit 3")
    let message = try #require(
      KithMessage.all(in: refused.talk).first { $0.code == "notificationsRead" })
    #expect(refused.status == .no && refused.rows.count == 3 && message.text("seen") == nil)
    #expect(try #require(message.number("unseen")) > 0)
    let marked = try await run("notifications --limit 2000 --mark-seen")
    let newest = try #require(marked.rows.first?.text("at"))
    #expect(
      marked.status == .success && marked.talk.contains("\"seen\":\"\(newest)\""), "\(marked.talk)")
    // Nothing is listed, so nothing is marked.
    let nothing = try await run("notifications --unread --mark-seen")
    #expect(nothing.rows.isEmpty && nothing.talk.contains("\"seen\":null"))
  }

  @Test func aLiveListHasTheOldestFirstAndEndsAfterItsLimit() async throws {
    try await signIn()
    let listed = try await rows("notifications --limit 3").compactMap { $0.text("uri") }
    let live = try await rows("notifications --live --limit 3").compactMap { $0.text("uri") }
    #expect(live == listed.reversed() && live.count == 3)
    for other in ["--mark-seen", "--grouped", "--limit 0"] {
      #expect(try await run("notifications --live \(other)").status == .usage)
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
      ["post", "Hi @alice.test", "--yes"],
      ["post", "Yes, @alice.test", "--reply-to", post, "--yes"],
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
      listed.rows.allSatisfy { row in
        records.contains { row.text("uri")?.hasSuffix("/\($0)") == true }
      })
  }

  @Test func settingsAndSubscriptionsAreChangedByOptions() async throws {
    try await signIn()
    let changed = try await rows("notifications settings like reply --push off --include follows")
    #expect(
      changed.allSatisfy { $0["push"] == "false" && $0.text("include") == "follows" }
        && changed.count == 2)
    #expect(try await rows("notifications settings").count { changed.contains($0) } == 2)
    #expect(try await rows("notifications subscribe bob.test carol.test").count == 2)
    _ = try await rows("notifications subscribe bob.test --off")
    #expect(
      try await rows("notifications subscribe").compactMap { $0.text("handle") } == ["carol.test"])
    #expect(try await run("notifications subscribe dave.test nobody.test").status == .notFound)
  }

  @Test func aWrongSettingChangesNothing() async throws {
    try await signIn()
    let before = try await rows("notifications settings")
    for line in [
      "notifications settings like verified --include follows",
      "notifications settings like nope --push off",
      "notifications settings --push off", "notifications settings like --push maybe",
      "notifications --kind likes",
      "notifications subscribe --off", "notifications subscribe bob.test --off --replies",
      "notifications --limit 0",
    ] {
      #expect(try await run(line).status == .usage, "\(line)")
    }
    #expect(try await rows("notifications settings") == before)
  }

  @Test func signedOutThereAreNone() async throws {
    for line in ["notifications", "notifications settings", "notifications subscribe bob.test"] {
      #expect(try await run(line).status == .notAllowed, "\(line)")
    }
  }
}
