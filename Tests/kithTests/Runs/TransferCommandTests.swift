// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// `kith export` and `kith import` against a sandbox, from one account to another.
@Suite struct TransferCommandTests {
  private let user: InProcessUser
  private let alice: DID

  init() throws {
    user = try InProcessUser()
    alice = try user.did("alice")
  }

  private func kith(_ line: String, password: String = "pw-alice") async throws -> InProcessUser.Ending {
    try await user.kith(line.split(separator: " ").map(String.init), password: password)
  }

  private func path(_ name: String) -> String { user.home.appending(path: name).path() }

  private struct Row: Decodable, Hashable {
    let kind: String, did: String?, list: String?, name: String?, purpose: String?, description: String?
  }

  /// The rows of an export, with lists identified by name.
  private func exported(by name: String) async throws -> Set<Row> {
    let file = path("\(name)-\(UUID().uuidString).json")
    let ending = try await kith("export relationships --account \(name).test -o \(file)")
    #expect(ending.status == .success, "\(ending.talk)")
    let rows = try JSONDecoder().decode([Row].self, from: Data(contentsOf: URL(filePath: file)))
    let lists = Dictionary(
      uniqueKeysWithValues: rows.filter { $0.kind == "list" }.map {
        ($0.list, "\($0.name ?? "") \($0.purpose ?? "")")
      })
    return Set(
      rows.map { row in
        Row(
          kind: row.kind, did: row.did, list: lists[row.list] ?? row.list, name: row.name,
          purpose: row.purpose,
          description: row.description)
      })
  }

  /// One command hands them to the other, and the file is a list of the account's own words.
  @Test func recordsOfAnotherAppComeBackIntoTheirRepository() async throws {
    _ = try await kith("login alice.test")
    let notes = try NSID(parsing: "com.example.record")
    let (key, value) = (try RecordKey(parsing: "3aaaaaaaaaaa2"), DataValue.object(["text": "=1+1, \"2\""]))
    try #require(user.network.live.setRecords([key: value], in: notes, of: alice))
    let file = path("notes.csv")
    #expect(try await kith("export records --collection \(notes) -o \(file)").status == .success)
    try #require(user.network.live.setRecords([key: nil], in: notes, of: alice))
    let ending = try await kith("import \(file) --only \(notes) --yes")
    #expect(ending.status == .success, "\(ending.talk)")
    let found = user.network.live.records(of: alice, in: notes).map(\.value)
    #expect(found.map { $0["text"] } == [value["text"]])
    #expect(try await kith("export records").status == .usage)
    #expect(try await kith("export records --collection app.bsky.graph.follow").status == .usage)
  }

  /// Lists with text that needs escaping in every format, mutes, and an account that is both followed and
  /// blocked.
  private func makeRelationships() async throws {
    _ = try await kith("login alice.test")
    let lists = [
      ("3aaaaaaaaaaa2", "=1+1", "mod", "two\nlines, \"quoted\" 🎉"),
      ("3bbbbbbbbbbb2", "'=x, ü ", "curate", ""),
      ("3ccccccccccc2", "x\u{1B}]0;own\u{7} \\u{1B}", "curate", "a;=1\u{202E}\n\t@x\u{3164}"),
    ]
    for (key, name, purpose, description) in lists {
      var fields: DataObject = [
        "name": .string(name), "purpose": .string("app.bsky.graph.defs#\(purpose)list"),
      ]
      if !description.isEmpty { fields["description"] = .string(description) }
      try user.write("list", fields, key: key, as: alice)
    }
    let noise = "at://\(alice)/app.bsky.graph.list/3aaaaaaaaaaa2"
    let (bob, erin) = (try user.did("bob"), try user.did("erin"))
    try user.write(
      [
        ("listitem", ["subject": .string("\(bob)"), "list": .string(noise)]),
        ("listitem", ["subject": .string("\(erin)"), "list": .string(noise)]),
        ("listblock", ["subject": .string(noise)]), ("follow", ["subject": .string("\(erin)")]),
      ], as: alice)
    for line in ["mute frank.test grace.test", "mute-list \(noise)"] {
      #expect(try await kith(line).status == .success)
    }
  }

  /// Copies what arrives at a named pipe to a file.
  private func piped(_ pipe: String, to file: String) throws -> Process {
    #expect(mkfifo(pipe, 0o600) == 0)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "cat \"$0\" > \"$1\"", pipe, file]
    try process.run()
    return process
  }

  /// A pipe may lead to a terminal: `| less -r`, `| grep`.
  @Test func anExportToAPipeIsImportedExactlyAndHarmless() async throws {
    try await makeRelationships()
    #expect(try await kith("login carol.test", password: "pw-carol").status == .success)
    let (pipe, file) = (path("pipe.csv"), path("me.csv"))
    let copy = try piped(pipe, to: file)
    #expect(try await kith("export relationships --account alice.test -o \(pipe)").status == .success)
    copy.waitUntilExit()
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for line in text.split(separator: "\n") { #expect(TerminalText.clean(line) == line) }
    let ending = try await kith("import \(file) --account carol.test --allow-mutuals --yes")
    #expect(ending.status == .success, "\(ending.talk)")
    let lists = try await exported(by: "alice").filter { $0.kind == "list" }
    let copied = try await exported(by: "carol")
    #expect(lists.count >= 3 && lists.isSubset(of: copied), "\(lists.subtracting(copied))")
  }

  @Test(arguments: ["csv", "json", "ndjson"])
  func aFileOfEachFormatIsReadAgain(format: String) async throws {
    try await makeRelationships()
    let file = path("me.\(format)")
    #expect(try await kith("export relationships -o \(file)").status == .success)
    let again = try await kith("import \(file) --yes")
    #expect(again.status == .success && again.rows.count > 100, "\(again.talk)")
    #expect(again.rows.allSatisfy { $0["state"] == "\"unchanged\"" })
  }

  @Test func anImportIsPreviewedAndNeedsConfirmation() async throws {
    _ = try await kith("login alice.test")
    let file = path("names.txt")
    try Data("niaj.test\n@bob.test\n".utf8).write(to: URL(filePath: file))
    #expect(try await kith("import \(file)").status == .usage)
    let asked = try await kith("import \(file) --as follow")
    #expect(asked.status == .usage && asked.talk.contains("\"code\":\"importPreview\""))
    #expect(asked.talk.contains("\"code\":\"needsConfirmation\""))
    #expect(try await kith("import \(file) --as follow --dry-run").rows.count == 2)
    let done = try await kith("import \(file) --as block --yes")
    #expect(done.status == .success && done.rows.allSatisfy { $0["verb"] == "\"block\"" })
    #expect(try user.records("block", about: "\(try user.did("niaj"))") == 1)
  }

  @Test func whatAFileLacksIsAFault() async throws {
    _ = try await kith("login alice.test")
    let (bob, list) = (try user.did("bob"), "at://\(try user.did("bob"))/app.bsky.graph.list/3k2yihcrp6f2c")
    for (text, status, code) in [
      ("kind,did\nfollow,absent\n", ExitStatus.badInput, "invalidInput"),
      ("[{\"did\":", .badInput, "unclosedJSON"),
      ("list,subject\n\(list),\(bob)\n", .notFound, "unknownListInFile"),
    ] {
      let file = path("bad")
      try Data(text.utf8).write(to: URL(filePath: file))
      let ending = try await kith("import \(file) --yes")
      #expect(ending.status == status && ending.talk.contains("\"code\":\"\(code)\""), "\(ending.talk)")
    }
    #expect(try await kith("jobs").rows.isEmpty)
  }

  @Test func optionsSelectTheRelationships() async throws {
    _ = try await kith("login alice.test")
    let (bob, key) = (try user.did("bob"), "3aaaaaaaaaaa2")
    try user.write(
      "list", ["name": "Birds", "purpose": "app.bsky.graph.defs#curatelist"], key: key, as: bob)
    let file = path("some.ndjson")
    let rows = [
      #"{"kind":"list-mute","list":"at://\#(bob)/app.bsky.graph.list/\#(key)"}"#,
      #"{"kind":"follow","did":"\#(bob)"}"#,
    ]
    try Data(rows.joined(separator: "\n").utf8).write(to: URL(filePath: file))
    let follows = try await kith("import \(file) --only follow --as mute --dry-run")
    #expect(follows.rows.map { $0.text("verb") } == ["mute"])
    let refused = try await kith("import \(file) --only list-mute --yes")
    #expect(refused.status == .notAllowed)
    #expect(refused.rows.first?["error"]?.contains("--allow-curation") == true)
    let allowed = try await kith("import \(file) --only list-mute --allow-curation --dry-run")
    #expect(allowed.rows.map { $0.text("state") } == ["planned"], "\(allowed.talk)")
  }

  /// A yes that is given beforehand is not a consent.
  @Test func rowsThatSpeakForTheAccountAreApart() async throws {
    _ = try await kith("login alice.test")
    let file = path("theirs.csv")
    let niaj = try user.did("niaj")
    try Data("kind,did,name,description\nblock,\(niaj),,\nprofile,\(alice),bio,see evil.example\n".utf8)
      .write(to: URL(filePath: file))
    let planned = try await kith("import \(file) --dry-run")
    #expect(planned.rows.count == 2 && planned.talk.contains(#""code":"statementsAreApart""#))
    let asked = try await kith("import \(file)")
    #expect(asked.status == .usage && asked.talk.contains(#""statements":1"#), "\(asked.talk)")
    let done = try await kith("import \(file) --yes")
    #expect(done.status == .success && done.rows.map { $0.text("verb") } == ["block"], "\(done.talk)")
    let named = try await kith("import \(file) --yes --only profile")
    #expect(named.rows.map { $0.text("state") } == ["done"], "\(named.talk)")
  }

  @Test func settingsOfTheCommandAreExported() async throws {
    _ = try await kith("login alice.test")
    _ = try await kith("login bob.test", password: "pw-bob")
    let set = ["profile", "set", "--website", "https://example.com", "--account", "alice.test"]
    #expect(try await user.kith(set).status == .success)
    _ = try await kith("config set leave 50%")
    _ = try await kith("config set range year --for bob.test")
    let file = path("settings.csv")
    #expect(try await kith("export settings --account alice.test -o \(file)").status == .success)
    let rows = try await kith("export settings --account alice.test --format ndjson").rows
    let said = rows.map { row in ["kind", "name", "description", "scope"].map { row.text($0) ?? "" } }
    #expect(said.contains(["profile", "website", "https://example.com", ""]))
    #expect(said.contains(["setting", "leave", "50%", ""]))
    #expect(said.contains(["setting", "range", "year", "bob.test"]))
    #expect(try await kith("export settings bob.test --account alice.test").rows.isEmpty == false)
    let left = try await kith("import \(file) --yes --account bob.test")
    #expect(left.status == .badInput && left.talk.contains(#""statementKinds":["profile"]"#), "\(left.talk)")
  }

  @Test func everythingIsExportedInOneFile() async throws {
    _ = try await kith("login alice.test")
    let kinds = Set(try await kith("export all --format ndjson").rows.compactMap { $0.text("kind") })
    #expect(kinds.isSuperset(of: ["follow", "block", "profile", "post-setting"]))
    // Of another account, only what is public.
    let foreign = Set(
      try await kith("export all bob.test --format ndjson").rows.compactMap { $0.text("kind") })
    #expect(foreign.contains("profile") && foreign.isDisjoint(with: ["post-setting", "setting", "mute"]))
  }

  @Test func anExportIsReadableOnlyByItsOwner() async throws {
    _ = try await kith("login alice.test")
    let file = path("private.csv")
    #expect(try await kith("export relationships -o \(file)").status == .success)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func anExportKeepsTheModeOfItsOwnFile() async throws {
    _ = try await kith("login alice.test")
    let file = path("shared.csv")
    try Data().write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    #expect(try await kith("export relationships -o \(file)").status == .success)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o644)
  }

  /// A file that another user has put there beforehand would let that user read private mutes.
  @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func anExportLeavesFilesOfOthersAlone() async throws {
    _ = try await kith("login alice.test")
    let calls = user.network.requests
    let file = path("foreign.csv")
    for kind in ["file", "pipe"] {
      if kind == "file" {
        try Data().write(to: URL(filePath: file))
      } else {
        #expect(mkfifo(file, 0o666) == 0)
      }
      #expect(chmod(file, 0o666) == 0 && chown(file, 65_534, 65_534) == 0)
      let ending = try await kith("export mutes -o \(file)")
      #expect(ending.status == .fileTrouble && ending.talk.contains("foreign.csv"), "\(ending.talk)")
      #expect(unlink(file) == 0)
    }
    // A link of another user would have any file of this user replaced.
    let own = path("own.txt")
    try Data("precious".utf8).write(to: URL(filePath: own))
    #expect(symlink(own, file) == 0 && lchown(file, 65_534, 65_534) == 0)
    #expect(try await kith("export mutes -o \(file)").status == .fileTrouble)
    #expect(try String(contentsOfFile: own, encoding: .utf8) == "precious")
    #expect(user.network.requests == calls)
    let names = try FileManager.default.contentsOfDirectory(atPath: user.home.path())
    #expect(names.filter { $0.hasSuffix(".part") }.isEmpty)
  }

  @Test func saysThatAFileIsWrittenOnlyWhenItIs() async throws {
    let file = path("taken.csv")
    let server = try BluntServer { _ in
      // Something else takes the place of the file while it is written.
      try? FileManager.default.createDirectory(atPath: "\(file)/x", withIntermediateDirectories: true)
      return BluntServer.answer(#"{"subject":{"did":"did:plc:x","handle":"a.test"},"followers":[]}"#)
    }
    let run = try await KithRun.inside(
      ["export", "followers", Accounts.did(1).description, "-o", file],
      environment: ["KITH_APPVIEW": server.url, "ATP_PLC_HOST": server.url])
    #expect(run.status == 74, "\(run.talk)")
    #expect(try run.message("exportSummary") == nil && run.message("systemError") != nil)
  }

  @Test func aFailedExportKeepsThePreviousFile() async throws {
    let file = path("kept.csv")
    try Data("kept\n".utf8).write(to: URL(filePath: file))
    _ = try await kith("login alice.test")
    #expect(try await kith("export followers nobody.invalid -o \(file)").status != .success)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: user.home.path())
    #expect(names.filter { $0.hasSuffix(".part") }.isEmpty)
    #expect(try await kith("export followers -o \(path(""))").status == .fileTrouble)
    let full = try await kith("export following -o /dev/full")
    #expect(full.status == .fileTrouble && full.talk.contains("/dev/full"))
  }

  @Test func privateDataIsExportedOnlyByItsOwner() async throws {
    _ = try await kith("login alice.test")
    #expect(try await kith("export mutes bob.test").status == .notAllowed)
    let bob = try await kith("export relationships bob.test")
    #expect(bob.status == .success && bob.rows.allSatisfy { $0["kind"] != "\"mute\"" })
    let dated = try await kith("export followers --dates").rows
    #expect(!dated.isEmpty && dated.allSatisfy { $0["kind"] == "\"follower\"" && $0["since"] != "null" })
  }
}
