// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ATProtoLexicons
import TestSupport
import Testing

@testable import Relationships

/// Counts of profiles, by what their account has wished and done.
@Suite struct ProfileShelfTests {
  private typealias Profile = App.Bsky.Actor.Defs.ProfileViewDetailed

  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let clock = ManualClock()

  private func shelf(_ policy: ProfileService.Policy = .init()) -> ProfileShelf {
    ProfileShelf(account: me, policy: policy, time: clock.timeSource())
  }

  private func edge(_ key: String, _ collection: NSID = .follow) throws -> ATURI {
    ATURI(authority: .did(me), collection: collection, recordKey: try RecordKey(parsing: key))
  }

  private func there(_ key: String) throws -> OwnEdgeOverlay.Expected {
    .init(following: .there(try edge(key)))
  }

  private func gone(_ key: String) throws -> OwnEdgeOverlay.Expected {
    .init(following: .gone([try RecordKey(parsing: key)]))
  }

  /// Somebody else, as the account sees them.
  private func profile(followers: Int?, following: ATURI? = nil) -> Profile {
    Profile(
      did: other, handle: Accounts.handle(1), followersCount: followers, viewer: .init(following: following))
  }

  private func mine(follows: Int) -> Profile {
    Profile(did: me, handle: Accounts.handle(0), followsCount: follows)
  }

  @Test func aWishMovesBothCountsUntilItIsRefused() throws {
    var shelf = shelf()
    let (theirs, mine) = (profile(followers: 10), mine(follows: 5))
    shelf.learn(theirs)
    shelf.learn(mine)
    shelf.wish(.init(following: .present(try edge("3a"))), about: other)
    #expect(shelf.shown(theirs).followersCount == 11)
    #expect(shelf.shown(theirs).viewer?.following == (try edge("3a")))
    #expect(shelf.shown(mine).followsCount == 6)
    shelf.endWish(about: other)
    #expect(shelf.shown(theirs) == theirs)
    #expect(shelf.shown(mine) == mine)
  }

  @Test func whatHoldsAlreadyMovesNothing() throws {
    var shelf = shelf()
    let (theirs, mine) = (profile(followers: 10, following: try edge("3a")), mine(follows: 5))
    shelf.learn(theirs)
    shelf.learn(mine)
    shelf.wish(.init(following: .present(try edge("3b"))), about: other)
    #expect(shelf.shown(theirs) == theirs)
    #expect(shelf.shown(mine) == mine)
  }

  @Test func manyWishesMoveACountByOneAtMost() throws {
    var shelf = shelf()
    let (theirs, mine) = (profile(followers: 10), mine(follows: 5))
    shelf.learn(theirs)
    shelf.learn(mine)
    for _ in 0..<3 {
      shelf.wish(.init(following: .present(try edge("3a"))), about: other)
      #expect(shelf.shown(mine).followsCount == 6)
      shelf.wish(.init(following: .absent), about: other)
      #expect(shelf.shown(theirs).followersCount == 10)
      #expect(shelf.shown(mine).followsCount == 5)
    }
  }

  /// Q21.
  @Test func anAppViewThatLagsBehindIsCorrectedUntilItHasCaughtUp() throws {
    var shelf = shelf()
    shelf.learn(profile(followers: 10))
    shelf.learn(mine(follows: 5))
    shelf.take(try there("3a"), about: other)
    let (late, lateMine) = (profile(followers: 12), mine(follows: 5))
    shelf.learn(late)
    shelf.learn(lateMine)
    #expect(shelf.shown(late).followersCount == 13)
    #expect(shelf.shown(lateMine).followsCount == 6)
    let (current, currentMine) = (profile(followers: 14, following: try edge("3a")), mine(follows: 6))
    shelf.learn(current)
    shelf.learn(currentMine)
    #expect(shelf.shown(current) == current)
    #expect(shelf.shown(currentMine) == currentMine)
  }

  @Test func anAppViewThatNeverCatchesUpIsBelievedInTheEnd() throws {
    var shelf = shelf()
    shelf.learn(mine(follows: 5))
    shelf.take(try there("3a"), about: other)
    clock.advance(by: .seconds(601))
    let (theirs, mine) = (profile(followers: 10), mine(follows: 5))
    shelf.learn(theirs)
    shelf.learn(mine)
    #expect(shelf.shown(theirs) == theirs)
    #expect(shelf.shown(mine) == mine)
  }

  @Test func anUnfollowTakesOneAway() throws {
    var shelf = shelf()
    let (theirs, mine) = (profile(followers: 10, following: try edge("3a")), mine(follows: 5))
    shelf.learn(theirs)
    shelf.learn(mine)
    shelf.wish(.init(following: .absent), about: other)
    #expect(shelf.shown(theirs).followersCount == 9)
    #expect(shelf.shown(mine).followsCount == 4)
    shelf.take(try gone("3a"), about: other)
    shelf.endWish(about: other)
    #expect(shelf.shown(theirs).followersCount == 9)
    #expect(shelf.shown(theirs).viewer?.following == nil)
    #expect(shelf.shown(mine).followsCount == 4)
  }

  @Test func aFollowOfSomebodyWhoseProfileNobodySawMovesTheOwnCountOnceItIsMade() throws {
    var shelf = shelf()
    let mine = mine(follows: 5)
    shelf.learn(mine)
    shelf.wish(.init(following: .present(try edge("3a"))), about: other)
    #expect(shelf.shown(mine) == mine)
    shelf.take(try there("3a"), about: other)
    #expect(shelf.shown(mine).followsCount == 6)
  }

  @Test func whereNobodyIsSignedInCountsOfOthersStay() throws {
    var shelf = shelf()
    var theirs = profile(followers: 10)
    theirs.viewer = nil
    shelf.learn(theirs)
    shelf.take(try there("3a"), about: other)
    #expect(shelf.shown(theirs) == theirs)
  }

  @Test func ofWhomBlocksTheAccountNothingIsMadeUp() throws {
    var shelf = shelf()
    shelf.take(try there("3a"), about: other)
    var theirs = profile(followers: 10)
    theirs.viewer?.blockedBy = true
    shelf.learn(theirs)
    #expect(shelf.shown(theirs) == theirs)
  }

  @Test func aCountThatIsNotToldIsNotMadeUpAndNoneIsNegative() throws {
    var shelf = shelf()
    let unknown = profile(followers: nil)
    shelf.learn(unknown)
    shelf.take(try there("3a"), about: other)
    #expect(shelf.shown(unknown).followersCount == nil)
    let none = profile(followers: 0, following: try edge("3a"))
    shelf.learn(none)
    shelf.take(try gone("3a"), about: other)
    #expect(shelf.shown(none).followersCount == 0)
  }

  @Test func remembersForATimeAndSoManyAtMost() {
    var shelf = shelf(.init(lifetime: .seconds(60), capacity: 1))
    shelf.learn(mine(follows: 5))
    #expect(shelf.remembered([me, me, other]).missing == [other])
    shelf.learn(profile(followers: 1))
    #expect(shelf.remembered([me, other]).missing == [me])
    clock.advance(by: .seconds(60))
    #expect(shelf.remembered([other]).missing == [other])
  }
}
