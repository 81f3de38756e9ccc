// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Lists and their members, compared with the records in the repositories of the network.
@Suite struct ListChangeTests {
  private let network = FaultyNetwork()

  private func members(_ user: ServedUser, of list: String) async throws -> [MemberRow] {
    let workspace = user.workspace()
    let uri = try await workspace.list(named: list, of: workspace.account())
    let run = try await user.run(ListMembers(of: uri, withHandles: true), in: workspace)
    #expect(run.outcome.ending == .done)
    return run.rows
  }

  /// The first list of Grace's.
  private func theirs(_ user: ServedUser) async throws -> ATURI {
    try #require(try await user.run(ShowLists(of: user.actor("grace"))).rows.first).uri
  }

  private let birds = ListDraft(name: "Birds", purpose: .curate, description: "Feathers")

  @Test func aListIsCreatedFilledShownEditedAndDeleted() async throws {
    let alice = try await ServedUser(on: network)
    let made = try await alice.carryOut(CreateList(birds, with: .cast("bob", "dave")))
    #expect(made.rows.map(\.state) == [.done, .done, .done])
    #expect(made.rows.map(\.input) == ["Birds", "bob.test", "dave.test"])
    let subject = try #require(made.rows.first?.subject)
    let (me, uri) = (try alice.did("alice"), try ATURI(parsing: subject))
    #expect(made.rows.first?.writes.map { $0.uri(in: me) } == [subject])
    let mine = try #require(try await alice.run(ShowLists()).rows.first { $0.uri == uri })
    #expect(mine.name == "Birds" && mine.purpose == .curate && mine.description == "Feathers")
    #expect(mine.members == 2)
    let shown = try await members(alice, of: "Birds").map(\.member)
    #expect(Set(shown.handles) == ["bob.test", "dave.test"])
    #expect(shown.allSatisfy { $0.since != nil && $0.record?.collection == .listitem })
    try await alice.carryOut(EditList("Birds", ListEdit(name: "Owls")))
    let account = try await alice.workspace().account()
    let gone = await #expect(throws: OperationError.self) {
      try await alice.workspace().list(named: "Birds", of: account)
    }
    #expect(gone?.code == .unknownListName && gone?.kind == .invalidInput)
    #expect(try await members(alice, of: subject).count == 2)
    let unasked = try await alice.carryOut(DeleteLists(["Owls"]), ending: .declined)
    #expect(unasked.rows.isEmpty && unasked.questions.map(\.code) == ["change"])
    let deleted = try await alice.carryOut(DeleteLists(["Owls"]), confirmed: true)
    #expect(deleted.rows.first?.writes.map(\.word) == ["delete", "delete", "delete"])
    #expect(try await !alice.run(ShowLists()).rows.contains { $0.uri == uri })
    let missing = try await alice.run(ListMembers(of: uri, withHandles: true))
    #expect(missing.outcome.ending.failure == .notFound)
    try await alice.undo(try #require(deleted.outcome.job).id)
    #expect(try await Set(members(alice, of: "Owls").map(\.member.record)) == Set(shown.map(\.record)))
  }

  @Test func existingStateCostsNothing() async throws {
    let alice = try await ServedUser(on: network)
    let draft = ListDraft(name: "Birds", purpose: .curate)
    try await alice.carryOut(CreateList(draft, with: .cast("bob")))
    let again = try await alice.carryOut(CreateList(draft, with: .cast("bob", "dave")))
    #expect(again.rows.map(\.state) == [.unchanged, .unchanged, .done])
    let added = try await alice.carryOut(ChangeListMembers(.add(), .cast("bob", "dave"), list: "Birds"))
    #expect(added.rows.map(\.state) == [.unchanged, .unchanged])
    #expect(added.calls["com.atproto.repo.applyWrites"] == nil)
    let other = try await alice.carryOut(
      CreateList(ListDraft(name: "Birds", purpose: .moderate)), ending: .partly(.invalidInput))
    #expect(other.rows.map(\.refusal) == [.nameTaken])
    let removed = try await alice.carryOut(ChangeListMembers(.remove, .cast("carol"), list: "Birds"))
    #expect(removed.rows.map(\.state) == [.unchanged])
  }

  @Test func moderationListsRefuseFollowedAccounts() async throws {
    let alice = try await ServedUser(on: network)
    let noise = ListDraft(name: "Noise", purpose: .moderate)
    let run = try await alice.carryOut(
      CreateList(noise, with: .cast("bob", "dave")), ending: .partly(.notAllowed))
    #expect(run.rows.map(\.state) == [.done, .refused, .done] && run.rows[1].reason != nil)
    #expect(try await members(alice, of: "Noise").map(\.member).handles == ["dave.test"])
    let allowed = try await alice.carryOut(
      ChangeListMembers(.add(allowingFollowed: true), .cast("bob"), list: "Noise"))
    #expect(allowed.rows.map(\.state) == [.done])
    #expect(try await members(alice, of: "Noise").count == 2)
  }

  @Test func aListIsFilledFromAnotherAndFromAFile() async throws {
    let alice = try await ServedUser(on: network)
    let theirs = try await theirs(alice)
    let all = try await members(alice, of: "\(theirs)").map(\.member)
    #expect(all.count > 100)
    try await alice.carryOut(
      CreateList(ListDraft(name: "Copy", purpose: .curate), with: .found(.list("\(theirs)"))), confirmed: true
    )
    let copied = try await members(alice, of: "Copy").map(\.member)
    #expect(Set(copied.map(\.account)) == Set(all.map(\.account)))
    try await alice.carryOut(CreateList(ListDraft(name: "Again", purpose: .curate)))
    let lines = copied.map { "\(theirs),\($0.account),\($0.handle.map { "\($0)" } ?? "")\n" }
    let table = AccountChoice.file(
      "list,subject,handle\n" + lines.joined(), named: "members.csv", column: "subject")
    try await alice.carryOut(ChangeListMembers(.add(), table, list: "Again"))
    #expect(try await members(alice, of: "Again").count == all.count)
    let own = try #require(try await alice.run(ShowLists()).rows.first { $0.name == "Again" }).uri
    try await alice.carryOut(
      ChangeListMembers(.remove, .found(.list("\(own)")), list: "Copy"), confirmed: true)
    #expect(try await members(alice, of: "Copy").isEmpty)
  }

  /// Member records of a deleted list could no longer be found.
  @Test func undoingTheCreationOfAListDeletesItsMembers() async throws {
    let alice = try await ServedUser(on: network)
    let made = try await alice.carryOut(
      CreateList(ListDraft(name: "Brief", purpose: .curate), with: .cast("bob")))
    try await alice.carryOut(ChangeListMembers(.add(), .cast("dave", "erin"), list: "Brief"))
    let undone = try await alice.undo(try #require(made.outcome.job).id)
    #expect(undone.notes["undoneAlong"]?["count"] == .integer(2))
    #expect(try await !alice.run(ShowLists()).rows.contains { $0.name == "Brief" })
    let me = try alice.did("alice")
    let lists = network.records(of: me, in: .list).map { "at://\(me)/\(NSID.list)/\($0.key)" }
    #expect(try alice.values(.listitem).allSatisfy { lists.contains($0["list"]?.string ?? "") })
  }

  @Test func listsOfOthersCannotBeChanged() async throws {
    let alice = try await ServedUser(on: network)
    let theirs = "\(try await theirs(alice))"
    let added = try await alice.carryOut(
      ChangeListMembers(.add(), .cast("dave"), list: theirs), ending: .partly(.notAllowed))
    let deleted = try await alice.carryOut(
      DeleteLists([theirs]), confirmed: true, ending: .partly(.notAllowed))
    #expect((added.rows + deleted.rows).map(\.state) == [.refused, .refused])
  }

  @Test func anAmbiguousListNameIsAnError() async throws {
    let alice = try await ServedUser(on: network)
    let me = try alice.did("alice")
    let twice: DataValue = [
      "$type": .string("\(NSID.list)"), "name": "Twice", "purpose": "app.bsky.graph.defs#curatelist",
      "createdAt": "2026-01-01T00:00:00.000Z",
    ]
    for key in ["3k2yihcrp6f2c", "3k2yihcrp6f2d"] {
      #expect(network.setRecords([try RecordKey(parsing: key): twice], in: .list, of: me))
    }
    let lists = try await alice.run(ShowLists()).rows.filter { $0.name == "Twice" }.map(\.uri)
    #expect(lists.count == 2)
    let add = Change(ChangeListMembers(.add(), .cast("dave"), list: "Twice"))
    let ambiguous = await #expect(throws: OperationError.self) { try await alice.run(add) }
    #expect(ambiguous?.code == .ambiguousListName && ambiguous?.kind == .invalidInput)
    guard case .array(let named)? = ambiguous?.fields["uris"] else {
      Issue.record("no lists: \(ambiguous as Any)")
      return
    }
    #expect(named.count == 2 && lists.allSatisfy { named.contains(.string("\($0)")) })
    let account = try await alice.workspace().account()
    let unknown = await #expect(throws: OperationError.self) {
      try await alice.workspace().list(named: "Thrice", of: account)
    }
    #expect(unknown?.code == .unknownListName && unknown?.kind == .invalidInput)
    guard case .array(let names)? = unknown?.fields["names"] else {
      Issue.record("no names: \(unknown as Any)")
      return
    }
    #expect(names.contains(.string("Twice")))
    let key = try #require(lists.first?.recordKey)
    let page = "https://bsky.app/profile/alice.test/lists/\(key)"
    try await alice.carryOut(ChangeListMembers(.add(), .cast("dave"), list: page))
  }

  @Test func listsOfOthersAreShownWithoutASession() async throws {
    let user = try await ServedUser(nil, on: network)
    let lists = try await user.run(ShowLists(of: user.actor("grace")))
    #expect(lists.outcome.ending == .done)
    let list = try #require(lists.rows.first { $0.purpose == .moderate })
    #expect(list.isMuted == nil)
    let shown = try await user.run(ListMembers(of: list.uri, withHandles: true))
    #expect(shown.outcome.ending == .done && shown.rows.map(\.member).handles.contains("heidi.test"))
    #expect(await FailureKind.thrown { try await user.run(ShowLists()) } == .notAllowed)
    let named = await #expect(throws: OperationError.self) {
      try await user.workspace().list(named: "Noise", of: nil)
    }
    #expect(named?.code == .listNeedsSession && named?.kind == .notAllowed)
  }
}
