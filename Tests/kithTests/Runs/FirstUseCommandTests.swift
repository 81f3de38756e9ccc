// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithRelationships
import KithStore
import KithWriting
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Everyday tasks of an owner and a list maintainer, as they type them, against a sandbox.
@Suite struct FirstUseCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser() }

  @discardableResult
  private func kith(
    _ words: String..., expecting status: Int32 = 0
  ) async throws -> InProcessUser.Ending {
    let ending = try await user.kith(words)
    #expect(ending.status.rawValue == status, "\(words.joined(separator: " ")): \(ending.talk)")
    return ending
  }

  private func path(_ name: String) -> String { user.home.appending(path: name).path() }

  // MARK: Changes with an end

  /// What is muted until when can be asked, and is no longer said of what was unmuted by hand.
  @Test func saysWhatIsMutedUntilWhen() async throws {
    try await kith("login", "alice.test")
    try await kith("mute", "heidi.test", "--for", "2d")
    try await kith("mute", "niaj.test", "--only", "reposts")
    let mutes = try await kith("mutes").rows
    let heidi = try #require(mutes.first { $0.text("handle") == "heidi.test" })
    #expect(heidi.text("until") != nil && heidi.text("scope") == "everything")
    let niaj = try #require(mutes.first { $0.text("handle") == "niaj.test" })
    #expect(niaj.text("until") == nil && niaj.text("scope") == "reposts")
    for names in [[], ["--names"]] {
      let checked = try await user.kith(["check", "me", "heidi.test", "niaj.test"] + names).rows
      #expect(checked.map { $0.text("mutedOnly") } == [nil, "reposts"])
      #expect(checked[0].text("mutedUntil") == heidi.text("until"))
    }
    let timed = try await kith("jobs", "--timed").rows
    #expect(
      timed.map { $0.text("handle") } == ["heidi.test"] && timed[0].text("until") == heidi.text("until"))
    let shown = try await kith("jobs", "show", "1", "--format", "table").talk
    #expect(shown.isEmpty)
    try await kith("unmute", "heidi.test")
    #expect(try await kith("jobs", "--timed").rows.isEmpty)
    #expect(try await kith("mutes").rows.map { $0.text("scope") } == ["reposts"])
    // Undoing the unmute brings the end back with the mute.
    try await kith("undo", "--yes")
    #expect(try await kith("jobs", "--timed").rows.count == 1)
  }

  /// What another app has replaced is not claimed: the AppView says how an account is muted.
  @Test func aMuteOfAPartThatAnotherAppReplacedIsNotShown() async throws {
    try await kith("login", "alice.test")
    try await kith("mute", "niaj.test", "--only", "reposts")
    let body = path("mute.json")
    try "{\"actor\":\"niaj.test\"}".write(toFile: body, atomically: true, encoding: .utf8)
    try await kith("xrpc", "procedure", "app.bsky.graph.muteActor", "--input", body)
    #expect(try await kith("mutes").rows.map { $0.text("scope") } == [nil])
    let checked = try await kith("check", "me", "niaj.test").rows
    #expect(checked[0].text("mutedOnly") == nil && checked[0].text("muted") == "true")
  }

  /// A changed end is an item of the job: it is counted, shown, and undone.
  @Test func aChangedEndIsUndone() async throws {
    try await kith("login", "alice.test")
    try await kith("mute", "heidi.test", "--for", "2d")
    let end = try await kith("jobs", "--timed").rows[0].text("until")
    let permanent = try await kith("mute", "heidi.test").rows
    #expect(
      permanent.map { $0.text("state") } == ["done"] && permanent[0]["writes"]?.contains("setEnd") == true)
    #expect(try await kith("jobs", "--timed").rows.isEmpty)
    #expect(try await kith("undo", "--yes").rows.map { $0.text("state") } == ["done"])
    #expect(try await kith("jobs", "--timed").rows.map { $0.text("until") } == [end])
  }

  /// Ends survive an export, and come back with the mutes; what has ended meanwhile does not come back.
  @Test func endsSurviveExportAndImport() async throws {
    try await kith("login", "alice.test")
    try await kith("mute", "heidi.test", "--for", "1d")
    try await kith("mute", "niaj.test", "--for", "3d")
    try await kith("mute", "carol.test", "--only", "quotes")
    let ends = try await kith("jobs", "--timed").rows.map { $0.text("until") }
    let file = path("mutes.csv")
    try await kith("export", "mutes", "-o", file)
    try await kith("unmute", "heidi.test", "niaj.test", "carol.test")
    try await user.network.clock.sleep(for: .seconds(2 * 86_400))
    let restored = try await kith("import", file, "--yes")
    #expect(restored.rows.map { $0.text("state") } == ["done", "done"], "\(restored.talk)")
    #expect(restored.talk.contains("\"ended\":1"))
    let timed = try await kith("jobs", "--timed").rows
    #expect(timed.map { $0.text("handle") } == ["niaj.test"] && timed.map { $0.text("until") } == [ends[1]])
    #expect(
      try await kith("mutes").rows.first { $0.text("handle") == "carol.test" }.map { $0.text("scope") }
        == "quotes")
  }

  /// Dates come back into the repository that they were in, and into no other.
  @Test func datesComeBackIntoTheirOwnRepositoryOnly() async throws {
    try await kith("login", "alice.test")
    func dates() throws -> [String: String] {
      Dictionary(
        try user.values("follow").compactMap { value in
          value["subject"]?.string.map { ($0, value["createdAt"]?.string ?? "") }
        }
      ) { first, _ in first }
    }
    let before = try dates()
    #expect(before.count > 10)
    let file = path("follows.csv")
    try await kith("export", "following", "-o", file)
    try await kith("unfollow", "--following", "--yes")
    #expect(try dates().isEmpty)
    try await kith("import", file, "--yes")
    #expect(try dates() == before)
    let ending = try await user.kith(["login", "bob.test"], password: "pw-bob")
    #expect(ending.status.rawValue == 0)
    try await kith("unfollow", "--following", "--yes", "--account", "bob.test")
    try await kith("import", file, "--yes", "--account", "bob.test")
    let bob = try user.did("bob")
    let theirs = user.network.live.records(of: bob, in: try #require(NSID("app.bsky.graph.follow")))
    #expect(theirs.count > 10)
    #expect(
      theirs.allSatisfy { record in
        before[record.value["subject"]?.string ?? ""] != record.value["createdAt"]?.string
      })
  }

  // MARK: Lists

  /// Lists take what block and follow take, and are named as their table shows them.
  @Test func listsTakeWhatBlockTakes() async throws {
    try await kith("login", "alice.test")
    let excluded = path("friends.txt")
    try "bob.test\n".write(toFile: excluded, atomically: true, encoding: .utf8)
    try await kith(
      "lists", "create", "Big fish", "--purpose", "curate", "--following", "--where", "mutual", "--yes",
      "--exclude",
      excluded)
    func members(_ list: String) async throws -> [String] {
      try await kith("lists", "show", list).rows.compactMap { $0.text("handle") }
    }
    let mutuals = try await kith("mutuals").rows.compactMap { $0.text("handle") }
    let found = try await members("Big fish")
    #expect(mutuals.contains("bob.test") && Set(found) == Set(mutuals).subtracting(["bob.test"]))
    #expect(try await members("alice.test/Big fish") == found)
    let key = try await kith("lists").rows[0].text("uri")?.split(separator: "/").last
    #expect(try await members("alice.test/\(try #require(key))") == found)
    let first = try await kith("lists", "show", "Big fish", "--limit", "2", "--status").rows
    #expect(first.map { $0.text("status") } == ["active", "active"])
    try await kith("lists", "remove", "Big fish", "--list", "Big fish", "--exclude-following", "--yes")
    #expect(try await members("Big fish") == found)
    let file = path("fish.ndjson")
    try await kith("lists", "export", "Big fish", "-o", file)
    let exported = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let shown = try await kith("lists", "show", "Big fish").rows
    #expect(
      exported.count == shown.count && exported.allSatisfy { $0.hasPrefix("{") }, "\(exported.prefix(2))")
    let typo = try await kith("lists", "show", "alice.test/Small fish", expecting: 65)
    #expect(typo.talk.contains("\"code\":\"unknownListName\""))
  }

  /// The AppView does not show reference lists; their members are counted in the own repository.
  @Test func membersOfEveryListAreCounted() async throws {
    try await kith("login", "alice.test")
    let (alice, date) = (try user.did("alice"), DataValue.string("2026-01-01T00:00:00.000Z"))
    for name in ["Pack", "Empty"] {
      let fields: DataObject = [
        "name": .string(name), "purpose": "app.bsky.graph.defs#referencelist", "createdAt": date,
      ]
      try user.write([("list", fields)], as: alice)
    }
    let pack = try #require(try await kith("lists").rows.first { $0.text("name") == "Pack" })
    for member in ["bob", "carol"] {
      let fields: DataObject = [
        "list": .string(pack.text("uri") ?? ""), "subject": .string(try user.did(member).description),
        "createdAt": date,
      ]
      try user.write([("listitem", fields)], as: alice)
    }
    let counts = try await kith("lists").rows.map {
      "\($0.text("name") ?? "") \($0.text("members") ?? "?")"
    }
    #expect(Set(counts) == ["Pack 2", "Empty 0"])
  }

  /// Members that the AppView does not show are in the own repository; they are the ones to remove.
  @Test func membersThatAreGoneCanBeSelected() async throws {
    try await kith("login", "alice.test")
    let gone = try #require(
      user.network.live.network.accounts.first {
        $0.status != .active && $0.handle.description != "alice.test"
      })
    try await kith("lists", "create", "Core", "--purpose", "curate")
    try await kith("lists", "add", "Core", "bob.test")
    let list = try #require(try await kith("lists").rows[0].text("uri"))
    try user.write(
      [
        (
          "listitem",
          [
            "list": .string(list), "subject": .string(gone.did.description),
            "createdAt": "2026-01-01T00:00:00.000Z",
          ]
        )
      ], as: try user.did("alice"))
    let checked = try await kith("check", "me", "--list", "Core").rows
    #expect(Set(checked.compactMap { $0.text("target") }).contains(gone.did.description))
    let removed = try await kith(
      "lists", "remove", "Core", "--list", "Core", "--where", "status is not active", "--yes")
    #expect(removed.rows.compactMap { $0.text("subject") } == [gone.did.description], "\(removed.talk)")
    #expect(try await kith("lists", "show", "Core").rows.map { $0.text("handle") } == ["bob.test"])
  }

  /// A sheet may be older than the last change of a name: this machine has seen the account under both.
  @Test func aRenamedAccountIsFoundInWhatThisMachineHasSeen() async throws {
    try await kith("login", "alice.test")
    try await kith("check", "me", "niaj.test")
    let niaj = try user.did("niaj")
    let cache = try NameCache(folder: path("cache/kith"))
    let former = try #require(Handle("niaj-before.test"))
    try await cache.remember([AccountView(niaj, handle: former)], at: user.network.time.instant)
    try await kith("check", "me", "niaj.test", "--no-cache")
    try await kith("follow", "niaj.test")
    let checked = try await kith("check", "me", "niaj-before.test", "bob.test").rows
    #expect(checked.map { $0.text("state") } == ["notFound", "known"])
    #expect(checked[0].text("error")?.contains("niaj.test now") == true)
    let change = try await user.kith(["mute", "niaj-before.test"])
    #expect(change.rows.first.flatMap { $0.text("error") }?.contains("niaj.test now") == true)
  }

  /// What separates names in a text is not part of them, and a cell may say that there is none.
  @Test func namesAreReadAsPeopleWriteThem() async throws {
    try await kith("login", "alice.test")
    let file = path("people.csv")
    try
      "Name,Handle\nBob,bob.test/\nCarol,\"carol.test,\"\nNobody,n/a\nDave,bsky.app/profile/dave.test\nErin,-\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
    // A name that leads to no account says where it stands.
    let sheet = path("sheet.csv")
    try "Name,Handle\nBob,bob.test\nNobody,nobody.test\n".write(
      toFile: sheet, atomically: true, encoding: .utf8)
    let found = try await kith("check", "me", "--from", sheet, "--column", "Handle").rows
    #expect(found.compactMap { $0.text("error") }.map { $0.hasSuffix("(line 3)") } == [true])
    let change = try await kith("mute", "--from", sheet, "--column", "Handle", "--yes").rows
    #expect(change.compactMap { $0.text("error") }.map { $0.contains("(line 3)") } == [true])
    let rows = try await kith("check", "me", "--from", file, "--column", "Handle").rows
    #expect(
      rows.compactMap { $0.text("target") }
        == [try user.did("bob"), try user.did("carol"), try user.did("dave")].map(\.description))
  }

  // MARK: Files

  /// A weekly backup needs no new name, and is put back while the file stays open elsewhere.
  @Test func backupsRotateAndAreRestored() async throws {
    try await kith("login", "alice.test")
    try await kith("follow", "niaj.test")
    let copies = path("copies")
    for _ in 1...3 {
      try await kith("db", "backup", copies, "--keep", "2")
      try await user.network.clock.sleep(for: .seconds(7 * 86_400))
    }
    let folders = try FileManager.default.contentsOfDirectory(atPath: copies).sorted()
    #expect(folders.count == 2 && folders.allSatisfy { $0.hasPrefix("kith-") })
    let open = SQLiteJobStore(try StoreDatabase(folder: path("data/kith")))
    try await kith("unfollow", "niaj.test")
    #expect(try await open.summaries(of: nil).count == 2)
    // Replacing needs a confirmation, and there is no terminal.
    try await kith("db", "restore", copies, expecting: 64)
    #expect(try await open.summaries(of: nil).count == 2)
    let restored = try await kith("db", "restore", copies, "--yes")
    #expect(restored.talk.contains("before-restore"))
    #expect(try await open.summaries(of: nil).count == 1)
    // A number that was shown is not given to another job.
    try await kith("mute", "carol.test")
    #expect(try await open.summaries(of: nil).map(\.job.id.number) == [1, 3])
    try await kith("db", "restore", path("nowhere"), "--yes", expecting: 65)
    let damaged = path("damaged")
    try FileManager.default.createDirectory(atPath: damaged, withIntermediateDirectories: true)
    // Nothing is replaced if any of the copies is damaged.
    let sound = try #require(try FileManager.default.contentsOfDirectory(atPath: copies).max())
    try FileManager.default.copyItem(
      atPath: "\(copies)/\(sound)/kith.sqlite", toPath: "\(damaged)/kith.sqlite")
    try Data(repeating: 0xA5, count: 9_000).write(to: URL(filePath: "\(damaged)/history.sqlite"))
    try await kith("db", "restore", damaged, "--yes", expecting: 74)
    #expect(try await open.summaries(of: nil).map(\.job.id.number) == [1, 3])
    try Data(repeating: 0xA5, count: 9_000).write(to: URL(filePath: "\(damaged)/kith.sqlite"))
    try await kith("db", "restore", damaged, "--yes", expecting: 74)
    #expect(try await open.summaries(of: nil).map(\.job.id.number) == [1, 3])
  }

  /// Nothing is replaced under a process that uses it.
  @Test func aBackupIsNotRestoredWhileAJobIsPlanned() async throws {
    try await kith("login", "alice.test")
    try await kith("follow", "niaj.test")
    try await kith("db", "backup", path("copies"))
    let store = SQLiteJobStore(try StoreDatabase(folder: path("data/kith")))
    let lease = try await store.leasePlanning(of: try user.did("alice"), at: 1)
    try await kith("db", "restore", path("copies"), "--yes", expecting: 75)
    lease.release()
    try await kith("db", "restore", path("copies"), "--yes")
  }

  // MARK: Settings

  @Test func settingsAreDefaultsOfOptions() async throws {
    try await kith("login", "alice.test")
    try await kith("config", "set", "leave", "99%")
    try await kith("config", "set", "format", "csv")
    #expect(try await kith("config").rows.map { $0.text("name") } == ["leave", "format"])
    // Lines of CSV, and an option comes before the file.
    #expect(try await kith("mutuals", "--limit", "1").rows.map { $0["line"] != nil } == [true, true])
    let chosen = try await kith("mutuals", "--limit", "1", "--format", "ndjson").rows
    #expect(chosen.map { $0["did"] != nil } == [true])
    try await kith("config", "unset", "format")
    try await kith("config", "unset", "format", expecting: 65)
    // What is for one account is for that one alone.
    try await kith("config", "unset", "leave")
    try await kith("config", "set", "deadline", "1h", "--for", "alice.test")
    try await kith("config", "set", "quiet", "on", "--for", "bob.test")
    #expect(try await kith("mutuals", "--limit", "1").talk.contains("listed"))
    let file = path("config/kith/settings")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func whatIsNoSettingIsRefused() async throws {
    for (name, value) in [
      ("yes", "on"), ("allow-mutuals", "on"), ("insecure-http", "on"), ("pds", "https://evil.test"),
      ("appview", "https://evil.test"), ("colour", "red"), ("leave", "much"), ("quiet", "maybe"),
      ("points", "0/0"), ("format", "poem"), ("range", "century"),
    ] {
      let ending = try await kith("config", "set", name, value, expecting: 65)
      #expect(ending.talk.contains(name), "\(name)")
    }
    #expect(try await kith("config").rows.isEmpty)
  }

  /// A file that was written by hand names its line; and `kith config` still shows the way out.
  @Test func aSettingsFileThatCannotBeReadIsNamed() async throws {
    let folder = path("config/kith")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = "\(folder)/settings"
    try "leave = 20%\n[alice.test]\nyes = on\n".write(toFile: file, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let ending = try await kith("followers", "alice.test", expecting: 65)
    #expect(ending.talk.contains("settings:3"))
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
    try await kith("followers", "alice.test", expecting: 74)
    try "leave = much\n".write(toFile: file, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    try await kith("login", "alice.test")
    let change = try await kith("follow", "niaj.test", expecting: 64)
    #expect(change.talk.contains("--leave=much"))
    #expect(try user.records("follow", about: try user.did("niaj").description) == 0)
    try await kith("followers", "alice.test")
  }

  // MARK: Advice

  /// A report of problems says what to do about each, and whether anybody looks after the account.
  @Test func doctorEndsWithWhatToDo() async throws {
    try await kith("login", "alice.test")
    let alice = try user.did("alice")
    for _ in 1...7 {
      try user.write(
        [
          (
            "follow",
            [
              "subject": .string(alice.description), "createdAt": "2026-01-01T00:00:00.000Z",
            ]
          )
        ], as: alice)
    }
    let first = try await kith("doctor").talk
    #expect(first.contains("kith doctor --fix self") && first.contains("\"code\":\"noneWatched\""))
    try await kith("watch", "add", "me")
    try await kith("snapshot", "--watched")
    #expect(try await kith("doctor").talk.contains("\"code\":\"observed\""))
  }
}
