// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// Listings that do not end, or end incorrectly (Q11), with otherwise valid responses.
@Suite struct HostileListingTests {
  private struct Row: Decodable {
    let target: String?
    let state: String
    let following: String?
  }

  private static let actor = HostileRun.actor

  /// A server with one listing that answers relationships correctly: the actor follows every account.
  ///
  /// - Parameter page: the body of a page of followers, by its number.
  private func check(_ page: @escaping @Sendable (Int) -> String) async throws -> (KithRun, pages: Int) {
    let server = try HostileServer { head, connection in
      let query = URLComponents(string: String(head.split(separator: " ")[1]))?.queryItems ?? []
      if head.contains("getFollowers") {
        let cursor = query.first { $0.name == "cursor" }?.value
        return connection.answer(page(cursor.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0))
      }
      let rows = query.filter { $0.name == "others" }.map { target in
        """
        {"$type":"app.bsky.graph.defs#relationship","did":"\(target.value ?? "")",\
        "following":"at://\(Self.actor)/app.bsky.graph.follow/x"}
        """
      }
      connection.answer(HostileRun.body(rows))
    }
    let run = try await KithRun.inside([
      "check", Self.actor, "--followers-of", HostileRun.stranger, "--appview", server.url, "--format",
      "ndjson",
    ])
    return (run, server.requests.count { $0.contains("getFollowers") })
  }

  /// Account 0 is the actor.
  private static func account(_ number: Int) -> String { Accounts.did(number + 1).description }

  private static func page(_ accounts: Range<Int>, cursor: String?) -> String {
    let profiles = accounts.map(account).map { "{\"did\":\"\($0)\",\"handle\":\"handle.invalid\"}" }
    return """
      {"subject":{"did":"\(HostileRun.stranger)","handle":"handle.invalid"},\
      "followers":[\(profiles.joined(separator: ","))]\(cursor.map { ",\"cursor\":\($0)" } ?? "")}
      """
  }

  /// Expects the error of the listing after these accounts, whose rows are all right.
  private func expect(
    _ run: KithRun, _ accounts: [Int], _ place: SourceLocation = #_sourceLocation
  ) throws {
    #expect(run.status == 76, sourceLocation: place)
    let message = try run.messages.last
    #expect(message?.code == "relationship.invalidResponse", "\(run.talk)", sourceLocation: place)
    #expect(message?.text("path") == "cursor", "\(run.talk)", sourceLocation: place)
    let rows = try run.rows(Row.self)
    #expect(
      rows.map(\.target) == accounts.map(Self.account), "\(rows.count) rows",
      sourceLocation: place)
    #expect(rows.allSatisfy { $0.state == "known" && $0.following != nil }, sourceLocation: place)
  }

  @Test func aRepeatedCursorEndsTheListing() async throws {
    let (run, pages) = try await check {
      Self.page(($0 * 10)..<($0 * 10 + 10), cursor: "\"\(($0 + 1) % 3)\"")
    }
    try expect(run, Array(0..<30) + Array(0..<10))
    #expect(pages == 4)
  }

  @Test func endlessEmptyPagesAreAnError() async throws {
    let (run, pages) = try await check { Self.page(0..<0, cursor: "\"\($0 + 1)\"") }
    try expect(run, [])
    #expect(pages == 1_000)
  }

  @Test func anEndlesslyRepeatedPageIsAnError() async throws {
    let (run, pages) = try await check { Self.page(0..<10, cursor: "\"\($0 + 1)\"") }
    try expect(run, Array(0..<10))
    #expect(pages == 11)
  }

  @Test func aCursorOfHalfAMegabyteIsAnError() async throws {
    let cursor = "\"1" + String(repeating: "x", count: 1 << 19) + "\""
    let (run, _) = try await check { _ in Self.page(0..<10, cursor: cursor) }
    try expect(run, Array(0..<10))
  }

  @Test(arguments: ["5", "{}", "[]", "true"])
  func aNonStringCursorIsAnError(cursor: String) async throws {
    let (run, _) = try await check { _ in Self.page(0..<10, cursor: cursor) }
    #expect(run.status == 76)
    #expect(run.output == "")
    let message = try #require(try run.messages.first)
    #expect(message.text("method") == "app.bsky.graph.getFollowers")
    #expect(message.text("cause") == "lexicon.mismatch" && message.text("path") == "cursor")
  }

  @Test(arguments: ["5", "null", "{}", "{\"did\":5}", "{\"did\":\"nobody\"}"])
  func anInvalidAccountIsAnErrorAfterTheOthers(account: String) async throws {
    let (run, _) = try await check { _ in "{\"followers\":[{\"did\":\"\(Self.actor)\"},\(account)]}" }
    #expect(run.status == 76)
    #expect(run.output.contains("\(Self.actor)") && run.output.contains("\"self\""))
    let message = try #require(try run.message("listingCoverage"))
    #expect(message.number("unreadableElements") == 1)
  }
}
