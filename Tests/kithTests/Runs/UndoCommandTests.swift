// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// What `kith undo` takes back, asks and says.
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

  /// The AT-URI of Alice's latest post.
  private func lastPost() throws -> String {
    let keys = try records("app.bsky.feed.post").map { "\($0.key)" }
    let last = try #require(keys.max())
    return "at://\(try user.did("alice"))/app.bsky.feed.post/\(last)"
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
    #expect(try await run("undo").talk.contains("tookBack"))
    try await run("undo", "2", "--yes")
    #expect(try posts().isEmpty)
  }

  // MARK: Public content

  @Test func whatIsPublicAsksOnceMoreAndSaysWhatStays() async throws {
    try await run("login", "alice.test")
    try await run("post", "hello", "--yes")
    let post = try lastPost()
    #expect(try await user.kith(["login", "bob.test"], password: "pw-bob").status == .success)
    try await run("post", "an answer", "--reply-to", post, "--yes", "--account", "bob.test")
    for words in [["posts", "delete", post], ["undo", "1"]] {
      let asked = try await user.kith(words + ["--account", "alice.test"])
      #expect(asked.status == .usage && asked.talk.contains("1 reply"), "\(asked.talk)")
      #expect(asked.talk.contains("needsConfirmation"))
    }
    #expect(try posts().count == 1)
  }

  // MARK: What the server throws away

  private static let pictures = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../KithPostsTests/Pictures").standardized.path

  private var copies: String { "\(user.home.path())/data/kith/files" }

  @Test func aPictureComesBackFromItsCopyAlone() async throws {
    try await run("login", "alice.test")
    try await run("post", "sea", "--image", "\(Self.pictures)/photo.jpg", "--alt", "Waves", "--yes")
    let before = try posts()
    let image = before.first?["embed"]?["images"]?.array?.first?["image"]
    let uri = try lastPost()
    let cid = try #require(image?["ref"]?.link)
    try await run("posts", "delete", uri, "--yes")
    let names = try FileManager.default.contentsOfDirectory(atPath: copies)
    #expect(names == ["\(cid)"])
    let mode = try FileManager.default.attributesOfItem(atPath: "\(copies)/\(names[0])")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    try await run("undo", "--yes")
    #expect(try posts() == before)
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
}
