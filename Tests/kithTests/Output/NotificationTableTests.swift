// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithPosts
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import kith

/// How notifications read on a terminal.
@Suite struct NotificationTableTests {
  private static let key = "3jui7kd54zh2y"
  private static let own = "at://\(Accounts.did(0))/app.bsky.feed.post/\(key)"

  private func row(
    _ kind: String, by author: Int, uri: String = "app.bsky.feed.like/3jui7kd54zh2z",
    subject: String? = own, text: String? = nil, saying words: String? = "My dear post"
  ) throws -> NotificationRow {
    func profile(_ number: Int) -> DataValue {
      .object([
        "did": .string("\(Accounts.did(number))"), "handle": .string("\(Accounts.handle(number))"),
      ])
    }
    let date: DataValue = "2026-01-01T00:00:00.000Z"
    var record: DataObject = ["createdAt": date]
    record["text"] = text.map { .string($0) }
    var fields: DataObject = [
      "uri": .string("at://\(Accounts.did(author))/\(uri)"), "author": profile(author),
      "reason": .string(kind),
      "isRead": .bool(false), "indexedAt": date, "record": .object(record),
    ]
    fields["reasonSubject"] = subject.map { .string($0) }
    let cid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
    let post = try words.map { words in
      try JSONCoding.decode(
        Post.self,
        from: try JSONCoding.encode(
          DataValue.object([
            "uri": .string(Self.own), "cid": .string(cid), "author": profile(0), "indexedAt": date,
            "record": .object(["text": .string(words), "createdAt": date]),
          ])))
    }
    return NotificationRow(
      notification: try JSONCoding.decode(
        AccountNotification.self, from: try JSONCoding.encode(DataValue.object(fields))),
      post: post, relationship: nil)
  }

  private func lines(_ row: NotificationRow) throws -> [String] {
    ParagraphLayout(columns: 80).lines(
      row.tableRow(at: try Datetime(parsing: "2026-01-01T01:00:00.000Z")),
      Palette(isTerminal: false, forbidden: true, environment: [:]))
  }

  private var page: String { "https://bsky.app/profile/\(Accounts.handle(0))/post/\(Self.key)" }

  @Test func aLikeShowsTheTextAndTheAddressOfThePost() throws {
    #expect(
      try lines(row("like", by: 1)) == [
        "\(Accounts.handle(1))  likes your post  1 h ago", "  My dear post", "  \(page)", "",
      ])
  }

  @Test func severalLikesOfOnePostAreOneEntry() throws {
    let rows = try (1...3).map { try row("like", by: $0) } + [try row("repost", by: 4)]
    let grouped = NotificationRow.grouped(rows)
    #expect(
      try grouped.map { try lines($0)[0] } == [
        "\(Accounts.handle(1)) and 2 others  like your post  1 h ago",
        "\(Accounts.handle(4))  reposts your post  1 h ago",
      ])
    let two = NotificationRow.grouped(Array(rows.prefix(2)))
    #expect(
      try lines(two[0])[0] == "\(Accounts.handle(1)) and \(Accounts.handle(2))  like your post  1 h ago")
  }

  @Test func aReplyShowsItsOwnTextAndAddress() throws {
    let lines = try lines(row("reply", by: 2, uri: "app.bsky.feed.post/3jui7kd54zh2z", text: "I\nagree"))
    #expect(
      lines == [
        "\(Accounts.handle(2))  replies to you  1 h ago", "  I", "  agree",
        "  about \(Accounts.handle(0)): My dear post",
        "  https://bsky.app/profile/\(Accounts.handle(2))/post/3jui7kd54zh2z", "",
      ])
  }

  @Test func whatIsAboutTheAccountIsOneLine() throws {
    let follow = try row("follow", by: 1, uri: "app.bsky.graph.follow/3jui", subject: nil, saying: nil)
    #expect(try lines(follow) == ["\(Accounts.handle(1))  follows you  1 h ago", ""])
    let feed = "at://\(Accounts.did(0))/app.bsky.feed.generator/cats"
    #expect(
      try lines(row("like", by: 1, subject: feed, saying: nil))[0]
        == "\(Accounts.handle(1))  likes your feed  1 h ago")
  }
}
