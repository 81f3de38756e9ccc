// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Requests, answers and policies from the command line. `FriendshipTests` and the suites beside it compare what they
/// do with the records of the network.
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

  private func run(
    _ line: String, over transport: (any HTTPTransport)? = nil
  ) async throws -> InProcessUser.Ending {
    // Quotes keep a predicate together.
    let parts = line.components(separatedBy: "\"")
    let words = parts.enumerated().flatMap { place, part in
      place.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [part]
    }
    return try await user.kith(words, over: transport)
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

  // MARK: Verbs

  @Test func aRequestToFollowIsSentListedAcceptedAndSynced() async throws {
    try await signIn("dave", "grace")
    try await rows("friends policy --who-may-ask everyone --account grace.test")
    let policy = try await rows("friends policy grace.test").first
    #expect(policy?.text("whoMayAsk") == "everyone" && policy?.text("requireApproval") == "true")
    let asked = try await rows("friends request grace.test --kind follow --expires 30d --account dave.test")
    #expect(asked.map { $0.text("state") } == ["done"])
    #expect(asked.first?.text("writes")?.contains("expiresAt") == true)
    let sent = try await rows("friends sent --where requested --account dave.test")
    #expect(handles(sent).contains("grace.test"))
    let inbox = try await rows("friends inbox dave.test --account grace.test")
    #expect(inbox.map { $0.text("kind") } == ["follow"])
    try await rows("friends accept dave.test --kind follow --account grace.test")
    let synced = try await rows("friends sync --account dave.test")
    #expect(synced.map { $0.text("verb") } == ["follow"])
    let again = try await run("friends sync --account dave.test")
    #expect(again.rows == [] && again.talk.contains("\"settled\":1"), "\(again.talk)")
    #expect(
      try await rows("friends cancel grace.test --account dave.test").map { $0.text("state") } == ["done"])
    try await rows("friends policy --delete --account grace.test")
    #expect(try await rows("friends policy grace.test").first?.text("takesPart") == "false")
  }

  @Test func requestsAreAnsweredByRowsAndByVersion() async throws {
    try await signIn("alice")
    let inbox = try await run("friends inbox \(index)").rows
    let file = user.home.appending(path: "inbox.ndjson")
    let lines = inbox.filter { $0.text("handle") == "judy.test" }.map { row in
      "{" + ["did", "cid"].map { "\"\($0)\":\"\(row.text($0) ?? "")\"" }.joined(separator: ",") + "}\n"
    }
    try Data(lines.joined().utf8).write(to: file)
    #expect(
      try await rows("friends decline --from \(file.path())").map { $0.text("state") } == ["done"])
    #expect(try await !handles(rows("friends inbox \(index)")).contains("judy.test"))
    try await rows("undo 1 --yes")
    #expect(try await handles(rows("friends inbox \(index)")) == handles(inbox))
    let planned = try await rows("friends accept dave.test --dry-run")
    #expect(planned.first?.text("notes")?.contains("to be friends") == true)
    let cid = try #require(inbox.first { $0.text("handle") == "dave.test" }?.text("cid"))
    #expect(try await run("friends accept bob.test dave.test --cid \(cid)").status == .usage)
    #expect(try await rows("friends accept bob.test --cid \(cid)", status: 77).count == 1)
    try await rows("friends accept dave.test --cid \(cid)")
    try await rows("check alice.test dave.test --is friend")
    try await rows("friends remove dave.test --yes")
    try await rows("check alice.test dave.test --is friend", status: 1)
  }

  @Test func pruningJobsKeepsWhatWasDeclined() async throws {
    try await signIn("alice")
    try await rows("friends decline dave.test")
    try await user.network.clock.sleep(for: .seconds(400 * 86_400))
    try await rows("jobs prune --older-than 30d")
    #expect(!handles(try await rows("friends inbox \(index)")).contains("dave.test"))
  }

  @Test func aListIsKeptEqualToTheFriends() async throws {
    try await signIn("alice")
    try await rows("lists create Friends --purpose curate")
    try await rows("lists add Friends bob.test")
    #expect(try await rows("friends audience Friends --yes").count == 2)
    #expect(handles(try await rows("lists show Friends")) == ["carol.test"])
  }

  @Test func theInboxSaysWhatWasLookedAt() async throws {
    try await signIn("alice")
    let inbox = try await run("friends inbox \(index)")
    let message = try KithMessage.all(in: inbox.talk).first { $0.code == "inboxListed" }
    for (field, count) in [("known", 7), ("accepted", 1), ("expired", 1), ("onWeaver", 0)] {
      #expect(message?.number(field) == Int64(count), "\(field): \(inbox.talk)")
    }
    #expect(inbox.talk.contains("\"more\":false"))
    #expect(Set(handles(try await rows("friends inbox --reach 100"))) == Set(handles(inbox.rows)))
    #expect(handles(try await rows("friends inbox dave.test grace.test")) == ["dave.test"])
    #expect(try await rows("friends inbox --where mutual --count").map { $0.text("count") } == ["1"])
    #expect(try await rows("friends inbox \(index) --page 2") == [])
    #expect(try await rows("friends inbox \(index) --after 7") == [])
  }

  // MARK: Refusals

  @Test(arguments: [
    ("friends accept bob.test", 64, "requestsUnseen"),
    ("friends accept bob.test --yes", 64, "requestsUnseen"),
    ("friends accept --mutuals --yes", 64, "requestsUnseen"), ("friends accept bob.test --cid x", 64, nil),
    ("friends policy --expiry 5m", 64, nil), ("friends policy bob.test --delete", 64, nil),
    ("friends request heidi.test frank.test", 77, nil), ("friends request oscar.test", 69, nil),
    ("friends accept oscar.test", 69, nil), ("check alice.test oscar.test --is friend", 69, nil),
  ])
  func aRefusalHasItsStatusAndItsCode(line: String, status: Int32, code: String?) async throws {
    try await signIn("alice")
    let ending = try await run(line)
    #expect(ending.status.rawValue == status, "\(ending.talk)")
    if let code { #expect(ending.talk.contains("\"code\":\"\(code)\""), "\(ending.talk)") }
  }

  @Test func followCanBeForced() async throws {
    try await signIn("dave")
    #expect(try await rows("follow grace.test", status: 77).map { $0.text("state") } == ["refused"])
    try await rows("follow grace.test --allow-unapproved")
    let names = user.home.appending(path: "names.txt")
    try Data("bob.test\nerin.test\n".utf8).write(to: names)
    #expect(try await run("follow --from \(names.path())").talk.contains("approvalNotAsked"))
  }

  @Test(arguments: [
    ("friends request bob.test", "notLearned"),
    ("check alice.test bob.test --is friend", "friendshipUnknown"),
  ])
  func aMessageSaysWhichServerRefused(line: String, code: String) async throws {
    try await signIn("alice")
    let ending = try await run(
      line, over: GuardedRepositories(user.network, guarding: [try user.did("bob")]))
    #expect(ending.status != .success)
    #expect(
      ending.talk.contains(code) && ending.talk.contains("AuthenticationRequired"), "\(ending.talk)")
  }

  // MARK: Words and files

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
}
