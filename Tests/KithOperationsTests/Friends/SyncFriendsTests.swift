// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithOperations
@testable import KithSandbox
@testable import SandboxSupport

/// What is left to do about requests and acceptances, and what is never done again.
@Suite struct SyncFriendsTests {
  private let network = FaultyNetwork(accounts: 100)

  /// Dave, after Grace has allowed that he follows her.
  private func allowedDave() async throws -> ServedUser {
    let dave = try await ServedUser("dave", on: network)
    try await allow(dave)
    return dave
  }

  /// Dave asks to follow Grace, and she allows it.
  private func allow(_ dave: ServedUser) async throws {
    let grace = try await ServedUser("grace", on: network)
    try await grace.setPolicy { $0.whoMayAsk = .everyone }
    try await dave.friends(.request(FriendRequestDraft(.follow)), "grace")
    try await grace.friends(.accept, "dave", asking: .follow)
  }

  private func deleteFollows(of name: String) throws {
    let owner = try network.did(name)
    let follows = network.records(of: owner, in: .follow).map { ($0.key, DataValue?.none) }
    #expect(network.setRecords(Dictionary(follows) { first, _ in first }, in: .follow, of: owner))
  }

  @Test(arguments: ["unfollow", "undo", "block", "another app"])
  func syncDoesNotFollowAgain(after decision: String) async throws {
    let dave = try await allowedDave()
    try await dave.carryOut(SyncFriends())
    switch decision {
    case "unfollow": try await dave.carryOut(ChangeAccounts(.unfollow(), .cast("grace")))
    case "undo": try await dave.undo()
    case "block":
      try await dave.carryOut(ChangeAccounts(.block(), .cast("grace")))
      try await dave.carryOut(ChangeAccounts(.unblock, .cast("grace")))
    default: try deleteFollows(of: "dave")
    }
    let again = try await dave.carryOut(SyncFriends())
    #expect(again.rows.isEmpty && again.notes["friendsSynced"]?["settled"] == .integer(1))
    // The journal forgets the jobs, but not that.
    try await network.clock.sleep(for: .seconds(40 * 86_400))
    try await dave.pruneJobs()
    #expect(try await dave.run(ListJobs(all: true)).rows.isEmpty)
    #expect(try await dave.carryOut(SyncFriends()).rows.isEmpty)
    #expect(try await dave.answer("dave", "grace", is: "following") == .no)
    // Who asks again decides again.
    try await dave.friends(.cancel, "grace")
    try await allow(dave)
    #expect(try await dave.carryOut(SyncFriends()).rows.map(\.verb) == ["follow"])
  }

  @Test(arguments: [true, false]) func aBlockOrAnEarlierFollowSettlesARequestBeforeItIsSynced(
    _ blocks: Bool
  ) async throws {
    let dave = try await allowedDave()
    if blocks {
      try await dave.carryOut(ChangeAccounts(.block(), .cast("grace")))
      try await dave.carryOut(ChangeAccounts(.unblock, .cast("grace")))
    } else {
      // Dave has followed by himself; sync finds it, and later another app deletes the follow.
      try await dave.carryOut(ChangeAccounts(.follow(), .cast("grace")))
      #expect(try await dave.carryOut(SyncFriends()).rows.map(\.state) == [.unchanged])
      try deleteFollows(of: "dave")
    }
    #expect(try await dave.carryOut(SyncFriends()).rows.isEmpty)
    #expect(try await dave.answer("dave", "grace", is: "following") == .no)
  }

  @Test func syncRemovesAcceptancesOfRequestsThatAreProvablyGone() async throws {
    let alice = try await ServedUser(on: network), carol = try await ServedUser("carol", on: network)
    try await alice.friends(.accept, "dave", asking: .friend)
    try await alice.friends(.accept, "judy", asking: .follow)
    #expect(try alice.values(FriendAnswer.collection).count == 3)
    try await carol.friends(.cancel, "alice")
    // What stands in the place of Judy's request is not a request, but it is there.
    let other: DataValue = ["$type": .string("\(FriendRequest.collection)"), "kind": "other"]
    #expect(
      network.setRecords(
        [try RecordKey(parsing: "\(alice.did("alice"))"): other], in: FriendRequest.collection,
        of: try alice.did("judy")))
    // Dave's server does not show his repository.
    let dave = try network.number("dave")
    network.live.state { $0.graph.standings.set(.deactivated, at: dave) }
    let synced = try await alice.carryOut(SyncFriends())
    #expect(synced.rows.map(\.verb) == ["remove acceptance"])
    #expect(try synced.rows.first?.subject == "\(alice.did("carol"))")
    #expect(try alice.values(FriendAnswer.collection).count == 2)
    try await alice.undo()
    #expect(try alice.values(FriendAnswer.collection).count == 3)
  }

  @Test func syncWithdrawsWhatHasEnded() async throws {
    let grace = try await ServedUser("grace", on: network)
    #expect(try grace.values(FriendRequest.collection, of: "grace").count == 1)
    try await grace.carryOut(SyncFriends())
    #expect(try grace.values(FriendRequest.collection, of: "grace") == [])
  }

  @Test func aListIsKeptEqualToTheFriends() async throws {
    let alice = try await ServedUser(on: network)
    try await alice.carryOut(CreateList(ListDraft(name: "Friends", purpose: .curate)))
    try await alice.carryOut(ChangeListMembers(.add(), .cast("bob"), list: "Friends"))
    let changed = try await alice.carryOut(KeepFriendList("Friends"), confirmed: true)
    #expect(changed.rows.map(\.state) == [.done, .done])
    let workspace = alice.workspace()
    let list = try await workspace.list(named: "Friends", of: workspace.account())
    let members = try await alice.run(ListMembers(of: list, withHandles: true), in: workspace)
    #expect(members.rows.map(\.member).handles == ["carol.test"])
    #expect(try await alice.carryOut(KeepFriendList("Friends"), confirmed: true).rows.isEmpty)
  }
}
