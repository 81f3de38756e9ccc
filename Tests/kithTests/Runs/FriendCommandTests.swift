// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Requests, answers and policies, compared with the records in the repositories of the network.
@Suite struct FriendCommandTests {
  private static let namespace = "org.kith.temp.graph"
  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 100) }

  @discardableResult
  private func rows(_ line: String, status: Int32 = 0) async throws -> [[String: String]] {
    let ending = try await run(line)
    #expect(ending.status.rawValue == status, "\(line): \(ending.talk)")
    return ending.rows
  }

  private func talk(_ line: String) async throws -> String { try await run(line).talk }

  private func run(_ line: String) async throws -> InProcessUser.Ending {
    // Quotes keep a predicate together.
    let parts = line.components(separatedBy: "\"")
    let words = parts.enumerated().flatMap { place, part in
      place.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [part]
    }
    return try await user.kith(words)
  }

  private func signIn(_ names: String...) async throws {
    for name in names {
      let ending = try await user.kith(["login", "\(name).test"], password: "pw-\(name)")
      #expect(ending.status == .success, "\(ending.talk)")
    }
  }

  private func handles(_ rows: [[String: String]]) -> [String] { rows.compactMap { $0.text("handle") } }

  private func records(_ collection: String, of name: String) throws -> [DataValue] {
    let collection = try #require(NSID("\(Self.namespace).\(collection)"))
    return user.network.live.records(of: try user.did(name), in: collection).map(\.value)
  }

  private var index: String { "--index \(FaultyNetwork.appview)" }

  // MARK: From request to friendship

  @Test func aRequestAndItsAcceptanceMakeFriendsOnBothSides() async throws {
    try await signIn("alice", "grace")
    let asked = try await rows("friends request grace.test --account alice.test")
    #expect(asked.map { $0.text("state") } == ["done"])
    #expect(
      try records("friendRequest", of: "alice").contains {
        $0["subject"]?.string == "\(try user.did("grace"))"
      })
    #expect(handles(try await rows("friends --by consent --account grace.test")) == [])
    #expect(handles(try await rows("friends inbox \(index) --account grace.test")) == ["alice.test"])
    #expect(
      handles(try await rows("friends sent --where requested --account alice.test")).contains("grace.test"))
    try await rows("check grace.test alice.test --is requested-by --account grace.test")
    try await rows("friends accept alice.test --kind friend --account grace.test")
    for (one, other) in [("alice", "grace"), ("grace", "alice")] {
      let friends = try await rows("friends --by consent --account \(one).test")
      #expect(handles(friends).contains("\(other).test"))
      try await rows("check \(one).test \(other).test --is friend")
      try await rows("check \(one).test \(other).test --is requested", status: 1)
    }
    #expect(handles(try await rows("friends inbox \(index) --account grace.test")) == [])
  }

  @Test func whatHoldsIsNotWrittenAgainAndUndoTakesItBack() async throws {
    try await signIn("alice")
    let before = try records("friendRequest", of: "alice")
    try await rows("friends request dave.test")
    #expect(try await rows("friends request dave.test").map { $0.text("state") } == ["unchanged"])
    #expect(try records("friendRequest", of: "alice").count == before.count + 1)
    try await rows("undo 1 --yes")
    #expect(try records("friendRequest", of: "alice") == before)
  }

  @Test func anotherKindReplacesTheRequestAndVoidsTheAnswer() async throws {
    try await signIn("alice", "carol")
    try await rows("check alice.test carol.test --is friend")
    let changed = try await rows("friends request alice.test --kind follow --account carol.test")
    #expect(changed.first?.text("notes")?.contains("replaces") == true)
    try await rows("check alice.test carol.test --is friend", status: 1)
    #expect(try records("friendRequest", of: "carol").count == 1)
    try await rows("undo --yes --account carol.test")
    // The former content is the former version.
    try await rows("check alice.test carol.test --is friend")
  }

  @Test func withdrawingEndsTheFriendshipOnBothSides() async throws {
    try await signIn("alice", "carol")
    try await rows("friends cancel alice.test --account carol.test")
    try await rows("check alice.test carol.test --is friend", status: 1)
    #expect(handles(try await rows("friends --by consent --account alice.test")) == [])
  }

  @Test func removingTakesTheAcceptanceBackAndKeepsTheRequestOut() async throws {
    try await signIn("alice")
    try await rows("friends remove carol.test --yes")
    #expect(try records("friendAnswer", of: "alice") == [])
    #expect(!handles(try await rows("friends inbox \(index)")).contains("carol.test"))
    #expect(try await rows("friends remove carol.test --yes").map { $0.text("state") } == ["unchanged"])
  }

  @Test func aBlockVoidsAFriendshipAndSaysWhatStays() async throws {
    try await signIn("alice")
    let blocked = try await rows("block carol.test bob.test --yes --graph grain")
    #expect(blocked.first { $0.text("input") == "carol.test" }?.text("notes")?.contains("acceptance") == true)
    #expect(blocked.first { $0.text("input") == "bob.test" }?.text("notes")?.contains("tangled") == true)
    try await rows("check alice.test carol.test --is friend", status: 1)
    try await rows("unblock carol.test")
    try await rows("check alice.test carol.test --is friend")
  }

  @Test func aBlockEndsFollowsInTheGraphsThatAreNamed() async throws {
    try await signIn("alice")
    let rows = try await rows("block bob.test --yes --graph tangled")
    #expect(rows.map { $0.text("state") } == ["done", "done"])
    #expect(!(rows.first?.text("notes")?.contains("tangled") ?? false))
    let follows = user.network.live.records(
      of: try user.did("alice"), in: try #require(NSID("sh.tangled.graph.follow")))
    #expect(
      !follows.contains {
        $0.value["subject"]?.string == "\((try? user.did("bob")).map(\.description) ?? "")"
      })
  }

  // MARK: Declining

  @Test func decliningWritesNothingAndHidesTheRequest() async throws {
    try await signIn("alice")
    let before = try records("friendAnswer", of: "alice")
    let inbox = handles(try await rows("friends inbox \(index)"))
    #expect(inbox.contains("dave.test"))
    let declined = try await rows("friends decline dave.test")
    #expect(declined.map { $0.text("state") } == ["done"])
    #expect(declined.first?.text("writes")?.contains("decline") == true)
    #expect(try records("friendAnswer", of: "alice") == before)
    #expect(handles(try await rows("friends inbox \(index)")) == inbox.filter { $0 != "dave.test" })
    #expect(try await rows("friends decline dave.test").map { $0.text("state") } == ["unchanged"])
    try await rows("undo 1 --yes")
    #expect(handles(try await rows("friends inbox \(index)")) == inbox)
  }

  @Test func aChangedRequestIsANewOne() async throws {
    try await signIn("alice", "dave")
    try await rows("friends decline dave.test --account alice.test")
    try await rows("friends request alice.test --kind follow --account dave.test")
    #expect(handles(try await rows("friends inbox \(index) --account alice.test")).contains("dave.test"))
  }

  @Test func pruningJobsKeepsWhatWasDeclined() async throws {
    try await signIn("alice")
    try await rows("friends decline dave.test")
    try await user.network.clock.sleep(for: .seconds(400 * 86_400))
    try await rows("jobs prune --older-than 30d")
    #expect(!handles(try await rows("friends inbox \(index)")).contains("dave.test"))
  }

  // MARK: Inbox

  @Test func theClosestComeFirstAndBlockedAccountsAreLeftOut() async throws {
    try await signIn("alice")
    let listed = try await rows("friends inbox \(index)")
    #expect(handles(listed).first == "bob.test")
    #expect(Set(handles(listed)) == ["bob.test", "dave.test", "judy.test"])
    #expect(listed.first?.text("relation") == "mutual")
    let said = try await talk("friends inbox \(index)")
    #expect(said.contains("\"known\":7") && said.contains("\"accepted\":1") && said.contains("\"expired\":1"))
  }

  @Test func withoutAnIndexTheRepositoriesOfNeighboursAreAsked() async throws {
    try await signIn("alice")
    let listed = try await rows("friends inbox --reach 100")
    // Grace's request has ended.
    #expect(Set(handles(listed)) == ["bob.test", "dave.test", "judy.test"])
    #expect(handles(try await rows("friends inbox dave.test grace.test")) == ["dave.test"])
    #expect(try await rows("friends inbox --where mutual --count").map { $0.text("count") } == ["1"])
  }

  @Test func anIndexThatMissesARequestSaysThatOthersMayBeMissing() async throws {
    try await signIn("alice")
    let dave = try user.number("dave")
    let collection = try #require(NSID("\(Self.namespace).friendRequest"))
    user.network.live.state { $0.graph.otherLinks.forget(dave, in: collection) }
    #expect(!handles(try await rows("friends inbox \(index)")).contains("dave.test"))
    #expect(handles(try await rows("friends inbox dave.test")) == ["dave.test"])
  }

  @Test func aFloodOfRequestsIsRankedAndPagedAndOnlyThePageIsRead() async throws {
    let user = try InProcessUser(accounts: 700)
    let alice = try user.did("alice")
    let collection = try #require(NSID("\(Self.namespace).friendRequest"))
    let strangers = user.network.live.state { $0.graph.network.dids }.suffix(640)
    let request: DataValue = [
      "$type": .string(collection.description), "subject": .string(alice.description), "kind": "friend",
      "createdAt": "2026-01-01T00:00:00Z",
    ]
    for stranger in strangers {
      _ = user.network.live.setRecords(
        [try RecordKey(parsing: alice.description): request], in: collection, of: stranger)
    }
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    var seen: Set<String> = []
    for (page, after) in [(1, 0), (2, 0), (1, 500)] {
      let ending = try await user.kith(
        [
          "friends", "inbox", "--index", FaultyNetwork.appview.description, "--page", "\(page)", "--after",
          "\(after)",
        ])
      #expect(ending.status == .success)
      let listed = ending.rows.compactMap { $0.text("did") }
      #expect(listed.count > 40 && listed.count <= 50)
      // What mutuals ask is on the first page, also where newer requests of others have pushed it out of the index's first 500.
      let message = try KithMessage.all(in: ending.talk).first { $0.code == "inboxListed" }
      if page == 1, after == 0 { #expect(handles(ending.rows).contains("bob.test")) }
      #expect((message?.number("mutuals") ?? 0 > 0) == (after == 0))
      let others = ending.rows.filter { $0.text("relation") != "mutual" }.compactMap { $0.text("did") }
      #expect(seen.isDisjoint(with: others))
      seen.formUnion(others)
      #expect(
        ending.talk.contains("\"known\":647") && ending.talk.contains("\"looked\":\(after == 0 ? 500 : 147)"))
      #expect(ending.talk.contains("\"more\":\(after == 0)"))
      if page == 1 { #expect(ending.rows.first?.text("relation") == "mutual") }
    }
  }

  // MARK: Policies

  /// Alice blocks Heidi by a list, and Frank blocks Alice.
  @Test func blockedAccountsAreNotAsked() async throws {
    try await signIn("alice")
    let refused = try await rows("friends request heidi.test frank.test", status: 77)
    #expect(refused.map { $0.text("state") } == ["refused", "refused"])
  }

  @Test func aPolicyIsRespected() async throws {
    try await signIn("alice", "dave", "grace")
    let refused = try await rows("friends request grace.test --account dave.test", status: 77)
    #expect(refused.map { $0.text("state") } == ["refused"])
    #expect(try records("friendRequest", of: "dave").count == 1)
    try await rows("friends policy --who-may-ask everyone --account grace.test")
    try await rows("friends request grace.test --account dave.test")
    let shown = try await rows("friends policy grace.test")
    #expect(shown.first?.text("whoMayAsk") == "everyone" && shown.first?.text("requireApproval") == "true")
    try await rows("friends policy --delete --account grace.test")
    #expect(try await rows("friends policy grace.test").first?.text("takesPart") == "false")
  }

  /// Of the three that have asked, Bob alone is a mutual of Alice.
  @Test func theInboxFollowsTheOwnPolicy() async throws {
    try await signIn("alice")
    let all = Set(handles(try await rows("friends inbox \(index)")))
    #expect(all == ["bob.test", "dave.test", "judy.test"])
    var (wanted, excluded): ([String: Set<String>], [String: Int64]) = ([:], [:])
    for who in ["everyone", "mutuals", "none"] {
      try await rows("friends policy --who-may-ask \(who)")
      let ending = try await run("friends inbox \(index)")
      wanted[who] = Set(handles(ending.rows))
      excluded[who] = try KithMessage.all(in: ending.talk).first { $0.code == "inboxListed" }?
        .number("excluded")
    }
    #expect(wanted == ["everyone": all, "mutuals": ["bob.test"], "none": []])
    #expect(excluded["everyone"] == 0 && excluded["mutuals"] ?? 0 >= 2 && excluded["none"] ?? 0 >= 3)
    // What is asked for by name is shown.
    #expect(handles(try await rows("friends inbox dave.test")) == ["dave.test"])
    #expect(handles(try await rows("friends inbox --reach 100")) == [])
  }

  @Test func theOwnPolicySetsTheEndOfRequests() async throws {
    try await signIn("alice")
    try await rows("friends policy --expiry 30d")
    let asked = try await rows("friends request dave.test")
    #expect(asked.first?.text("writes")?.contains("expiresAt") == true)
    try await user.network.clock.sleep(for: .seconds(3_600))
    #expect(try await rows("friends request dave.test").map { $0.text("state") } == ["unchanged"])
    #expect(try await run("friends policy --expiry 5m").status == .usage)
    #expect(try await run("friends policy bob.test --delete").status == .usage)
  }

  @Test func followAsksFirstWhereAPolicyWantsThat() async throws {
    try await signIn("dave", "grace")
    let refused = try await rows("follow grace.test --account dave.test", status: 77)
    #expect(refused.map { $0.text("state") } == ["refused"])
    try await rows("friends policy --who-may-ask everyone --account grace.test")
    try await rows("friends request grace.test --kind follow --account dave.test")
    try await rows("friends accept dave.test --kind follow --account grace.test")
    let synced = try await rows("friends sync --account dave.test")
    #expect(synced.map { $0.text("state") } == ["done"])
    try await rows("check dave.test grace.test --is following")
    #expect(try await rows("friends sync --account dave.test") == [])
  }

  // MARK: Decisions that stay

  /// Dave asks to follow Grace, and she allows it.
  private func allowDave() async throws {
    try await rows("friends policy --who-may-ask everyone --account grace.test")
    try await rows("friends request grace.test --kind follow --account dave.test")
    try await rows("friends accept dave.test --kind follow --account grace.test")
  }

  private func deleteFollows(of name: String) async throws {
    let (owner, follow) = (try user.did(name), try #require(NSID("app.bsky.graph.follow")))
    let follows = user.network.live.records(of: owner, in: follow).map { ($0.key, DataValue?.none) }
    _ = user.network.live.setRecords(Dictionary(follows) { first, _ in first }, in: follow, of: owner)
  }

  @Test(arguments: ["unfollow grace.test", "undo --yes", "block grace.test", "another app"])
  func syncDoesNotFollowAgain(after decision: String) async throws {
    try await signIn("dave", "grace")
    try await allowDave()
    try await rows("friends sync --account dave.test")
    if decision == "another app" {
      try await deleteFollows(of: "dave")
    } else {
      try await rows("\(decision) --account dave.test")
      if decision.hasPrefix("block") { try await rows("unblock grace.test --account dave.test") }
    }
    let again = try await run("friends sync --account dave.test")
    #expect(again.rows == [] && again.talk.contains("\"settled\":1"), "\(again.talk)")
    // The journal forgets the jobs, but not that.
    try await user.network.clock.sleep(for: .seconds(40 * 86_400))
    try await rows("jobs prune --older-than 30d --account dave.test")
    #expect(try await rows("jobs --all --account dave.test") == [])
    #expect(try await rows("friends sync --account dave.test") == [])
    try await rows("check dave.test grace.test --is following", status: 1)
    // Who asks again decides again.
    try await rows("friends cancel grace.test --account dave.test")
    try await allowDave()
    let renewed = try await rows("friends sync --account dave.test")
    #expect(renewed.map { $0.text("verb") } == ["follow"])
  }

  @Test(arguments: [true, false]) func aBlockOrAnEarlierFollowSettlesARequestBeforeItIsSynced(
    _ blocks: Bool
  ) async throws {
    try await signIn("dave", "grace")
    try await allowDave()
    if blocks {
      try await rows("block grace.test --account dave.test")
      try await rows("unblock grace.test --account dave.test")
    } else {
      // Dave has followed by himself; sync finds it, and later another app deletes the follow.
      try await rows("follow grace.test --account dave.test")
      #expect(try await rows("friends sync --account dave.test").map { $0.text("state") } == ["unchanged"])
      try await deleteFollows(of: "dave")
    }
    #expect(try await rows("friends sync --account dave.test") == [])
    try await rows("check dave.test grace.test --is following", status: 1)
  }

  @Test func syncRemovesAcceptancesOfRequestsThatAreProvablyGone() async throws {
    try await signIn("alice", "carol", "dave", "judy")
    try await rows("friends accept dave.test --kind friend --account alice.test")
    try await rows("friends accept judy.test --kind follow --account alice.test")
    #expect(try records("friendAnswer", of: "alice").count == 3)
    try await rows("friends cancel alice.test --account carol.test")
    // What stands in the place of Judy's request is not a request, but it is there.
    let (judy, alice) = (try user.did("judy"), try user.did("alice"))
    let requests = try #require(NSID("\(Self.namespace).friendRequest"))
    _ = user.network.live.setRecords(
      [try RecordKey(parsing: "\(alice)"): ["$type": .string("\(requests)"), "kind": "other"]], in: requests,
      of: judy)
    // Dave's server does not show his repository.
    let dave = try user.number("dave")
    user.network.live.state { $0.graph.standings.set(.deactivated, at: dave) }
    let synced = try await rows("friends sync --account alice.test", status: 0)
    #expect(synced.map { $0.text("verb") } == ["remove acceptance"])
    #expect(synced.first?.text("subject") == "\(try user.did("carol"))")
    #expect(try records("friendAnswer", of: "alice").count == 2)
    try await rows("undo --yes --account alice.test")
    #expect(try records("friendAnswer", of: "alice").count == 3)
  }

  // MARK: What is accepted was shown

  /// Writes the rows of an inbox as another format.
  private func file(_ inbox: [[String: String]], _ format: String) throws -> String {
    let file = user.home.appending(path: "inbox.\(format)")
    let fields = ["did", "record", "cid", "kind"]
    let rows = inbox.map { row in fields.map { row.text($0) ?? "" } }
    let objects = rows.map { row in
      "{" + zip(fields, row).map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }
    let text =
      switch format {
      case "csv": ([fields] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n")
      case "json": "[" + objects.joined(separator: ",\n") + "]"
      default: objects.joined(separator: "\n")
      }
    try Data(text.utf8).write(to: file)
    return file.path()
  }

  @Test func aNameAloneIsNotAcceptedUnseen() async throws {
    try await signIn("alice")
    let before = try records("friendAnswer", of: "alice")
    for line in [
      "friends accept bob.test", "friends accept bob.test --yes", "friends accept --mutuals --yes",
    ] {
      let ending = try await run(line)
      #expect(
        ending.status == .usage && ending.talk.contains("\"code\":\"requestsUnseen\""), "\(ending.talk)")
    }
    // Dave asks to be friends, Judy to follow.
    let refused = try await rows("friends accept judy.test dave.test --kind follow", status: 77)
    #expect(refused.map { $0.text("state") } == ["done", "refused"])
    #expect(try records("friendAnswer", of: "alice").count == before.count + 1)
    let planned = try await rows("friends accept dave.test --dry-run")
    #expect(planned.first?.text("notes")?.contains("to be friends") == true)
    #expect(try await run("friends accept bob.test --cid x").status == .usage)
    let cid = try #require(try await rows("friends inbox dave.test").first?.text("cid"))
    #expect(try await run("friends accept bob.test dave.test --cid \(cid)").status == .usage)
    #expect(try await rows("friends accept bob.test --cid \(cid)", status: 77).count == 1)
    try await rows("friends accept dave.test --cid \(cid)")
    try await rows("check alice.test dave.test --is friend")
  }

  /// What changes between the look and the answer is never accepted, nor declined.
  @Test(arguments: ["ndjson", "json", "csv"])
  func aRowOfTheInboxBindsTheAnswerToItsVersion(_ format: String) async throws {
    try await signIn("alice", "bob")
    try await rows("friends request alice.test --kind follow --account bob.test")
    let inbox = try await rows("friends inbox bob.test dave.test --account alice.test")
    let file = try file(inbox, format)
    try await rows("friends request alice.test --kind friend --account bob.test")
    for verb in ["decline", "accept"] {
      let answered = try await run("friends \(verb) --from \(file) --account alice.test")
      #expect(answered.status.rawValue == 77, "\(answered.talk)")
      #expect(answered.rows.map { $0.text("state") } == ["refused", "done"])
    }
    try await rows("check alice.test bob.test --is friend", status: 1)
    try await rows("check alice.test dave.test --is friend")
    // The listed version is back, and it is still the one that was seen.
    try await rows("undo --yes --account bob.test")
    try await rows("friends accept --from \(file) --account alice.test")
  }

  @Test func followCanBeForced() async throws {
    try await signIn("dave")
    try await rows("follow grace.test --allow-unapproved --account dave.test")
    #expect(try await talk("follow carol.test --account dave.test").contains("approvalNotAsked") == false)
    let names = user.home.appending(path: "names.txt")
    try Data("bob.test\nerin.test\n".utf8).write(to: names)
    #expect(try await talk("follow --from \(names.path()) --account dave.test").contains("approvalNotAsked"))
  }

  @Test func syncWithdrawsWhatHasEnded() async throws {
    try await signIn("grace")
    #expect(try records("friendRequest", of: "grace").count == 1)
    try await rows("friends sync --account grace.test")
    #expect(try records("friendRequest", of: "grace") == [])
  }

  /// Grace has to approve her followers on Weaver: Judy is accepted there, and Alice waits.
  @Test func weaverIsReadAsASecondSource() async throws {
    try await signIn("grace")
    #expect(try await rows("friends policy grace.test").first?.text("approvesOnWeaver") == "true")
    #expect(try await rows("friends policy bob.test").first?.text("approvesOnWeaver") == "false")
    #expect(try await talk("friends inbox \(index)").contains("\"onWeaver\":1"))
  }

  // MARK: Words, lists and files

  @Test func fieldsAreNullUnlessTheyAreAskedFor() async throws {
    try await signIn("alice")
    #expect(try await rows("check alice.test carol.test").first?.text("friend") == nil)
    let asked = try await rows("check alice.test carol.test bob.test --requests")
    #expect(asked.map { $0.text("friend") } == ["true", "false"])
    #expect(asked.map { $0.text("requestedBy") } == ["false", "true"])
    let listed = try await rows("following --where friend")
    #expect(handles(listed) == ["carol.test"] && listed.first?.text("friend") == "true")
    #expect(handles(try await rows("following --where \"friend with me\"")) == ["carol.test"])
    let unfiltered = try await rows("followers --requests").filter { $0.text("requestedBy") == "true" }
    #expect(handles(unfiltered).contains("bob.test"))
    #expect(handles(try await rows("followers --where \"requested-by and mutual\"")) == ["bob.test"])
    #expect(try await rows("following --limit 3").allSatisfy { $0.text("friend") == nil })
  }

  @Test func aServerThatDoesNotTellLeavesItUnknown() async throws {
    try await signIn("alice")
    // Oscar is deactivated: his server does not show his repository.
    try await rows("check alice.test oscar.test --is friend", status: 69)
    #expect(try await rows("check alice.test oscar.test --requests").first?.text("friend") == nil)
    #expect(try await rows("friends request oscar.test", status: 69).map { $0.text("state") } == ["error"])
    #expect(try await rows("friends accept oscar.test", status: 69).map { $0.text("state") } == ["error"])
  }

  @Test func aListIsKeptEqualToTheFriends() async throws {
    try await signIn("alice")
    try await rows("lists create Friends --purpose curate")
    try await rows("lists add Friends bob.test")
    let changed = try await rows("friends audience Friends --yes")
    #expect(changed.count == 2 && changed.allSatisfy { $0.text("state") == "done" })
    #expect(handles(try await rows("lists show Friends")) == ["carol.test"])
    #expect(try await rows("friends audience Friends --yes") == [])
  }

  @Test func requestsAnswersAndThePolicyAreExportedAndImported() async throws {
    try await signIn("alice")
    try await rows("friends policy --who-may-ask followers --expiry 7d")
    let exported = try await run("export friends")
    #expect(exported.rows.map { $0.text("kind") } == ["friend-policy", "friend-request", "friend-answer"])
    let file = user.home.appending(path: "friends.ndjson")
    try await rows("export friends -o \(file.path()) --format ndjson")
    let before = try (records("friendRequest", of: "alice"), records("friendAnswer", of: "alice"))
    try await rows("friends policy --delete")
    try await rows("friends cancel niaj.test")
    try await rows("friends decline carol.test")
    try await rows("check alice.test carol.test --is friend", status: 1)
    let left = try await run("import \(file.path()) --yes")
    #expect(
      left.status == .badInput && left.rows == [] && left.talk.contains("\"statements\":3"), "\(left.talk)")
    let imported = try await rows(
      "import \(file.path()) --yes --only friend-policy friend-request friend-answer")
    #expect(imported.count == 3 && imported.allSatisfy { $0.text("state") == "done" })
    #expect(try records("friendRequest", of: "alice") == before.0)
    try await rows("check alice.test carol.test --is friend")
    #expect(try await rows("friends policy").first?.text("whoMayAsk") == "followers")
  }

  @Test func anExportReadsTheOwnRepositoryWithTheSessionWhereItsServerAsks() async throws {
    try await signIn("alice")
    let open = try await user.kith(["export", "all"])
    let guarded = GuardedRepositories(user.network, guarding: [try user.did("alice")])
    let closed = try await user.kith(["export", "all"], over: guarded)
    #expect(closed.status == open.status && !open.rows.isEmpty, "\(closed.talk)")
    #expect(closed.rows.count == open.rows.count)
  }

  @Test func aRowSaysWhichServerRefused() async throws {
    try await signIn("alice")
    let guarded = GuardedRepositories(user.network, guarding: [try user.did("bob")])
    func words(_ line: String) async throws -> String {
      let ending = try await user.kith(line.split(separator: " ").map(String.init), over: guarded)
      #expect(ending.status != .success)
      return ending.rows.map { "\($0)" }.joined() + ending.talk
    }
    for line in [
      "friends request bob.test", "friends accept bob.test --kind friend", "friends decline bob.test",
    ] {
      let said = try await words(line)
      #expect(said.contains("notLearned") && said.contains("AuthenticationRequired"), "\(line): \(said)")
    }
    let checked = try await words("check alice.test bob.test --is friend")
    #expect(
      checked.contains("friendshipUnknown") && checked.contains("AuthenticationRequired"), "\(checked)")
  }

  // MARK: Hostile records

  @Test func recordsThatAreNoRequestsAreNone() async throws {
    try await signIn("alice")
    let (judy, alice) = (try user.did("judy"), try user.did("alice"))
    let collection = try #require(NSID("\(Self.namespace).friendRequest"))
    func set(_ fields: DataObject, key: String) throws {
      let value = DataValue.object(
        fields.merging(["$type": .string(collection.description)]) { first, _ in first })
      let former = user.network.live.records(of: judy, in: collection).map { ($0.key, DataValue?.none) }
      let key = try RecordKey(parsing: key)
      _ = user.network.live.setRecords(
        Dictionary(former) { first, _ in first }.merging([key: value]) { $1 }, in: collection, of: judy)
    }
    let valid: DataObject = [
      "subject": .string(alice.description), "kind": "friend", "createdAt": "2026-01-01T00:00:00Z",
    ]
    // Another subject under the key, an unknown kind, a foreign key.
    try set(valid.merging(["subject": .string(judy.description)]) { $1 }, key: alice.description)
    #expect(!handles(try await rows("friends inbox \(index)")).contains("judy.test"))
    try set(valid.merging(["kind": "owner"]) { $1 }, key: alice.description)
    #expect(!handles(try await rows("friends inbox \(index)")).contains("judy.test"))
    try set(valid, key: "3kaaaaaaaaaa2")
    #expect(try await rows("friends accept judy.test", status: 77).map { $0.text("state") } == ["refused"])
    // A date in the future does not give an age.
    try set(valid.merging(["createdAt": "2999-01-01T00:00:00Z"]) { $1 }, key: alice.description)
    let shown = try await rows("friends inbox judy.test")
    #expect(shown.first?.text("age") == "0")
    // A large unknown field belongs to the version.
    try set(
      valid.merging(["note": .string(String(repeating: "x", count: 50_000))]) { $1 }, key: alice.description)
    #expect(handles(try await rows("friends inbox judy.test")) == ["judy.test"])
  }
}
