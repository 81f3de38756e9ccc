// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithLexicons
import KithRelationships
import TestSupport
import Testing

@testable import KithPosts

/// The record of a post, and who may answer and quote it.
@Suite struct PostDraftTests {
  private let date = Datetime(at: 0)

  private func version(_ key: String) throws -> RecordVersion {
    RecordVersion(
      uri: try ATURI(parsing: "at://\(Accounts.did(1))/app.bsky.feed.post/\(key)"),
      cid: try CID(parsing: "bafyreihwkqppkvmkfrjxfgvo6dwubeuyiw65n7s32l54aginpqh5ju5zmy"))
  }

  @Test func writesWhatTheLexiconWants() throws {
    let text = "Hi @alice.test example.com #x"
    let alice = try Handle(parsing: "alice.test")
    var draft = PostDraft(RichText(MarkedText(text), accounts: [alice: Accounts.did(2)]))
    draft.languages = [try LanguageTag(parsing: "en")]
    draft.labels = ["nudity"]
    draft.reply = PostDraft.Reply(root: try version("3a"), parent: try version("3b"))
    draft.quote = try version("3c")
    let record = try draft.record(createdAt: date)
    let read = try record.decode(App.Bsky.Feed.Post.self)
    try read.validate()
    #expect(read.facets?.count == 3)
    #expect(read.reply?.parent.uri.recordKey?.description == "3b")
    #expect(record["embed"]?.type == "app.bsky.embed.record")
    #expect(record["labels"]?["values"]?.array?.first?["val"]?.string == "nudity")
    #expect(read.langs?.map(\.description) == ["en"])
  }

  @Test func combinesAQuoteWithACard() throws {
    var draft = PostDraft(RichText("x"))
    draft.card = PostDraft.Card(try URI(parsing: "https://example.com"), title: "T", description: "D")
    #expect(try draft.record(createdAt: date)["embed"]?.type == "app.bsky.embed.external")
    draft.quote = try version("3c")
    let embed = try draft.record(createdAt: date)["embed"]
    #expect(embed?.type == "app.bsky.embed.recordWithMedia")
    #expect(embed?["media"]?["external"]?["title"]?.string == "T")
  }

  @Test func refusesWhatBreaksTheLexicon() throws {
    #expect(throws: ValidationError.self) {
      _ = try PostDraft(RichText(String(repeating: "x", count: 301))).record(createdAt: date)
    }
    var draft = PostDraft(RichText("x"))
    draft.labels = (0..<11).map { "label-\($0)" }
    #expect(throws: ValidationError.self) { _ = try draft.record(createdAt: date) }
    #expect(throws: ValidationError.self) { _ = try [PostDraft(RichText("y")), draft].records }
  }

  @Test(arguments: [0, 51])
  func refusesThreadsOfNoOrTooManyPosts(count: Int) {
    let error = #expect(throws: ValidationError.self) {
      _ = try Array(repeating: PostDraft(RichText("x")), count: count).records
    }
    #expect(error?.path == "thread")
  }

  /// Apps do not show control characters.
  @Test func textsHaveNoControlCharacters() throws {
    let blob = Blob(
      ref: try CID(parsing: "bafkreie5funpy4fwncnvnsyhgjpdwsd46yagm264usar4aesev7fqv3iyu"),
      mimeType: "image/png", size: 5)
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures/photo.jpg")
    let picture = try Picture(Array(try Data(contentsOf: file)))
    func record(_ text: String, alt: String) throws -> DataValue {
      var draft = PostDraft(RichText(text))
      draft.pictures = [PostDraft.Picture(blob, of: picture, alt: alt)]
      return try draft.record(createdAt: date)
    }
    let alt = try record("x", alt: "\u{FEFF}one\r\ntwo")["embed"]?["images"]?.array?.first?["alt"]?.string
    #expect(alt == "one\ntwo")
    #expect(throws: ValidationError.self) { try record("x", alt: "a\u{7}") }
    #expect(throws: ValidationError.self) { try record("a\u{1B}[31mred", alt: "") }
  }

  // MARK: Audience

  private func usual(_ settings: String) throws -> PostAudience? {
    let preference = #"{"$type":"app.bsky.actor.defs#postInteractionSettingsPref"\#(settings)}"#
    return PostAudience(preferences: [
      ["$type": "app.bsky.actor.defs#adultContentPref", "enabled": false],
      try JSONCoding.decode(DataValue.self, from: Array(preference.utf8)),
    ])
  }

  @Test func everyoneMayAnswerWithoutASetting() throws {
    #expect(PostAudience(preferences: []) == PostAudience())
    #expect(try usual("") == PostAudience())
    #expect(try usual(#","threadgateAllowRules":null"#)?.replies == nil)
  }

  @Test func anEmptyListOfRulesLetsNobodyAnswer() throws {
    #expect(try usual(#","threadgateAllowRules":[]"#)?.replies == [])
  }

  @Test(arguments: [#","threadgateAllowRules":7"#, #","postgateEmbeddingRules":{}"#])
  func anUnreadableSettingIsNotNone(settings: String) throws {
    #expect(try usual(settings) == nil)
  }

  @Test func rulesOfLaterVersionsAreKept() throws {
    let rules =
      #"[{"$type":"app.bsky.feed.threadgate#followerRule"},{"$type":"com.example#friends","close":true}]"#
    let audience = try #require(
      try usual(
        #","threadgateAllowRules":\#(rules),"postgateEmbeddingRules":[{"$type":"app.bsky.feed.postgate#disableRule"}]"#
      ))
    #expect(audience.replies?.first == .followers)
    var draft = PostDraft(RichText("x"))
    draft.audience = audience
    let gates = try [draft].records.dropFirst()
    #expect(gates.map(\.collection) == [.threadgate, .postgate])
    #expect(gates.first?.fields["allow"]?.array?.last?["close"]?.bool == true)
    #expect(gates.allSatisfy { $0.sharedKey == 0 && $0.references == [RecordDraft.Reference("post", to: 0)] })
  }

  @Test func onlyTheFirstPostOfAThreadSaysWhoMayAnswer() throws {
    var draft = PostDraft(RichText("x"))
    draft.audience.replies = [.following]
    #expect(try [draft, draft].records.map(\.collection) == [.post, .threadgate, .post])
    draft.reply = PostDraft.Reply(root: try version("3a"), parent: try version("3a"))
    #expect(try [draft].records.map(\.collection) == [.post])
  }
}
