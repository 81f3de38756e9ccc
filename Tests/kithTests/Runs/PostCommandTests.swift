// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Publishing, answering, quoting, deleting and liking posts.
@Suite struct PostCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 60) }

  private func run(_ words: String...) async throws -> InProcessUser.Ending { try await user.kith(words) }

  private func signIn(_ name: String = "alice") async throws {
    let ending = try await user.kith(["login", "\(name).test"], password: "pw-\(name)")
    #expect(ending.status == .success, "\(ending.talk)")
  }

  private func records(_ collection: String, of name: String = "alice") throws -> [String: DataValue] {
    let account = try user.number(name)
    let nsid = try NSID(parsing: "app.bsky.feed.\(collection)")
    let network = user.network.live.network
    return user.network.live.state { state in
      let table = state.repository(account).table(nsid)
      return Dictionary(
        table.entries.map { ($0.key.description, network.content(of: $0.record).value) }
      ) { first, _ in first }
    }
  }

  /// Sets the preferences of an account, as its app does.
  private func prefer(_ preferences: String, by name: String = "alice") throws {
    let account = try user.number(name)
    let wanted = try JSONCoding.decode([DataValue].self, from: Array(preferences.utf8))
      .map { App.Bsky.Actor.Defs.PreferencesElement.unknown(try $0.decode(UnknownUnionMember.self)) }
    user.network.live.state { $0.preferences[account] = wanted }
  }

  private static let settings = "app.bsky.actor.defs#postInteractionSettingsPref"

  // MARK: Publishing

  @Test func aPostIsPublishedWithWhatItNamesAndShownInTheFeed() async throws {
    try await signIn()
    let ending = try await run(
      "post", "Hi @bob.test and @nobody.test: example.com #x", "--lang", "en", "--yes")
    #expect(ending.status == .success, "\(ending.talk)")
    let record = try #require(try records("post").values.first)
    let features = record["facets"]?.array?.compactMap { $0["features"]?.array?.first?.type }
    #expect(features?.map { $0.drop { $0 != "#" } } == ["#mention", "#link", "#tag"])
    #expect(ending.talk.contains(#""code":"mentionUnknown""#))
    let feed = try await run("feed", "--of", "alice.test", "--limit", "1")
    #expect(feed.rows.first?.text("uri") == ending.rows.first?.text("subject"))
    #expect(feed.rows.first?.text("text") == record["text"]?.string)
  }

  @Test func itAsksAndPublishesNothingWithoutAnAnswer() async throws {
    try await signIn()
    #expect(try await run("post", "hello").status == .usage)
    #expect(try await run("post", "hello", "--dry-run").rows.first?.text("state") == "planned")
    #expect(try records("post").isEmpty)
  }

  /// No server is asked, so it is counted in that the account restricts replies and quotes.
  @Test func thePlanOfAPostAsksNobodyAndIsAnUpperBound() async throws {
    try await signIn()
    let requests = user.network.requests
    let ending = try await run(
      "post", "Hi @bob.test, example.com", "--quote", try user.post(of: "bob"), "--explain")
    #expect(user.network.requests == requests)
    #expect(ending.rows.last?.text("points") == "9", "\(ending.rows)")
    #expect(try await run("post", String(repeating: "x", count: 301), "--explain").status == .badInput)
    #expect(try await run("post", "x", "--reply-to", "alice.test", "--explain").status == .badInput)
  }

  @Test func undoDeletesItAndASecondUndoDoesNot() async throws {
    try await signIn()
    #expect(try await run("post", "hello", "--replies", "none", "--yes").status == .success)
    #expect(try (records("post").count, records("threadgate").count) == (1, 1))
    #expect(try await run("undo", "1", "--yes").status == .success)
    #expect(try (records("post").count, records("threadgate").count) == (0, 0))
  }

  @Test func aLongTextIsRefusedOrSplitIntoAThread() async throws {
    try await signIn()
    let text = Array(repeating: "This is a sentence that says nothing.", count: 20).joined(separator: " ")
    let refused = try await run("post", text, "--yes")
    #expect(refused.status == .badInput)
    #expect(refused.talk.contains(#""code":"postTooLong""#))
    #expect(try records("post").isEmpty)
    let ending = try await run("post", text, "--thread", "--yes")
    #expect(ending.status == .success, "\(ending.talk)")
    #expect(try records("post").count == 3)
    let thread = try await run("thread", try #require(ending.rows.first?.text("subject")))
    #expect(thread.rows.map { $0.text("depth") } == ["0", "1", "2"])
    #expect(thread.rows.compactMap { $0.text("text") }.joined(separator: " ") == text)
    #expect(try await run("undo", "1", "--yes").status == .success)
    #expect(try records("post").isEmpty)
  }

  @Test(arguments: ["", "  \n "])
  func aPostWithoutTextIsRefused(text: String) async throws {
    try await signIn()
    let ending = try await run("post", text, "--yes")
    #expect(ending.status == .usage)
    #expect(try records("post").isEmpty)
  }

  // MARK: Answers and quotes

  /// Half an address would lead elsewhere, and apps do not show control characters.
  @Test(arguments: [
    ("see https://example.com/" + String(repeating: "a", count: 320), "markTooLong"),
    ("a\u{1B}[31mred", "controlCharacter"),
  ])
  func aTextThatCannotBeShownAsItIsIsRefused(text: String, code: String) async throws {
    try await signIn()
    for options in [[], ["--thread"]] {
      let refused = try await user.kith(["post", text, "--yes", "--no-card"] + options)
      #expect(refused.status == .badInput && refused.talk.contains(code))
    }
    #expect(try records("post").isEmpty)
  }

  /// An address that stands after letters is not a link, and does not become one where a thread is cut.
  @Test func aCutOfAThreadMakesNoLink() async throws {
    try await signIn()
    let text = String(repeating: "あ", count: 300) + "https://www.example.com/abc い"
    let ending = try await run("post", text, "--thread", "--dry-run", "--no-card")
    let previews = try KithMessage.all(in: ending.talk).filter { $0.code == "postPreview" }
    #expect(previews.count == 2 && previews.allSatisfy { $0["links"]?.array?.isEmpty == true })
  }

  /// The same rule holds for what is published besides the text, and each refusal names what is meant.
  @Test(arguments: [
    (["profile", "set", "--bio", "a\u{1B}[31m"], "description"),
    (["profile", "set", "--name", "a\u{7}"], "displayName"),
    (["profile", "set", "--pronouns", "a\0"], "pronouns"),
    (["lists", "create", "a\u{7}", "--purpose", "curate"], "name"),
    (["lists", "create", "Birds", "--purpose", "curate", "--description", "a\u{7}"], "description"),
    (["post", "x", "--image", "@", "--alt", "a\u{7}"], "--alt"),
  ])
  func noTextIsPublishedWithControlCharacters(words: [String], name: String) async throws {
    try await signIn()
    let words = words.map { $0 == "@" ? "\(Self.pictures)/photo.jpg" : $0 }
    let ending = try await user.kith(words + ["--yes"])
    #expect(ending.status == .badInput, "\(ending.talk)")
    #expect(
      ending.talk.contains("\(name)") && ending.talk.contains("U+00"), "\(ending.talk)")
    #expect(user.network.live.tally.commits == 0)
  }

  @Test func anAnswerNamesTheRootAndAppearsInTheThread() async throws {
    try await signIn()
    let post = try user.post(of: "bob")
    let first = try await run("post", "first", "--reply-to", post, "--yes")
    let second = try await run("post", "second", "--reply-to", first.rows[0].text("subject") ?? "", "--yes")
    #expect(second.status == .success, "\(second.talk)")
    let thread = try await run("thread", post, "--fields", "text,depth")
    let texts = thread.rows.filter { $0.text("depth")?.hasPrefix("-") == false }.compactMap {
      $0.text("text")
    }
    #expect(texts.contains("first") && texts.contains("second"))
    let record = try records("post").values.first { $0["text"]?.string == "second" }
    let root = try records("post").values.first { $0["text"]?.string == "first" }?["reply"]?["root"]
    #expect(record?["reply"]?["root"] == root && root != nil)
  }

  @Test func aPostThatIsNotShownCannotBeAnsweredOrQuoted() async throws {
    try await signIn()
    let gone = "at://\(try user.did("bob"))/app.bsky.feed.post/3k2yihcrp6f2c"
    for option in ["--reply-to", "--quote"] {
      let ending = try await run("post", "hello", option, gone, "--yes")
      #expect(ending.status == .notFound, "\(option) \(ending.talk)")
    }
    #expect(try records("post").isEmpty)
  }

  @Test func rulesOfTheAuthorAreRespected() async throws {
    try await signIn("carol")
    try prefer(
      #"[{"$type":"\#(Self.settings)","postgateEmbeddingRules":[{"$type":"app.bsky.feed.postgate#disableRule"}]}]"#,
      by: "carol")
    let closed = try await run("post", "closed", "--replies", "none", "--yes")
    #expect(closed.status == .success, "\(closed.talk)")
    #expect(try records("postgate", of: "carol").count == 1)
    let post = try #require(closed.rows.first?.text("subject"))
    try await signIn()
    for (option, code) in [("--reply-to", "repliesClosed"), ("--quote", "quotesClosed")] {
      let ending = try await run("post", "hello", option, post, "--yes", "--account", "alice.test")
      #expect(ending.status == .notAllowed, "\(ending.talk)")
      #expect(ending.talk.contains(#""code":"\#(code)""#))
    }
    #expect(try records("post").isEmpty)
  }

  // MARK: Who may answer

  @Test func whatTheAccountHasSetIsAppliedInTheSameCommit() async throws {
    try await signIn()
    try prefer(
      #"[{"$type":"\#(Self.settings)","threadgateAllowRules":[{"$type":"app.bsky.feed.threadgate#followerRule"}]}]"#
    )
    #expect(try await run("post", "one", "--yes").status == .success)
    #expect(user.network.live.tally.commits == 1)
    let gate = try #require(try records("threadgate").first)
    #expect(try records("post").keys.first == gate.key)
    #expect(gate.value["allow"]?.array?.first?.type == "app.bsky.feed.threadgate#followerRule")
    #expect(try await run("post", "two", "--replies", "everyone", "--yes").status == .success)
    #expect(try records("threadgate").count == 1)
  }

  @Test func aPostIsNotSentWhileTheSettingIsUnreadable() async throws {
    try await signIn()
    try prefer(#"[{"$type":"\#(Self.settings)","threadgateAllowRules":"followers"}]"#)
    let refused = try await run("post", "hello", "--yes")
    #expect(refused.status == .unavailable)
    let message = try #require(
      try KithMessage.all(in: refused.talk).first { $0.code == "audienceUnknown" })
    #expect(message.text.components(separatedBy: "getPreferences").count == 2, "its cause is said once")
    #expect(try records("post").isEmpty)
    let sent = try await run("post", "hello", "--replies", "mentioned", "--yes")
    #expect(sent.status == .success)
    #expect(sent.talk.contains(#""code":"quotesNotLearned""#))
  }

  @Test(arguments: [
    ["--replies", "everyone", "--replies", "followers"],
    ["--replies", "none", "--reply-to", "at://x.test/y/z"],
    ["--lang", "no language"], ["--lang", "en", "--lang", "de", "--lang", "fr", "--lang", "it"],
    ["--label", "nonsense"],
  ])
  func optionsAreCheckedBeforeAnythingIsAsked(options: [String]) async throws {
    let ending = try await user.kith(["post", "hello"] + options + ["--yes"])
    #expect(ending.status == .usage)
  }

  // MARK: Pictures

  private static let pictures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../KithPostsTests/Pictures").standardized.path

  @Test func aPictureIsPublishedWithoutItsMetadata() async throws {
    try await signIn()
    let ending = try await run(
      "post", "The sea", "--image", "\(Self.pictures)/photo.jpg", "--alt", "Waves", "--yes")
    #expect(ending.status == .success, "\(ending.talk)")
    #expect(ending.talk.contains("position") && ending.talk.contains("picturePreview"))
    let image = try #require(try records("post").values.first?["embed"]?["images"]?.array?.first)
    #expect(image["alt"]?.string == "Waves")
    #expect(image["aspectRatio"]?["width"]?.integer == 48)
    let account = try user.number("alice")
    let cid = try #require(image["image"]?["ref"]?.link)
    let file = try #require(user.network.live.state { $0.files.file(cid, of: account) })
    #expect(Data(file.bytes).range(of: Data("Camera".utf8)) == nil)
    #expect(image["image"]?["size"]?.integer == Int64(file.bytes.count))
    let feed = try await run("feed", "--of", "alice.test", "--limit", "1")
    #expect(feed.rows.first?.text("attachments")?.contains("Waves") == true)
  }

  @Test func aPictureThatIsNotThereIsReportedBeforeItsDescriptionIsAskedFor() async throws {
    try await signIn()
    let ending = try await run("post", "x", "--image", "/nowhere/sea.jpg", "--yes")
    #expect(ending.status == .fileTrouble, "\(ending.talk)")
  }

  @Test func aPictureWithoutADescriptionIsRefusedInScripts() async throws {
    try await signIn()
    let picture = "\(Self.pictures)/photo.png"
    #expect(try await run("post", "x", "--image", picture, "--yes").status == .usage)
    #expect(try await run("post", "x", "--alt", "y", "--yes").status == .usage)
    #expect(try await run("post", "", "--image", picture, "--alt", "", "--yes").status == .success)
  }

  /// A description belongs to the picture before it, also where another picture has none.
  @Test func aDescriptionBelongsToThePictureBeforeIt() async throws {
    try await signIn()
    let (first, second) = ("\(Self.pictures)/photo.jpg", "\(Self.pictures)/photo.webp")
    for words in [
      ["--image", first, "--image", second, "--alt", "Red"], ["--alt", "Red", "--image", first],
      ["--image", first, "--alt", "Red", "--alt", "Blue", "--image", second, "--alt", ""],
    ] {
      let ending = try await user.kith(["post", "x", "--yes"] + words)
      #expect(ending.status == .usage, "\(words): \(ending.talk)")
    }
    #expect(try records("post").isEmpty)
    let ending = try await user.kith([
      "post", "x", "--yes", "--image", first, "--alt=Red", "--lang", "en", "--image=\(second)", "--alt",
      "--image",
    ])
    #expect(ending.status == .success, "\(ending.talk)")
    let images = try #require(try records("post").values.first?["embed"]?["images"]?.array)
    #expect(images.map { $0["alt"]?.string } == ["Red", "--image"])
  }

  /// After five minutes it is not a mistake.
  @Test func theSamePostOnceMoreIsNotedForFiveMinutes() async throws {
    try await signIn()
    func notes(_ words: String...) async throws -> String {
      let ending = try await user.kith(["post", "--yes"] + words)
      #expect(ending.status == .success, "\(ending.talk)")
      return try #require(ending.rows.first?["notes"])
    }
    #expect(try await notes("hello") == "[]")
    #expect(try await notes("hello", "--dry-run") != "[]")
    #expect(try await notes("hello") != "[]" && records("post").count == 2)
    #expect(try await notes("hello there") == "[]")
    try await user.network.clock.sleep(for: .seconds(301))
    #expect(try await notes("hello") == "[]")
    // What was undone is not there twice.
    #expect(try await run("undo", "--yes").status == .success)
    #expect(try await notes("hello") == "[]")
  }

  @Test func aFileThatIsNoPictureIsRefusedBeforeAnythingIsSent() async throws {
    try await signIn()
    for (name, status) in [("none.jpg", ExitStatus.fileTrouble), ("../PictureTests.swift", .badInput)] {
      let ending = try await run("post", "x", "--image", "\(Self.pictures)/\(name)", "--alt", "", "--yes")
      #expect(ending.status == status, "\(ending.talk)")
    }
    #expect(try records("post").isEmpty)
  }

  @Test func aPictureThatTheServerHasDeletedIsUploadedAgain() async throws {
    try await signIn()
    let account = try user.number("alice")
    user.network.live.state { $0.files.losesUnnamed = account }
    let ending = try await run(
      "post", "x", "--image", "\(Self.pictures)/photo.webp", "--alt", "", "--yes")
    #expect(ending.status == .success, "\(ending.talk)")
    #expect(try records("post").count == 1)
  }

  /// A page with a picture, beside the network.
  private final class PageNetwork: HTTPTransport {
    let base: FaultyNetwork
    let picture: [UInt8]
    var capabilities: TransportCapabilities { base.capabilities }

    init(_ base: FaultyNetwork, picture: [UInt8]) { (self.base, self.picture) = (base, picture) }

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
    try await signIn()
    let file = Array(try Data(contentsOf: URL(filePath: "\(Self.pictures)/photo.png")))
    let network = PageNetwork(user.network, picture: file)
    let words = ["post", "See https://page.example.com/"]
    #expect(try await user.kith(words + ["--dry-run"], over: network).status == .success)
    let ending = try await user.kith(words + ["--yes"], over: network)
    #expect(ending.status == .success && ending.talk.contains(#""card":"Birds""#), "\(ending.talk)")
    let card = try #require(try records("post").values.first?["embed"]?["external"])
    #expect(card["title"]?.string == "Birds" && card["thumb"]?.type == "blob")
    let plain = try await user.kith(words + ["--yes", "--no-card"], over: network)
    #expect(plain.status == .success && !plain.talk.contains(#""card":"Birds""#))
  }

  @Test func aProfileIsChangedAndEverythingElseStays() async throws {
    try await signIn()
    #expect(try await run("profile", "set").status == .usage)
    #expect(try await run("profile", "set", "--website", "javascript:x").status == .usage)
    let ending = try await run(
      "profile", "set", "--bio", "I like birds.", "--avatar", "\(Self.pictures)/photo.png")
    #expect(ending.status == .success, "\(ending.talk)")
    let profile = try await run("profile", "alice.test")
    #expect(profile.rows.first?.text("description") == "I like birds.")
    #expect(profile.rows.first?.text("displayName") == "Alice")
    let records = user.network.live.records(
      of: try user.did("alice"), in: .init(generated: "app.bsky.actor.profile"))
    #expect(records.first?.value["avatar"]?.type == "blob")
    #expect(
      try await run("profile", "set", "--bio", "I like birds.").rows.first?.text("state") == "unchanged")
    #expect(try await run("undo", "1", "--yes").status == .success)
    #expect(try await run("profile", "alice.test").rows.first?.text("description") != "I like birds.")
  }

  @Test(arguments: [(SandboxDialect.reference, false), (.arroba, true)])
  func aWeakerCheckOfTheProfileIsSaid(dialect: SandboxDialect, isWeaker: Bool) async throws {
    let user = try InProcessUser(dialect, accounts: 60)
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let ending = try await user.kith(["profile", "set", "--bio", "I like birds."])
    #expect(ending.status == .success, "\(ending.talk)")
    #expect(ending.talk.contains(#""code":"replacedUncompared""#) == isWeaker)
    let follow = try await user.kith(["follow", "judy.test", "niaj.test", "--yes"]).talk
    #expect(!follow.contains(#""code":"replacedUncompared""#))
    #expect(follow.components(separatedBy: #""code":"edgesMadeUncompared""#).count == (isWeaker ? 2 : 1))
    #expect(!(try await user.kith(["unfollow", "judy.test", "--yes"]).talk.contains("edgesMadeUncompared")))
  }

  @Test func aListOfCloseFriendsIsSaidToBePublic() async throws {
    try await signIn()
    #expect(try await run("lists", "create", "Close", "--purpose", "curate", "bob.test").status == .success)
    let note = #""code":"listIsPublic""#
    #expect(try await run("post", "hello", "--replies", "Close", "--yes").talk.contains(note))
    #expect(!(try await run("post", "hello", "--replies", "followers", "--yes").talk.contains(note)))
    #expect(try await run("feed", "--list", "Close").talk.contains(note))
  }

  // MARK: Deleting and reacting

  @Test func aDeletedPostComesBackUnderItsKey() async throws {
    try await signIn()
    let post = try #require(try await run("post", "hello", "--yes").rows.first?.text("subject"))
    #expect(try await run("posts", "delete", post).status == .usage)
    #expect(try await run("posts", "delete", post, "--yes").status == .success)
    #expect(try records("post").isEmpty)
    #expect(try await run("posts", "delete", post, "--yes").rows.first?.text("state") == "unchanged")
    #expect(try await run("undo", "2", "--yes").status == .success)
    #expect(try records("post").keys.first == String(post.split(separator: "/").last ?? ""))
    let foreign = try user.post(of: "bob")
    #expect(try await run("posts", "delete", foreign, "--yes").status == .notAllowed)
  }

  @Test(arguments: ["like", "repost"])
  func aReactionIsMadeOnceAndTakenBack(verb: String) async throws {
    try await signIn()
    let post = try user.post(of: "bob")
    func state(_ words: String...) async throws -> String? {
      try await user.kith(words).rows.first?.text("state")
    }
    #expect(try await state(verb, post) == "done")
    #expect(try await state(verb, post) == "unchanged")
    #expect(try records(verb).count == 1)
    let lists = ["like": "likers", "repost": "reposters"]
    let accounts = try await run(lists[verb] ?? "", post)
    #expect(accounts.rows.contains { $0.text("handle") == "alice.test" })
    #expect(try await state("un\(verb)", post, "--yes") == "done")
    #expect(try await state("un\(verb)", post, "--yes") == "unchanged")
    #expect(try records(verb).isEmpty)
    #expect(try await run("undo", "2", "--yes").status == .success)
    #expect(try records(verb).count == 1)
    // The undo of a removal makes no second record.
    #expect(try await state("un\(verb)", post, "--yes") == "done")
    #expect(try await state(verb, post) == "done")
    #expect(try await run("undo", "4", "--yes").status == .success)
    #expect(try records(verb).count == 1)
  }

  /// Rows of one command are the input of the next.
  @Test func postsAreNamedByRowsOnStdin() async throws {
    try await signIn()
    for text in ["one", "two", "three"] { _ = try await run("post", text, "--yes") }
    let feed = try await run("feed", "--of", "me", "--limit", "3")
    let uris = feed.rows.compactMap { $0.text("uri") }
    #expect(uris.count == 3)
    let rows = uris.map { #"{"at":null,"uri":"\#($0)","text":"x"}"# + "\n" }.joined()
    let liked = try await user.kith(["like", "-"], input: rows)
    #expect(liked.status == .success && liked.rows.map { $0.text("state") } == ["done", "done", "done"])
    #expect(try records("like").count == 3)
    let unliked = try await user.kith(["unlike", "-", uris[0], "--yes"], input: "\(uris[1])\n\(uris[2])\n")
    #expect(unliked.rows.map { $0.text("subject") } == [uris[1], uris[2], uris[0]])
    // Something else than a post changes nothing.
    let mixed = try await user.kith(["posts", "delete", "-", "--yes"], input: rows + "alice.test\n")
    #expect(mixed.status == .badInput)
    #expect(try records("post").count == 3)
    let deleted = try await user.kith(["posts", "delete", "-", "--yes"], input: rows)
    #expect(deleted.rows.map { $0.text("state") } == ["done", "done", "done"])
    #expect(try records("post").isEmpty)
    #expect(try await user.kith(["repost", "-"], input: "").status == .success)
  }

  @Test func aReactionToAPostThatIsNotShownIsNotFound() async throws {
    try await signIn()
    let gone = "at://\(try user.did("bob"))/app.bsky.feed.post/3k2yihcrp6f2c"
    let ending = try await run("like", gone, try user.post(of: "bob"))
    #expect(ending.rows.map { $0.text("state") } == ["notFound", "done"])
    #expect(try await run("unlike", gone, "--yes").rows.first?.text("state") == "error")
  }
}
