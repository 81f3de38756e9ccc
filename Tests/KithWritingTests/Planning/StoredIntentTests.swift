// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithPosts
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Intents as journals keep them.
@Suite struct StoredIntentTests {
  private static let other = Accounts.did(1)

  private static func uri(_ collection: String) throws -> ATURI {
    try ATURI(parsing: "at://\(other)/\(collection)/3kabcdefghi22")
  }

  private static func version() throws -> RecordVersion {
    RecordVersion(
      uri: try uri("app.bsky.feed.post"),
      cid: try CID(parsing: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"))
  }

  private static func blob() throws -> Blob {
    Blob(ref: try version().cid, mimeType: "image/png", size: 12)
  }

  private static func draft() throws -> PostDraft {
    let mark = RichText.Facet(0..<3, .mention(other))
    let link = RichText.Facet(4..<5, .link(try URI(parsing: "https://example.com/")))
    var draft = PostDraft(RichText("@é x #y\n", facets: [mark, link, RichText.Facet(6..<8, .tag("y"))]))
    draft.languages = [try LanguageTag(parsing: "de-AT")]
    draft.labels = ["nudity"]
    draft.reply = PostDraft.Reply(root: try version(), parent: try version())
    draft.quote = try version()
    draft.pictures = [PostDraft.Picture(try blob(), alt: "a \"b\"", width: 3, height: 4)]
    draft.audience.replies = [.mentioned, .list(try uri("app.bsky.graph.list"))]
    draft.audience.quoting = [["$type": "x#y"]]
    return draft
  }

  private static func withCard() throws -> PostDraft {
    var draft = PostDraft(RichText("x"))
    var card = PostDraft.Card(
      try URI(parsing: "https://example.com/"), title: "T", description: "D")
    card.picture = try URI(parsing: "https://example.com/a.png")
    card.thumbnail = try blob()
    draft.card = card
    draft.audience.replies = []
    return draft
  }

  private static func request() throws -> FriendRequest {
    let value = FriendRequestDraft(expiresAt: Datetime(at: 9_000_000)).record(
      to: Accounts.did(0), at: Datetime(at: 0))
    let rkey = try #require(FriendRequest.key(to: Accounts.did(0)))
    return try #require(FriendRequest(value, of: other, at: rkey))
  }

  private static func all() throws -> [ChangeIntent] {
    let list = try uri("app.bsky.graph.list")
    let post = try uri("app.bsky.feed.post")
    let record = try uri("com.example.record")
    let foreign = EdgeKind(try NSID(parsing: "com.example.fan"), isUnique: false)
    let member = RecordEdge(["subject": .string("\(other)"), "list": .string("\(list)")], in: .listitem)
    var profile = ProfileEdit()
    (profile.name, profile.bio, profile.avatar) = ("N", "", try blob())
    let edges = [
      RecordEdge(foreign, to: other), RecordEdge(.listblock, to: list), RecordEdge(.like, toPost: post),
      member,
      RecordEdge(.friendRequest, to: other),
    ]
    let birds = ListDraft(name: "L", purpose: .other("x#y"), description: "d")
    let request = try request()
    return try edges.flatMap { edge -> [ChangeIntent] in
      let edge = try #require(edge)
      return [.make(edge), .remove(edge), .deduplicate(edge)]
    } + [
      .follow(other), .unfollow(other), .block(other), .unblock(other), .mute(other, .reposts),
      .unmute(other),
      .muteList(list), .unmuteList(list), .blockList(list), .unblockList(list),
      .list(.create(list, birds)),
      .list(.create(list, ListDraft(copying: "\u{FEFF}L", purpose: .curate))),
      .list(.edit(list, ListEdit(name: "N"))), .list(.edit(list, ListEdit(description: ""))),
      .list(.delete(list)), .list(.clear(list)), .add(other, to: list),
      .add(other, to: list, allowsFollowed: true), .remove(other, from: list),
      .friends(.request(other, FriendRequestDraft(.follow, expiresAt: Datetime(at: 5)))),
      .friends(.cancel(other)), .friends(.accept(other, .open(request))), .friends(.accept(other, .none)),
      .friends(.decline(other, .expired(request))), .friends(.decline(other, .unknown)),
      .friends(.remove(other)), .friends(.takeBack(other, [try version()])),
      .friends(.policy(other, FriendPolicy(whoMayAsk: .mutuals, requestLifetime: .seconds(7_200)))),
      .friends(.policy(other, nil)), .records(.make(try [try draft(), try withCard()].records)),
      .records(.put(record, ["note": "x", "$type": "com.example.record"])), .records(.delete(record)),
      .posts(.delete(post)),
      .posts(.react(.like, to: try version(), former: .none)),
      .posts(.react(.repost, to: try version(), former: .record(post))),
      .posts(.takeBack(.like, from: post, former: .unknown)), .profile(profile),
    ]
  }

  @Test func areReadAsTheyWereWritten() throws {
    for intent in try Self.all() {
      let text = try JSONCoding.encode(intent.stored)
      let read = try ChangeIntent(stored: try JSONCoding.decode(DataValue.self, from: text))
      #expect(read == intent)
      #expect(read.madeEdge?.kind.isUnique == intent.madeEdge?.kind.isUnique)
    }
  }

  @Test func fieldsThatAreUnknownAreIgnored() throws {
    let value: DataValue = [
      "do": "make", "collection": "app.bsky.graph.follow", "account": .string("\(Self.other)"), "later": [1],
    ]
    #expect(try ChangeIntent(stored: value) == .follow(Self.other))
  }

  /// Nothing that is missing or of another kind is taken for something else.
  @Test func everythingElseIsRefused() throws {
    for intent in try Self.all() {
      guard let fields = intent.stored.object else { continue }
      for name in fields.names {
        var broken = fields
        broken[name] = .integer(7)
        #expect(throws: (any Error).self, "\(intent.title) with another \(name)") {
          try ChangeIntent(stored: .object(broken))
        }
      }
    }
    for value in [["do": "fly"], [:], "follow", ["do": "make"], ["do": "mute", "account": "did:web:a"]]
      as [DataValue]
    {
      #expect(throws: (any Error).self) { try ChangeIntent(stored: value) }
    }
  }
}
