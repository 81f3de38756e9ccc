// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithPosts

/// What is read of a post.
@Suite struct PostTests {
  typealias Samples = FeedSamples

  private func attachments(_ embed: String) throws -> [Post.Attachment] {
    try Samples.decode(Samples.item(Samples.post(1, 1, at: 5, more: #","embed":\#(embed)"#))).post.attachments
  }

  @Test func aPostIsDatedByTheEarlierDate() throws {
    // A date in the future, and one long after the fact.
    for (written, indexed, expected) in [(9_000_000_000, 100, 100), (50, 100, 50)] as [(Int64, Int64, Int64)]
    {
      let item = try Samples.decode(Samples.item(Samples.post(1, 1, at: written, indexed: indexed)))
      #expect(item.moment.instant == Instant(secondsSinceEpoch: expected))
    }
  }

  @Test func aRepostIsDatedByItsOwnTimeAndIsOfItsSender() throws {
    let reason =
      #","reason":{"$type":"app.bsky.feed.defs#reasonRepost","by":\#(Samples.profile(2)),"indexedAt":"\#(Samples.date(80))"}"#
    let item = try Samples.decode(Samples.item(Samples.post(1, 1, at: 5), reason))
    #expect(item.moment.instant == Instant(secondsSinceEpoch: 80))
    #expect(item.sender.account == Accounts.did(2))
  }

  @Test(arguments: [
    #","reason":{"$type":"app.bsky.feed.defs#reasonPin"}"#,
    #","reason":{"$type":"com.example#because","x":1}"#,
    #","reason":7"#, #","reply":{"root":{"$type":"com.example#x"},"parent":9}"#,
    #","feedContext":"x","reqId":"y""#,
  ])
  func aPinnedPostAndUnknownReasonsArePlain(_ more: String) throws {
    let item = try Samples.decode(Samples.item(Samples.post(1, 1, at: 5), more))
    #expect(item.repost == nil && item.parent == nil && !item.isBelowBlock)
    #expect(item.sender.account == Accounts.did(1))
  }

  /// AppViews leave out or break counts; that is not none.
  @Test func aCountThatIsMissingOrAbsurdIsUnknown() throws {
    let more = #","likeCount":null,"repostCount":-1,"replyCount":7.5,"quoteCount":3"#
    let counts = try Samples.decode(Samples.item(Samples.post(1, 1, at: 5, more: more))).post.summary.counts
    #expect(counts.likes == nil && counts.reposts == nil && counts.replies == nil && counts.quotes == 3)
    let many = #","likeCount":9007199254740993,"repostCount":0"#
    let others = try Samples.decode(Samples.item(Samples.post(1, 1, at: 5, more: many))).post.summary.counts
    #expect(others.likes == nil && others.reposts == 0 && others.quotes == nil)
  }

  @Test func everyKindOfEmbedIsShown() throws {
    let image = #"{"thumb":"https://t.test/1","fullsize":"https://f.test/1","alt":"a cat"}"#
    let images = #"{"$type":"app.bsky.embed.images#view","images":[\#(image),{"alt":7}]}"#
    #expect(try attachments(images) == [.picture(alt: "a cat", link: "https://f.test/1")])
    let item = #"{"thumbnail":"https://t.test/1","fullsize":"https://f.test/2","alt":""}"#
    #expect(
      try attachments(#"{"$type":"app.bsky.embed.gallery#view","items":[\#(item)]}"#) == [
        .picture(alt: "", link: "https://f.test/2")
      ])
    #expect(
      try attachments(#"{"$type":"app.bsky.embed.video#view","cid":"x","playlist":"https://v.test"}"#) == [
        .video(alt: "", link: "https://v.test")
      ])
    let card = #"{"uri":"https://c.test","title":"A card","description":""}"#
    #expect(
      try attachments(#"{"$type":"app.bsky.embed.external#view","external":\#(card)}"#) == [
        .card(title: "A card", link: "https://c.test")
      ])
    let quote = #"{"uri":"\#(Samples.uri(3, 1))","author":\#(Samples.profile(3)),"value":{"text":"quoted"}}"#
    let record = #"{"$type":"app.bsky.embed.record#view","record":\#(quote)}"#
    let shown = try #require(
      try Samples.decode(Samples.item(Samples.post(1, 1, at: 5, more: #","embed":\#(record)"#))).post.quote)
    guard case .post(let author, "quoted") = shown.content else { return #expect(Bool(false), "\(shown)") }
    #expect(author.account == Accounts.did(3))
    let both =
      #"{"$type":"app.bsky.embed.recordWithMedia#view","record":{"record":\#(quote)},"media":\#(images)}"#
    #expect(try attachments(both).count == 2)
    #expect(try attachments(#"{"$type":"com.example.embed#view","x":1}"#).isEmpty)
    #expect(try attachments(#"{"images":[\#(image)]}"#).isEmpty)
  }

  @Test(arguments: [
    (#","blocked":true,"author":{"did":"did:plc:x"}"#, PostReference.Content.blocked),
    (#","notFound":true"#, .gone), (#","detached":true"#, .detached),
    (#","name":"Moss","creator":{}"#, .other(name: "Moss")),
    (#","displayName":"A feed","creator":{}"#, .other(name: "A feed")),
  ])
  func whatAQuoteDoesNotShowIsTold(members: String, content: PostReference.Content) throws {
    let record = #"{"uri":"\#(Samples.uri(3, 1))"\#(members)}"#
    let post = Samples.post(
      1, 1, at: 5, more: #","embed":{"$type":"app.bsky.embed.record#view","record":\#(record)}"#)
    #expect(try Samples.decode(Samples.item(post)).post.quote?.content == content)
  }

  @Test func labelsAndWhatTheViewerDidAreOfThePost() throws {
    let label = #"{"src":"\#(Accounts.did(9))","uri":"\#(Samples.uri(1, 1))","val":"nsfw","cts":"x"}"#
    let other = #"{"src":"\#(Accounts.did(9))","uri":"\#(Samples.uri(1, 2))","val":"spam","cts":"x"}"#
    let viewer = #"{"like":"at://\#(Samples.viewer)/app.bsky.feed.like/l","replyDisabled":true}"#
    let post = try Samples.decode(
      Samples.item(Samples.post(1, 1, at: 5, more: #","labels":[\#(label),\#(other)],"viewer":\#(viewer)"#))
    ).post
    #expect(post.labels == [AccountMarks.Label("nsfw", by: Accounts.did(9))])
    #expect(post.viewer?.like?.recordKey?.description == "l")
    #expect(post.viewer?.isReplyDisabled == true && post.viewer?.isEmbeddingDisabled == false)
  }
}
