// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KithCore
import TestSupport
import Testing

@testable import SandboxSupport
@testable import kith

/// Wrong output options are found before the first effect of any command.
@Suite struct OutputCheckTests {
  /// What a command needs to be carried out, where it needs something.
  private static let arguments = [
    "login": "alice.test", "accounts switch": "alice.test", "check": "me bob.test", "resolve": "bob.test",
    "followers": "alice.test",
    "following": "alice.test", "mutuals": "alice.test", "not-following-back": "alice.test",
    "not-followed-back": "alice.test", "known-followers": "bob.test", "common": "alice.test bob.test",
    "blocked-by": "alice.test bob.test", "export": "following", "import": "FILE --as follow",
    "follow": "mallory.test", "unfollow": "bob.test --yes", "block": "mallory.test --yes --for 1h",
    "unblock": "mallory.test", "mute": "mallory.test --for 1h", "unmute": "mallory.test",
    "block-list": "LIST",
    "unblock-list": "LIST", "mute-list": "LIST", "unmute-list": "LIST", "lists show": "LIST",
    "lists create": "new --purpose mod", "lists edit": "LIST --name new", "lists delete": "LIST --yes",
    "lists add": "LIST bob.test", "lists remove": "LIST bob.test --yes", "lists export": "LIST",
    "lists import": "LIST --from FILE", "starter-packs show": "PACK", "starter-packs follow": "PACK --yes",
    "report": "bob.test --reason spam", "jobs show": "1", "jobs resume": "1", "jobs pause": "1",
    "jobs cancel": "1", "jobs retry-failed": "1", "jobs undo": "1 --yes", "undo": "--yes",
    "watch add": "bob.test", "watch remove": "bob.test", "goal": "777", "segments add": "new mutual",
    "segments remove": "old", "doctor": "--fix duplicate --yes", "db backup": "FOLDER",
    "db restore": "FOLDER", "graphs compare": "bluesky tangled",
    "db forget": "me --yes", "friends request": "bob.test", "friends accept": "bob.test --kind friend",
    "friends decline": "bob.test", "friends cancel": "bob.test", "friends remove": "bob.test --yes",
    "friends audience": "LIST --yes", "friends policy": "--expiry 30d", "people search": "bob",
    "people match": "FILE", "people dismiss": "bob.test", "likers": "POST", "reposters": "POST",
    "post": "TEXT --yes", "posts delete": "POST --yes", "like": "POST", "unlike": "POST", "repost": "POST",
    "unrepost": "POST", "profile set": "--bio text",
    "follow-back": "--yes", "thread": "POST", "config set": "points 100", "config unset": "points",
    "quoters": "POST",
    "repliers": "POST",
    "xrpc": "procedure app.bsky.graph.muteActor --input FILE",
  ]

  @Test func everyCommandWithOutputOptionsChecksThem() {
    let leaves = CommandLeaf.all
    #expect(leaves.count > 60)
    for leaf in leaves where leaf.takesCommonOptions {
      #expect(leaf.type is any RowCommand.Type, "\(leaf.line) has to be a RowCommand")
    }
    let lines = Set(leaves.map(\.line))
    for line in Self.arguments.keys { #expect(lines.contains(line), "\(line) is not a command") }
  }

  @Test func wrongOutputOptionsChangeNothing() async throws {
    let user = try InProcessUser()
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    #expect(try await user.kith(["follow", "niaj.test"]).status == .success)
    #expect(try await user.kith(["segments", "add", "old", "mutual"]).status == .success)
    let file = user.home.appending(path: "input.txt")
    try Data("mallory.test\n".utf8).write(to: file)
    let before = try Self.stored(user)
    user.network.begin(.none)
    for leaf in CaseSample.of(CommandLeaf.all.filter(\.takesCommonOptions), one: 6) {
      let uri = "at://\(try user.did("alice"))/app.bsky.graph.list/3jzfcijpj2z2a"
      let words = (Self.arguments[leaf.line] ?? "")
        .replacing("FILE", with: file.path()).replacing("LIST", with: uri)
        .replacing("PACK", with: uri.replacing(".list/", with: ".starterpack/"))
        .replacing("FOLDER", with: user.home.appending(path: "copy").path())
      for options in ["--fields nonsense", "--fields did,nonsense", "--format html"] {
        let line = "\(leaf.line) \(words) \(options)"
        let ending = try await user.kith(line.split(separator: " ").map(String.init))
        let codes = ["unknownField", "noFields", "formatOfReports"]
        let isNamed = codes.contains { ending.talk.contains("\"code\":\"\($0)\"") }
        #expect(ending.status == .usage && isNamed && ending.rows.isEmpty, "\(line): \(ending.talk)")
        #expect(try Self.stored(user) == before, "\(line)")
      }
    }
    #expect(user.network.requests == 0)
  }

  @Test func aBareUndoPassesOverNoUnfinishedJob() async throws {
    let user = try InProcessUser()
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let done = try user.did("niaj").description
    #expect(try await user.kith(["follow", "niaj.test"]).status == .success)
    #expect(try user.records("follow", about: done) == 1)
    let open = try await user.kith(["follow", "mallory.test", "--points", "1/1", "--no-wait"])
    #expect(open.status == .tryLater, "\(open.talk)")
    let undo = try await user.kith(["undo", "--yes"])
    #expect(undo.status == .usage, "\(undo.talk)")
    #expect(undo.talk.contains("lastChangeStays") && undo.talk.contains("isUnfinished"))
    #expect(undo.talk.contains(#""older":1"#))
    #expect(try user.records("follow", about: done) == 1)
  }

  /// The files of the journal and the history, with their contents.
  private static func stored(_ user: InProcessUser) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for folder in ["state", "data"] {
      let root = user.home.appending(path: folder)
      for path in FileManager.default.enumerator(atPath: root.path())?.compactMap({ $0 as? String }) ?? [] {
        files["\(folder)/\(path)"] = FileManager.default.contents(atPath: root.appending(path: path).path())
      }
    }
    return files
  }
}

extension CommandLeaf {
  fileprivate var takesCommonOptions: Bool {
    Mirror(reflecting: type.init()).children.contains { $0.value is OptionGroup<CommonOptions> }
  }
}
