// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Rows right after a change, while the AppView lags behind: each says what a check says (Q21).
@Suite struct OwnChangesShownTests {
  /// Alice, whose AppView has not indexed that she follows Dave, unfollows Carol, blocks Grace and unblocks Erin.
  private func changed() async throws -> ServedUser {
    let user = try await ServedUser(on: FaultyNetwork(accounts: 400, lag: .seconds(3_600)))
    try await user.change(
      .follow(user.did("dave")), .unfollow(user.did("carol")), .block(user.did("grace")),
      .unblock(user.did("erin")))
    return user
  }

  private func word(_ name: String, by user: ServedUser) async throws -> ViewerRelationship.Word? {
    try await user.run(ShowProfile(user.actor(name), posts: 0)).rows.first?.view.relationship?.word
  }

  private func found(_ text: String, by user: ServedUser) async throws -> OperationRun<FindPeople> {
    try await user.run(FindPeople(.search(text)))
  }

  @Test func aProfileShowsWhatWasJustChanged() async throws {
    let user = try await changed()
    #expect(try await word("dave", by: user) == .mutual)
    #expect(try await word("carol", by: user) == ViewerRelationship.Word.none)
    #expect(try await word("grace", by: user) == .blocking)
    let dave = try await user.run(ShowProfile(user.actor("dave"), posts: 0)).rows.first
    #expect(dave?.followingSince != nil && dave?.followedSince != nil)
    #expect(try await user.run(ShowProfile(user.actor("carol"), posts: 0)).rows.first?.followingSince == nil)
  }

  @Test func aSearchShowsWhatWasJustChanged() async throws {
    let user = try await changed()
    let dave = try await found("dave", by: user).rows.map(\.view.relationship?.word)
    let carol = try await found("carol", by: user).rows.map(\.view.relationship?.word)
    #expect(dave == [.mutual] && carol == [ViewerRelationship.Word.none])
    let grace = try await found("grace", by: user)
    #expect(grace.rows.isEmpty && grace.outcome.blocked == 1)
    let suggestions = try await NameSuggestions(in: user.workspace()).matches("grace", most: 3)
    #expect(suggestions.isEmpty)
  }

  @Test func ownListingsLackWhatWasJustTakenOff() async throws {
    let user = try await changed()
    let follows = try await user.run(ListAccounts(.follows(of: user.actor("alice"), in: .bluesky)))
    let followed = Set(follows.rows.map(\.view.account))
    let (dave, carol) = (try user.did("dave"), try user.did("carol"))
    #expect(followed.contains(dave) && !followed.contains(carol))
    #expect(follows.outcome.report.coverage.unrecorded == 0)
    let blocks = try await user.run(ListAccounts(ListingQuery(.blocks(of: user.actor("alice")))))
    let blocked = Set(blocks.rows.map(\.view.account))
    let (grace, erin) = (try user.did("grace"), try user.did("erin"))
    #expect(blocked.contains(grace) && !blocked.contains(erin))
    #expect(blocks.outcome.report.coverage.unrecorded == 0)
  }

  @Test func everyListingWithRelationshipsSaysTheSame() async throws {
    let user = try await changed()
    let (dave, carol) = (try user.did("dave"), try user.did("carol"))
    let followers = ListingQuery.followers(of: try user.actor("alice"), in: .bluesky)
    let listed = try await user.run(ListAccounts(followers, details: .relationship)).rows.map(\.view)
    #expect(listed.first { $0.account == dave }?.relationship?.word == .mutual)
    try user.writeList("Team", with: carol)
    let list = try #require(try await user.run(ShowLists()).rows.first { $0.name == "Team" }?.uri)
    var members = ListMembers(of: list, withHandles: true)
    members.wantsRelationship = true
    let words = try await user.run(members).rows.map(\.member.relationship?.word)
    #expect(words == [ViewerRelationship.Word.none])
    let contact = try #require(Contact("dave", displayName: "Dave"))
    let matches = try await user.run(MatchContacts([contact]))
    #expect(matches.outcome.followed == 1 && matches.outcome.selected == 0)
  }

  @Test func authorsOfAFeedAreThoseOfNow() async throws {
    let user = try await changed()
    let dave = try await user.run(ReadFeed(.author(user.actor("dave")), limit: 1)).rows
    #expect(!dave.isEmpty && dave.allSatisfy { $0.relationship?.word == .mutual })
    let grace = try await user.run(ReadFeed(.author(user.actor("grace")), limit: 1))
    #expect(grace.rows.isEmpty)
  }

  @Test func accountsThatWereNotChangedCostNoCall() async throws {
    let user = try await changed()
    let found = try await found("bob", by: user)
    #expect(found.rows.first?.view.relationship?.word == .mutual)
    #expect(found.calls["app.bsky.graph.getRelationships"] == nil)
  }
}
