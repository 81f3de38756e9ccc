// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithLexicons
import KithRelationships
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import KithWriting
@testable import SandboxSupport

/// Imports of files: what they create, what they leave out, and what they ask.
@Suite struct ImportFilesTests {
  private let network = FaultyNetwork()
  private let alice: ServedUser
  private let did: DID

  init() async throws {
    alice = try await ServedUser(on: network)
    did = try alice.did("alice")
  }

  private func files(_ text: String) -> ImportFiles { ImportFiles([InMemorySource(text, named: "file")]) }

  /// The text of an export, as it is written to a file.
  private func export(
    _ parts: [ExportRelationships.Part], of user: ServedUser, as format: Format = .ndjson,
    with settings: [ExportedSetting] = []
  ) async throws -> String {
    let account = try await user.workspace().account()
    var export = ExportRelationships(parts, of: .did(account.did), as: account)
    export.settings = settings
    let run = try await user.run(export)
    #expect(run.outcome.ending == .done)
    return format.text(of: run.rows)
  }

  /// How an export is written.
  enum Format: String, CaseIterable {
    case csv, json, ndjson

    func text(of rows: [ExportRow]) -> String {
      let style: RowEncoder.Style =
        switch self {
        case .csv: .csv(raw: false, keepsText: true)
        case .json, .ndjson: .json
        }
      var encoder = RowEncoder(ExportRow.fieldNames, style: style)
      var lines: [String] = []
      for row in rows {
        encoder.encode(row)
        lines.append(String(decoding: encoder.bytes, as: UTF8.self))
      }
      switch self {
      case .csv:
        return ([ExportRow.fieldNames.joined(separator: ",")] + lines).joined(separator: "\n")
      case .json: return "[\(lines.joined(separator: ",\n"))]"
      case .ndjson: return lines.joined(separator: "\n")
      }
    }
  }

  // MARK: From account to account

  private static let everything: [ExportRelationships.Part] = [.following, .blocks, .mutes, .lists, .friends]

  private struct Row: Decodable, Hashable {
    let kind: String, did: String?, list: String?, name: String?, purpose: String?, description: String?
  }

  /// The rows of an export, with lists identified by name.
  private func relationships(of user: ServedUser) async throws -> Set<Row> {
    let text = try await export(Self.everything, of: user, as: .json)
    let rows = try JSONDecoder().decode([Row].self, from: Data(text.utf8))
    let lists = Dictionary(
      uniqueKeysWithValues: rows.filter { $0.kind == "list" }.map {
        ($0.list, "\($0.name ?? "") \($0.purpose ?? "")")
      })
    return Set(
      rows.map { row in
        Row(
          kind: row.kind, did: row.did, list: lists[row.list] ?? row.list, name: row.name,
          purpose: row.purpose, description: row.description)
      })
  }

  private func write(
    _ collection: NSID, _ fields: DataObject, key: RecordKey? = nil, as account: DID
  ) throws {
    let more: DataObject = ["$type": .string("\(collection)"), "createdAt": "2026-01-01T00:00:00.000Z"]
    let value = DataValue.object(fields.merging(more) { $1 })
    try #require(
      network.setRecords([key ?? network.live.nextKey(): value], in: collection, of: account))
  }

  private func write(
    list name: String, _ purpose: String, _ description: String = "", key: String, as account: DID
  )
    throws
  {
    var fields: DataObject = [
      "name": .string(name), "purpose": .string("app.bsky.graph.defs#\(purpose)list"),
    ]
    if !description.isEmpty { fields["description"] = .string(description) }
    try write(.list, fields, key: try RecordKey(parsing: key), as: account)
  }

  /// Lists with text that needs escaping in every format, mutes, and an account that is both followed and blocked.
  private func makeRelationships() async throws {
    try write(list: "=1+1", "mod", "two\nlines, \"quoted\" 🎉", key: "3aaaaaaaaaaa2", as: did)
    try write(list: "'=x, ü ", "curate", key: "3bbbbbbbbbbb2", as: did)
    try write(
      list: "x\u{1B}]0;own\u{7} \\u{1B}", "curate", "a;=1\u{202E}\n\t@x\u{3164}", key: "3ccccccccccc2",
      as: did)
    let noise = "at://\(did)/app.bsky.graph.list/3aaaaaaaaaaa2"
    let (bob, erin) = (try alice.did("bob"), try alice.did("erin"))
    let records: [(NSID, DataObject)] = [
      (.listitem, ["subject": .string("\(bob)"), "list": .string(noise)]),
      (.listitem, ["subject": .string("\(erin)"), "list": .string(noise)]),
      (.listblock, ["subject": .string(noise)]), (.follow, ["subject": .string("\(erin)")]),
    ]
    for (collection, fields) in records { try write(collection, fields, as: did) }
    try await alice.change(
      .mute(alice.did("frank"), .everything), .mute(alice.did("grace"), .everything),
      .muteList(ATURI(parsing: noise)))
  }

  @Test(arguments: Format.allCases)
  func anExportIsImportedExactly(format: Format) async throws {
    try await makeRelationships()
    let carol = try await ServedUser("carol", on: network)
    let text = try await export(Self.everything, of: alice, as: format)
    let before = try await relationships(of: carol)
    var transfer = files(text)
    transfer.allowsFollowed = true
    // The rows that speak for the account are asked for by name.
    transfer.only = Set(PortableRelationship.Kind.allCases.map(\.rawValue))
    let run = try await carol.confirmed(transfer)
    #expect(run.outcome.ending == .done)
    let own = try carol.did("carol").description
    let wanted = try await relationships(of: alice).filter { $0.did != own }
    #expect(wanted.count > 100 && Set(wanted.map(\.kind)).count == 8)
    #expect(wanted.count { $0.kind == "list" } >= 3)
    let after = try await relationships(of: carol)
    #expect(after == wanted.union(before), "\(wanted.subtracting(after)) \(after.subtracting(wanted))")

    // Repeating the import changes nothing, in either account.
    for user in [carol, alice] {
      let again = try await user.confirmed(files(text))
      #expect(again.outcome.ending == .done && !again.rows.isEmpty)
      #expect(again.rows.allSatisfy { $0.state == .unchanged } && again.outcome.job == nil)
      #expect(try await user.run(ListJobs(all: true)).rows.count == 1)
    }
    let undo = try await carol.run(UndoJob(try #require(run.outcome.job).id))
    guard case .run(let undone) = undo.outcome else {
      Issue.record("nothing was undone")
      return
    }
    #expect(
      undone.ending == .done && undone.summary.counts[.skipped] == 0 && undo.notes["undoneAlong"] == nil)
    #expect(try await relationships(of: carol) == before)
  }

  /// A backup that is restored does not make a timed mute permanent.
  @Test func anImportLeavesTheEndsOfTimedChangesAlone() async throws {
    _ = try await alice.confirmed(ChangeAccounts(.mute(), .cast("heidi"))) { $0.lifetime = .days(2) }
    let restored = try await alice.confirmed(files(try await export([.mutes], of: alice, as: .csv)))
    #expect(restored.outcome.ending == .done)
    #expect(restored.rows.map { $0.notes.map(\.code) } == [[.endKept]])
    // It ends as it was to end.
    network.clock.advance(by: .days(3))
    #expect(try await alice.run(EndDueJobs()).outcome.ending == .done)
    let muted = try await alice.run(ListAccounts(ListingQuery(.mutes(of: .did(did))))).rows
    let heidi = try alice.did("heidi")
    #expect(!muted.contains { $0.view.account == heidi })
  }

  /// A list of another account may name accounts to read.
  @Test(arguments: ["list-block", "list-mute"])
  func listsThatAreNotForModerationAreRefused(kind: String) async throws {
    let bob = try alice.did("bob")
    try write(list: "curate", "curate", key: "3aaaaaaaaaaa2", as: bob)
    try write(list: "mod", "mod", key: "3bbbbbbbbbbb2", as: bob)
    let rows =
      ["3aaaaaaaaaaa2", "3bbbbbbbbbbb2", "3ccccccccccc2"]
      .map { #"{"kind":"\#(kind)","list":"at://\#(bob)/app.bsky.graph.list/\#($0)"}"# }
      + [#"{"kind":"mute","did":"\#(bob)"}"#]
    let text = rows.joined(separator: "\n")
    let refused = try await alice.confirmed(files(text))
    #expect(refused.outcome.ending.failure == .notAllowed)
    #expect(refused.rows.map(\.state) == [.refused, .done, .notFound, .done])
    #expect(refused.rows.first?.fault == "notForModeration")
    var allowed = files(text)
    (allowed.allowsCuration, allowed.only) = (true, [kind])
    #expect(try await alice.previewed(allowed).rows.first?.state == .planned)
  }

  // MARK: What is asked

  @Test func anImportIsPreviewedAndAskedAbout() async throws {
    var names = files("niaj.test\n@bob.test\nhttps://bsky.app/profile/ivan.test\n")
    let kindless = try await alice.failure(ofChange: names)
    #expect(kindless.code == "importNeedsKind" && kindless.kind == .usage)
    let before = try alice.records(.follow).count
    func again(as role: PortableRelationship.Kind) -> ImportFiles {
      names = files("niaj.test\n@bob.test\nhttps://bsky.app/profile/ivan.test\n")
      names.role = role
      return names
    }
    let asked = try await alice.run(Change(again(as: .follow)))
    #expect(asked.outcome.ending == .declined && asked.questions.map(\.code) == ["change"])
    #expect(asked.notes["importPreview"]?["follow"] != nil && asked.rows.isEmpty)
    let planned = try await alice.previewed(again(as: .follow))
    #expect(planned.outcome.ending == .done && planned.rows.count == 3)
    #expect(try alice.records(.follow).count == before)
    let done = try await alice.confirmed(again(as: .block))
    #expect(done.outcome.ending == .done && done.rows.map(\.verb) == ["block", "block", "block"])
    #expect(try alice.record(.block, about: "ivan") != nil)
  }

  @Test func roleAndKindsSelectTheRelationships() async throws {
    try await makeRelationships()
    let text = try await export(Self.everything, of: alice)
    var members = files(text)
    (members.only, members.role) = (["member"], .mute)
    let muted = try await alice.previewed(members)
    #expect(muted.outcome.ending == .done && muted.rows.map(\.verb) == ["mute", "mute"])
    var mutes = files(text)
    mutes.only = ["mute", "list-mute"]
    #expect(try await alice.previewed(mutes).rows.map(\.state) == [.unchanged, .unchanged, .unchanged])
    let followers = try await export([.followers], of: alice, as: .csv)
    let skipped = try await alice.failure(ofChange: files(followers))
    #expect(skipped.code == "importSkipped" && skipped.kind == .invalidInput)
    var follows = files(followers)
    follows.role = .follow
    #expect(try await alice.previewed(follows).outcome.ending == .done)
  }

  // MARK: Files that are not what they have to be

  @Test(arguments: [
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
    // Texts of a profile.
    ("kind,name,description,did\nprofile,size,9,did:plc:aaaaaaaaaaaaaaaaaaaaaaaa\n", "invalidInput"),
    ("kind,name,description,did\nprofile,,x,did:plc:aaaaaaaaaaaaaaaaaaaaaaaa\n", "invalidInput"),
    ("kind,name,description,did\nprofile,bio,,did:plc:aaaaaaaaaaaaaaaaaaaaaaaa\n", "invalidInput"),
  ])
  func anUnreadableFileChangesNothing(text: String, code: String) async throws {
    let refused = try await alice.failure(ofChange: files(text))
    #expect(refused.kind == .invalidInput)
    #expect((refused.notes.map(\.code) + [refused.code]).contains(code))
    #expect(refused.code == (code == "invalidInput" ? "invalidNames" : code))
    #expect(try await alice.run(ListJobs(all: true)).rows.isEmpty)
    #expect(network.live.tally.commits == 0)
  }

  @Test func aMemberOfAnUndescribedListIsNotFound() async throws {
    let list = "at://\(try alice.did("bob"))/app.bsky.graph.list/3k2yihcrp6f2c"
    let run = try await alice.confirmed(files("list,subject\n\(list),\(try alice.did("erin"))\n"))
    #expect(run.outcome.ending.failure == .notFound && run.rows.map(\.fault) == ["unknownListInFile"])
  }

  @Test func aListIsCreatedBeforeItsMembersInAnyOrder() async throws {
    let bob = try alice.did("bob")
    let list = "at://\(bob)/app.bsky.graph.list/3k2yihcrp6f2c"
    let run = try await alice.confirmed(
      files("kind,did,list,name,purpose\nmember,\(bob),\(list),,\nlist,,\(list),Birds,curate\n"))
    #expect(run.outcome.ending == .done && run.rows.count == 2)
    let steps = try await alice.run(ShowJob(JobID(number: 1))).rows
    #expect(steps.map(\.input) == ["Birds", "\(bob)"])
  }

  @Test func duplicatesInAFileAreNotExistingRelationships() async throws {
    var names = files("frank.test\nfrank.test\n\(try alice.did("frank"))\n")
    names.role = .mute
    guard case .object(let counts)? = try await alice.previewed(names).notes["importPreview"]?["mute"] else {
      Issue.record("no counts")
      return
    }
    #expect(counts["planned"] == .integer(1) && counts["unchanged"] == .integer(0))
    #expect(counts["repeated"] == .integer(2))
  }

  // MARK: What speaks for the account

  @Test(arguments: [Format.csv, .ndjson])
  func theProfileMovesToAnotherAccountAndSettingsAreNamed(format: Format) async throws {
    let bob = try await ServedUser("bob", on: network)
    var edit = ProfileEdit()
    (edit.bio, edit.website) = ("=Birds, \"cats\"\nand \u{202E}owls", "https://example.com")
    #expect(try await alice.confirmed(EditProfile(edit)).outcome.ending == .done)
    let settings: DataValue = [
      "$type": "app.bsky.actor.defs#postInteractionSettingsPref",
      "threadgateAllowRules": [["$type": "app.bsky.feed.threadgate#followerRule"]],
      "postgateEmbeddingRules": [["$type": "app.bsky.feed.postgate#disableRule"]],
    ]
    let (number, preference) = (try network.number("alice"), try settings.decode(UnknownUnionMember.self))
    network.live.state { $0.preferences[number] = [.unknown(preference)] }
    let ofApp = [
      ExportedSetting(ofApp: "leave", "50%", for: nil),
      ExportedSetting(ofApp: "range", "year", for: "bob.test"),
    ]

    let text = try await export([.settings], of: alice, as: format, with: ofApp)
    let said = try await export([.settings], of: alice, with: ofApp).split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return ["kind", "name", "description", "scope"].map { row?[$0] as? String ?? "" }
    }
    #expect(said.contains(["profile", "website", "https://example.com", ""]))
    #expect(said.contains(["post-setting", "replies", "followers", ""]))
    #expect(said.contains(["post-setting", "quotes", "none", ""]))
    #expect(said.contains(["setting", "leave", "50%", ""]))
    #expect(said.contains(["setting", "range", "year", "bob.test"]))
    let foreign = ExportRelationships([.settings], of: try alice.actor("bob"), as: nil)
    #expect(try await alice.run(foreign).rows.isEmpty == false)

    let left = try await bob.failure(ofChange: files(text))
    let skipped = try #require((left.error as? OperationError)?.skippedRows)
    #expect(left.kind == .invalidInput && skipped.settings == 4 && skipped.statementKinds == ["profile"])
    var profile = files(text)
    profile.only = ["profile"]
    let imported = try await bob.confirmed(profile)
    #expect(imported.outcome.ending == .done && imported.rows.map(\.state) == [.done])
    let record = try #require(try bob.records(.profile, of: "bob").values.first)
    #expect(record["description"]?.string == edit.bio && record["website"]?.string == edit.website)
    profile.files = files(text).files
    #expect(try await bob.confirmed(profile).rows.map(\.state) == [.unchanged])
  }

  /// A file of a stranger with a block, the acceptance of the stranger's own request, a policy and a bio.
  @Test func rowsThatSpeakForTheAccountAreApart() async throws {
    let (dave, niaj) = (try alice.did("dave"), try alice.did("niaj"))
    let inbox = ListReceivedRequests(of: try await alice.workspace().account(), from: .accounts([dave]))
    let request = try #require(try await alice.run(inbox).rows.first)
    let key = try #require(FriendAnswer.key(accepting: request.request.version))
    let text = """
      kind,did,name,purpose,description,record
      block,\(niaj),,,,
      friend-answer,\(dave),,,,at://\(did)/org.kith.temp.graph.friendAnswer/\(key)
      friend-policy,\(did),everyone,no-approval,,
      profile,\(did),bio,,see evil.example,
      """
    func isFriend() async throws -> Bool {
      try await alice.run(ListFriends(of: .did(did), by: .consent)).rows.contains { $0.view.account == dave }
    }
    // A preview shows and counts everything.
    let planned = try await alice.previewed(files(text))
    #expect(planned.rows.count == 4)
    let statements = ["friend-answer", "friend-policy", "profile"]
    #expect(planned.notes["statementsAreApart"]?["kinds"] == .array(statements.map { .string($0) }))
    for kind in ["block"] + statements {
      guard case .object(let counts)? = planned.notes["importPreview"]?[kind] else {
        Issue.record("\(kind) is not counted")
        continue
      }
      #expect(counts["planned"] == .integer(1), "\(kind)")
    }
    // They have a question of their own; after a no, the rest is asked about.
    let answered = try await alice.run(Change(files(text)))
    #expect(
      answered.outcome.ending == .declined && answered.questions.map(\.code) == ["statements", "change"])
    #expect(answered.questions.first?.fields["count"] == .integer(3))
    #expect(answered.questions.last?.fields["affected"] == .integer(1))
    // Without a terminal, only the block is asked about.
    var left = files(text)
    left.leavesOutStatements = true
    let asked = try await alice.run(Change(left))
    #expect(asked.outcome.ending == .declined && asked.questions.map(\.code) == ["change"])
    #expect(asked.notes["importSkipped"]?["statements"] == .integer(3))
    // A yes that is given beforehand is not a consent.
    let done = try await alice.confirmed(files(text))
    #expect(done.outcome.ending == .done && done.rows.map(\.verb) == ["block"])
    #expect(try await !isFriend())
    #expect(try await alice.run(ShowFriendPolicy(of: .did(did))).outcome.policy == nil)
    var named = files(text)
    named.only = ["friend-answer", "profile"]
    #expect(try await alice.confirmed(named).rows.map(\.state) == [.done, .done])
    #expect(try await isFriend())
  }

  /// A new kind has to be one or the other.
  @Test func everyKindSpeaksForTheAccountOrIsAboutOthers() {
    let aboutOthers: [PortableRelationship.Kind] = [
      .follow, .block, .mute, .list, .member, .listBlock, .listMute,
    ]
    #expect(
      Set(PortableRelationship.Kind.allCases) == Set(aboutOthers + PortableRelationship.Kind.statements))
  }
}
