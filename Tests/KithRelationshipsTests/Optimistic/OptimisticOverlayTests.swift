// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct OptimisticOverlayTests {
  private let actor = Accounts.did(0)
  private let target = Accounts.did(1)
  private let clock = ManualClock()

  private func overlay(capacity: Int = 100) -> OptimisticOverlay {
    let overlay = OptimisticOverlay(lifetime: .seconds(60), capacity: capacity, time: clock.timeSource())
    overlay.serve(.relationships)
    return overlay
  }

  private func uri(_ key: String, _ collection: NSID = .follow, of owner: DID? = nil) throws -> ATURI {
    ATURI(
      authority: .did(owner ?? actor), collection: collection, recordKey: try RecordKey(parsing: key))
  }

  private func info(
    following: ATURI? = nil, followedBy: ATURI? = nil, blocking: ATURI? = nil, muted: Bool? = nil
  ) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: followedBy, blocking: blocking,
      muted: muted, checkedAt: Datetime(at: 0), source: .appview)
  }

  private func gone(_ keys: String...) throws -> OptimisticOverlay.Expected {
    .init(following: .gone(Set(try keys.map { try RecordKey(parsing: $0) })))
  }

  /// Q21.
  @Test func showsAcceptedChangesUntilTheAppViewCatchesUp() throws {
    let overlay = overlay()
    let mine = try uri("3a")
    overlay.confirm(.init(following: .there(mine)), .edges, of: actor, about: target)
    let theirs = try uri("3z", of: target)
    #expect(overlay.reconcile(info(followedBy: theirs)) == info(following: mine, followedBy: theirs))
    #expect(overlay.reconcile(info()) == info(following: mine))
    #expect(overlay.reconcile(info(following: mine)) == info(following: mine))
    #expect(overlay.isEmpty)
    // From now on the AppView is authoritative.
    #expect(overlay.reconcile(info()) == info())
  }

  /// One server may have caught up while the other has not.
  @Test func relationshipsAndProfilesCatchUpEachForItself() throws {
    let overlay = overlay()
    overlay.serve(.profiles)
    let mine = try uri("3a")
    overlay.confirm(.init(following: .there(mine)), .edges, of: actor, about: target)
    let behind = OptimisticOverlay.Shown()
    let caughtUp = OptimisticOverlay.Shown(following: mine)
    #expect(overlay.reconcile(info(following: mine)) == info(following: mine))
    #expect(overlay.reconcile(info()) == info(), "it has caught up, so what it shows now is newer")
    #expect(!overlay.expects(of: actor, about: target) && !overlay.isEmpty)
    #expect(overlay.reconcile(behind, of: actor, about: target) == caughtUp)
    #expect(overlay.overlaid(behind, of: actor, about: target) == caughtUp)
    #expect(overlay.reconcile(caughtUp, of: actor, about: target) == caughtUp)
    #expect(overlay.isEmpty)
    #expect(overlay.reconcile(behind, of: actor, about: target) == behind)
  }

  /// What is not read is not kept until it is too old.
  @Test func expectsNothingOfProfilesThatNobodyReads() throws {
    let overlay = overlay()
    let mine = try uri("3a")
    overlay.confirm(.init(following: .there(mine)), .edges, of: actor, about: target)
    #expect(
      overlay.reconcile(OptimisticOverlay.Shown(), of: actor, about: target) == OptimisticOverlay.Shown())
    #expect(overlay.reconcile(info(following: mine)) == info(following: mine))
    #expect(overlay.isEmpty)
  }

  @Test func hidesDeletedRecordsButNotNewOnes() throws {
    let overlay = overlay()
    overlay.confirm(try gone("3a"), .edges, of: actor, about: target)
    #expect(overlay.reconcile(info(following: try uri("3a"))) == info())
    #expect(overlay.count == 1)
    let other = info(following: try uri("3b"))
    #expect(overlay.reconcile(other) == other)
    #expect(overlay.isEmpty)
  }

  /// To an AppView that has not indexed the follow, the unfollow seems done.
  /// Whatever record an answer shows is older, unless its key names a later time.
  @Test func hidesWhatTheRepositoryDidNotHave() throws {
    let overlay = overlay()
    let moment: Instant = 1_700_000_000_000_000
    func key(_ offset: Int64) -> String { "\(TID(at: moment + offset, clockID: 1))" }
    let absent = OptimisticOverlay.Expected(following: .unrecorded(at: moment))
    overlay.confirm(absent, .edges, of: actor, about: target)
    for old in ["3a", key(-1), key(0)] {
      #expect(overlay.reconcile(info(following: try uri(old))).following == nil)
    }
    #expect(!overlay.isEmpty)
    #expect(overlay.reconcile(info(following: try uri(key(1)))).following == (try uri(key(1))))
    #expect(overlay.isEmpty)
    overlay.confirm(absent, .edges, of: actor, about: target)
    #expect(overlay.reconcile(info()).following == nil)
    #expect(overlay.isEmpty)
  }

  @Test func anAppViewThatMissedTheFollowHasNotCaughtUp() throws {
    let overlay = overlay()
    overlay.confirm(.init(following: .there(try uri("3a"))), .edges, of: actor, about: target)
    overlay.confirm(try gone("3a"), .edges, of: actor, about: target)
    #expect(overlay.reconcile(info()) == info())
    #expect(overlay.reconcile(info(following: try uri("3a"))) == info())
    #expect(overlay.count == 1)
  }

  @Test func expectationsExpire() throws {
    let overlay = overlay()
    overlay.confirm(.init(following: .there(try uri("3a"))), .edges, of: actor, about: target)
    clock.advance(by: .seconds(59))
    #expect(overlay.reconcile(info()).isFollowing)
    clock.advance(by: .seconds(1))
    #expect(!overlay.reconcile(info()).isFollowing)
    #expect(overlay.isEmpty)
  }

  @Test func dropsTheOldestBeyondTheCapacity() throws {
    let overlay = overlay(capacity: 8)
    for number in 1...9 {
      overlay.confirm(.init(following: .there(try uri("3a"))), .edges, of: actor, about: Accounts.did(number))
    }
    #expect(overlay.count == 7)
    #expect(!overlay.reconcile(info()).isFollowing)
  }

  @Test func keepsAnyNumberOfIntents() throws {
    let overlay = overlay(capacity: 8)
    for number in 1...20 {
      overlay.setPending(
        .init(following: .present(try uri("3a"))), .edges, of: actor, about: Accounts.did(number))
    }
    #expect(overlay.count == 20)
  }

  @Test func showsAnIntentAndRollsItBack() throws {
    let overlay = overlay()
    let before = info(following: try uri("3old"))
    overlay.setPending(.init(following: .absent), .edges, of: actor, about: target)
    #expect(overlay.overlaid(before) == info())
    #expect(overlay.refuse(.edges, of: actor, about: target)?.before.following == before.following)
    #expect(overlay.isEmpty)
  }

  /// An answer received while an intent is pending is what the rollback restores.
  @Test func rollsAnIntentBackToTheLatestAnswer() throws {
    let overlay = overlay()
    overlay.setPending(.init(following: .present(try uri("3new"))), .edges, of: actor, about: target)
    #expect(overlay.overlaid(info()).isFollowing)
    let news = info(following: try uri("3other"))
    #expect(overlay.reconcile(news) == news)
    #expect(overlay.refuse(.edges, of: actor, about: target)?.before.following == news.following)
  }

  /// What was shown before an earlier intent is forgotten when that intent ends, even if the pair is still tracked.
  @Test func rollsALaterIntentBackToWhatWasShownBeforeIt() throws {
    let overlay = overlay()
    let mine = try uri("3a")
    // The AppView has not indexed this follow, so the pair stays tracked.
    overlay.confirm(.init(following: .there(mine)), .edges, of: actor, about: target)
    let blocked = overlay.reconcile(info(blocking: try uri("3b", .block)))
    overlay.setPending(.init(blocking: .absent), .edges, of: actor, about: target)
    #expect(overlay.overlaid(blocked) == info(following: mine))
    overlay.setPending(.init(), .edges, of: actor, about: target)
    // Another app removes the block.
    let unblocked = overlay.reconcile(info())
    overlay.setPending(.init(blocking: .present(try uri("3c", .block))), .edges, of: actor, about: target)
    let shown = overlay.overlaid(unblocked)
    #expect(shown.isBlocking)
    let taken = try #require(overlay.refuse(.edges, of: actor, about: target))
    #expect(taken.restoring(.init(shown)) == .init(info(following: mine)))
  }

  @Test func rollsAnIntentBackToTheAcceptedChange() throws {
    let overlay = overlay()
    overlay.confirm(.init(following: .there(try uri("3a"))), .edges, of: actor, about: target)
    overlay.setPending(.init(following: .absent), .edges, of: actor, about: target)
    #expect(!overlay.reconcile(info()).isFollowing)
    _ = overlay.refuse(.edges, of: actor, about: target)
    #expect(overlay.reconcile(info()).following == (try uri("3a")))
  }

  /// What was learned after the intent is kept, edge by edge.
  @Test func rollsBackOnlyWhatStillShowsTheIntent() throws {
    let overlay = overlay()
    let before = info(following: try uri("3old"), muted: false)
    let pending = OptimisticOverlay.Expected(
      following: .absent, blocking: .present(try uri("3b", .block)))
    overlay.setPending(pending, .edges, of: actor, about: target)
    let shown = overlay.overlaid(before)
    #expect(shown == info(blocking: try uri("3b", .block), muted: false))
    let taken = try #require(overlay.refuse(.edges, of: actor, about: target))
    #expect(taken.restoring(.init(shown)) == .init(before))
    let news = info(following: try uri("3new"), blocking: try uri("3else", .block), muted: true)
    #expect(taken.restoring(.init(news)) == .init(news))
    let half = info(following: try uri("3new"), blocking: try uri("3b", .block), muted: true)
    #expect(taken.restoring(.init(half)) == .init(info(following: try uri("3new"), muted: true)))
  }

  @Test func rollsBackWhatALaterIntentOmits() throws {
    let overlay = overlay()
    overlay.setPending(.init(following: .present(try uri("3a"))), .edges, of: actor, about: target)
    let shown = overlay.overlaid(info())
    let taken = overlay.setPending(.init(blocking: .absent), .edges, of: actor, about: target)
    #expect(taken?.restoring(.init(shown)) == .init(info()))
    #expect(overlay.setPending(.init(blocking: .absent), .edges, of: actor, about: target) == nil)
  }

  @Test func intentsOfTwoKindsAreIndependent() throws {
    let overlay = overlay()
    let follow = try uri("3a")
    overlay.setPending(.init(following: .present(follow)), .edges, of: actor, about: target)
    overlay.setPending(.init(muted: true), .mute, of: actor, about: target)
    #expect(overlay.overlaid(info()) == info(following: follow, muted: true))
    overlay.confirm(.init(following: .there(follow)), .edges, of: actor, about: target)
    #expect(overlay.overlaid(info()) == info(following: follow, muted: true))
    #expect(overlay.refuse(.mute, of: actor, about: target)?.before.following == follow)
    #expect(overlay.overlaid(info()) == info(following: follow))
  }

  /// A query may come from the other end, about the same edges.
  @Test func appliesToAnswersFromTheOtherEnd() throws {
    let overlay = overlay()
    overlay.confirm(
      .init(following: .there(try uri("3a")), blocking: .there(try uri("3b", .block))), .edges, of: actor,
      about: target)
    overlay.confirm(.init(muted: true), .mute, of: actor, about: target)
    let heard = overlay.reconcile(info().swapped)
    #expect(heard.followedBy == (try uri("3a")))
    #expect(heard.blockedBy == (try uri("3b", .block)))
    #expect(heard.following == nil && heard.muted == nil)
    #expect(overlay.reconcile(info()).muted == true)
  }

  /// Q7.
  @Test func doesNotHideABlockByAList() throws {
    let overlay = overlay()
    overlay.setPending(.init(blocking: .absent), .edges, of: actor, about: target)
    let byList = info(blocking: try uri("3l", .list))
    #expect(overlay.overlaid(byList) == byList)
    #expect(overlay.overlaid(info(blocking: try uri("3b", .block))) == info())
  }

  @Test func doesNotChangeOtherPairs() throws {
    let overlay = overlay()
    overlay.confirm(.init(following: .there(try uri("3a"))), .edges, of: actor, about: Accounts.did(2))
    #expect(overlay.reconcile(info()) == info())
  }
}
