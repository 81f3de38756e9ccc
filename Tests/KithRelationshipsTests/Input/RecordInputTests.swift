// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@Suite struct RecordInputTests {
  private static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

  @Test(arguments: [
    ("at://\(did)/app.bsky.graph.list/3k2a", RecordInput.Kind.list, did),
    ("at://alice.test/app.bsky.graph.list/3k2a", .list, "alice.test"),
    ("https://bsky.app/profile/alice.test/lists/3k2a", .list, "alice.test"),
    (" https://deer.social/profile/did%3Aplc%3Aewvi7nxzyoun6zhxrhs64oiz/lists/3k2a?x=1#y ", .list, did),
    ("at://\(did)/app.bsky.graph.starterpack/3k2a", .starterPack, did),
    ("https://bsky.app/starter-pack/alice.test/3k2a", .starterPack, "alice.test"),
    ("https://bsky.app/start/\(did)/3k2a", .starterPack, did),
    ("bsky.app/profile/alice.test/lists/3k2a", .list, "alice.test"),
    ("https://bsky.app/profile/@alice.test/lists/3k2a/posts", .list, "alice.test"),
    ("bsky.app/starter-pack/%40alice.test/3k2a/", .starterPack, "alice.test"),
  ]) func parsesURIsAndPages(text: String, kind: RecordInput.Kind, owner: String) throws {
    let input = try #require(try RecordInput(parsing: text))
    #expect(input.kind == kind)
    #expect(input.owner.description == owner)
    #expect(input.rkey.description == "3k2a")
    let collection = kind == .list ? "app.bsky.graph.list" : "app.bsky.graph.starterpack"
    let uri = input.uri(ownedBy: Accounts.did(1))
    #expect(uri.description == "at://\(Accounts.did(1))/\(collection)/3k2a")
  }

  @Test(arguments: ["Noise", "alice.test", did, "", "Noise/lists/3k2a", "profile/alice.test"])
  func returnsNilForOtherTexts(text: String) throws {
    #expect(try RecordInput(parsing: text) == nil)
  }

  /// As browsers and apps show and copy them.
  @Test(arguments: [
    "https://bsky.app/profile/alice.test/post/3k2a", "bsky.app/profile/alice.test/post/3k2a",
    "https://bsky.app/profile/@alice.test/post/3k2a",
    "https://bsky.app/profile/%40alice.test/post/3k2a?ref=x",
    "https://bsky.app/profile/alice.test/post/3k2a/liked-by", "bsky.app/profile/alice.test/post/3k2a/quotes/",
    "https://bsky.app/profile/alice.test/post/3k2a,", "at://alice.test/app.bsky.feed.post/3k2a;",
    "HTTPS://BSKY.APP/profile/alice.test/post/3k2a", "AT://alice.test/app.bsky.feed.post/3k2a",
    "https://bsky.app/profile/alice%2Etest/post/3k2%61", "<https://bsky.app/profile/alice.test/post/3k2a>",
    " <https://bsky.app/profile/alice.test/post/3k2a>, ",
  ])
  func postsAreReadInTheFormsInWhichPeopleCopyThem(text: String) throws {
    let input = try RecordInput(post: text)
    #expect(
      input.kind == .post && input.owner.description == "alice.test" && input.rkey.description == "3k2a")
  }

  @Test(arguments: [
    "at://\(did)", "at://\(did)/app.bsky.graph.list", "at://\(did)/app.bsky.feed.post/3k2a",
    "at://\(did)/app.bsky.graph.list/3k2a/x", "at://x/app.bsky.graph.list/3k2a",
    "at://\(did)/app.bsky.graph.list/", "https://bsky.app/profile/alice.test",
    "https://bsky.app/profile/alice.test/lists", "https://bsky.app/profile/alice.test/feed/3k2a",
    "https://bsky.app/profile/alice/lists/3k2a", "https://go.bsky.app/abc",
    "https://bsky.app/starter-pack/alice.test/a%2Fb", "https://bsky.app/starter-pack/alice.test/a%zz%",
    "https://bsky.app/starter-pack/alice.test/%FF",
  ]) func rejectsOtherRecords(text: String) throws {
    let error = #expect(throws: InputError.self) { try RecordInput(parsing: text) }
    #expect(error?.text == text && error?.noun == "list or starter pack")
  }
}
