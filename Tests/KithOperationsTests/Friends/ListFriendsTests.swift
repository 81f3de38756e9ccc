// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Friends of a served network, and what a listing within the listing leaves out.
@Suite struct ListFriendsTests {
  private static let network = FaultyNetwork(accounts: 400)

  private func coverage(_ notes: [Note]) -> ListingCoverage? {
    notes.lazy.compactMap { note in if case .listed(let report) = note { report.coverage } else { nil } }
      .first
  }

  @Test func gapsOfTheMutualsAreHandedOn() async throws {
    let user = try await ServedUser(on: Self.network)
    let mutuals = ListAccounts(.mutuals(of: try user.actor("alice")), details: .dates)
    let friends = ListFriends(of: try user.actor("alice"), by: .mutuals)
    let complete = try await user.run(mutuals)
    let whole = try await user.run(friends)
    #expect(whole.outcome.mutuals == complete.rows.count && whole.outcome.rows.interruption == nil)
    #expect(coverage(whole.notes)?.unseen == complete.outcome.report.coverage.unseen)
    let failing = FailingMethods(network: Self.network, methods: ["app.bsky.actor.getProfiles"])
    // Both know the same relationships before: those of the friends.
    let workspaces = [user.workspace(over: failing), user.workspace(over: failing)]
    for workspace in workspaces {
      _ = try await user.run(ListFriends(of: user.actor("alice"), by: .consent), in: workspace)
    }
    let listing = try await user.run(mutuals, in: workspaces[0])
    let listed = listing.outcome.report.coverage
    let run = try await user.run(friends, in: workspaces[1])
    let error = try #require(run.outcome.rows.interruption as? RelationshipError)
    #expect(try "\(error)" == "\(#require(listed.doubt))")
    let handedOn = try #require(coverage(run.notes))
    #expect(listed.undecided > 0 && handedOn.undecided == listed.undecided)
    #expect(run.rows.count == listing.rows.count)
    let both = try await user.run(ListFriends(of: user.actor("alice")), over: failing)
    #expect(both.outcome.rows.interruption != nil)
  }

  @Test func aPredicateThatCannotBeEvaluatedIsSaid() async throws {
    let user = try await ServedUser(on: FaultyNetwork())
    try await user.change(.friends(.request(user.did("bob"), FriendRequestDraft(.friend))))
    let failing = FailingMethods(network: user.network, methods: ["app.bsky.graph.getRelationships"])
    let predicate = AccountPredicate(.followedBy)
    let sent = ListSentRequests(by: try user.actor("alice"), where: predicate)
    let failure = await FailureKind.thrown { try await user.run(sent, over: failing) }
    #expect(failure != nil)
    let unrelated = try await user.run(ListSentRequests(by: user.actor("alice")), over: failing)
    #expect(unrelated.rows.allSatisfy { $0.relation == nil } && unrelated.outcome.rows.interruption != nil)
  }
}
