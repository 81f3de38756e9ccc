// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships

/// Counts of profiles with the account's pending and completed changes.
@Suite struct ProfileCacheTests {
  private typealias Profile = App.Bsky.Actor.Defs.ProfileViewDetailed

  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let clock = ManualClock()
  private let time: TimeSource

  init() { time = clock.timeSource() }

  /// Counts from a server saturate, whatever is added to them.
  @Test(arguments: [Int.max, .min, -1, 1 << 53]) func extremeCountsSaturate(count: Int) throws {
    let shelf = shelf()
    var (theirs, own) = (profile(followers: count), mine(follows: count))
    theirs.postsCount = count
    own.followersCount = count
    for askedAt in [Duration.zero, .seconds(1)] {
      shelf.store(theirs, askedAt: askedAt)
      shelf.store(own, askedAt: askedAt)
      own.followsCount = 1
    }
    shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
    let shown = shelf.corrected(theirs)
    #expect((0...(1 << 53)) ~= shown.followersCount ?? -1 && (0...(1 << 53)) ~= shown.postsCount ?? -1)
    #expect((0...(1 << 53)) ~= shelf.corrected(own).followsCount ?? -1)
  }

  /// The number of profiles is bounded, and a server can put anything into one.
  @Test func anOversizedProfileIsNotCached() {
    let shelf = shelf()
    var theirs = profile(followers: 1)
    theirs.description = String(repeating: "x", count: 10_000)
    shelf.store(theirs, askedAt: time.now)
    #expect(shelf.cached(other) != nil)
    shelf.forget(other)
    theirs.description = String(repeating: "x", count: 20_000)
    shelf.store(theirs, askedAt: time.now)
    #expect(shelf.cached(other) == nil)
  }

  /// A cache that counts by what its overlay is told.
  private final class Shelf: FollowCounter {
    private let cache: PosixMutex<ProfileCache>
    private let overlay: OptimisticOverlay
    let account: DID

    init(_ policy: ProfileService.Policy, of account: DID, time: TimeSource) {
      overlay = OptimisticOverlay(time: time)
      cache = PosixMutex(ProfileCache(account: account, policy: policy, overlay: overlay, time: time))
      self.account = account
      overlay.serve(.profiles, countedBy: self)
    }

    func willShow(_ change: OptimisticOverlay.FollowChange, of actor: DID, about target: DID) {
      cache.withLock { $0.count(change, about: target) }
    }

    func observe(_ edge: ObservedEdge) { cache.withLock { $0.count(edge) } }

    func recount(_ accounts: Set<DID>) { for account in accounts { forget(account) } }

    func shown(_ account: DID) -> Profile? { cache.withLock { $0.shown(account) } }

    func setPending(
      _ pending: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind = .edges, about target: DID
    ) {
      _ = overlay.setPending(pending, kind, of: account, about: target)
    }

    func endPending(_ kind: OptimisticOverlay.Kind = .edges, about target: DID) {
      _ = overlay.refuse(kind, of: account, about: target)
    }

    func take(
      _ taken: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind = .edges, about target: DID
    ) {
      overlay.confirm(taken, kind, of: account, about: target)
    }

    func hold(_ held: OptimisticOverlay.Expected, about target: DID) {
      overlay.hold(held, .edges, of: account, about: target)
    }

    func store(_ profile: Profile, askedAt: Duration) {
      cache.withLock { $0.store(profile, askedAt: askedAt) }
    }
    func cached(_ account: DID) -> Profile? { cache.withLock { $0.cached(account) } }
    func missing(_ accounts: [DID]) -> [DID] { cache.withLock { $0.cached(accounts).missing } }
    func forget(_ account: DID) { cache.withLock { $0.forget(account) } }
    func corrected(_ profile: Profile) -> Profile { cache.withLock { $0.corrected(profile) } }
  }

  private func shelf(_ policy: ProfileService.Policy = .init()) -> Shelf {
    Shelf(policy, of: me, time: time)
  }

  private func edge(_ key: String, _ collection: NSID = .follow) throws -> ATURI {
    ATURI(authority: .did(me), collection: collection, recordKey: try RecordKey(parsing: key))
  }

  private func there(_ key: String) throws -> OptimisticOverlay.Expected {
    .init(following: .there(try edge(key)))
  }

  private func gone(_ key: String) throws -> OptimisticOverlay.Expected {
    .init(following: .gone([try RecordKey(parsing: key)]))
  }

  /// Another account's profile, as seen by the account.
  private func profile(followers: Int?, following: ATURI? = nil) -> Profile {
    Profile(
      did: other, handle: Accounts.handle(1), followersCount: followers, viewer: .init(following: following))
  }

  private func mine(follows: Int) -> Profile {
    Profile(did: me, handle: Accounts.handle(0), followsCount: follows)
  }

  @Test func aIntentChangesBothCountsUntilItIsRefused() throws {
    let shelf = shelf()
    let (theirs, mine) = (profile(followers: 10), mine(follows: 5))
    shelf.store(theirs, askedAt: time.now)
    shelf.store(mine, askedAt: time.now)
    shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
    #expect(shelf.corrected(theirs).followersCount == 11)
    #expect(shelf.corrected(theirs).viewer?.following == (try edge("3a")))
    #expect(shelf.corrected(mine).followsCount == 6)
    shelf.endPending(about: other)
    #expect(shelf.corrected(theirs) == theirs)
    #expect(shelf.corrected(mine) == mine)
  }

  @Test func anExistingStateChangesNothing() throws {
    let shelf = shelf()
    let (theirs, mine) = (profile(followers: 10, following: try edge("3a")), mine(follows: 5))
    shelf.store(theirs, askedAt: time.now)
    shelf.store(mine, askedAt: time.now)
    shelf.setPending(.init(following: .present(try edge("3b"))), about: other)
    #expect(shelf.corrected(theirs) == theirs)
    #expect(shelf.corrected(mine) == mine)
  }

  @Test func manyIntentsChangeACountByAtMostOne() throws {
    let shelf = shelf()
    let (theirs, mine) = (profile(followers: 10), mine(follows: 5))
    shelf.store(theirs, askedAt: time.now)
    shelf.store(mine, askedAt: time.now)
    for _ in 0..<3 {
      shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
      #expect(shelf.corrected(mine).followsCount == 6)
      shelf.setPending(.init(following: .absent), about: other)
      #expect(shelf.corrected(theirs).followersCount == 10)
      #expect(shelf.corrected(mine).followsCount == 5)
    }
  }

  /// Q21.
  @Test func aLaggingAppViewIsCorrectedUntilItCatchesUp() throws {
    let shelf = shelf()
    shelf.store(profile(followers: 10), askedAt: time.now)
    shelf.store(mine(follows: 5), askedAt: time.now)
    shelf.take(try there("3a"), about: other)
    let (late, lateMine) = (profile(followers: 12), mine(follows: 5))
    shelf.store(late, askedAt: time.now)
    shelf.store(lateMine, askedAt: time.now)
    #expect(shelf.corrected(late).followersCount == 13)
    #expect(shelf.corrected(lateMine).followsCount == 6)
    let (current, currentMine) = (profile(followers: 14, following: try edge("3a")), mine(follows: 6))
    shelf.store(current, askedAt: time.now)
    shelf.store(currentMine, askedAt: time.now)
    #expect(shelf.corrected(current) == current)
    #expect(shelf.corrected(currentMine) == currentMine)
  }

  @Test func anAppViewThatNeverCatchesUpIsEventuallyAccepted() throws {
    let shelf = shelf()
    shelf.store(mine(follows: 5), askedAt: time.now)
    shelf.take(try there("3a"), about: other)
    clock.advance(by: .seconds(601))
    let (theirs, mine) = (profile(followers: 10), mine(follows: 5))
    shelf.store(theirs, askedAt: time.now)
    shelf.store(mine, askedAt: time.now)
    #expect(shelf.corrected(theirs) == theirs)
    #expect(shelf.corrected(mine) == mine)
  }

  @Test func anUnfollowSubtractsOne() throws {
    let shelf = shelf()
    let (theirs, mine) = (profile(followers: 10, following: try edge("3a")), mine(follows: 5))
    shelf.store(theirs, askedAt: time.now)
    shelf.store(mine, askedAt: time.now)
    shelf.setPending(.init(following: .absent), about: other)
    #expect(shelf.corrected(theirs).followersCount == 9)
    #expect(shelf.corrected(mine).followsCount == 4)
    shelf.take(try gone("3a"), about: other)
    shelf.endPending(about: other)
    #expect(shelf.corrected(theirs).followersCount == 9)
    #expect(shelf.corrected(theirs).viewer?.following == nil)
    #expect(shelf.corrected(mine).followsCount == 4)
  }

  @Test func aFollowOfAnUnknownProfileChangesTheOwnCountOnceItIsMade() throws {
    let shelf = shelf()
    let mine = mine(follows: 5)
    shelf.store(mine, askedAt: time.now)
    shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
    #expect(shelf.corrected(mine) == mine)
    shelf.take(try there("3a"), about: other)
    #expect(shelf.corrected(mine).followsCount == 6)
  }

  @Test func signedOutCountsOfOthersDoNotChange() throws {
    let shelf = shelf()
    var theirs = profile(followers: 10)
    theirs.viewer = nil
    shelf.store(theirs, askedAt: time.now)
    shelf.take(try there("3a"), about: other)
    #expect(shelf.corrected(theirs) == theirs)
  }

  @Test func aFollowCountedBeforeTheServersAnswerIsCountedOnce() throws {
    let shelf = shelf()
    shelf.store(profile(followers: 10), askedAt: time.now)
    shelf.store(mine(follows: 5), askedAt: time.now)
    shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
    let (counted, countedMine) = (profile(followers: 11, following: try edge("3a")), mine(follows: 6))
    for _ in 0..<2 {
      shelf.store(counted, askedAt: time.now)
      shelf.store(countedMine, askedAt: time.now)
      #expect(shelf.corrected(counted) == counted)
      #expect(shelf.corrected(countedMine) == countedMine)
      shelf.take(try there("3a"), about: other)
      shelf.endPending(about: other)
    }
  }

  @Test func anAppViewThatIndexedOneOfTwoFollowsIsCorrectedByTheOther() throws {
    let shelf = shelf()
    shelf.store(mine(follows: 5), askedAt: time.now)
    for number in 1...2 { shelf.take(try there("3a"), about: Accounts.did(number)) }
    for follows in 5...7 {
      shelf.store(mine(follows: follows), askedAt: time.now)
      #expect(shelf.corrected(mine(follows: follows)).followsCount == 7)
    }
  }

  @Test func aFirstCountIncludesChangesBeforeItsRequest() throws {
    let shelf = shelf()
    let askedAt = time.now
    clock.advance(by: .seconds(1))
    shelf.take(try there("3a"), about: other)
    let late = shelf
    late.store(mine(follows: 5), askedAt: askedAt)
    #expect(late.corrected(mine(follows: 5)).followsCount == 6)
    clock.advance(by: .seconds(1))
    shelf.store(mine(follows: 6), askedAt: time.now)
    #expect(shelf.corrected(mine(follows: 6)).followsCount == 6)
  }

  @Test func anOvertakenAnswerIsIgnored() throws {
    let shelf = shelf()
    let askedAt = time.now
    clock.advance(by: .seconds(1))
    shelf.store(mine(follows: 6), askedAt: time.now)
    shelf.store(mine(follows: 5), askedAt: askedAt)
    #expect(shelf.cached(me)?.followsCount == 6)
    shelf.take(try there("3a"), about: other)
    shelf.store(mine(follows: 6), askedAt: time.now)
    #expect(shelf.corrected(mine(follows: 6)).followsCount == 7)
  }

  @Test func aRefusedIntentDoesNotRollBackOtherDevices() throws {
    let shelf = shelf()
    shelf.store(profile(followers: 10), askedAt: time.now)
    shelf.store(mine(follows: 5), askedAt: time.now)
    shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
    shelf.store(mine(follows: 6), askedAt: time.now)
    shelf.endPending(about: other)
    #expect(shelf.corrected(mine(follows: 6)).followsCount == 6)
  }

  @Test func aMuteDoesNotAffectAPendingFollow() throws {
    let shelf = shelf()
    let theirs = profile(followers: 10)
    shelf.store(theirs, askedAt: time.now)
    shelf.store(mine(follows: 5), askedAt: time.now)
    shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
    shelf.setPending(.init(muted: true), .mute, about: other)
    shelf.take(.init(muted: true), .mute, about: other)
    shelf.endPending(.mute, about: other)
    #expect(shelf.corrected(theirs).followersCount == 11)
    #expect(shelf.corrected(theirs).viewer?.muted == true)
    #expect(shelf.corrected(mine(follows: 5)).followsCount == 6)
  }

  @Test func noFollowIsShownForABlockedAccount() throws {
    let shelf = shelf()
    var theirs = profile(followers: 10)
    theirs.viewer?.blockingByList = .init(
      uri: try edge("3l", .list),
      cid: try CID(parsing: "bafyreidykglsfhoixmivffc5uwhcgshx4j465xwqntbmu43nb2dzqwfvae"),
      name: "list", purpose: .modlist)
    shelf.store(theirs, askedAt: time.now)
    shelf.hold(try there("3a"), about: other)
    #expect(shelf.corrected(theirs).followersCount == 10)
  }

  @Test func noFollowIsInventedForABlockingAccount() throws {
    let shelf = shelf()
    shelf.take(try there("3a"), about: other)
    var theirs = profile(followers: 10)
    theirs.viewer?.blockedBy = true
    shelf.store(theirs, askedAt: time.now)
    #expect(shelf.corrected(theirs) == theirs)
    shelf.take(.init(blocking: .there(try edge("3b", .block))), about: other)
    #expect(shelf.corrected(theirs).viewer?.blocking == (try edge("3b", .block)))
  }

  @Test func aMissingCountStaysMissingAndNoneIsNegative() throws {
    let shelf = shelf()
    let unknown = profile(followers: nil)
    shelf.store(unknown, askedAt: time.now)
    shelf.take(try there("3a"), about: other)
    #expect(shelf.corrected(unknown).followersCount == nil)
    let none = profile(followers: 0, following: try edge("3a"))
    shelf.store(none, askedAt: time.now)
    shelf.take(try gone("3a"), about: other)
    #expect(shelf.corrected(none).followersCount == 0)
  }

  @Test func cachesForATimeAndUpToACapacity() {
    let shelf = shelf(.init(lifetime: .seconds(60), capacity: 1))
    shelf.store(mine(follows: 5), askedAt: time.now)
    #expect(shelf.missing([me, me, other]) == [other])
    shelf.store(profile(followers: 1), askedAt: time.now)
    #expect(shelf.missing([me, other]) == [me])
    clock.advance(by: .seconds(60))
    #expect(shelf.missing([other]) == [other])
  }

  // MARK: What a stream tells

  private func told(
    _ change: ObservedEdge.Change, by author: DID, about subject: DID, of counted: DID, _ step: Int
  ) -> ObservedEdge {
    let count = ObservedEdge.Count(of: counted, by: step)
    return ObservedEdge(by: author, about: subject, .follow, change, count: count, at: time.instant)
  }

  private func me(followers: Int, follows: Int) -> Profile {
    Profile(did: me, handle: Accounts.handle(0), followersCount: followers, followsCount: follows)
  }

  @Test func aStreamCountsWhatCameSinceTheProfile() throws {
    let (shelf, key) = (shelf(), try RecordKey(parsing: "3a"))
    shelf.observe(told(.made(key), by: other, about: me, of: me, 1))
    shelf.store(me(followers: 10, follows: 5), askedAt: time.now)
    shelf.observe(told(.made(key), by: other, about: me, of: me, 1))
    #expect(shelf.shown(me)?.followersCount == 10, "events up to the request are in the answer")
    clock.advance(by: .seconds(1))
    let askedAt = time.now
    shelf.observe(told(.made(key), by: other, about: me, of: me, 1))
    shelf.observe(told(.made(key), by: me, about: other, of: me, 1))
    #expect(shelf.shown(me)?.followersCount == 11 && shelf.shown(me)?.followsCount == 6)
    clock.advance(by: .seconds(1))
    shelf.observe(told(.gone(key), by: other, about: me, of: me, -1))
    shelf.observe(told(.doubtful(nil), by: me, about: other, of: me, -1))
    #expect(shelf.shown(me)?.followersCount == 10 && shelf.shown(me)?.followsCount == 5)
    // An answer that was under way meanwhile.
    shelf.store(me(followers: 11, follows: 6), askedAt: askedAt)
    #expect(shelf.shown(me)?.followersCount == 10 && shelf.shown(me)?.followsCount == 5)
    shelf.store(me(followers: 10, follows: 5), askedAt: time.now)
    #expect(shelf.shown(me)?.followersCount == 10 && shelf.shown(me)?.followsCount == 5)
  }

  /// The stream tells of it before or after the server has answered.
  @Test(arguments: [false, true]) func anOwnFollowIsCountedOnce(isTold isEarly: Bool) throws {
    let shelf = shelf()
    shelf.store(me(followers: 10, follows: 5), askedAt: time.now)
    clock.advance(by: .seconds(1))
    let made = told(.made(try RecordKey(parsing: "3a")), by: me, about: other, of: me, 1)
    shelf.setPending(.init(following: .present(try edge("3a"))), about: other)
    if isEarly { shelf.observe(made) }
    shelf.take(try there("3a"), about: other)
    if !isEarly { shelf.observe(made) }
    #expect(shelf.shown(me)?.followsCount == 6)
    shelf.take(try gone("3a"), about: other)
    shelf.observe(told(.gone(try RecordKey(parsing: "3a")), by: me, about: other, of: me, -1))
    #expect(shelf.shown(me)?.followsCount == 5)
  }

  @Test func manyChangesAreRequestedAgainInsteadOfKept() throws {
    let (shelf, key) = (shelf(), try RecordKey(parsing: "3a"))
    shelf.store(me(followers: 10, follows: 5), askedAt: time.now)
    clock.advance(by: .seconds(1))
    for _ in 0..<10_000 { shelf.observe(told(.made(key), by: other, about: me, of: me, 1)) }
    #expect(shelf.shown(me)?.followersCount == 10_010)
    shelf.observe(told(.made(key), by: other, about: me, of: me, 1))
    #expect(shelf.shown(me) == nil)
  }
}
