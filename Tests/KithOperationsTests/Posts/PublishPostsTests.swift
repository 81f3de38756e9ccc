// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import KithOperations
import KithPosts
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport

/// Posts and threads: what is published with them, and which are not sent.
@Suite struct PublishPostsTests {
  private let alice: ServedUser
  private var network: FaultyNetwork { alice.network }

  init() async throws { alice = try await ServedUser(on: FaultyNetwork(accounts: 60)) }

  private func posts() throws -> [DataValue] { Array(try alice.records(.post).values) }

  /// Sets the preferences of an account, as its app does.
  private func prefer(_ fields: DataObject, by name: String = "alice") throws {
    let account = try network.number(name)
    let type: DataObject = ["$type": "app.bsky.actor.defs#postInteractionSettingsPref"]
    let value = DataValue.object(fields.merging(type) { $1 })
    let preference = App.Bsky.Actor.Defs.PreferencesElement.unknown(
      try value.decode(UnknownUnionMember.self))
    network.live.state { $0.preferences[account] = [preference] }
  }

  /// Three posts long.
  private static let essay = Array(repeating: "This is a sentence that says nothing.", count: 20)
    .joined(separator: " ")

  private static func thread(_ text: String) -> PublishPosts {
    var post = PublishPosts(text)
    post.splits = true
    return post
  }

  private static func post(_ text: String = "hello", for replies: PublishPosts.Replies) -> PublishPosts {
    var post = PublishPosts(text)
    post.replies = replies
    return post
  }

  // MARK: Text

  @Test func whatTheTextNamesIsMarkedAndShownInTheFeed() async throws {
    let run = try await alice.confirmed(PublishPosts("Hi @bob.test and @nobody.test: example.com #x"))
    #expect(run.outcome.ending == .done && run.rows.map(\.state) == [.done])
    let record = try #require(try posts().first)
    let features = record["facets"]?.array?.compactMap { $0["features"]?.array?.first?.type }
    #expect(features?.map { $0.drop { $0 != "#" } } == ["#mention", "#link", "#tag"])
    #expect(run.notes["postPreview"]?["unknownHandles"] == .array([.string("nobody.test")]))
    let feed = try await alice.run(ReadFeed(.author(try alice.actor("alice")), limit: 1)).rows
    #expect(feed.first?.uri.description == run.rows.first?.subject)
    #expect(feed.first?.post?.summary.text == record["text"]?.string)
  }

  @Test func withoutAYesNothingIsPublished() async throws {
    let declined = try await alice.run(Change(PublishPosts("hello")))
    #expect(declined.outcome.ending == .declined && declined.rows.isEmpty)
    #expect(declined.questions.map(\.code) == ["change"])
    #expect(try await alice.previewed(PublishPosts("hello")).rows.map(\.state) == [.planned])
    #expect(try posts().isEmpty)
  }

  /// No server is asked, so it is counted in that the account restricts replies and quotes.
  @Test func itsEstimateAsksNobodyAndIsAnUpperBound() async throws {
    func points(_ post: PublishPosts) async throws -> Int {
      try await Change(post).cost(in: alice.workspace()) { _ in }.points
    }
    var post = PublishPosts("Hi @bob.test, example.com")
    post.quoted = "\(try network.post(of: "bob"))"
    let requests = network.requests
    #expect(try await points(post) == 9)
    var reply = PublishPosts("x")
    reply.answered = "alice.test"
    for refused in [PublishPosts(String(repeating: "x", count: 301)), reply] {
      #expect(await FailureKind.thrown { try await points(refused) } == .invalidInput)
    }
    #expect(network.requests == requests)
  }

  @Test func undoDeletesItWithWhatSaysWhoMayReply() async throws {
    #expect(try await alice.confirmed(Self.post(for: .only([]))).outcome.ending == .done)
    #expect(try (posts().count, alice.records(.threadgate).count) == (1, 1))
    #expect(try await alice.run(UndoJob(JobID(number: 1))).outcome.ending == .done)
    #expect(try (posts().count, alice.records(.threadgate).count) == (0, 0))
  }

  @Test func aLongTextIsRefusedOrSplitIntoAThread() async throws {
    let refused = try await alice.failure(ofChange: PublishPosts(Self.essay))
    #expect(refused.code == "postTooLong" && refused.kind == .invalidInput)
    #expect(try posts().isEmpty)
    let run = try await alice.confirmed(Self.thread(Self.essay))
    #expect(try run.outcome.ending == .done && posts().count == 3)
    let first = try ATURI(parsing: try #require(run.rows.first?.subject))
    let thread = try await alice.run(ReadThread(first)).rows
    #expect(thread.map(\.place?.depth) == [0, 1, 2])
    #expect(thread.compactMap(\.post?.summary.text).joined(separator: " ") == Self.essay)
    #expect(try await alice.run(UndoJob(JobID(number: 1))).outcome.ending == .done)
    #expect(try posts().isEmpty)
  }

  /// Half an address would lead elsewhere, and apps do not show control characters.
  @Test(arguments: [
    ("", "emptyPost", FailureKind.usage), ("  \n ", "emptyPost", .usage),
    ("see https://example.com/" + String(repeating: "a", count: 320), "markTooLong", .invalidInput),
    ("a\u{1B}[31mred", "controlCharacter", .invalidInput),
  ])
  func aTextThatCannotBeShownAsItIsIsRefused(text: String, code: String, kind: FailureKind) async throws {
    for splits in [false, true] {
      var post = PublishPosts(text)
      (post.splits, post.wantsCard) = (splits, false)
      let refused = try await alice.failure(ofChange: post)
      #expect(refused.code == code && refused.kind == kind)
    }
    #expect(try posts().isEmpty)
  }

  /// It is noticed before a picture of it leaves this machine.
  @Test func aPostThatBreaksTheLexiconIsRefused() async throws {
    var post = PublishPosts("The sea")
    post.labels = (0..<11).map { "label-\($0)" }
    post.pictures = [.init(try ChangeTests.picture(), alt: "Waves")]
    let run = try await alice.confirmed(post)
    #expect(run.rows.map(\.state) == [.refused] && run.rows.map(\.refusal) == [.invalid])
    #expect(try posts().isEmpty && run.calls["com.atproto.repo.uploadBlob"] == nil)
  }

  /// An address that stands after letters is not a link, and does not become one where a thread is cut.
  @Test func aCutOfAThreadMakesNoLink() async throws {
    var post = Self.thread(String(repeating: "あ", count: 300) + "https://www.example.com/abc い")
    post.wantsCard = false
    let run = try await alice.previewed(post)
    let records = run.rows.flatMap(\.writes).compactMap { write in
      if case .create(let value) = write.action { value } else { nil }
    }.filter { $0["text"] != nil }
    #expect(records.count == 2 && records.allSatisfy { ($0["facets"]?.array ?? []).isEmpty })
    guard case .array(let texts)? = run.notes["postPreview"]?["texts"] else {
      Issue.record("no texts")
      return
    }
    #expect(texts.count == 2)
  }

  /// After five minutes it is not a mistake.
  @Test func theSamePostOnceMoreIsNotedForFiveMinutes() async throws {
    func notes(_ text: String = "hello") async throws -> [ChangeNote.Code] {
      let run = try await alice.confirmed(PublishPosts(text))
      #expect(run.outcome.ending == .done)
      return try #require(run.rows.first).notes.map(\.code)
    }
    /// Whether the question says it.
    func isRepeated() async throws -> OutputValue? {
      let question = try await alice.run(Change(PublishPosts("hello"))).questions.first
      guard case .object(let concern)? = question?.fields["concern"] else { return nil }
      return concern["isRepeated"]
    }
    #expect(try await notes() == [])
    #expect(try await isRepeated() == .bool(true))
    #expect(try await alice.previewed(PublishPosts("hello")).rows.first?.notes.map(\.code) == [.repeated])
    #expect(try await notes() == [.repeated] && posts().count == 2)
    #expect(try await notes("hello there") == [])
    network.clock.advance(by: .seconds(301))
    #expect(try await isRepeated() == .bool(false))
    #expect(try await notes() == [])
    // What was undone is not there twice.
    #expect(try await alice.run(UndoJob()).outcome.ending == .done)
    #expect(try await notes() == [])
  }

  // MARK: Replies and quotes

  @Test func aReplyNamesTheRootAndAppearsInTheThread() async throws {
    let post = try network.post(of: "bob")
    func reply(_ text: String, to parent: String?) async throws -> String? {
      var reply = PublishPosts(text)
      reply.answered = parent
      let run = try await alice.confirmed(reply)
      #expect(run.outcome.ending == .done)
      return run.rows.first?.subject
    }
    let first = try await reply("first", to: "\(post)")
    _ = try await reply("second", to: first)
    let below = try await alice.run(ReadThread(post)).rows.filter { ($0.place?.depth ?? -1) >= 0 }
    let texts = below.compactMap(\.post?.summary.text)
    #expect(texts.contains("first") && texts.contains("second"))
    func root(of text: String) throws -> DataValue? {
      try posts().first { $0["text"]?.string == text }?["reply"]?["root"]
    }
    #expect(try root(of: "second") == root(of: "first") && root(of: "first") != nil)
  }

  @Test(arguments: [false, true])
  func aPostThatIsNotShownCannotBeAnsweredOrQuoted(isQuote: Bool) async throws {
    let gone = "at://\(try alice.did("bob"))/app.bsky.feed.post/3k2yihcrp6f2c"
    var post = PublishPosts("hello")
    if isQuote { post.quoted = gone } else { post.answered = gone }
    let refused = try await alice.failure(ofChange: post)
    #expect(refused.kind == .notFound && (refused.error as? RelationshipError)?.code == .postNotFound)
    #expect(try posts().isEmpty)
  }

  @Test func rulesOfTheAuthorAreRespected() async throws {
    let carol = try await ServedUser("carol", on: network)
    try prefer(["postgateEmbeddingRules": [["$type": "app.bsky.feed.postgate#disableRule"]]], by: "carol")
    let closed = try await carol.confirmed(Self.post("closed", for: .only([])))
    #expect(closed.outcome.ending == .done)
    #expect(try alice.records(.postgate, of: "carol").count == 1)
    let post = try #require(closed.rows.first?.subject)
    for (option, code) in [(\PublishPosts.answered, "repliesClosed"), (\.quoted, "quotesClosed")] {
      var hello = PublishPosts("hello")
      hello[keyPath: option] = post
      let refused = try await alice.failure(ofChange: hello)
      #expect(refused.code == code && refused.kind == .notAllowed)
    }
    #expect(try posts().isEmpty)
  }

  // MARK: Who may reply

  @Test func whatTheAccountHasSetIsAppliedInTheSameCommit() async throws {
    try prefer(["threadgateAllowRules": [["$type": "app.bsky.feed.threadgate#followerRule"]]])
    #expect(try await alice.confirmed(PublishPosts("one")).outcome.ending == .done)
    #expect(network.live.tally.commits == 1)
    let gate = try #require(try alice.records(.threadgate).first)
    #expect(try alice.records(.post).keys.first == gate.key)
    #expect(gate.value["allow"]?.array?.first?.type == "app.bsky.feed.threadgate#followerRule")
    #expect(try await alice.confirmed(Self.post("two", for: .everyone)).outcome.ending == .done)
    #expect(try alice.records(.threadgate).count == 1)
  }

  @Test func aPostIsNotSentWhileTheSettingIsUnreadable() async throws {
    try prefer(["threadgateAllowRules": "followers"])
    let refused = try await alice.failure(ofChange: PublishPosts("hello"))
    #expect(refused.code == "audienceUnknown" && refused.kind == .unavailable)
    #expect(try posts().isEmpty)
    let sent = try await alice.confirmed(Self.post(for: .only([.rule(.mentioned)])))
    #expect(sent.outcome.ending == .done)
    let fault = try #require(sent.notes["postPreview"]?["audienceFault"])
    #expect(fault != .null)
  }

  @Test func aListThatSaysWhoMayReplyIsSaidToBePublic() async throws {
    let close = CreateList(ListDraft(name: "Close", purpose: .curate), with: .cast("bob"))
    #expect(try await alice.run(Change(close)).outcome.ending == .done)
    for (rule, isPublic) in [(PublishPosts.Rule.list("Close"), true), (.rule(.followers), false)] {
      let run = try await alice.confirmed(Self.post(for: .only([rule])))
      #expect((run.notes["listIsPublic"] != nil) == isPublic)
    }
  }

  // MARK: Pictures

  @Test func aPictureIsPublishedWithoutItsMetadata() async throws {
    var post = PublishPosts("The sea")
    post.pictures = [.init(try .sample("photo.jpg"), alt: "Waves")]
    #expect(try await alice.confirmed(post).outcome.ending == .done)
    let image = try #require(try posts().first?["embed"]?["images"]?.array?.first)
    #expect(image["alt"]?.string == "Waves")
    #expect(image["aspectRatio"]?["width"]?.integer == 48)
    let account = try network.number("alice")
    let cid = try #require(image["image"]?["ref"]?.link)
    let file = try #require(network.live.state { $0.files.file(cid, of: account) })
    #expect(Data(file.bytes).range(of: Data("Camera".utf8)) == nil)
    #expect(image["image"]?["size"]?.integer == Int64(file.bytes.count))
    let feed = try await alice.run(ReadFeed(.author(try alice.actor("alice")), limit: 1)).rows
    var json: [UInt8] = []
    RowEncoder.fields(of: try #require(feed.first))["attachments"]?.appendJSON(to: &json)
    #expect(String(decoding: json, as: UTF8.self).contains("Waves"))
  }

  @Test func aPictureNeedsNeitherTextNorDescription() async throws {
    var post = PublishPosts("")
    post.pictures = [.init(try .sample("photo.png"), alt: "")]
    #expect(try await alice.confirmed(post).outcome.ending == .done)
    #expect(try posts().count == 1)
  }

  @Test func aPictureThatTheServerHasDeletedIsUploadedAgain() async throws {
    let account = try network.number("alice")
    network.live.state { $0.files.losesUnnamed = account }
    var post = PublishPosts("x")
    post.pictures = [.init(try .sample("photo.webp"), alt: "")]
    #expect(try await alice.confirmed(post).outcome.ending == .done)
    #expect(try posts().count == 1)
  }

  /// A page with a picture, beside the network.
  private struct PageNetwork: HTTPTransport {
    let base: FaultyNetwork
    let picture: [UInt8]
    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard request.head.authority == "page.example.com" else { return try await base.send(request) }
      var head = HTTPResponse(status: .ok)
      let isPage = request.head.path == "/"
      head.headerFields[.contentType] = isPage ? "text/html" : "image/png"
      let page = "<title>Birds</title><meta property=og:image content=/a.png>"
      return TransportResponse(head: head, body: isPage ? Array(page.utf8) : picture)
    }
  }

  @Test func theCardOfALinkHasThePictureOfItsPage() async throws {
    let pages = PageNetwork(base: network, picture: try Picture.sample("photo.png").bytes)
    var post = PublishPosts("See https://page.example.com/")
    #expect(try await alice.previewed(post, over: pages).rows.map(\.state) == [.planned])
    let run = try await alice.confirmed(post, over: pages)
    #expect(run.outcome.ending == .done && run.notes["postPreview"]?["card"] == .string("Birds"))
    let card = try #require(try posts().first?["embed"]?["external"])
    #expect(card["title"]?.string == "Birds" && card["thumb"]?.type == "blob")
    post.wantsCard = false
    let plain = try await alice.confirmed(post, over: pages)
    #expect(plain.outcome.ending == .done && plain.notes["postPreview"]?["card"] == .null)
  }
}
