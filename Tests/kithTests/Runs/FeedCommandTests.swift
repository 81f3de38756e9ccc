// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Feeds and threads of the sandbox, each source compared with another one.
@Suite struct FeedCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func run(_ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  private func rows(_ line: String, status: Int32 = 0) async throws -> [[String: String]] {
    let ending = try await run(line)
    #expect(ending.status.rawValue == status, "\(line): \(ending.talk)")
    return ending.rows
  }

  private func signIn(_ name: String = "alice") async throws {
    let ending = try await user.kith(["login", "\(name).test"], password: "pw-\(name)")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  /// What identifies an entry: the post, and who has reposted it.
  private func keys(_ rows: [[String: String]]) -> [String] {
    rows.map { "\($0.text("at") ?? "") \($0.text("uri") ?? "") \($0["repostedBy"] ?? "")" }
  }

  private func cursor(_ ending: InProcessUser.Ending) -> String? {
    ending.talk.components(separatedBy: "\"cursor\":\"").dropFirst().last?.split(separator: "\"").first
      .map(String.init)
  }

  @Test func theFeedOfMutualsIsThatOfTheirOwnFeeds() async throws {
    try await signIn()
    let mutuals = try await rows("mutuals").compactMap { $0.text("handle") }
    #expect(mutuals.count > 20)
    let ending = try await run("feed --mutuals --limit 60")
    #expect(ending.talk.contains("timeline"), "\(ending.talk)")
    var merged: [[String: String]] = []
    for handle in mutuals {
      let own = try await run("feed --of \(handle) --limit 60")
      // A mutual may block by a list.
      #expect(own.status == .success || own.status == .notAllowed, "\(own.talk)")
      merged += own.rows
    }
    let expected = keys(merged).sorted(by: >).prefix(60)
    #expect(Array(keys(ending.rows).sorted(by: >)) == Array(expected))
  }

  @Test func aSegmentIsReadAccountByAccountAndContinues() async throws {
    try await signIn()
    let added = try await user.kith(["segments", "add", "loud", "not following"])
    #expect(added.status == .success, "\(added.talk)")
    let followers = try await user.kith(["followers", "--where", "not following"]).rows
      .compactMap { $0.text("handle") }
    let whole = try await run("feed --segment loud --limit 50")
    #expect(whole.status == .success, "\(whole.talk)")
    #expect(whole.talk.contains("authors.") && whole.rows.count == 50, "\(whole.talk)")
    var merged: [[String: String]] = []
    for handle in followers { merged += try await run("feed --of \(handle) --limit 50").rows }
    #expect(keys(whole.rows).sorted() == keys(merged).sorted(by: >).prefix(50).sorted())
    let first = try await run("feed --segment loud --limit 20")
    let next = try #require(cursor(first))
    let rest = try await rows("feed --segment loud --limit 30 --cursor \(next)")
    #expect(keys(first.rows + rest) == keys(whole.rows))
  }

  @Test func theTimelineContinuesWithoutRepeatingOrLosingAnything() async throws {
    try await signIn()
    let whole = try await rows("feed --limit 120")
    #expect(whole.count == 120)
    var found: [[String: String]] = []
    var next = ""
    for _ in 0..<12 where found.count < 120 {
      let ending = try await run("feed --limit 17 \(next)")
      found += ending.rows
      let last = try #require(cursor(ending))
      next = "--cursor \(last)"
    }
    #expect(Array(keys(found).prefix(120)) == keys(whole))
  }

  @Test func blockedAndMutedAccountsAreNotInAnyFeed() async throws {
    try await signIn()
    for line in ["block bob.test", "mute grace.test"] {
      #expect(try await run(line).status == .success)
    }
    let hidden = [try user.did("bob"), try user.did("grace")].map(\.description)
    for line in ["feed --limit 200", "feed --mutuals --limit 100", "feed --friends --limit 100"] {
      let found = try await rows(line)
      #expect(!found.isEmpty, "\(line)")
      for row in found {
        // A post that is gone is shown to nobody; the record still names it.
        let shown = row.values.filter { !$0.contains("gone") }
        #expect(!hidden.contains { did in shown.contains { $0.contains(did) } }, "\(line): \(row)")
      }
    }
    let blocked = try await run("feed --of bob.test")
    #expect(blocked.status != .success && blocked.rows.isEmpty)
  }

  @Test func sinceEndsAFeedAndTheKindsCanBeLeftOut() async throws {
    try await signIn()
    let all = try await rows("feed --limit 300 --since 10d")
    #expect(!all.isEmpty && all.count < 300)
    #expect(all.contains { $0.text("relationship") == "self" })
    let start = Datetime(at: user.network.clock.timeSource().instant - .days(10)).description
    #expect(all.allSatisfy { $0.text("at") ?? "" >= start })
    let plain = try await rows("feed --limit 300 --since 10d --no-replies --no-reposts")
    #expect(plain.count < all.count && !plain.isEmpty)
    #expect(plain.allSatisfy { $0.text("repostedBy") == nil && $0.text("replyTo") == nil })
  }

  @Test func wrongRequestsAreToldBeforeAnyCall() async throws {
    #expect(try await run("feed").status == .notAllowed)
    for line in [
      "feed --mutuals --friends", "feed --limit 0", "feed --cursor x", "feed --since yesterday",
      "feed --reach 0", "thread --depth 31 at://alice.test/app.bsky.feed.post/p",
    ] {
      #expect(try await run(line).status == .usage, "\(line)")
    }
    #expect(try await run("thread alice.test").status == .badInput)
    try await signIn()
    #expect(try await run("feed --cursor list.1+1").status == .usage)
    #expect(try await run("feed --segment nobody").status == .notFound)
    #expect(try await run("feed --of nobody.test").status != .success)
  }

  @Test func aThreadHasWhatAnswersAPostAndIsIndented() async throws {
    try await signIn()
    let reply = try #require(
      try await rows("feed --limit 300").first { $0["replyTo"]?.contains("shown") == true })
    let uri = try #require(reply.text("uri"))
    let thread = try await rows("thread \(uri)")
    #expect(thread.first?["depth"] == "-1")
    #expect(thread.contains { $0["depth"] == "0" && $0.text("uri") == uri })
    let parent = try #require(thread.first?.text("uri"))
    let above = try await rows("thread \(parent) --depth 1 --parents 0")
    #expect(above.first?["depth"] == "0" && above.first?.text("uri") == parent)
  }
}
