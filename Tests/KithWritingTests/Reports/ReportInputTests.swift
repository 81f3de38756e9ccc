// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import Testing

@Suite struct ReportInputTests {
  private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

  @Test(arguments: [
    "alice.test", "@alice.test", "https://bsky.app/profile/alice.test", "at://alice.test",
    " https://bsky.app/profile/alice.test/ ",
  ]) func readsAnAccount(text: String) throws {
    let input = try ReportInput(parsing: text)
    #expect(input.owner.description == "alice.test")
    #expect(input.record == nil)
  }

  /// The URL of a post means the post.
  @Test(arguments: [
    ("https://bsky.app/profile/alice.test/post/3k2a", "app.bsky.feed.post"),
    ("https://bsky.app/profile/alice.test/post/3k2a?ref=x", "app.bsky.feed.post"),
    ("https://bsky.app/profile/alice.test/lists/3k2a", "app.bsky.graph.list"),
    ("https://bsky.app/profile/alice.test/feed/3k2a", "app.bsky.feed.generator"),
    ("at://alice.test/app.bsky.feed.post/3k2a", "app.bsky.feed.post"),
    ("bsky.app/profile/alice.test/post/3k2a", "app.bsky.feed.post"),
    ("<HTTPS://bsky.app/profile/alice%2Etest/post/3k2a>,", "app.bsky.feed.post"),
  ]) func readsARecord(text: String, collection: String) throws {
    let input = try ReportInput(parsing: text)
    #expect(input.owner.description == "alice.test")
    #expect(input.record?.collection.description == collection)
    #expect(input.record?.rkey.description == "3k2a")
  }

  @Test(arguments: [
    "", "alice", "at://\(did)/app.bsky.feed.post", "at://\(did)/app.bsky.feed.post/3k2a/x",
    "at://\(did)/x/3k2a", "https://bsky.app/profile/alice.test/post",
    "https://bsky.app/profile/alice.test/likes/3k2a", "https://bsky.app/profile/alice.test/post/a%2Fb",
  ]) func refusesWhatNamesNeither(text: String) {
    #expect(throws: InputError.self) { try ReportInput(parsing: text) }
  }
}
