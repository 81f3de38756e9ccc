// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// What `kith undo` takes back, what it asks, and what it brings back that a server has thrown away.
@Suite struct UndoCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 60) }

  @discardableResult private func run(
    _ words: String..., expecting status: kith.ExitStatus = .success,
    _ place: SourceLocation = #_sourceLocation
  ) async throws -> InProcessUser.Ending {
    let ending = try await user.kith(words)
    #expect(ending.status == status, "\(words): \(ending.talk)", sourceLocation: place)
    return ending
  }

  private func posts() throws -> [DataValue] {
    try records("app.bsky.feed.post").map(\.value)
  }

  private func records(_ collection: String) throws -> [(key: RecordKey, value: DataValue)] {
    let collection = try NSID(parsing: collection)
    return user.network.live.records(of: try user.did("alice"), in: collection)
  }

  private func profile() throws -> DataValue {
    let value = try records("app.bsky.actor.profile").first?.value
    return try #require(value)
  }

  /// The AT-URI of Alice's latest post.
  private func lastPost() throws -> String {
    let keys = try records("app.bsky.feed.post").map { "\($0.key)" }
    let last = try #require(keys.max())
    return "at://\(try user.did("alice"))/app.bsky.feed.post/\(last)"
  }

  private func hasFile(_ value: DataValue?) throws -> Bool {
    let account = try user.number("alice")
    let cid = try #require(value?["ref"]?.link)
    return user.network.live.state { $0.files.file(cid, of: account) } != nil
  }

  // MARK: The last change

  /// A command that made no job, or changed nothing, is still the last one: a post stays.
  @Test func itNeverTakesBackSomethingOlderThanTheLastCommand() async throws {
    try await run("login", "alice.test")
    try await run("follow", "judy.test")
    try await run("post", "My dear post", "--yes")
    try await run("follow", "judy.test")
    let unchanged = try await run("undo", "--yes", expecting: .usage)
    #expect(unchanged.talk.contains("lastChangeStays") && unchanged.talk.contains("changedNothing"))
    #expect(unchanged.talk.contains(#""older":2"#))
    try await run("people", "dismiss", "bob.test")
    #expect(try await run("undo", "--yes").talk.contains("tookBack"))
    #expect(try await run("people", "dismissed").rows.isEmpty)
    #expect(try await run("undo", "--yes", expecting: .usage).talk.contains("isTakenBack"))
    try await run("segments", "add", "big", "followers > 10")
    try await run("segments", "add", "big", "followers > 20")
    try await run("undo")
    #expect(try await run("segments").rows.map { $0.text("predicate") } == ["followers > 10"])
    try await run("segments", "remove", "big")
    try await run("undo")
    #expect(try await run("segments").rows.count == 1)
    try await run("watch", "add", "bob.test")
    try await run("undo")
    #expect(try await run("watch").rows.isEmpty)
    try await run("notifications", "subscribe", "bob.test")
    #expect(try await run("undo", "--yes", expecting: .usage).talk.contains("isFinal"))
    #expect(try posts().count == 1)
    try await run("undo", "2", "--yes")
    #expect(try posts().isEmpty)
  }

  /// After a change, undo after undo goes back in time; what an account did says nothing about another one.
  @Test func undoAfterUndoGoesBackUntilACommandThatChangedNothing() async throws {
    try await run("login", "alice.test")
    try await run("follow", "judy.test")
    try await run("people", "dismiss", "bob.test")
    try await run("mute", "bob.test")
    #expect(try await run("undo").rows.first?.text("undoes") == "2")
    #expect(try await run("undo").talk.contains("tookBack"))
    #expect(try await run("undo", expecting: .usage).talk.contains("isTakenBack"))
    #expect(try await user.kith(["login", "bob.test"], password: "pw-bob").status == .success)
    #expect(try await run("undo", "--account", "bob.test", expecting: .usage).talk.contains("nothingToUndo"))
    try await user.network.clock.sleep(for: .seconds(10))
    try await run("jobs", "prune", "--older-than", "1s", "--account", "alice.test")
    #expect(
      try await run("undo", "--account", "alice.test", expecting: .usage).talk.contains("lastChangeStays"))
  }

  // MARK: Public content

  @Test func whatIsPublicAsksOnceMoreAndSaysWhatStays() async throws {
    try await run("login", "alice.test")
    try await run("post", "hello", "--yes")
    let post = try lastPost()
    try await run("profile", "set", "--bio", "I like birds.")
    for job in ["1", "2"] {
      #expect(try await run("undo", job, expecting: .usage).talk.contains("needsConfirmation"))
    }
    #expect(try posts().count == 1)
    #expect(try await user.kith(["login", "bob.test"], password: "pw-bob").status == .success)
    try await run("post", "an answer", "--reply-to", post, "--yes", "--account", "bob.test")
    let delete = try await run("posts", "delete", post, "--account", "alice.test", expecting: .usage)
    #expect(delete.talk.contains("1 reply"))
    let undo = try await run("undo", "1", "--account", "alice.test", expecting: .usage)
    #expect(undo.talk.contains("1 reply"))
    let words = ["undo", "1", "--account", "alice.test"]
    let unknown = try await user.kith(words, over: DeafTransport(user.network, to: "getPosts"))
    #expect(unknown.status == .usage && unknown.talk.contains("unknown"))
  }

  /// Each record of a thread is undone by itself.
  @Test func aThreadOfWhichAPartIsGoneIsUndoneToTheEnd() async throws {
    try await run("login", "alice.test")
    let text = Array(repeating: "This is a sentence that says nothing.", count: 20).joined(separator: " ")
    let thread = try await run("post", text, "--thread", "--replies", "none", "--yes")
    #expect(thread.status == .success)
    try await run("posts", "delete", try lastPost(), "--yes")
    let undo = try await run("undo", "1", "--yes")
    #expect(try posts().isEmpty)
    #expect(undo.rows.first?.text("skipped") != "0" && undo.rows.first?.text("done") != "0", "\(undo.rows)")
    #expect(try records("app.bsky.feed.threadgate").isEmpty)
  }

  /// A network in which no server answers to a method.
  private struct DeafTransport: HTTPTransport {
    let network: FaultyNetwork
    let method: String
    var capabilities: TransportCapabilities { network.capabilities }

    init(_ network: FaultyNetwork, to method: String) { (self.network, self.method) = (network, method) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard request.head.path?.contains(method) == true else { return try await network.send(request) }
      throw TransportError(.cannotConnect, host: "pds.test")
    }
  }

  // MARK: What the server throws away

  private static let pictures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../KithPostsTests/Pictures").standardized.path

  private var copies: String { "\(user.home.path())/data/kith/files" }

  @Test func thePicturesOfADeletedPostComeBack() async throws {
    try await run("login", "alice.test")
    try await run("post", "sea", "--image", "\(Self.pictures)/photo.jpg", "--alt", "Waves", "--yes")
    let before = try posts()
    let image = before.first?["embed"]?["images"]?.array?.first?["image"]
    let uri = try lastPost()
    let cid = try #require(image?["ref"]?.link)
    try await run("posts", "delete", uri, "--yes")
    #expect(try posts().isEmpty)
    #expect(try !hasFile(image))
    let names = try FileManager.default.contentsOfDirectory(atPath: copies)
    #expect(names == ["\(cid)"])
    let mode = try FileManager.default.attributesOfItem(atPath: "\(copies)/\(names[0])")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    try await run("undo", "--yes")
    #expect(try posts() == before)
    #expect(try hasFile(image))
    try await run("posts", "delete", uri, "--yes")
    try FileManager.default.removeItem(atPath: "\(copies)/\(names[0])")
    // Gone for good: it is said before, and the post stays away.
    let asked = try await run("undo", expecting: .usage)
    #expect(asked.talk.contains("needsConfirmation"))
    let undo = try await run("undo", "--yes")
    #expect(undo.talk.contains("filesNotRestorable"))
    #expect(undo.rows.first?.text("skipped") == "1", "\(undo.rows)")
    #expect(try posts().isEmpty)
  }

  @Test func aReplacedAvatarComesBackAndTheTextsComeBackWithoutIt() async throws {
    try await run("login", "alice.test")
    try await run("profile", "set", "--avatar", "\(Self.pictures)/photo.png", "--name", "Alice A")
    let before = try profile()
    try await run("profile", "set", "--avatar", "\(Self.pictures)/photo.jpg", "--name", "Alice B")
    let after = try profile()
    #expect(try !hasFile(before["avatar"]))
    try await run("undo", "2", "--yes")
    #expect(try profile() == before)
    #expect(try hasFile(before["avatar"]))
    try await run("profile", "set", "--avatar", "\(Self.pictures)/photo.jpg", "--name", "Alice B")
    for name in try FileManager.default.contentsOfDirectory(atPath: copies) {
      try FileManager.default.removeItem(atPath: "\(copies)/\(name)")
    }
    #expect(try await run("undo", "--yes").talk.contains("filesNotRestorable"))
    #expect(try profile()["displayName"]?.string == "Alice A")
    #expect(try profile()["avatar"] == after["avatar"])
  }

  /// If a server does not hand out a file, the rest is changed, and that is said.
  @Test func aPictureThatCannotBeCopiedIsCounted() async throws {
    try await run("login", "alice.test")
    try await run("profile", "set", "--avatar", "\(Self.pictures)/photo.png")
    let ending = try await user.kith(
      ["profile", "set", "--avatar", "\(Self.pictures)/photo.jpg"],
      over: DeafTransport(user.network, to: "getBlob"))
    #expect(ending.talk.contains("filesNotRestorable") && ending.rows.first?.text("state") == "done")
  }
}
