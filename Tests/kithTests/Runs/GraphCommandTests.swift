// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Follows in the graphs of other apps, compared with the records in the repositories of the network.
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

  // MARK: Listings

  @Test func followsOfAnAppAreThoseOfTheRepository() async throws {
    try await rows("login alice.test")
    let listed = try await rows("following --graph tangled")
    #expect(Set(listed.compactMap { $0.text("did") }) == Set(try subjects("sh.tangled.graph.follow")))
    #expect(listed.count == 4 && listed.allSatisfy { $0.text("graph") == "tangled" })
    #expect(try await rows("following").allSatisfy { $0.text("graph") == "bluesky" })
  }

  @Test func aSubjectThatIsNoAccountIsCountedAndNoTarget() async throws {
    try await rows("login alice.test")
    let subjects = try subjects("network.cosmik.follow")
    #expect(subjects.count == 2 && subjects.contains { $0.hasPrefix("at://") })
    #expect(handles(try await rows("following --graph cosmik")) == ["bob.test"])
    #expect(try await talk("following --graph cosmik").contains("\"otherSubjects\":1"))
    #expect(
      try await rows("follow --graph grain --following-in cosmik").map { $0.text("input") } == ["bob.test"])
  }

  @Test func aFollowOfOneselfIsSaidAndIsNoAccountOfTheListing() async throws {
    try await rows("login alice.test")
    let collection = try #require(NSID("sh.tangled.graph.follow"))
    let value: DataValue = [
      "$type": .string("\(collection)"), "subject": .string("\(alice)"), "createdAt": "2026-01-01T00:00:00Z",
    ]
    #expect(
      user.network.setRecords([try RecordKey(parsing: "3k2yihcrp6f2c"): value], in: collection, of: alice))
    let line = "following --graph tangled"
    #expect(try await rows(line).count == 4)
    let said = try await talk(line)
    #expect(
      said.contains("\"aboutItself\":1") && said.contains("unfollow"),
      "\(said)")
    #expect(try await rows("snapshot --graph tangled").map { $0["listed"] } == ["4"])
    try await rows("unfollow alice.test --graph tangled --yes")
    #expect(try await talk(line).contains("\"aboutItself\":1") == false)
  }

  @Test func whoFollowsBackIsAskedOfItsOwnRepository() async throws {
    try await rows("login alice.test")
    #expect(handles(try await rows("mutuals --graph tangled")) == ["bob.test", "heidi.test"])
    // Oscar's server does not show his repository: that is not a no.
    #expect(handles(try await rows("not-following-back --graph tangled")) == ["carol.test"])
    #expect(try await talk("not-following-back --graph tangled").contains("\"notShown\":1"))
    #expect(handles(try await rows("common me bob.test --graph tangled")) == ["carol.test"])
  }

  @Test func followersOfAnAppComeFromAnIndexAsALowerBound() async throws {
    try await rows("login alice.test")
    let line = "followers --graph tangled"
    #expect(handles(try await rows("\(line) \(index)")) == ["bob.test", "dave.test", "heidi.test"])
    #expect(try await talk("\(line) \(index)").contains("\"isLowerBound\":true"))
    #expect(handles(try await rows("not-followed-back --graph tangled \(index)")) == ["dave.test"])
    try await rows(line, status: 64)
    #expect(try await talk(line).contains("\"code\":\"graphNeedsIndex\""))
  }

  // MARK: Checks

  @Test func aCheckAnswersForEachGraph() async throws {
    let found = try await rows("check alice.test bob.test heidi.test --graph bluesky --graph tangled")
    #expect(found.map { $0.text("graph") } == ["bluesky", "tangled", "bluesky", "tangled"])
    #expect(found.map { $0.text("mutual") } == ["true", "true", "false", "true"])
    // No repository tells which accounts block each other in another app.
    #expect(found[1]["blocked"] == "null" && found[1].text("source") == "repository")
    try await rows("check alice.test heidi.test --graph tangled --is mutual")
    try await rows("check alice.test carol.test --graph tangled --is mutual", status: 1)
    try await rows("check alice.test oscar.test --graph tangled --is followed-by", status: 69)
    try await rows("check alice.test bob.test --graph tangled --is blocked", status: 64)
  }

  @Test func aFollowThatWaitsForApprovalIsARequest() async throws {
    let asked = try await rows("check alice.test grace.test --graph weaver --is following", status: 1)
    #expect(asked.first?["following"] == "null")
    #expect(
      try await talk("check alice.test grace.test --graph weaver").contains(
        "\"code\":\"followsAwaitApproval\""))
    try await rows("check judy.test grace.test --graph weaver --is mutual")
  }

  // MARK: Changes

  @Test func oneJobWritesARecordInEachGraphAndIsUndone() async throws {
    try await rows("login alice.test")
    let judy = try user.did("judy").description
    let done = try await rows("follow judy.test --graph bluesky --graph tangled")
    #expect(done.map { $0.text("graph") } == ["bluesky", "tangled"])
    #expect(Set(done.map { $0["job"] }).count == 1)
    for collection in ["app.bsky.graph.follow", "sh.tangled.graph.follow"] {
      #expect(try subjects(collection).filter { $0 == judy }.count == 1)
    }
    #expect(try await rows("follow judy.test --graph tangled").first?["state"] == "\"unchanged\"")
    // The last command changed nothing, so the job is named.
    try await rows("undo 1 --yes")
    for collection in ["app.bsky.graph.follow", "sh.tangled.graph.follow"] {
      #expect(try !subjects(collection).contains(judy))
    }
  }

  @Test func aGraphIsCopiedInOneLineAndUndoneInOne() async throws {
    try await rows("login alice.test")
    let before = Set(try subjects("social.grain.graph.follow"))
    let shown = Set(
      try await rows("following --graph tangled").filter { $0.text("handle") != nil }
        .compactMap { $0.text("did") })
    #expect(shown.count > 1)
    try await rows("follow --graph grain --following-in tangled --yes")
    #expect(Set(try subjects("social.grain.graph.follow")).isSuperset(of: shown.union(before)))
    try await rows("undo --yes")
    #expect(Set(try subjects("social.grain.graph.follow")) == before)
  }

  /// The accounts of a dry run, by graph.
  private func planned(_ line: String) async throws -> [String: Set<String>] {
    let found = try await rows("\(line) --dry-run \(index)")
    return Dictionary(grouping: found.filter { $0.text("state") != "unchanged" }) { $0.text("graph") ?? "" }
      .mapValues { Set($0.compactMap { $0.text("subject") }) }
  }

  /// The same words select the same accounts, whether they are listed or changed.
  @Test func aSelectionBelongsToTheGraphOfTheChange() async throws {
    try await rows("login alice.test")
    func listed(_ listing: String, _ graph: String) async throws -> Set<String> {
      Set(try await rows("\(listing) --graph \(graph) \(index)").compactMap { $0.text("did") })
    }
    for listing in ["following", "mutuals", "not-following-back"] {
      var wanted: [String: Set<String>] = [:]
      for graph in ["bluesky", "tangled"] { wanted[graph] = try await listed(listing, graph) }
      let both = try await planned("unfollow --\(listing) --graph bluesky --graph tangled")
      #expect(both == wanted && wanted["tangled"] != wanted["bluesky"], "\(listing)")
      let one = try await planned("unfollow --\(listing) --graph tangled")
      #expect(one == ["tangled": wanted["tangled"] ?? []], "\(listing)")
    }
    for (line, listing) in [
      ("follow --not-followed-back", "not-followed-back"), ("unfollow --follows-of me", "following"),
    ] {
      let (changed, wanted) = (
        try await planned("\(line) --graph tangled"), try await listed(listing, "tangled")
      )
      #expect(changed == ["tangled": wanted], "\(line)")
    }
    // A named account is meant in each graph, and only once; an exclusion counts in each.
    let file = user.home.appending(path: "excluded")
    try Data("carol.test\n".utf8).write(to: file)
    let line = "unfollow bob.test --following --graph bluesky --graph tangled --exclude \(file.path())"
    let (bob, carol) = (try user.did("bob").description, try user.did("carol").description)
    let chosen = try await rows("\(line) --dry-run").compactMap { $0.text("subject") }
    #expect(chosen.count { $0 == bob } == 2 && !chosen.contains(carol))
    try await rows("follow --followers --graph tangled --dry-run", status: 64)
    try await rows("unfollow --known-followers-of bob.test --graph tangled --dry-run", status: 64)
  }

  @Test func anUnknownAppIsWrittenOnlyInAShapeThatWasNamed() async throws {
    try await rows("login alice.test")
    try await rows("follow judy.test --graph xyz.example.follow", status: 64)
    try await rows("follow judy.test --graph app.bsky.feed.like --as-shape subject", status: 64)
    try await rows("follow judy.test --graph app.bsky.graph.block --as-shape subject", status: 64)
    #expect(try subjects("xyz.example.follow").isEmpty)
    try await rows("follow judy.test --graph xyz.example.follow --as-shape subject")
    #expect(try subjects("xyz.example.follow") == [try user.did("judy").description])
    #expect(try await rows("jobs show 1").map { $0.text("graph") } == ["xyz.example.follow"])
    try await rows("undo --yes")
    #expect(try subjects("xyz.example.follow").isEmpty)
  }

  /// A record with fields that Kith does not know comes back as it was.
  @Test func unknownFieldsOfARecordSurviveAnUndo() async throws {
    try await rows("login alice.test")
    let collection = try #require(NSID("sh.tangled.graph.follow"))
    let judy = try user.did("judy").description
    let value =
      #"{"$type":"\#(collection)","subject":"\#(judy)","createdAt":"2026-01-01T00:00:00Z","via":{"app":"x"}}"#
    let body = #"{"repo":"\#(alice)","collection":"\#(collection)","record":\#(value)}"#
    let file = user.home.appending(path: "record.json")
    try Data(body.utf8).write(to: file)
    let written = try await user.kith([
      "xrpc", "procedure", "com.atproto.repo.createRecord", "--input", file.path(), "--account", "alice.test",
    ])
    #expect(written.status.rawValue == 0, "\(written.talk)")
    func records() -> [String: DataValue] {
      Dictionary(
        uniqueKeysWithValues: user.network.live.records(of: alice, in: collection).map {
          ($0.key.description, $0.value)
        })
    }
    let before = records()
    #expect(before.values.contains { $0["via"] != nil })
    try await rows("unfollow judy.test --graph tangled --yes")
    #expect(records().count == before.count - 1)
    try await rows("undo --yes")
    #expect(records() == before)
  }

  // MARK: Graphs

  @Test func graphsCountFollowsAndTheirOverlap() async throws {
    let graphs = try await rows("graphs alice.test \(index)")
    let byName = Dictionary(uniqueKeysWithValues: graphs.map { ($0.text("graph") ?? "", $0) })
    #expect(Set(byName.keys) == ["bluesky", "tangled", "grain", "cosmik", "weaver"])
    #expect(byName["tangled"]?["follows"] == "4" && byName["tangled"]?["alsoOnBluesky"] == "3")
    #expect(byName["tangled"]?["followers"] == "3" && byName["cosmik"]?["otherSubjects"] == "1")
    #expect(byName["bluesky"]?["follows"] == "\(Set(try subjects("app.bsky.graph.follow")).count)")
    #expect(try await rows("graphs alice.test").allSatisfy { $0["followers"] == "null" })
  }

  @Test func graphsAreCompared() async throws {
    let line = "graphs compare bluesky tangled alice.test"
    #expect(handles(try await rows("\(line) --only-in tangled")) == ["heidi.test"])
    let (here, there) = (
      Set(try subjects("app.bsky.graph.follow")), Set(try subjects("sh.tangled.graph.follow"))
    )
    #expect(Set(try await rows(line).compactMap { $0.text("did") }) == here.union(there))
    #expect(
      Set(try await rows("\(line) --only-in bluesky").compactMap { $0.text("did") })
        == here.subtracting(there))
    try await rows("graphs compare tangled tangled alice.test", status: 64)
    try await rows("graphs compare bluesky tangled alice.test --only-in grain", status: 64)
  }

  // MARK: History

  @Test func snapshotsOfAnAppTellWhoCameAndWhoLeft() async throws {
    try await rows("login alice.test")
    #expect(try await rows("snapshot --graph tangled").map { $0.text("side") } == ["follows"])
    try await rows("follow judy.test --graph tangled --graph bluesky")
    try await rows("unfollow bob.test --graph tangled --yes")
    let taken = try await rows("snapshot --graph tangled")
    #expect(taken.map { $0.text("graph") } == ["tangled"])
    #expect(taken.map { $0["gained"] } == ["1"] && taken.map { $0["lost"] } == ["1"])
    let changes = try await rows("history --graph tangled")
    #expect(
      Set(changes.map { [$0.text("handle"), $0.text("kind"), $0.text("cause")] }) == [
        ["judy.test", "gained", nil], ["bob.test", "lost", "unfollowed"],
      ])
    #expect(changes.allSatisfy { $0.text("record")?.contains("/sh.tangled.graph.follow/") == true })
    // Bluesky's own history is another one.
    try await rows("history", status: 67)
    try await rows("snapshot --side blocks --graph tangled", status: 64)
    try await rows("snapshot --side followers --graph tangled", status: 64)
  }

  @Test func aFollowerWhomAnIndexLosesIsAskedBeforeALossIsRecorded() async throws {
    try await rows("login alice.test")
    let line = "snapshot --graph tangled --side followers \(index)"
    #expect(try await rows(line).map { $0["listed"] } == ["3"])
    let (bob, dave) = (try user.did("bob"), try user.did("dave"))
    let collection = try #require(NSID("sh.tangled.graph.follow"))
    // The index forgets both; only Bob deletes his record.
    let live = user.network.live
    let number = try #require(live.network.index(of: dave))
    live.state { $0.graph.otherLinks.forget(number, in: collection) }
    let key = try #require(
      live.records(of: bob, in: collection).first { $0.value["subject"]?.string == "\(alice)" }?.key)
    #expect(live.setRecords([key: nil], in: collection, of: bob))
    let taken = try await rows(line)
    #expect(taken.map { $0["lost"] } == ["1"] && taken.map { $0["unconfirmed"] } == ["1"])
    #expect(
      try await rows("history --graph tangled").map { [$0.text("did"), $0.text("cause")] }
        == [["\(bob)", "unfollowed"]])
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
