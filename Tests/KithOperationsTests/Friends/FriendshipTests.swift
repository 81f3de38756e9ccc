// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithOperations

/// Requests and their answers, compared with the records in the repositories of the network.
@Suite struct FriendshipTests {
  private let network = FaultyNetwork(accounts: 100)

  private func user(_ name: String) async throws -> ServedUser { try await ServedUser(name, on: network) }

  private func friends(of name: String, by user: ServedUser) async throws -> [String] {
    try await user.run(ListFriends(of: user.actor(name), by: .consent)).rows.map(\.view).handles
  }

  // MARK: From request to friendship

  @Test func aRequestAndItsAcceptanceMakeFriendsOnBothSides() async throws {
    let (alice, grace) = (try await user("alice"), try await user("grace"))
    let asked = try await alice.friends(.request(FriendRequestDraft()), "grace")
    #expect(asked.rows.map(\.state) == [.done])
    #expect(try alice.subjects(FriendRequest.collection).contains("\(alice.did("grace"))"))
    #expect(try await friends(of: "grace", by: grace) == [])
    #expect(try await grace.inbox().handles == ["alice.test"])
    let sent = try await alice.run(
      ListSentRequests(by: alice.actor("alice"), where: alice.predicate("requested")))
    #expect(sent.rows.map(\.view).handles.contains("grace.test"))
    #expect(try await grace.answer("grace", "alice", is: "requested-by") == .yes)
    try await grace.friends(.accept, "alice", asking: .friend)
    for (user, one, other) in [(alice, "alice", "grace"), (grace, "grace", "alice")] {
      #expect(try await friends(of: one, by: user).contains("\(other).test"))
      #expect(try await user.answer(one, other, is: "friend") == .yes)
      #expect(try await user.answer(one, other, is: "requested") == .no)
    }
    #expect(try await grace.inbox().handles == [])
  }

  @Test func whatHoldsIsNotWrittenAgainAndUndoTakesItBack() async throws {
    let alice = try await user("alice")
    let before = try alice.values(FriendRequest.collection)
    let asked = try await alice.friends(.request(FriendRequestDraft()), "dave")
    let again = try await alice.friends(.request(FriendRequestDraft()), "dave")
    #expect(again.rows.map(\.state) == [.unchanged])
    #expect(try alice.values(FriendRequest.collection).count == before.count + 1)
    try await alice.undo(try #require(asked.outcome.job).id)
    #expect(try alice.values(FriendRequest.collection) == before)
  }

  @Test func anotherKindReplacesTheRequestAndVoidsTheAnswer() async throws {
    let carol = try await user("carol")
    #expect(try await carol.answer("alice", "carol", is: "friend") == .yes)
    let changed = try await carol.friends(.request(FriendRequestDraft(.follow)), "alice")
    #expect(changed.rows.first?.notes.map(\.code).contains(.replacesRequest) == true)
    #expect(try await carol.answer("alice", "carol", is: "friend") == .no)
    #expect(try carol.values(FriendRequest.collection, of: "carol").count == 1)
    try await carol.undo()
    // The former content is the former version.
    #expect(try await carol.answer("alice", "carol", is: "friend") == .yes)
  }

  @Test func withdrawingEndsTheFriendshipOnBothSides() async throws {
    let (alice, carol) = (try await user("alice"), try await user("carol"))
    try await carol.friends(.cancel, "alice")
    #expect(try await carol.answer("alice", "carol", is: "friend") == .no)
    #expect(try await friends(of: "alice", by: alice) == [])
  }

  @Test func removingTakesTheAcceptanceBackAndKeepsTheRequestOut() async throws {
    let alice = try await user("alice")
    try await alice.friends(.remove, "carol", confirmed: true)
    #expect(try alice.values(FriendAnswer.collection) == [])
    #expect(try await !alice.inbox().handles.contains("carol.test"))
    #expect(try await alice.friends(.remove, "carol", confirmed: true).rows.map(\.state) == [.unchanged])
  }

  @Test func aBlockVoidsAFriendshipAndSaysWhatStays() async throws {
    let alice = try await user("alice")
    let blocked = try await alice.carryOut(
      ChangeAccounts(.block(endingIn: [.grain]), .cast("carol", "bob")), confirmed: true)
    for (name, record) in [("carol.test", "acceptance"), ("bob.test", "tangled")] {
      let notes = blocked.rows.first { $0.input == name }?.notes ?? []
      #expect(
        notes.contains { $0.code == .staysElsewhere && $0.description.contains(record) }, "\(name): \(notes)")
    }
    #expect(try await alice.answer("alice", "carol", is: "friend") == .no)
    try await alice.carryOut(ChangeAccounts(.unblock, .cast("carol")))
    #expect(try await alice.answer("alice", "carol", is: "friend") == .yes)
  }

  @Test func aBlockEndsFollowsInTheGraphsThatAreNamed() async throws {
    let alice = try await user("alice")
    let run = try await alice.carryOut(
      ChangeAccounts(.block(endingIn: [.tangled]), .cast("bob")), confirmed: true)
    #expect(run.rows.map(\.state) == [.done, .done])
    #expect(run.rows.first?.notes.contains { $0.description.contains("tangled") } == false)
    let bob = try "\(alice.did("bob"))"
    #expect(try !alice.subjects(FollowGraph.tangled.collection).contains(bob))
  }

  // MARK: Declining

  @Test func decliningWritesNothingAndHidesTheRequest() async throws {
    let alice = try await user("alice")
    let before = try alice.values(FriendAnswer.collection)
    let inbox = try await alice.inbox().handles
    #expect(inbox.contains("dave.test"))
    let declined = try await alice.friends(.decline, "dave")
    #expect(declined.rows.map(\.state) == [.done])
    #expect(declined.rows.first?.steps.map(\.decline?.isTakenBack) == [false])
    #expect(try alice.values(FriendAnswer.collection) == before)
    #expect(try await alice.inbox().handles == inbox.filter { $0 != "dave.test" })
    #expect(try await alice.friends(.decline, "dave").rows.map(\.state) == [.unchanged])
    try await alice.undo(try #require(declined.outcome.job).id)
    #expect(try await alice.inbox().handles == inbox)
  }

  @Test func pruningJobsKeepsWhatWasDeclined() async throws {
    let alice = try await user("alice")
    try await alice.friends(.decline, "dave")
    alice.network.clock.advance(by: .days(400))
    try await alice.pruneJobs()
    #expect(try await !alice.inbox().handles.contains("dave.test"))
  }

  @Test func aChangedRequestIsANewOne() async throws {
    let (alice, dave) = (try await user("alice"), try await user("dave"))
    try await alice.friends(.decline, "dave")
    try await dave.friends(.request(FriendRequestDraft(.follow)), "alice")
    #expect(try await alice.inbox().handles.contains("dave.test"))
  }

  // MARK: What is accepted was shown

  @Test func aNameAloneIsNotAcceptedUnseen() async throws {
    let alice = try await user("alice")
    let before = try alice.values(FriendAnswer.collection)
    for accounts in [AccountChoice.cast("bob"), .found(.own(.mutuals))] {
      var accept = Change(ChangeFriends(.accept, accounts))
      accept.isConfirmed = true
      let error = await #expect(throws: OperationError.self) { try await alice.run(accept) }
      #expect(error?.code == .requestsUnseen && error?.kind == .usage)
    }
    let asked = try await alice.friends(.accept, "bob", ending: .declined)
    guard case .change(let question)? = asked.questions.first,
      case .unseenRequests(let unseen, _)? = question.concern
    else {
      Issue.record("asked otherwise: \(asked.questions)")
      return
    }
    #expect(unseen.map(\.name) == ["bob.test"] && asked.rows.isEmpty)
    #expect(try alice.values(FriendAnswer.collection) == before)
    // Dave asks to be friends, Judy to follow.
    let refused = try await alice.friends(
      .accept, "judy", "dave", asking: .follow, ending: .partly(.notAllowed))
    #expect(refused.rows.map(\.state) == [.done, .refused])
    #expect(try alice.values(FriendAnswer.collection).count == before.count + 1)
    let planned = try await alice.friends(.accept, "dave", as: .preview)
    #expect(planned.rows.first?.notes.map(\.code) == [.answersRequest])
    let cid = try #require(try await alice.inbox(.accounts([alice.did("dave")])).rows.first).request.cid
    let other = try await alice.friends(.accept, "bob", version: cid, ending: .partly(.notAllowed))
    #expect(other.rows.map(\.state) == [.refused])
    try await alice.friends(.accept, "dave", version: cid)
    #expect(try await alice.answer("alice", "dave", is: "friend") == .yes)
  }

  /// The rows of an inbox in a format.
  private func text(_ inbox: [FriendRequestRow], as format: String) -> String {
    let fields = ["did", "record", "cid", "kind"]
    let rows = inbox.map { row in
      ["\(row.view.account)", "\(row.request.uri)", "\(row.request.cid)", row.request.kind.rawValue]
    }
    let objects = rows.map { row in
      "{" + zip(fields, row).map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }
    return switch format {
    case "csv": ([fields] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n")
    case "json": "[" + objects.joined(separator: ",\n") + "]"
    default: objects.joined(separator: "\n")
    }
  }

  /// What changes between the look and the answer is never accepted, nor declined.
  @Test(arguments: ["ndjson", "json", "csv"])
  func aRowOfTheInboxBindsTheAnswerToItsVersion(_ format: String) async throws {
    let (alice, bob) = (try await user("alice"), try await user("bob"))
    try await bob.friends(.request(FriendRequestDraft(.follow)), "alice")
    let inbox = try await alice.inbox(.accounts([alice.did("bob"), alice.did("dave")])).rows
    func answer(_ kind: FriendChanges.Kind, ending: Ending) async throws -> [ChangeRow.State] {
      let file = AccountChoice.file(text(inbox, as: format), named: "inbox.\(format)")
      return try await alice.carryOut(ChangeFriends(kind, file), ending: ending).rows.map(\.state)
    }
    try await bob.friends(.request(FriendRequestDraft(.friend)), "alice")
    for kind in [FriendChanges.Kind.decline, .accept] {
      #expect(try await answer(kind, ending: .partly(.notAllowed)) == [.refused, .done])
    }
    #expect(try await alice.answer("alice", "bob", is: "friend") == .no)
    #expect(try await alice.answer("alice", "dave", is: "friend") == .yes)
    // The listed version is back, and it is still the one that was seen.
    try await bob.undo()
    #expect(try await answer(.accept, ending: .done).first == .done)
  }

  // MARK: Servers that do not tell, and hostile records

  @Test func aServerThatDoesNotTellLeavesItUnknown() async throws {
    let alice = try await user("alice")
    // Oscar is deactivated: his server does not show his repository.
    #expect(try await alice.answer("alice", "oscar", is: "friend") == .failed(.unavailable))
    var check = CheckRelationships(
      of: try alice.actor("alice"), targets: TargetStream(origins: [.argument("oscar.test")]))
    check.wantsRequests = true
    let row = try #require(try await alice.run(check).rows.first)
    #expect(row.answer.friendship?.isFriend == nil)
    for kind in [FriendChanges.Kind.request(FriendRequestDraft()), .accept] {
      #expect(
        try await alice.friends(kind, "oscar", ending: .partly(.unavailable)).rows.map(\.state) == [.error])
    }
  }

  @Test func aRowSaysWhichServerRefused() async throws {
    let alice = try await user("alice")
    let guarded = GuardedRepositories(network, guarding: [try alice.did("bob")])
    let kinds: [(FriendChanges.Kind, asking: FriendRequest.Kind?)] = [
      (.request(FriendRequestDraft()), nil), (.accept, .friend), (.decline, nil),
    ]
    for (kind, wanted) in kinds {
      var source = ChangeFriends(kind, .cast("bob"))
      source.asking = wanted
      let run = try await alice.run(Change(source), over: guarded)
      guard case .refused(let refusal)? = run.rows.first?.reason else {
        Issue.record("not refused: \(run.rows)")
        continue
      }
      #expect(run.outcome.ending.failure != nil && refusal.code == .notLearned)
      #expect(refusal.description.contains("AuthenticationRequired"), "\(refusal)")
    }
    var check = CheckRelationships(
      of: try alice.actor("alice"), targets: TargetStream(origins: [.argument("bob.test")]))
    check.predicate = try alice.predicate("friend")
    let verdict = try await alice.run(check, over: guarded).outcome.verdict
    let error = try #require(verdict.failures.first as? OperationError)
    #expect(error.code == .friendshipUnknown)
    #expect(error.underlying.map { "\($0)" }?.contains("AuthenticationRequired") == true, "\(error)")
  }

  @Test func recordsThatAreNoRequestsAreNone() async throws {
    let alice = try await user("alice")
    let (judy, own) = (try alice.did("judy"), try alice.did("alice"))
    let collection = FriendRequest.collection
    func set(_ fields: DataObject, key: String) throws {
      let value = DataValue.object(
        fields.merging(["$type": .string(collection.description)]) { first, _ in first })
      let former = network.records(of: judy, in: collection).map { ($0.key, DataValue?.none) }
      let records = Dictionary(former) { first, _ in first }.merging([try RecordKey(parsing: key): value]) {
        $1
      }
      #expect(network.setRecords(records, in: collection, of: judy))
    }
    let valid: DataObject = [
      "subject": .string(own.description), "kind": "friend", "createdAt": "2026-01-01T00:00:00Z",
    ]
    // Another subject under the key, an unknown kind, a foreign key.
    try set(valid.merging(["subject": .string(judy.description)]) { $1 }, key: own.description)
    #expect(try await !alice.inbox().handles.contains("judy.test"))
    try set(valid.merging(["kind": "owner"]) { $1 }, key: own.description)
    #expect(try await !alice.inbox().handles.contains("judy.test"))
    try set(valid, key: "3kaaaaaaaaaa2")
    let refused = try await alice.friends(.accept, "judy", ending: .partly(.notAllowed))
    #expect(refused.rows.map(\.state) == [.refused])
    // A date in the future does not give an age.
    try set(valid.merging(["createdAt": "2999-01-01T00:00:00Z"]) { $1 }, key: own.description)
    #expect(try await alice.inbox(.accounts([judy])).rows.map(\.age) == [0])
    // A large unknown field belongs to the version.
    try set(
      valid.merging(["note": .string(String(repeating: "x", count: 50_000))]) { $1 }, key: own.description)
    #expect(try await alice.inbox(.accounts([judy])).handles == ["judy.test"])
  }
}
