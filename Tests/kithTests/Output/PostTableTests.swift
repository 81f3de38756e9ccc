// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithPosts
import TestSupport
import Testing

@testable import KithOperations
@testable import kith

/// How posts read on a terminal.
@Suite struct PostTableTests {
  private static let uri = "at://\(Accounts.did(1))/app.bsky.feed.post/p1"

  private func lines(
    _ text: String, embed: String = "", name: String = "Al", columns: Int? = 60
  ) throws -> [String] {
    let cid = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"
    let author = DataValue.object([
      "did": .string(Accounts.did(1).description), "handle": "user1.test", "displayName": .string(name),
    ])
    let date: DataValue = "2026-01-01T00:00:00.000Z"
    var post: DataObject = [
      "uri": .string(Self.uri), "cid": .string(cid), "author": author, "indexedAt": date,
      "likeCount": .integer(1),
      "record": .object(["text": .string(text), "createdAt": date]),
    ]
    if !embed.isEmpty { post["embed"] = try JSONCoding.decode(DataValue.self, from: Array(embed.utf8)) }
    let item = try JSONCoding.decode(
      FeedItem.self, from: try JSONCoding.encode(DataValue.object(["post": .object(post)])))
    let now = try Datetime(parsing: "2026-01-01T01:00:00.000Z")
    return ParagraphLayout(columns: columns).lines(
      PostRow(item).tableRow(at: now), Palette(isTerminal: false, forbidden: true, environment: [:]))
  }

  @Test func aPostIsALineOfNamesAndItsTextWrappedBelow() throws {
    let lines = try lines(
      "One line that is longer than the terminal is wide, so it is wrapped.\n\nAnother line.")
    #expect(lines.first == "user1.test  Al  1 h ago")
    #expect(
      lines.dropFirst().prefix(3) == [
        "  One line that is longer than the terminal is wide, so it", "  is wrapped.", "  Another line.",
      ])
    #expect(lines.suffix(2) == ["  1 like  https://bsky.app/profile/user1.test/post/p1", ""])
  }

  @Test func addressesAreNotCut() throws {
    let address = "https://example.test/" + String(repeating: "a", count: 90)
    let card =
      #"{"$type":"app.bsky.embed.external#view","external":{"uri":"\#(address)","title":"T","description":""}}"#
    #expect(try lines("x", embed: card).contains { $0.hasSuffix(address) })
    #expect(try lines("see \(address)").contains("  \(address)"))
  }

  @Test func textOfStrangersCannotMoveTheCursor() throws {
    let picture =
      ##"{"$type":"app.bsky.embed.images#view","images":[{"fullsize":"https://a.test/\u001b[2J","alt":"\u202Eevil\u001b]0;x\u0007\r\n"}]}"##
    let lines = try lines("\u{1B}[31mred\u{202E}\r\nx\u{7}", embed: picture, name: "A\u{1B}[2J\nB")
    #expect(
      !lines.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f || $0 == "\u{202E}" })
  }

  @Test func withoutATerminalNothingIsWrapped() throws {
    let text = String(repeating: "word ", count: 50)
    #expect(try lines(text, columns: nil).dropFirst().first?.count ?? 0 > 200)
  }

  @Test func aVeryNarrowTerminalStillShowsWords() throws {
    #expect(try lines("some words of a post here", columns: 3).count > 3)
  }
}
