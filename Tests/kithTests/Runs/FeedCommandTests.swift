// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Feeds and threads from the command line. `ReadFeedTests` compare each source with another one.
@Suite struct FeedCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 400) }

  private func run(_ line: String) async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init))
  }

  @discardableResult
  private func rows(_ line: String, status: Int32 = 0) async throws -> [[String: String]] {
    let ending = try await run(line)
    #expect(ending.status.rawValue == status, "\(line): \(ending.talk)")
    return ending.rows
  }

  private func signIn(_ name: String = "alice") async throws {
    let ending = try await user.kith(["login", "\(name).test"], password: "pw-\(name)")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  private func cursor(_ ending: InProcessUser.Ending) -> String? {
    ending.talk.components(separatedBy: "\"cursor\":\"").dropFirst().last?.split(separator: "\"")
      .first
      .map(String.init)
  }

  @Test func optionsSelectTheSourceAndWhatIsLeftOut() async throws {
    try await signIn()
    let mutuals = try await run("feed --mutuals --limit 5")
    #expect(mutuals.rows.count == 5 && mutuals.talk.contains("timeline"), "\(mutuals.talk)")
    let added = try await user.kith(["segments", "add", "loud", "not following"])
    #expect(added.status == .success, "\(added.talk)")
    let first = try await run("feed --segment loud --reach 3 --limit 2")
    #expect(first.rows.count == 2 && first.talk.contains("authors."), "\(first.talk)")
    let next = try #require(cursor(first))
    let rest = try await rows("feed --segment loud --reach 3 --limit 2 --cursor \(next)")
    let places = (first.rows + rest).compactMap { $0.text("at") }
    #expect(rest.count == 2 && places == places.sorted(by: >) && Set(places).count > 2)
    let own = try await rows("feed --of bob.test --limit 5 --no-replies --no-reposts")
    #expect(
      own.count == 5 && own.allSatisfy { $0.text("repostedBy") == nil && $0.text("replyTo") == nil }
    )
    #expect(own.allSatisfy { $0.text("handle") == "bob.test" })
    let start = Datetime(at: user.network.clock.timeSource().instant - .days(2)).description
    let late = try await rows("feed --limit 300 --since 2d")
    #expect(!late.isEmpty && late.count < 300 && late.allSatisfy { $0.text("at") ?? "" >= start })
    try await rows("block bob.test")
    #expect(try await rows("feed --of bob.test", status: 77).isEmpty)
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
    #expect(try await run("feed --segment absent").status == .notFound)
    #expect(try await run("feed --of nobody.test").status != .success)
  }

  @Test func aThreadIsAsDeepAndAsHighAsItIsAskedFor() async throws {
    try await signIn()
    let post = try user.post(of: "alice")
    let thread = try await rows("thread \(post) --depth 1 --parents 0")
    let depths = Set(thread.compactMap { $0["depth"] })
    #expect(thread.first?.text("uri") == post && depths.isSubset(of: ["0", "1"]))
    #expect(try await run("thread \(post)").talk.contains("threadRead"))
  }
}
