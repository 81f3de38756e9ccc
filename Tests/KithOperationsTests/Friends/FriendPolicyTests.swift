// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// What policies allow, and what they say about requests and follows.
@Suite struct FriendPolicyTests {
  private let network = FaultyNetwork(accounts: 100)

  /// Alice blocks Heidi by a list, and Frank blocks Alice.
  @Test func blockedAccountsAreNotAsked() async throws {
    let alice = try await ServedUser(on: network)
    let refused = try await alice.friends(
      .request(FriendRequestDraft()), "heidi", "frank", ending: .partly(.notAllowed))
    #expect(refused.rows.map(\.state) == [.refused, .refused])
  }

  @Test func aPolicyIsRespected() async throws {
    let dave = try await ServedUser("dave", on: network), grace = try await ServedUser("grace", on: network)
    let request = FriendChanges.Kind.request(FriendRequestDraft())
    let refused = try await dave.friends(request, "grace", ending: .partly(.notAllowed))
    #expect(refused.rows.map(\.state) == [.refused])
    #expect(try dave.values(FriendRequest.collection, of: "dave").count == 1)
    try await grace.setPolicy { $0.whoMayAsk = .everyone }
    try await dave.friends(request, "grace")
    let show = ShowFriendPolicy(of: try grace.actor("grace"))
    let policy = try await dave.run(show).rows.first?.policy
    #expect(policy?.whoMayAsk == .everyone && policy?.requiresApproval == true)
    try await grace.carryOut(SetFriendPolicy(nil))
    #expect(try await dave.run(show).rows.map { $0.policy == nil } == [true])
  }

  @Test func theOwnPolicySetsTheEndOfRequests() async throws {
    let alice = try await ServedUser(on: network)
    try await alice.setPolicy { $0.requestLifetime = Duration.seconds(30 * 86_400) }
    let before = try alice.values(FriendRequest.collection)
    let asked = try await alice.friends(.request(FriendRequestDraft()), "dave")
    #expect(asked.rows.map(\.state) == [.done])
    let written = try alice.values(FriendRequest.collection).filter { !before.contains($0) }
    #expect(written.map { $0["expiresAt"] != nil } == [true])
    try await network.clock.sleep(for: .seconds(3_600))
    #expect(
      try await alice.friends(.request(FriendRequestDraft()), "dave").rows.map(\.state) == [.unchanged])
  }

  @Test(arguments: [false, true]) func followAsksFirstWhereAPolicyWantsThat(confirmed: Bool) async throws {
    let dave = try await ServedUser("dave", on: network), grace = try await ServedUser("grace", on: network)
    let refused = try await dave.carryOut(
      ChangeAccounts(.follow(), .cast("grace")), confirmed: confirmed, ending: .partly(.notAllowed))
    #expect(refused.rows.map(\.state) == [.refused])
    try await grace.setPolicy { $0.whoMayAsk = .everyone }
    try await dave.friends(.request(FriendRequestDraft(.follow)), "grace")
    try await grace.friends(.accept, "dave", asking: .follow)
    #expect(try await dave.carryOut(SyncFriends()).rows.map(\.state) == [.done])
    #expect(try await dave.answer("dave", "grace", is: "following") == .yes)
    #expect(try await dave.carryOut(SyncFriends()).rows.isEmpty)
  }

  @Test func followCanBeForced() async throws {
    let dave = try await ServedUser("dave", on: network)
    try await dave.carryOut(ChangeAccounts(.follow(evenUnapproved: true), .cast("grace")))
    let named = try await dave.carryOut(ChangeAccounts(.follow(), .cast("carol")))
    #expect(named.notes["approvalNotAsked"] == nil)
    let file = try await dave.carryOut(ChangeAccounts(.follow(), .file("bob.test\nerin.test\n")))
    #expect(file.notes["approvalNotAsked"] != nil)
  }
}
