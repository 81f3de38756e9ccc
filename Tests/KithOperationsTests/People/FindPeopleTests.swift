// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport

/// Finding people, compared with the network itself.
@Suite struct FindPeopleTests {
  /// Tests that change neither network nor time share it.
  private static let network = FaultyNetwork(.reference, accounts: 400)

  private func find(
    _ source: FindPeople.Source, limit: Int = FindPeople.usualLimit, reach: Int = FindPeople.usualReach,
    countingHidden: Bool = false, withCounts: Bool = false, by user: ServedUser
  ) async throws -> OperationRun<FindPeople> {
    let run = try await user.run(
      FindPeople(
        source, limit: limit, reach: reach, countingHidden: countingHidden, withCounts: withCounts))
    #expect(run.outcome.rows.interruption == nil)
    return run
  }

  // MARK: Search and suggestions

  @Test func aSearchShowsHowYouAndEachAccountAreRelated() async throws {
    let unsigned = try await find(.search("carol"), by: ServedUser(nil, on: Self.network))
    #expect(unsigned.handles == ["carol.test"] && unsigned.rows.map(\.view.relationship) == [nil])
    let alice = try await ServedUser(on: Self.network)
    let carol = try #require(try await find(.search("carol"), by: alice).rows.first?.view)
    #expect(carol.relationship?.word == .following && carol.marks?.isVerified == true)
    #expect(carol.relationship?.knownFollowers == nil && carol.counts?.followers == nil)
    let counted = try await find(.search("carol"), withCounts: true, by: alice).rows.first?.view
    #expect(counted?.relationship?.knownFollowers ?? 0 > 0)
    let dave = try await find(.search("dave"), by: alice).rows.first?.view
    #expect(dave?.relationship?.word == .followedBy)
  }

  @Test func accountsWithABlockNeverAppearAndAreCountedWhereThatIsPossible() async throws {
    let alice = try await ServedUser(on: Self.network)
    for name in ["erin", "frank", "mallory"] {
      let server = try await find(.search(name), by: alice)
      let own = try await find(.search(name), countingHidden: true, by: alice)
      #expect(!(server.handles + own.handles).contains("\(name).test"), "\(name)")
      #expect(
        server.outcome.isHiddenByServer && !own.outcome.isHiddenByServer && own.outcome.blocked == 1,
        "\(name)")
    }
  }

  @Test func suggestionsLeaveOutWhatWasDismissedAndWhoAsksForIt() async throws {
    let alice = try await ServedUser(on: Self.network)
    let all = try await find(.suggested, limit: 20, by: alice).rows.map(\.view.account)
    let first = try #require(all.first)
    #expect(all.count == 20)
    _ = try await alice.run(DismissPeople([first]))
    #expect(try await alice.run(ListDismissedPeople()).rows.map(\.view.account) == [first])
    let fewer = try await find(.suggested, limit: 20, by: alice)
    #expect(!fewer.rows.map(\.view.account).contains(first) && fewer.outcome.dismissed == 1)
    let declarations = try NSID(parsing: "app.bsky.actor.contentVisibilityDeclaration")
    #expect(
      fewer.rows.filter { !Self.network.records(of: $0.view.account, in: declarations).isEmpty }
        .map(\.view.account) == [])
    _ = try await alice.run(DismissPeople([first], takingBack: true))
    #expect(try await alice.run(ListDismissedPeople()).rows.isEmpty)
    #expect(try await find(.suggested, limit: 20, by: alice).rows.map(\.view.account).contains(first))
  }

  @Test func similarAccountsAreThoseOfTheAppView() async throws {
    let alice = try await ServedUser(on: Self.network)
    let found = try await find(.similar(to: alice.actor("bob")), limit: 5, by: alice)
    #expect(!found.rows.isEmpty && !found.handles.contains("bob.test"))
    let nobody = ATIdentifier.handle(try Handle(parsing: "nobody.test"))
    let failure = await FailureKind.thrown { try await alice.run(FindPeople(.similar(to: nobody))) }
    #expect(failure == .notFound)
  }

  // MARK: The graph

  @Test func recommendationsNameTheirReasons() async throws {
    let user = try await ServedUser(on: Self.network)
    let found = try await find(.recommended, limit: 10, by: user).rows
    let (graph, network) = (Self.network.live.state { $0.graph }, Self.network.live.network)
    let alice = try Self.network.number("alice")
    let followed = Set(graph.follows.edges(from: alice).map { graph.follows.column(of: Int($0)) })
    for row in found {
      let account = try #require(network.index(of: row.view.account))
      #expect(!followed.contains(account) && account != alice)
      let paths = followed.filter { graph.isShown($0) && graph.follow(from: $0, to: account) != nil }
      // Of an account that follows more, the newest 100 are looked at.
      let certain = paths.count { graph.follows.edges(from: $0).count <= 100 }
      #expect((certain...paths.count).contains(row.closeness?.paths ?? -1), "\(row.view.account)")
    }
    let scores = found.compactMap { $0.closeness?.score }
    #expect(scores == scores.sorted(by: >) && scores.count == 10)
    let near = try await find(.nearby, limit: 10, reach: 50, by: user).rows.compactMap { $0.closeness?.paths }
    #expect(near == near.sorted(by: >) && near.count == 10)
  }

  @Test func theReachIsBoundedAndFollowsInTheHistoryTakeNoCall() async throws {
    let user = try await ServedUser(on: Self.network)
    let alice = try user.actor("alice")
    let follows = ListAccounts(ListingQuery(.follows(of: alice)), limit: 12)
    let known = try await user.run(follows).rows.map(\.view).filter { $0.handle != nil }.prefix(2)
    let taken = try await user.run(
      TakeSnapshots(of: .these(known.map(\.account)), sides: [.follows]))
    #expect(taken.outcome.summary.failure == nil && taken.rows.count == 2)
    let reach = try #require(try await find(.nearby, limit: 3, reach: 12, by: user).outcome.reach)
    #expect(reach.looked + reach.unknown == 12 && reach.asked == 10)
    let few = try await find(.nearby, limit: 3, reach: 5, by: user).outcome.reach
    #expect(few.map { $0.looked + $0.unknown } == 5)
    let plan = try await FindPeople(.recommended, reach: 5).cost(in: user.workspace()) { _ in }
    #expect(plan.steps.contains { $0.name == "app.bsky.graph.getFollows" && $0.calls == 5 })
  }

  @Test func popularAndRecentAreTheOwnGraph() async throws {
    let alice = try await ServedUser(on: Self.network)
    let popular = try await find(.popular, limit: 8, by: alice).rows.compactMap { $0.view.counts?.followers }
    #expect(popular.count == 8 && popular == popular.sorted(by: >))
    let recent = try await find(.recent, limit: 8, by: alice).rows.map(\.view.relationship?.word)
    #expect(recent.allSatisfy { [.followedBy, .mutual].contains($0) } && recent.count == 8)
  }

  // MARK: Contacts

  @Test func contactsWithTwoSignalsAreSelected() async throws {
    let alice = try await ServedUser(on: Self.network)
    let contacts = [("bob", "Bob"), ("dave", "Dave"), ("judy", "Absent"), ("who", "Who")]
      .compactMap { Contact($0, displayName: $1) }
    let matches = try await alice.run(MatchContacts(contacts))
    let selected = matches.rows.filter(\.isSelected)
    #expect(selected.map(\.view.handle) == [Handle("dave.test")] && matches.outcome.selected == 1)
    #expect(selected.map(\.signals) == [[.handle, .name]])
    let bob = matches.rows.first { $0.view.handle == Handle("bob.test") }
    #expect(bob?.isSelected == false && bob?.view.relationship?.word == .mutual)
  }

  @Test func aContactThatIsAnAccountIsSelectedByThatAlone() async throws {
    let alice = try await ServedUser(on: Self.network)
    let texts = ["dave.test@bsky.brid.gy", "https://bsky.app/profile/bob.test", "absent.test@bsky.brid.gy"]
    let matches = try await alice.run(MatchContacts(texts.compactMap { Contact($0) }))
    #expect(matches.rows.map(\.signals) == [[.account], [.account]])
    #expect(matches.rows.filter(\.isSelected).map(\.view.handle) == [Handle("dave.test")])
    #expect(matches.outcome.followed == 1 && matches.outcome.unknown == 0)
    #expect(matches.calls["app.bsky.actor.searchActors"] == nil)
  }

  // MARK: Rows and predicates of listings

  @Test func rowsOfListingsCarryTheRelationship() async throws {
    let alice = try await ServedUser(on: Self.network)
    let followers = ListingQuery(.followers(of: try alice.actor("bob")))
    let listing = ListAccounts(followers, details: .relationship)
    let signedOut = try await ServedUser(nil, on: Self.network)
    let failure = await FailureKind.thrown { try await signedOut.run(listing) }
    #expect(failure == .notAllowed)
    let rows = try await alice.run(listing).rows.map(\.view)
    var check = CheckRelationships(of: try alice.actor("alice"), targets: TargetStream(origins: []))
    check.listings = [followers]
    let answers = try await alice.run(check).rows.map(\.answer)
    #expect(rows.count == answers.count && !rows.isEmpty)
    // Each word, and whether the answer says the same.
    let wrong = zip(rows, answers).filter { view, answer in
      guard let word = view.relationship?.word else { return true }
      if word == .itself { return answer.info != nil }
      guard let info = answer.info else { return true }
      return switch word {
      case .mutual: !info.mutual || info.blocked
      case .following: !info.isFollowing || info.mutual || info.blocked
      case .followedBy: !info.isFollowedBy || info.mutual || info.blocked
      case .none: info.isFollowing || info.isFollowedBy
      default: !info.blocked
      }
    }
    #expect(wrong.map(\.0.account) == [])
    let list = try Self.network.list("Book people", of: "grace")
    var members = ListMembers(of: list, withHandles: true)
    #expect(try await alice.run(members).rows.allSatisfy { !$0.asksRelationship })
    members.wantsRelationship = true
    let bob = try await alice.run(members).rows.first { $0.member.handle == Handle("bob.test") }
    #expect(bob?.member.relationship?.word == .mutual && bob?.asksRelationship == true)
  }

  @Test func predicatesKnowMarksCountsAndLists() async throws {
    let user = try await ServedUser(on: FaultyNetwork(.reference, accounts: 400))
    let (alice, bob) = (try user.actor("alice"), try user.did("bob"))
    let now = Datetime(at: user.network.time.instant)
    func handles(_ listing: ActorListing, where text: String) async throws -> Set<String> {
      let predicate = try AccountPredicate(checking: text, now: now, segments: [:])
      let run = try await user.run(ListAccounts(ListingQuery(listing, where: predicate)))
      if let interruption = run.outcome.rows.interruption { throw interruption }
      return Set(run.rows.compactMap { $0.view.handle?.description })
    }
    for text in [
      "verified", "followers > follows", "known-followers > 0", "avatar and not label is spam",
    ] {
      #expect(try await !handles(.follows(of: alice), where: text).isEmpty, "\(text)")
    }
    _ = try await handles(.follows(of: alice), where: "label")
    let wrong = await OperationError.thrown {
      try await handles(.follows(of: alice), where: "on \"\" or verified")
    }
    #expect(wrong?.code == .unknownListName)

    // Members of a list can be selected.
    let list = try user.network.list("Spam and scams", of: "grace")
    let shown = try await user.run(ListMembers(of: list, withHandles: true)).rows
    let members = Set(shown.compactMap { $0.member.handle?.description })
    #expect(try await handles(.followers(of: alice), where: "on \(list)").isSubset(of: members))
    let off = try await handles(.followers(of: alice), where: "not on \(list)")
    #expect(!off.isEmpty && off.isDisjoint(with: members))
    try user.writeList("Mine", with: bob)
    #expect(try await handles(.follows(of: alice), where: "on Mine") == ["bob.test"])
    let unknown = await FailureKind.thrown {
      try await handles(.follows(of: alice), where: "on Nothing")
    }
    #expect(unknown != nil)
  }
}

extension OperationRun<FindPeople> {
  fileprivate var handles: [String] { rows.compactMap { $0.view.handle?.description } }
}
