// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct FollowButtonTests {
  private let me = Accounts.did(0)
  private let bob = Accounts.did(1)
  private let now = Datetime(at: 1_760_000_000_000_000)

  private func uri(_ owner: DID, _ collection: String) throws -> ATURI {
    try ATURI(parsing: "at://\(owner)/\(collection)/3l6oveex3ii2l")
  }

  private enum Edge { case following, followedBy, blocking, blockedBy, blockingByList, blockedByList }

  private func info(
    _ edges: [Edge] = [], muted: Bool? = nil, source: RelationshipInfo.Source = .appview
  ) throws -> RelationshipInfo {
    func edge(_ edge: Edge, _ owner: DID, _ collection: String) throws -> ATURI? {
      edges.contains(edge) ? try uri(owner, collection) : nil
    }
    return RelationshipInfo(
      actor: me, target: bob, following: try edge(.following, me, "app.bsky.graph.follow"),
      followedBy: try edge(.followedBy, bob, "app.bsky.graph.follow"),
      blocking: try edge(.blocking, me, "app.bsky.graph.block"),
      blockedBy: try edge(.blockedBy, bob, "app.bsky.graph.block"),
      blockingByList: try edge(.blockingByList, me, "app.bsky.graph.list"),
      blockedByList: try edge(.blockedByList, bob, "app.bsky.graph.list"), muted: muted, checkedAt: now,
      source: source)
  }

  private func button(
    _ edges: [Edge] = [], _ state: ObservedRelationship.State = .fresh, muted: Bool? = nil,
    source: RelationshipInfo.Source = .appview
  ) throws -> FollowButton {
    FollowButton(ObservedRelationship(try info(edges, muted: muted, source: source), state))
  }

  private func request(_ kind: FriendRequest.Kind = .follow) throws -> FriendRequest {
    let uri = try ATURI(parsing: "at://\(me)/org.kith.temp.graph.friendRequest/\(bob)")
    let cid = try CID(parsing: "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a")
    return FriendRequest(
      RecordVersion(uri: uri, cid: cid), from: me, to: bob, kind: kind, createdAt: now, expiresAt: nil)
  }

  private func friendship(_ asked: Friendship.RequestState) -> Friendship {
    Friendship(asked: asked, askedBy: .none, isBlocked: false)
  }

  // MARK: States

  private static let byEdges: [([Edge], FollowButton.State, Bool)] = [
    ([], .follow, true), ([.followedBy], .followBack, true), ([.following], .following, true),
    ([.following, .followedBy], .mutual, true), ([.blocking], .blocked, true),
    ([.blocking, .blockingByList, .blockedBy], .blocked, true),
    ([.blockingByList, .following], .blockedByList, true), ([.blockedBy], .blocksYou, false),
    ([.blockedByList, .followedBy], .blocksYou, false),
  ]

  @Test(arguments: byEdges)
  private func edgesMakeTheState(edges: [Edge], state: FollowButton.State, canTap: Bool) throws {
    var button = try button(edges)
    #expect(button.state == state)
    #expect(button.problem == nil)
    #expect((button.tap() != nil) == canTap)
  }

  @Test func whatATapDoesFollowsFromTheState() throws {
    #expect(try button().action == .follow)
    #expect(try button([.followedBy]).action == .follow)
    #expect(try button([.following, .followedBy]).action == .unfollow)
    #expect(try button([.blocking]).action == .unblock)
    #expect(try button([.blockingByList]).action == .openList(try uri(me, "app.bsky.graph.list")))
    #expect(FollowButton().action == .checkAgain)
  }

  /// Q7: an AppView may show the list in the field of a direct block, where there is nothing to unblock.
  @Test func aListInThePlaceOfADirectBlockIsABlockByList() throws {
    let list = try uri(me, "app.bsky.graph.list")
    let info = RelationshipInfo(
      actor: me, target: bob, blocking: list, checkedAt: now, source: .appview)
    let button = FollowButton(ObservedRelationship(info, .fresh))
    #expect(button.state == .blockedByList)
    #expect(button.blockingList == list)
    #expect(button.action == .openList(list))
  }

  @Test(arguments: [
    ObservedRelationship.State.lastKnown, .fresh, .accepted, .failed(.invalidResponse),
    .rolledBack(.budgetExhausted(until: nil)),
  ])
  func nothingKnownIsNeverFollow(state: ObservedRelationship.State) {
    let button = FollowButton(ObservedRelationship(nil, state))
    #expect(button.state == .unknown)
    #expect(button.followsYou == nil)
    #expect(button.action == .checkAgain)
  }

  /// Only one's own edges are known: whether the other account follows or blocks is not.
  @Test func ownChangesAloneDoNotSayWhatTheOtherAccountDoes() throws {
    let followed = try button([.following], .accepted, source: .change)
    #expect(followed.state == .following)
    #expect(followed.followsYou == nil)
    let unfollowed = try button([], .accepted, source: .change)
    #expect(unfollowed.state == .unknown)
    #expect(unfollowed.followsYou == nil)
    #expect(try button([.blocking], .accepted, source: .change).state == .blocked)
  }

  @Test(arguments: [
    (RelationshipError.actorNotFound("x"), AccountStatus.deleted),
    (RelationshipError(.accountDeactivated, detail: ""), .deactivated),
    (RelationshipError(.accountTakenDown, detail: ""), .suspended),
  ]) func anAccountThatIsNotThereIsGoneAndWhy(error: RelationshipError, why: AccountStatus) throws {
    var button = try button([.followedBy], .failed(error))
    #expect(button.state == .gone)
    #expect(button.absence == why)
    #expect(button.tap() == nil)
    #expect(button.problem == nil)
    button.show(ObservedRelationship(try info(), .fresh))
    #expect(button.state == .follow)
    button.status = why
    #expect(button.state == .gone)
    button.status = .invalidHandle
    #expect(button.state == .follow)
  }

  @Test func aFailedCheckKeepsWhatWasKnownAndSaysSo() throws {
    let error = RelationshipError(.networkError, detail: "unreachable", retryAfter: .seconds(3))
    let button = try button([.following], .failed(error))
    #expect(button.state == .following)
    #expect(button.isLastKnown)
    #expect(button.problem == .lookup(error))
    #expect(button.problem?.wayOut == .tryAgain(after: .seconds(3)))
  }

  // MARK: Taps

  @Test func aTapIsBusyUntilTheServerHasConfirmedIt() throws {
    var button = try button([.followedBy])
    #expect(button.tap() == .follow)
    #expect(button.state == .busy)
    #expect(button.upcoming == .mutual)
    #expect(button.tap() == nil)
    button.show(ObservedRelationship(try info([.followedBy, .following]), .pending))
    #expect(button.state == .busy)
    #expect(button.upcoming == .mutual)
    button.finish()
    // Another view may still have a change under way.
    #expect(button.state == .busy)
    button.show(ObservedRelationship(try info([.followedBy, .following]), .accepted))
    #expect(button.state == .mutual)
    #expect(button.upcoming == nil)
  }

  @Test func aTapThatFailsShowsTheFormerStateAndTheWayOut() throws {
    var button = try button()
    #expect(button.tap() == .follow)
    let failure = ChangeFailure.budgetExhausted(until: now)
    button.show(ObservedRelationship(try info([.following]), .pending))
    button.show(ObservedRelationship(try info(), .rolledBack(failure)))
    button.finish(failure)
    #expect(button.state == .follow)
    #expect(button.problem == .change(failure))
    #expect(button.problem?.wayOut == .wait(until: now))
    // The next tap ends it.
    #expect(button.tap() == .follow)
    #expect(button.problem == nil)
    button.show(ObservedRelationship(try info([.following]), .pending))
    button.finish()
    button.show(ObservedRelationship(try info([.following]), .accepted))
    #expect(button.state == .following)
    #expect(button.problem == nil)
  }

  @Test(arguments: [
    (FollowButton.State.follow, [Edge](), FollowButton.State.following),
    (.following, [.following], .follow), (.mutual, [.following, .followedBy], .followBack),
    (.blocked, [.blocking, .followedBy], .followBack),
    (.blocked, [.blocking, .blockingByList], .blockedByList),
  ])
  private func aChangeSaysWhatItLeadsTo(
    from: FollowButton.State, edges: [Edge], to: FollowButton.State
  ) throws {
    var button = try button(edges)
    #expect(button.state == from)
    _ = button.tap()
    #expect(button.upcoming == to)
  }

  @Test(
    arguments: [
      (ChangeFailure.failed(RepositoryError(.notAuthorized, detail: "")), FollowButton.Problem.WayOut.signIn),
      (.failed(RepositoryError(.inDoubt, detail: "")), .tryAgain(after: nil)),
      (
        .failed(RepositoryError(.rateLimited, detail: "", retryAfter: .seconds(9))),
        .tryAgain(after: .seconds(9))
      ),
      (.failed(RepositoryError(.notPermitted, detail: "")), nil),
      (.refused(ChangeRefusal(.blockedByList, "")), nil),
      (.refused(ChangeRefusal(.notLearned, "")), .tryAgain(after: nil)),
      (.budgetExhausted(until: nil), nil),
    ] as [(ChangeFailure, FollowButton.Problem.WayOut?)])
  func aFailureHasAWayOutIfThereIsOne(failure: ChangeFailure, wayOut: FollowButton.Problem.WayOut?) {
    #expect(FollowButton.Problem.change(failure).wayOut == wayOut)
  }

  // MARK: Requests

  @Test func anOpenRequestIsShownSinceWhenAndCanBeWithdrawn() throws {
    var button = try button()
    button.show(friendship(.open(try request())))
    #expect(button.state == .requested)
    #expect(button.openRequest?.createdAt == now)
    #expect(button.tap() == .cancelRequest)
    #expect(button.upcoming == .follow)
    button.finish()
    #expect(button.state == .follow)
    #expect(button.openRequest == nil)
  }

  @Test func aFollowOutweighsARequest() throws {
    var button = try button([.following])
    button.show(friendship(.open(try request(.friend))))
    #expect(button.state == .following)
    #expect(button.openRequest != nil)
  }

  @Test func anAccountThatWantsToBeAskedIsAsked() throws {
    var button = try button([.followedBy])
    button.policy = FriendPolicy(requiresApproval: true)
    #expect(button.tap() == .request)
    #expect(button.upcoming == .requested)
    // A poll that began before the request does not change it back.
    button.show(friendship(.none))
    button.finish()
    #expect(button.state == .requested)
    button.show(friendship(.open(try request())))
    #expect(button.state == .requested)
    let answer = try Self.acceptance(of: try request())
    button.show(friendship(.accepted(try request(), answer)))
    #expect(button.state == .followBack)
    #expect(button.action == .follow)
  }

  private static func acceptance(of request: FriendRequest) throws -> FriendAnswer {
    let record = FriendAnswer.record(accepting: request.version, at: request.createdAt)
    let key = try #require(FriendAnswer.key(accepting: request.version))
    return try #require(FriendAnswer(record, of: request.subject, at: key))
  }

  @Test func whetherARequestIsOpenIsNotGuessed() throws {
    var button = try button()
    button.show(friendship(.unknown))
    #expect(button.state == .follow)
    button.policy = FriendPolicy(requiresApproval: true)
    #expect(button.state == .unknown)
  }

  // MARK: Mutes

  @Test func aMuteStandsBesideTheState() throws {
    var button = try button([.following], muted: true)
    #expect(button.state == .following)
    #expect(button.mute == .whole)
    let list = try uri(me, "app.bsky.graph.list")
    button.profileMute = .byList(list)
    #expect(button.mute == .byList(list))
    // The profile was read before all posts were muted.
    button.profileMute = .direct(.reposts)
    #expect(button.mute == .whole)
    button.show(ObservedRelationship(try info([.following], muted: false), .accepted))
    #expect(button.mute == .direct(.reposts))
    button.profileMute = .direct(.everything)
    #expect(button.mute == nil)
    button.show(ObservedRelationship(try info([.following]), .fresh))
    #expect(button.mute == .direct(.everything))
  }

  @Test func profilesSayHowAnAccountIsMuted() throws {
    typealias Viewer = App.Bsky.Actor.Defs.ViewerState
    #expect(FollowButton.Mute(Viewer(muted: true)) == .direct(.everything))
    #expect(FollowButton.Mute(Viewer(muted: false, mutedOnlyReposts: true)) == .direct(.reposts))
    #expect(FollowButton.Mute(Viewer(mutedOnlyQuoteposts: true)) == .direct(.quotes))
    #expect(FollowButton.Mute(Viewer(muted: false)) == nil)
    #expect(FollowButton.Mute(Viewer()) == nil)
  }
}
