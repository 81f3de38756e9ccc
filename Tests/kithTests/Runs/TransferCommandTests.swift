// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithLexicons
import KithRelationships
import KithWriting
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

  /// A backup that is restored does not make a timed mute permanent.
  @Test func anImportLeavesTheEndsOfTimedChangesAlone() async throws {
    _ = try await kith("login alice.test")
    #expect(try await kith("mute heidi.test --for 2d").status == .success)
    let file = path("mutes.csv")
    #expect(try await kith("export mutes -o \(file)").status == .success)
    let restored = try await kith("import \(file) --yes")
    #expect(restored.status == .success)
    #expect(restored.rows.count == 1 && restored.rows[0]["notes"]?.contains("still ends at") == true)
    // It ends as it was to end.
    try await user.network.clock.sleep(for: .seconds(3 * 86_400))
    let due = try await kith("jobs due")
    #expect(due.status == .success, "\(due.talk)")
    let muted = try await kith("mutes")
    #expect(!muted.rows.contains { $0["handle"] == "\"heidi.test\"" })
  }

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

  /// A list of another account may name accounts to read.
  @Test(arguments: ["list-block", "list-mute"])
  func refusesListsThatAreNotForModeration(_ kind: String) async throws {
    let bob = try user.did("bob")
    let names = ["3aaaaaaaaaaa2": "curate", "3bbbbbbbbbbb2": "mod"]
    for (key, purpose) in names {
      try user.write(
        "list", ["name": .string(purpose), "purpose": .string("app.bsky.graph.defs#\(purpose)list")],
        key: key,
        as: bob)
    }
    _ = try await kith("login alice.test")
    let lists = ["3aaaaaaaaaaa2", "3bbbbbbbbbbb2", "3ccccccccccc2"].map {
      "at://\(bob)/app.bsky.graph.list/\($0)"
    }
    let file = path("lists.ndjson")
    let rows = lists.map { #"{"kind":"\#(kind)","list":"\#($0)"}"# } + [#"{"kind":"mute","did":"\#(bob)"}"#]
    try Data(rows.joined(separator: "\n").utf8).write(to: URL(filePath: file))
    let refused = try await kith("import \(file) --yes")
    #expect(refused.status == .notAllowed, "\(refused.talk)")
    #expect(refused.rows.map { $0["state"] } == [#""refused""#, #""done""#, #""notFound""#, #""done""#])
    #expect(refused.rows.first?["error"]?.contains("--allow-curation") == true)
    let allowed = try await kith("import \(file) --allow-curation --only \(kind) --dry-run")
    #expect(allowed.rows.first?["state"] == #""planned""#, "\(allowed.talk)")
  }

  @Test(arguments: ["csv", "json", "ndjson"])
  func anExportIsImportedExactly(format: String) async throws {
    try await makeRelationships()
    #expect(try await kith("login carol.test", password: "pw-carol").status == .success)
    let file = path("me.\(format)")
    #expect(try await kith("export relationships --account alice.test -o \(file)").status == .success)
    let before = try await exported(by: "carol")
    // The rows that speak for the account are asked for by name.
    let kinds = PortableRelationship.Kind.allCases.map(\.rawValue).joined(separator: " ")
    let ending = try await kith(
      "import \(file) --account carol.test --allow-mutuals --yes --only \(kinds)")
    #expect(ending.status == .success, "\(ending.talk)")
    let carol = try user.did("carol").description
    let wanted = try await exported(by: "alice").filter { $0.did != carol }
    #expect(wanted.count > 100 && Set(wanted.map(\.kind)).count == 8)
    let after = try await exported(by: "carol")
    #expect(after == wanted.union(before), "\(wanted.subtracting(after)) \(after.subtracting(wanted))")

    // Repeating the import changes nothing, in either account.
    for name in ["carol", "alice"] {
      let again = try await kith("import \(file) --account \(name).test --yes")
      #expect(again.status == .success && again.rows.allSatisfy { $0["state"] == "\"unchanged\"" })
    }
    #expect(try await kith("jobs --all").rows.count == 3)
    let undo = try await kith("jobs undo 3 --account carol.test --yes")
    #expect(
      undo.status == .success && !undo.talk.contains("undoneAlong") && !undo.talk.contains("jobItemsSkipped"))
    #expect(try await exported(by: "carol") == before)
  }

  @Test func anImportIsPreviewedAndNeedsConfirmation() async throws {
    _ = try await kith("login alice.test")
    let file = path("names.txt")
    try Data("niaj.test\n@bob.test\nhttps://bsky.app/profile/ivan.test\n".utf8).write(to: URL(filePath: file))
    #expect(try await kith("import \(file)").status == .usage)
    let before = try user.records("follow")
    let asked = try await kith("import \(file) --as follow")
    #expect(asked.status == .usage && asked.talk.contains("\"code\":\"importPreview\""))
    #expect(asked.talk.contains("\"code\":\"needsConfirmation\""))
    let planned = try await kith("import \(file) --as follow --dry-run")
    #expect(planned.status == .success && planned.rows.count == 3)
    #expect(try user.records("follow") == before)
    let done = try await kith("import \(file) --as block --yes")
    #expect(done.status == .success && done.rows.allSatisfy { $0["verb"] == "\"block\"" })
    #expect(try user.records("block", about: "\(try user.did("ivan"))") == 1)
  }

  @Test func asAndOnlySelectTheRelationships() async throws {
    try await makeRelationships()
    let file = path("all.ndjson")
    _ = try await kith("export relationships -o \(file)")
    let members = try await kith("import \(file) --only member --as mute --dry-run")
    #expect(members.status == .success && members.rows.count == 2)
    #expect(members.rows.allSatisfy { $0["verb"] == "\"mute\"" })
    let mutes = try await kith("import \(file) --only mute list-mute --dry-run")
    #expect(mutes.rows.map { $0["state"] } == Array(repeating: "\"unchanged\"", count: 3))
    let followers = path("followers.csv")
    _ = try await kith("export followers -o \(followers)")
    #expect(try await kith("import \(followers) --yes").status == .badInput)
    #expect(try await kith("import \(followers) --as follow --dry-run").status == .success)
  }

  @Test(
    arguments: [
      ("kind,did\nfollow,absent\n", "invalidInput"),
      ("kind,did\nfriend,did:plc:aaaaaaaaaaaaaaaaaaaaaaaa\n", "invalidInput"),
      ("kind,list\nlist,at://x/y/z\n", "invalidInput"), ("a,b\nc,d\n", "noAccountColumn"),
      ("[{\"did\":", "unclosedJSON"),
      (
        "kind,list,name,purpose\nlist,at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.graph.list/3k,N,weird\n",
        "invalidInput"
      ),
      ("kind,did\nblock,at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.graph.list/3k\n", "invalidInput"),
      ("kind,did\nblock,https://bsky.app/profile/a.test/lists/3k\n", "invalidInput"),
      ("kind,list\nlist-mute,https://bsky.app/profile/a.test/lists/3k\n", "invalidInput"),
    ])
  func anUnreadableFileChangesNothing(text: String, code: String) async throws {
    _ = try await kith("login alice.test")
    let file = path("bad")
    try Data(text.utf8).write(to: URL(filePath: file))
    let ending = try await kith("import \(file) --yes")
    #expect(ending.status == .badInput && ending.talk.contains("\"code\":\"\(code)\""), "\(ending.talk)")
    #expect(ending.rows.isEmpty)
    #expect(try await kith("jobs").rows.isEmpty)
  }

  @Test func aMemberOfAnUndescribedListIsNotFound() async throws {
    _ = try await kith("login alice.test")
    let file = path("members.csv")
    let list = "at://\(try user.did("bob"))/app.bsky.graph.list/3k2yihcrp6f2c"
    try Data("list,subject\n\(list),\(try user.did("erin"))\n".utf8).write(to: URL(filePath: file))
    let ending = try await kith("import \(file) --yes")
    #expect(ending.status == .notFound && ending.talk.contains("\"code\":\"unknownListInFile\""))
  }

  @Test func aListIsCreatedBeforeItsMembersInAnyOrder() async throws {
    _ = try await kith("login alice.test")
    let (bob, list) = (try user.did("bob"), "at://\(try user.did("bob"))/app.bsky.graph.list/3k2yihcrp6f2c")
    let file = path("sorted.csv")
    try Data("kind,did,list,name,purpose\nmember,\(bob),\(list),,\nlist,,\(list),Birds,curate\n".utf8)
      .write(to: URL(filePath: file))
    let ending = try await kith("import \(file) --yes")
    #expect(ending.status == .success && ending.rows.map { $0["verb"] }.count == 2, "\(ending.talk)")
    let steps = try await kith("jobs show 1").rows
    #expect(steps.map { $0["input"] } == ["\"Birds\"", "\"\(bob)\""])
  }

  @Test func duplicatesInAFileAreNotExistingRelationships() async throws {
    _ = try await kith("login alice.test")
    let file = path("twice")
    try Data("frank.test\nfrank.test\n\(try user.did("frank"))\n".utf8).write(to: URL(filePath: file))
    let ending = try await kith("import \(file) --as mute --dry-run")
    #expect(ending.talk.contains(#""planned":1,"unchanged":0,"repeated":2"#), "\(ending.talk)")
  }

  @Test(arguments: ["csv", "ndjson"])
  func theProfileMovesToAnotherAccountAndSettingsAreNamed(format: String) async throws {
    _ = try await kith("login alice.test")
    _ = try await kith("login bob.test", password: "pw-bob")
    let bio = "=Birds, \"cats\"\nand \u{202E}owls"
    let set = ["profile", "set", "--bio", bio, "--website", "https://example.com", "--account", "alice.test"]
    #expect(try await user.kith(set).status == .success)
    _ = try await kith("config set leave 50%")
    _ = try await kith("config set range year --for bob.test")
    let account = try user.number("alice")
    let settings: DataValue = [
      "$type": "app.bsky.actor.defs#postInteractionSettingsPref",
      "threadgateAllowRules": [["$type": "app.bsky.feed.threadgate#followerRule"]],
      "postgateEmbeddingRules": [["$type": "app.bsky.feed.postgate#disableRule"]],
    ]
    let preference = try settings.decode(UnknownUnionMember.self)
    user.network.live.state { $0.preferences[account] = [.unknown(preference)] }

    let file = path("settings.\(format)")
    #expect(try await kith("export settings --account alice.test -o \(file)").status == .success)
    let rows = try await kith("export settings --account alice.test --format ndjson").rows
    let said = rows.map { row in ["kind", "name", "description", "scope"].map { row.text($0) ?? "" } }
    #expect(said.contains(["profile", "website", "https://example.com", ""]))
    #expect(said.contains(["post-setting", "replies", "followers", ""]))
    #expect(said.contains(["post-setting", "quotes", "none", ""]))
    #expect(
      said.contains(["setting", "leave", "50%", ""])
        && said.contains(["setting", "range", "year", "bob.test"]))
    #expect(try await kith("export settings bob.test --account alice.test").rows.isEmpty == false)

    let left = try await kith("import \(file) --yes --account bob.test")
    #expect(left.status == .badInput && left.talk.contains(#""settings":4"#), "\(left.talk)")
    #expect(left.talk.contains(#""statementKinds":["profile"]"#), "\(left.talk)")
    let imported = try await kith("import \(file) --yes --only profile --account bob.test")
    #expect(imported.status == .success, "\(imported.talk)")
    #expect(imported.rows.map { $0.text("state") } == ["done"])
    let profile = user.network.live.records(
      of: try user.did("bob"), in: .init(generated: "app.bsky.actor.profile"))
    #expect(profile.first?.value["description"]?.string == bio)
    #expect(profile.first?.value["website"]?.string == "https://example.com")
    #expect(
      try await kith("import \(file) --yes --only profile --account bob.test").rows
        .map { $0.text("state") } == ["unchanged"])
  }

  /// A file of a stranger with a block, the acceptance of the stranger's own request, a policy and a bio.
  @Test func rowsThatSpeakForTheAccountAreApart() async throws {
    _ = try await kith("login alice.test")
    _ = try await kith("login dave.test", password: "pw-dave")
    let inbox = try await kith("friends inbox dave.test --account alice.test")
    let request = try #require(inbox.rows.first)
    let version = try RecordVersion(
      uri: ATURI(parsing: request.text("record") ?? ""), cid: CID(parsing: request.text("cid") ?? ""))
    let key = try #require(FriendAnswer.key(accepting: version))
    let file = path("theirs.csv")
    let (dave, niaj) = (try user.did("dave"), try user.did("niaj"))
    try Data(
      """
      kind,did,name,purpose,description,record
      block,\(niaj),,,,
      friend-answer,\(dave),,,,at://\(alice)/org.kith.temp.graph.friendAnswer/\(key)
      friend-policy,\(alice),everyone,no-approval,,
      profile,\(alice),bio,,see evil.example,
      """.utf8
    ).write(to: URL(filePath: file))
    // A dry run shows and counts everything.
    let planned = try await kith("import \(file) --dry-run --account alice.test")
    #expect(planned.rows.count == 4 && planned.talk.contains(#""code":"statementsAreApart""#))
    let kinds = ["block", "friend-answer", "friend-policy", "profile"]
    for kind in kinds { #expect(planned.talk.contains(#""\#(kind)":{"planned":1"#), "\(planned.talk)") }
    // Without a terminal, only the block is asked about.
    let asked = try await kith("import \(file) --account alice.test")
    #expect(asked.status == .usage && asked.talk.contains(#""statements":3"#), "\(asked.talk)")
    let done = try await kith("import \(file) --yes --account alice.test")
    #expect(done.status == .success && done.rows.map { $0.text("verb") } == ["block"], "\(done.talk)")
    #expect(try await kith("check alice.test dave.test --is friend").status == .no)
    #expect(try await kith("friends policy alice.test").rows.first?.text("takesPart") == "false")
    let named = try await kith("import \(file) --yes --only friend-answer profile --account alice.test")
    #expect(named.rows.map { $0.text("state") } == ["done", "done"], "\(named.talk)")
    #expect(try await kith("check alice.test dave.test --is friend").status == .success)
  }

  /// A new kind has to be one or the other.
  @Test func everyKindSpeaksForTheAccountOrIsAboutOthers() {
    let aboutOthers: [PortableRelationship.Kind] = [
      .follow, .block, .mute, .list, .member, .listBlock, .listMute,
    ]
    #expect(
      Set(PortableRelationship.Kind.allCases) == Set(aboutOthers + PortableRelationship.Kind.statements))
  }

  @Test(arguments: ["profile,size,9", "profile,,x", "profile,bio,"])
  func aTextOfTheProfileThatIsNoneIsRefused(row: String) async throws {
    _ = try await kith("login alice.test")
    let file = path("profile.csv")
    try Data("kind,name,description,did\n\(row),\(alice)\n".utf8).write(to: URL(filePath: file))
    #expect(try await kith("import \(file) --yes").status == .badInput)
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
