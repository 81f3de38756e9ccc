// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// What a stream tells of edges, in the cache, the observers and the changes of a service.
@Suite(.timeLimit(.minutes(1))) struct ObservedEdgeTests {
  private let me = Accounts.did(0)
  private let bob = Accounts.did(1)
  private let carol = Accounts.did(2)
  private let clock = ManualClock()
  private let source = ScriptedSource(follows: [:])
  private let overlay: OptimisticOverlay
  private let service: FollowRelationshipService
  /// The key that a scripted source gives records.
  private let key = RecordKey(tid: TID(at: Instant(secondsSinceEpoch: 5), clockID: 1))
  private let other = RecordKey(tid: TID(at: Instant(secondsSinceEpoch: 6), clockID: 1))

  init() {
    overlay = OptimisticOverlay(time: clock.timeSource())
    service = FollowRelationshipService(
      source: source, cachePolicy: RelationshipCache.Policy(), overlay: overlay, time: clock.timeSource())
  }

  private func uri(_ author: DID, _ key: RecordKey, _ collection: NSID = .follow) -> ATURI {
    ATURI(authority: .did(author), collection: collection, recordKey: key)
  }

  /// Answers with these edges from now on.
  private func answer(
    following: RecordKey? = nil, followedBy: RecordKey? = nil, blockedBy: RecordKey? = nil,
    muted: Bool? = nil,
    at moment: Int64 = 10
  ) {
    source.set(
      RelationshipInfo(
        actor: me, target: bob, following: following.map { uri(me, $0) },
        followedBy: followedBy.map { uri(bob, $0) }, blockedBy: blockedBy.map { uri(bob, $0, .block) },
        muted: muted, checkedAt: Datetime(at: Instant(secondsSinceEpoch: moment)), source: .appview))
  }

  private func tell(
    _ change: ObservedEdge.Change, by author: DID, about subject: DID?, _ kind: EdgeKind = .follow,
    at moment: Int64 = 20
  ) {
    let edge = ObservedEdge(
      by: author, about: subject, kind, change, at: Instant(secondsSinceEpoch: moment))
    service.observe([edge], among: [me])
  }

  private var shown: RelationshipInfo? { service.remembered(actor: me, target: bob) }

  // MARK: Cache

  @Test func whatIsCachedFollowsTheStream() async throws {
    answer(muted: true)
    _ = try await service.getRelationship(actor: me, target: bob)
    tell(.made(key), by: bob, about: me)
    #expect(shown?.followedBy == uri(bob, key) && shown?.following == nil && shown?.muted == true)
    tell(.made(key), by: me, about: bob)
    tell(.made(key), by: bob, about: me, .block)
    #expect(shown?.mutual == true && shown?.blockedBy == uri(bob, key, .block))
    tell(.gone(key), by: bob, about: me)
    tell(.gone(key), by: bob, about: me, .block)
    tell(.gone(key), by: me, about: bob)
    #expect(shown?.isEmpty == true && shown?.muted == true)
    #expect(try await service.isFollowing(actor: me, target: bob) == false)
    #expect(source.calls == 1)
  }

  @Test func whatIsNotCachedStaysUnknown() async throws {
    tell(.made(key), by: bob, about: me)
    tell(.made(key), by: me, about: bob)
    #expect(shown == nil && service.remembered(actor: bob, target: me) == nil)
    #expect(await service.cacheStatistics.count == 0)
    answer(at: 30)
    #expect(try await service.isFollowing(actor: me, target: bob) == false)
  }

  @Test func anEventOlderThanTheAnswerChangesNothing() async throws {
    answer(following: key, at: 30)
    _ = try await service.getRelationship(actor: me, target: bob)
    tell(.gone(other), by: me, about: bob, at: 29)
    tell(.made(key), by: bob, about: me, at: 29)
    tell(.doubtful(other), by: me, about: nil, at: 29)
    tell(.doubtful(nil), by: me, about: nil, at: 29)
    #expect(shown?.isFollowing == true && shown?.isFollowedBy == false)
    _ = try await service.getRelationship(actor: me, target: bob)
    #expect(source.calls == 1)
  }

  @Test func anAnswerThatShowsADeletedRecordIsAskedAgain() async throws {
    answer(following: key, at: 30)
    _ = try await service.getRelationship(actor: me, target: bob)
    tell(.gone(key), by: me, about: bob, at: 29)
    // Unknown, not no.
    #expect(shown == nil)
    answer(at: 31)
    #expect(try await service.isFollowing(actor: me, target: bob) == false)
    #expect(source.calls == 2)
  }

  /// An account follows, and no longer does.
  private func tellOfAFollowThatEnds() async throws {
    answer()
    _ = try await service.getRelationship(actor: me, target: bob)
    tell(.made(key), by: bob, about: me, at: 20)
    tell(.gone(key), by: bob, about: me, at: 25)
  }

  @Test func aRecordThatIsRestoredIsThereAgain() async throws {
    try await tellOfAFollowThatEnds()
    tell(.made(key), by: bob, about: me, at: 30)
    #expect(shown?.isFollowedBy == true)
    tell(.gone(key), by: bob, about: me, at: 25)
    #expect(shown?.isFollowedBy == true)
  }

  @Test func whatComesAgainChangesNothing() async throws {
    try await tellOfAFollowThatEnds()
    tell(.made(key), by: bob, about: me, at: 20)
    #expect(shown?.isEmpty == true)
  }

  @Test(arguments: [false, true]) func aDeletionThatNamesOnlyItsKeyIsAskedAbout(isOwn: Bool) async throws {
    answer(following: key, followedBy: key)
    _ = try await service.getRelationship(actor: me, target: bob)
    _ = try await service.getRelationship(actor: me, target: carol)
    let author = isOwn ? me : bob
    tell(.doubtful(other), by: author, about: nil)
    tell(.doubtful(key), by: author, about: nil, .block)
    tell(.doubtful(key), by: carol, about: nil)
    _ = try await service.getRelationship(actor: me, target: bob)
    #expect(source.calls == 2)
    // There may be a second record (Q16).
    answer(following: isOwn ? other : key, followedBy: isOwn ? key : other)
    tell(.doubtful(key), by: author, about: nil)
    let isMutual = try await service.getRelationship(actor: me, target: bob).mutual
    #expect(isMutual)
    _ = try await service.getRelationship(actor: me, target: carol)
    #expect(source.calls == 3)
  }

  @Test func afterAGapEverythingIsAskedAgainAndNothingIsNo() async throws {
    answer(following: key)
    var rows = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let row = await rows.next(), row.state != .fresh {}
    source.turnstile.close()
    answer(following: key, followedBy: other)
    service.miss([me])
    let stale = await rows.next()
    #expect(stale?.state == .lastKnown && stale?.info?.isFollowing == true)
    source.turnstile.open()
    #expect(await rows.next()?.info?.mutual == true)
    #expect(source.calls == 2)
  }

  // MARK: Observers

  @Test func observersAndChangesAreTold() async throws {
    answer()
    var rows = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let row = await rows.next(), row.state != .fresh {}
    var changes = service.changes.makeAsyncIterator()
    tell(.made(key), by: bob, about: me)
    #expect(await rows.next()?.info?.isFollowedBy == true)
    guard case .changed(let before, let now)? = try await changes.next() else {
      Issue.record("nothing was told")
      return
    }
    #expect(before.isEmpty && now.actor == me && now.isFollowedBy)
    #expect(source.calls == 1)
  }

  @Test func aLaggingAnswerDoesNotTakeItBack() async throws {
    answer()
    _ = try await service.getRelationship(actor: me, target: bob)
    tell(.made(key), by: bob, about: me)
    answer(at: 40)
    #expect(try await service.refresh(actor: me, target: bob).isFollowedBy)
    tell(.gone(key), by: bob, about: me, at: 50)
    answer(followedBy: key, at: 60)
    #expect(try await service.refresh(actor: me, target: bob).isFollowedBy == false)
    answer(followedBy: other, at: 70)
    #expect(try await service.refresh(actor: me, target: bob).isFollowedBy)
  }

  /// What a stream told holds until it tells that it may not.
  @Test func whatMayNotHoldAnyMoreIsNotLaidOverAnswers() async throws {
    answer()
    _ = try await service.getRelationship(actor: me, target: bob)
    tell(.made(key), by: bob, about: me)
    tell(.doubtful(key), by: bob, about: nil, at: 25)
    answer(followedBy: key, at: 30)
    #expect(try await service.getRelationship(actor: me, target: bob).isFollowedBy == false)
    tell(.made(other), by: bob, about: me, at: 35)
    service.miss([me])
    answer(at: 40)
    #expect(try await service.getRelationship(actor: me, target: bob).isEmpty)
  }

  // MARK: The account's own changes

  @Test func anIntentIsNotTakenBackByAnOlderEvent() async throws {
    answer(following: key)
    _ = try await service.getRelationship(actor: me, target: bob)
    overlay.setPending(.init(following: .absent), .edges, of: me, about: bob)
    overlay.applyLocalChange(me, bob)
    tell(.made(other), by: me, about: bob)
    #expect(shown?.isFollowing == false)
    // It is shown if the intent is refused.
    let intent = overlay.refuse(.edges, of: me, about: bob)
    overlay.applyLocalChange(me, bob, rollingBack: intent, reason: nil)
    #expect(shown?.isFollowing == true)
  }

  @Test func anAcceptedChangeIsNotTakenBackByAnOlderEvent() async throws {
    answer(following: key)
    _ = try await service.getRelationship(actor: me, target: bob)
    overlay.confirm(.init(following: .gone([key])), .edges, of: me, about: bob)
    overlay.applyLocalChange(me, bob)
    tell(.made(key), by: me, about: bob)
    #expect(shown?.isFollowing == false)
    overlay.confirm(.init(following: .there(uri(me, other))), .edges, of: me, about: bob)
    overlay.applyLocalChange(me, bob)
    tell(.gone(key), by: me, about: bob)
    #expect(shown?.following == uri(me, other))
    // Another app has unfollowed since.
    tell(.gone(other), by: me, about: bob, at: 30)
    #expect(shown?.isFollowing == false)
  }
}
