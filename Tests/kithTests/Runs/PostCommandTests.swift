// SPDX-License-Identifier: Apache-2.0

import Foundation
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

  private func signIn() async throws {
    let ending = try await user.kith(["login", "alice.test"])
    #expect(ending.status == .success, "\(ending.talk)")
  }

  private func records(_ collection: String) throws -> [String: DataValue] {
    let account = try user.number("alice")
    let nsid = try NSID(parsing: "app.bsky.feed.\(collection)")
    let network = user.network.live.network
    return user.network.live.state { state in
      let table = state.repository(account).table(nsid)
      return Dictionary(
        table.entries.map { ($0.key.description, network.content(of: $0.record).value) }
      ) { first, _ in first }
    }
  }

  /// Sets the preferences of the account, as its app does.
  private func prefer(_ preferences: String) throws {
    let account = try user.number("alice")
    let wanted = try JSONCoding.decode([DataValue].self, from: Array(preferences.utf8))
      .map { App.Bsky.Actor.Defs.PreferencesElement.unknown(try $0.decode(UnknownUnionMember.self)) }
    user.network.live.state { $0.preferences[account] = wanted }
  }

  private static let settings = "app.bsky.actor.defs#postInteractionSettingsPref"

  // MARK: Publishing

  @Test func optionsSayWhatIsPublished() async throws {
    try await signIn()
    let text = Array(repeating: "Hi @nobody.test, see example.com.", count: 20).joined(separator: " ")
    let refused = try await run("post", text, "--yes")
    #expect(refused.status == .badInput && refused.talk.contains(#""code":"postTooLong""#))
    let ending = try await run(
      "post", text, "--thread", "--lang", "en", "--label", "nudity", "--replies", "followers", "--replies",
      "following", "--no-card", "--yes")
    #expect(ending.status == .success, "\(ending.talk)")
    #expect(ending.talk.contains(#""code":"mentionUnknown""#))
    let posts = try records("post").values
    #expect(posts.count == 3 && posts.allSatisfy { $0["langs"]?.array?.compactMap(\.string) == ["en"] })
    #expect(posts.allSatisfy { $0["labels"]?["values"]?.array?.first?["val"]?.string == "nudity" })
    #expect(try records("threadgate").values.first?["allow"]?.array?.count == 2)
  }

  @Test func otherPostsAreNamedByOptions() async throws {
    try await signIn()
    let post = try user.post(of: "bob")
    #expect(try await run("post", "x", "--reply-to", post, "--quote", post, "--yes").status == .success)
    let record = try #require(try records("post").values.first)
    #expect(record["reply"]?["parent"]?["uri"]?.string == post)
    #expect(record["embed"]?["record"]?["uri"]?.string == post)
    let gone = "at://\(try user.did("bob"))/app.bsky.feed.post/3k2yihcrp6f2c"
    #expect(try await run("post", "x", "--quote", gone, "--yes").status == .notFound)
  }

  @Test func itAsksAndPublishesNothingWithoutAnAnswer() async throws {
    try await signIn()
    #expect(try await run("post", "hello").status == .usage)
    #expect(try await run("post", "", "--yes").status == .usage)
    #expect(try await run("post", "hello", "--dry-run").rows.first?.text("state") == "planned")
    let plan = try await run(
      "post", "Hi @bob.test, example.com", "--quote", try user.post(of: "bob"), "--explain")
    #expect(plan.rows.last?.text("points") == "9", "\(plan.rows)")
    #expect(try records("post").isEmpty)
  }

  // MARK: Who may answer

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

  @Test func whatIsRemovedFromAPictureIsSaid() async throws {
    try await signIn()
    let ending = try await run(
      "post", "The sea", "--image", "\(Self.pictures)/photo.jpg", "--alt", "Waves", "--yes")
    #expect(ending.status == .success, "\(ending.talk)")
    #expect(ending.talk.contains("position") && ending.talk.contains("picturePreview"))
    #expect(try records("post").values.first?["embed"]?["images"]?.array?.first?["alt"]?.string == "Waves")
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
    let control = try await run("post", "x", "--image", picture, "--alt", "a\u{7}", "--yes")
    #expect(control.status == .badInput && control.talk.contains("--alt") && control.talk.contains("U+00"))
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

  @Test func aFileThatIsNoPictureIsRefusedBeforeAnythingIsSent() async throws {
    try await signIn()
    for (name, status) in [("none.jpg", ExitStatus.fileTrouble), ("../PictureTests.swift", .badInput)] {
      let ending = try await run("post", "x", "--image", "\(Self.pictures)/\(name)", "--alt", "", "--yes")
      #expect(ending.status == status, "\(ending.talk)")
    }
    #expect(try records("post").isEmpty)
  }

  @Test func aProfileIsChangedByOptions() async throws {
    try await signIn()
    #expect(try await run("profile", "set").status == .usage)
    #expect(try await run("profile", "set", "--website", "javascript:x").status == .usage)
    #expect(try await run("profile", "set", "--bio", "a\u{1B}[31m").status == .badInput)
    let (picture, page) = ("\(Self.pictures)/photo.png", "https://example.com")
    let ending = try await run(
      "profile", "set", "--name", "Al", "--bio", "I like birds.", "--website", page, "--pronouns", "she/her",
      "--avatar", picture, "--banner", picture)
    #expect(ending.status == .success, "\(ending.talk)")
    let profile = try #require(
      user.network.live.records(
        of: try user.did("alice"), in: .init(generated: "app.bsky.actor.profile")
      ).first?.value)
    let texts = ["displayName", "description", "website", "pronouns"].map { profile[$0]?.string }
    #expect(texts == ["Al", "I like birds.", page, "she/her"])
    #expect(["avatar", "banner"].map { profile[$0]?.type } == ["blob", "blob"])
  }

  @Test func aWeakerCheckOfTheProfileIsSaid() async throws {
    let user = try InProcessUser(.arroba, accounts: 60)
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let ending = try await user.kith(["profile", "set", "--bio", "I like birds."])
    #expect(ending.status == .success && ending.talk.contains(#""code":"replacedUncompared""#))
    let follow = try await user.kith(["follow", "judy.test", "niaj.test", "--yes"]).talk
    #expect(!follow.contains(#""code":"replacedUncompared""#))
    #expect(follow.components(separatedBy: #""code":"edgesMadeUncompared""#).count == 2)
  }

  @Test func aListOfCloseFriendsIsSaidToBePublic() async throws {
    try await signIn()
    #expect(try await run("lists", "create", "Close", "--purpose", "curate", "bob.test").status == .success)
    let note = #""code":"listIsPublic""#
    #expect(try await run("post", "hello", "--replies", "Close", "--yes").talk.contains(note))
    #expect(try await run("feed", "--list", "Close").talk.contains(note))
  }

  // MARK: Deleting and reacting

  @Test(arguments: ["like", "repost"])
  func aReactionIsMadeAndTakenBack(verb: String) async throws {
    try await signIn()
    let post = try user.post(of: "bob")
    #expect(try await run(verb, post).rows.map { $0.text("state") } == ["done"])
    let accounts = try await run(verb == "like" ? "likers" : "reposters", post)
    #expect(accounts.rows.contains { $0.text("handle") == "alice.test" })
    #expect(try await run("un\(verb)", post).rows.map { $0.text("state") } == ["done"])
    #expect(try records(verb).isEmpty)
  }

  @Test func aPostIsDeletedAfterAYes() async throws {
    try await signIn()
    let post = try #require(try await run("post", "hello", "--yes").rows.first?.text("subject"))
    #expect(try await run("posts", "delete", post).status == .usage)
    #expect(try await run("posts", "delete", post, "--yes").status == .success)
    #expect(try records("post").isEmpty)
    #expect(try await run("posts", "delete", try user.post(of: "bob"), "--yes").status == .notAllowed)
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
}
