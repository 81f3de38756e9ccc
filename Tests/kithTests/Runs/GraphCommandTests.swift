// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Follows in the graphs of other apps from the command line. `GraphListingTests`, `GraphChangeTests` and
/// `GraphSnapshotTests` compare what they do with the records of the network.
@Suite struct GraphCommandTests {
  private let user: InProcessUser
  private let alice: DID

  init() throws {
    user = try InProcessUser(accounts: 100)
    alice = try user.did("alice")
  }

  @discardableResult
  private func rows(_ line: String, status: Int32 = 0) async throws -> [[String: String]] {
    let ending = try await user.kith(line.split(separator: " ").map(String.init))
    #expect(ending.status.rawValue == status, "\(line): \(ending.talk)")
    return ending.rows
  }

  private func talk(_ line: String) async throws -> String {
    try await user.kith(line.split(separator: " ").map(String.init)).talk
  }

  private func handles(_ rows: [[String: String]]) -> Set<String> {
    Set(rows.compactMap { $0.text("handle") })
  }

  /// The subjects of the records of an account.
  private func subjects(_ collection: String, of name: String = "alice") throws -> [String] {
    let collection = try #require(NSID(collection))
    return user.network.live.records(of: try user.did(name), in: collection)
      .compactMap { $0.value["subject"]?.string }
  }

  private var index: String { "--index \(FaultyNetwork.appview)" }

  // MARK: Questions

  @Test func listingsNameTheirGraphAndSayWhatIsMissing() async throws {
    try await rows("login alice.test")
    let listed = try await rows("following --graph tangled")
    #expect(listed.count == 4 && listed.allSatisfy { $0.text("graph") == "tangled" })
    #expect(try await rows("following").allSatisfy { $0.text("graph") == "bluesky" })
    #expect(try await talk("following --graph cosmik").contains("\"otherSubjects\":1"))
    #expect(try await talk("not-following-back --graph tangled").contains("\"notShown\":1"))
    #expect(handles(try await rows("common me bob.test --graph tangled")) == ["carol.test"])
    #expect(try await talk("followers --graph tangled \(index)").contains("\"isLowerBound\":true"))
    let unindexed = try await user.kith(["followers", "--graph", "tangled"])
    #expect(unindexed.status == .usage && unindexed.talk.contains("\"code\":\"graphNeedsIndex\""))
  }

  @Test func aFollowOfOneselfIsSaidWithItsRemedy() async throws {
    try await rows("login alice.test")
    let collection = try #require(NSID("sh.tangled.graph.follow"))
    let value: DataValue = [
      "$type": .string("\(collection)"), "subject": .string("\(alice)"), "createdAt": "2026-01-01T00:00:00Z",
    ]
    #expect(
      user.network.setRecords([try RecordKey(parsing: "3k2yihcrp6f2c"): value], in: collection, of: alice))
    let said = try await talk("following --graph tangled")
    #expect(said.contains("\"aboutItself\":1") && said.contains("unfollow"), "\(said)")
  }

  @Test func aCheckAnswersForEachGraph() async throws {
    let found = try await rows("check alice.test bob.test --graph bluesky --graph tangled")
    #expect(found.map { $0.text("graph") } == ["bluesky", "tangled"])
    // No repository tells which accounts block each other in another app.
    #expect(found[1]["blocked"] == "null" && found[1].text("source") == "repository")
    try await rows("check alice.test heidi.test --graph tangled --is mutual")
    try await rows("check alice.test carol.test --graph tangled --is mutual", status: 1)
    try await rows("check alice.test oscar.test --graph tangled --is followed-by", status: 69)
    #expect(
      try await talk("check alice.test grace.test --graph weaver").contains(
        "\"code\":\"followsAwaitApproval\""))
  }

  @Test func graphsAreCountedAndCompared() async throws {
    let graphs = try await rows("graphs alice.test \(index)")
    let tangled = graphs.first { $0.text("graph") == "tangled" }
    #expect(tangled?["follows"] == "4" && tangled?["alsoOnBluesky"] == "3" && tangled?["followers"] == "3")
    #expect(try await rows("graphs alice.test").allSatisfy { $0["followers"] == "null" })
    let line = "graphs compare bluesky tangled alice.test --only-in tangled"
    #expect(handles(try await rows(line)) == ["heidi.test"])
  }

  // MARK: Changes

  @Test func aGraphIsCopiedInOneLineAndUndoneInOne() async throws {
    try await rows("login alice.test")
    let before = Set(try subjects("social.grain.graph.follow"))
    let excluded = user.home.appending(path: "excluded")
    try Data("carol.test\n".utf8).write(to: excluded)
    try await rows("follow --graph grain --following-in tangled --exclude \(excluded.path()) --yes")
    let after = Set(try subjects("social.grain.graph.follow"))
    #expect(after.isStrictSuperset(of: before))
    #expect(!after.subtracting(before).contains(try user.did("carol").description))
    try await rows("undo --yes")
    #expect(Set(try subjects("social.grain.graph.follow")) == before)
  }

  @Test func anUnknownAppIsWrittenOnlyInAShapeThatWasNamed() async throws {
    try await rows("login alice.test")
    for line in [
      "follow judy.test --graph xyz.example.follow",
      "follow judy.test --graph app.bsky.feed.like --as-shape subject",
      "follow judy.test --graph app.bsky.graph.block --as-shape subject",
    ] {
      try await rows(line, status: 64)
    }
    #expect(try subjects("xyz.example.follow").isEmpty)
    try await rows("follow judy.test --graph xyz.example.follow --as-shape subject")
    #expect(try subjects("xyz.example.follow") == [try user.did("judy").description])
  }

  @Test func aSnapshotOfAnAppIsAHistoryOfItsOwn() async throws {
    try await rows("login alice.test")
    #expect(try await rows("snapshot --graph tangled").map { $0.text("side") } == ["follows"])
    #expect(try await rows("history --graph tangled") == [])
    try await rows("history", status: 67)
  }

  @Test(arguments: [
    "follow --followers --graph tangled --dry-run",
    "unfollow --known-followers-of bob.test --graph tangled --dry-run",
    "check alice.test bob.test --graph tangled --is blocked",
    "graphs compare tangled tangled alice.test",
    "graphs compare bluesky tangled alice.test --only-in grain",
    "snapshot --side blocks --graph tangled", "snapshot --side followers --graph tangled",
  ])
  func whatAGraphDoesNotHaveIsAUsageError(line: String) async throws {
    try await rows("login alice.test")
    try await rows(line, status: 64)
  }

  // MARK: Transfer

  /// A record of something else than a follow is not a follow that could be imported.
  @Test func aRecordOfAnotherAppIsNoFollow() async throws {
    try await rows("login alice.test")
    let file = user.home.appending(path: "records.ndjson")
    let play = #"{"$type":"fm.example.play","subject":"\#(alice)"}"#
    try Data(play.utf8).write(to: file)
    let ending = try await user.kith(["import", file.path(), "--yes"])
    #expect(ending.status.rawValue == 65 && !ending.talk.contains("otherGraphs"), "\(ending.talk)")
  }

  @Test func anExportKeepsGraphsAndAnImportWritesThoseThatAreNamed() async throws {
    try await rows("login alice.test")
    let file = user.home.appending(path: "follows.csv").path()
    try await rows("export following --graph bluesky --graph tangled -o \(file)")
    let before = try subjects("sh.tangled.graph.follow").sorted()
    try await rows("unfollow --graph tangled --following-in tangled --yes")
    #expect(try subjects("sh.tangled.graph.follow").isEmpty)
    try await rows("import \(file) --yes")
    #expect(try subjects("sh.tangled.graph.follow").isEmpty)
    #expect(try await talk("import \(file) --yes").contains("\"otherGraphs\":[\"tangled\"]"))
    try await rows("import \(file) --yes --graph tangled")
    #expect(try subjects("sh.tangled.graph.follow").sorted() == before)
  }
}
