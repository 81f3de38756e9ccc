// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithLexicons
import KithRelationships
import TestSupport
import Testing

/// An app whose relationships and counts are kept current by the stream of a sandbox.
@Suite(.timeLimit(.minutes(1))) struct LiveSourceTests {
  private let scene = LiveScene()
  private let service: FollowRelationshipService
  private let profiles: ProfileService
  private let source: LiveSource
  private let listings: [HistoryListing]

  init() {
    service = FollowRelationshipService(client: scene.client)
    profiles = ProfileService(account: scene.actor, client: scene.client, overlay: service.overlay)
    source = scene.source(for: service)
    listings = [HistoryListing(.followers, of: scene.actor), HistoryListing(.follows, of: scene.actor)]
  }

  private var me: DID { scene.actor }

  /// What is shown of an account and of the counts, without a call.
  private struct Shown: Equatable {
    var follows: Bool?
    var followedBy: Bool?
    var followers: Int?
    var followed: Int?

    func adding(
      followers more: Int = 0, followed moreFollowed: Int = 0, follows: Bool? = nil, followedBy: Bool? = nil
    ) -> Shown {
      Shown(
        follows: follows ?? self.follows, followedBy: followedBy ?? self.followedBy,
        followers: followers.map { $0 + more }, followed: followed.map { $0 + moreFollowed })
    }
  }

  private func shown(_ other: DID) -> Shown {
    let (info, counts) = (service.remembered(actor: me, target: other), profiles.cachedProfile(of: me))
    return Shown(
      follows: info?.isFollowing, followedBy: info?.isFollowedBy, followers: counts?.followersCount,
      followed: counts?.followsCount)
  }

  /// Asks as an app does when it begins to show an account.
  private func ask(_ other: DID) async throws -> Shown {
    _ = try await profiles.profile(of: me)
    _ = try await service.getRelationship(actor: me, target: other)
    return shown(other)
  }

  /// What a server answers now.
  private func truth(_ other: DID) async throws -> Shown {
    profiles.invalidate(me)
    await service.invalidate(actor: me, target: other)
    return try await ask(other)
  }

  private func start() async {
    source.start(listings)
    await scene.until("connected")
    await until("connected")
  }

  private func until(_ name: String) async {
    for await state in source.states where state.name == name { return }
  }

  // MARK: What others do

  @Test func aFollowOfMineShowsAtOnce() async throws {
    let others = try await scene.people().others
    await start()
    let (other, before) = (others[0], try await ask(others[0].did))
    let (calls, begun) = (scene.sandbox.calls, scene.clock.now)
    scene.act { $0.follow(from: other.did, to: me) }
    await scene.until("followers \(other.handle) gained")
    #expect(shown(other.did) == before.adding(followers: 1, followedBy: true))
    #expect(scene.clock.now.offset - begun.offset < .seconds(2))
    // Whether a list hides the new follower is the only question.
    try await eventually { scene.sandbox.calls == calls + 1 }
    #expect(shown(other.did) == before.adding(followers: 1, followedBy: true))
    await source.stop()
    #expect(scene.sandbox.calls == calls + 1)
    #expect(try await truth(other.did) == before.adding(followers: 1, followedBy: true))
  }

  @Test func aFollowByAnotherAppShowsAtOnce() async throws {
    let others = try await scene.people().others
    await start()
    let (other, before) = (others[0], try await ask(others[0].did))
    let theirs = try await profiles.profile(of: other.did).followersCount
    let (calls, begun) = (scene.sandbox.calls, scene.clock.now)
    scene.act { $0.follow(from: me, to: other.did) }
    await scene.until("follows \(other.handle) gained")
    #expect(shown(other.did) == before.adding(followed: 1, follows: true))
    scene.act { $0.unfollow(from: me, to: other.did) }
    await scene.until("follows \(other.handle) lost unfollowed")
    #expect(shown(other.did) == before && profiles.cachedProfile(of: other.did)?.followersCount == theirs)
    #expect(scene.clock.now.offset - begun.offset <= .seconds(2))
    await source.stop()
    #expect(scene.sandbox.calls == calls)
    #expect(try await truth(other.did) == before)
  }

  @Test func anUnfollowShowsAtOnce() async throws {
    let followers = try await scene.people().followers
    await start()
    let (other, before) = (followers[0], try await ask(followers[0].did))
    #expect(before.followedBy == true)
    let (calls, begun) = (scene.sandbox.calls, scene.clock.now)
    scene.act { $0.unfollow(from: other.did, to: me) }
    await scene.until("followers \(other.handle) lost unfollowed")
    #expect(shown(other.did) == before.adding(followers: -1, followedBy: false))
    #expect(scene.clock.now.offset - begun.offset < .seconds(2))
    await source.stop()
    #expect(scene.sandbox.calls == calls)
    #expect(try await truth(other.did) == before.adding(followers: -1, followedBy: false))
  }

  /// It hides the follower from the listing, and the count stays.
  @Test func aBlockShowsAtOnceAndIsNotCounted() async throws {
    let followers = try await scene.people().followers
    await start()
    let (other, before) = (followers[0], try await ask(followers[0].did))
    let calls = scene.sandbox.calls
    scene.act { $0.block(from: other.did, to: me) }
    await scene.until("followers \(other.handle) lost blocked-by")
    #expect(service.remembered(actor: me, target: other.did)?.isBlockedBy == true)
    #expect(shown(other.did) == before && scene.sandbox.calls == calls)
    scene.act { $0.unblock(from: other.did, to: me) }
    await scene.until("followers \(other.handle) returned")
    #expect(service.remembered(actor: me, target: other.did)?.isBlockedBy == false)
    #expect(shown(other.did) == before)
    await source.stop()
  }

  /// An app shows the button of an account, and reads what the two have asked of each other when it is told of something new.
  @Test func aRequestBecomesAFriendship() async throws {
    let others = try await scene.people().others
    let (other, button, friendships, me) = (
      others[0], Watched(FollowButton()), Friendships(scene.listings), me
    )
    let source = scene.source(for: service) { event in
      guard case .friends = event else { return }
      let read = try await friendships.friendships(of: me, with: [other.did])[other.did]
      if let read { button.withLock { $0.show(read) } }
    }
    source.start(listings)
    await scene.until("connected")
    let before = try await ask(other.did)
    let showing = Task { [service] in
      for await row in service.observe(actor: me, target: other.did) { button.withLock { $0.show(row) } }
    }
    await button.until { $0.state == .follow }

    let begun = scene.clock.now
    let (asks, accepts) = (FriendRequest.collection, FriendAnswer.collection)
    let key = try #require(FriendRequest.key(to: other.did))
    let record = FriendRequestDraft().record(to: other.did, at: Datetime(at: scene.sandbox.time.instant))
    scene.act { $0.set(record, at: key, in: asks, of: me) }
    await button.until { $0.state == .requested }
    #expect(scene.clock.now.offset - begun.offset <= .seconds(2))

    let accepted = scene.clock.now
    let request = try #require(FriendRequest(record, of: me, at: key))
    let answer = FriendAnswer.record(accepting: request.version, at: Datetime(at: scene.sandbox.time.instant))
    let answerKey = try #require(FriendAnswer.key(accepting: request.version))
    scene.act {
      $0.set(answer, at: answerKey, in: accepts, of: other.did)
      $0.follow(from: other.did, to: me)
      $0.follow(from: me, to: other.did)
    }
    await button.until { $0.friendship?.isFriend == true && $0.state == .mutual }
    await scene.until("follows \(other.handle) gained")
    #expect(shown(other.did) == before.adding(followers: 1, followed: 1, follows: true, followedBy: true))
    #expect(scene.clock.now.offset - accepted.offset <= .seconds(2))

    scene.act { $0.set(nil, at: answerKey, in: accepts, of: other.did) }
    await button.until { $0.friendship?.isFriend == false && $0.friendship?.isRequested == true }
    // Nothing but the watch on a silent connection waits for a time to pass.
    try await eventually { scene.clock.sleeperCount == 1 }
    showing.cancel()
    await source.stop()
  }

  @Test func anObserverIsShownWhatHappens() async throws {
    let others = try await scene.people().others
    await start()
    var rows = service.observe(actor: me, target: others[0].did).makeAsyncIterator()
    while let row = await rows.next(), row.state != .fresh {}
    scene.act { $0.follow(from: others[0].did, to: me) }
    #expect(await rows.next()?.info?.isFollowedBy == true)
    await source.stop()
  }

  // MARK: States

  @Test func afterAGapWhatWasMissedIsUnknownUntilItIsRead() async throws {
    let followers = try await scene.people().followers
    await start()
    var rows = service.observe(actor: me, target: followers[0].did).makeAsyncIterator()
    while let row = await rows.next(), row.state != .fresh {}
    await source.stop()
    scene.act { $0.unfollow(from: followers[0].did, to: me) }
    scene.sandbox.forgetEvents()
    scene.act { $0.follow(from: followers[1].did, to: followers[2].did) }
    scene.failing.withLock { $0 = ["app.bsky.graph.getFollowers"] }
    source.start(listings)
    await scene.until("gap cursor-too-old")
    await scene.until("read followers failed")
    guard case .unknown = source.state else {
      Issue.record("\(source.state)")
      return
    }
    while let row = await rows.next(), row.info?.isFollowedBy == true {
      #expect(row.state != .fresh)
    }
    scene.failing.withLock { $0 = [] }
    try await eventually {
      scene.later()
      return source.state.name == "connected"
    }
    await source.stop()
  }

  @Test func refreshConnectsAtOnceAndAsksAgain() async throws {
    let others = try await scene.people().others
    await start()
    _ = try await service.getRelationship(actor: me, target: others[0].did)
    scene.sandbox.dropStreams()
    await until("disconnected")
    await scene.clock.untilAsleep(1)
    let begun = scene.clock.now
    source.refresh()
    await scene.until("connected", times: 2)
    #expect(scene.clock.now == begun)
    let asked = scene.sandbox.calls(of: "app.bsky.graph.getRelationships")
    _ = try await service.getRelationship(actor: me, target: others[0].did)
    #expect(scene.sandbox.calls(of: "app.bsky.graph.getRelationships") == asked + 1)
    await source.stop()
    source.refresh()
    #expect(source.state.name == "stopped")
  }

  @Test func anErrorIsAStateAndTheSourceCanBeStartedAgain() async throws {
    let others = try await scene.people().others
    await start()
    // Another reader takes the listings over, which the next event shows.
    let other = scene.start()
    await scene.until("connected", times: 2)
    scene.act { $0.follow(from: others[0].did, to: me) }
    await until("failed")
    await scene.stop(other)
    source.start(listings)
    await until("connected")
    await source.stop()
  }

  @Test func startingTwiceIsStartingOnce() async throws {
    _ = try await scene.people()
    await start()
    source.start(listings)
    #expect(source.state.name == "connected" && scene.sandbox.streamReaders == 1)
    source.start([HistoryListing(.followers, of: me)])
    await scene.until("connected", times: 2)
    try await eventually { scene.sandbox.streamReaders == 1 }
    await source.stop()
  }

  // MARK: Model

  /// Wherever the stream is cut, and whatever it forgets: what is cached is what servers answer.
  @Test(arguments: 1...12) func whatIsCachedIsWhatServersAnswer(seed: Int) async throws {
    let scene = LiveScene(seed: UInt64(seed))
    var random = SeededGenerator(seed: UInt64(seed))
    let (followers, others) = try await scene.people()
    let people = followers + others
    let service = FollowRelationshipService(client: scene.client)
    let profiles = ProfileService(account: scene.actor, client: scene.client, overlay: service.overlay)
    let source = scene.source(for: service)
    let listings = [HistoryListing(.followers, of: scene.actor), HistoryListing(.follows, of: scene.actor)]
    var rounds = 1
    source.start(listings)
    // The count of followers has those that a block hides, and a stream does not tell what these do.
    let hasBlocks = seed.isMultiple(of: 2)
    for _ in 0..<80 {
      let account = people[Int.random(in: 0..<people.count, using: &random)].did
      switch Int.random(in: 0..<14, using: &random) {
      case 4 where !hasBlocks, 8 where !hasBlocks: break
      case 0..<2: scene.act { $0.follow(from: account, to: scene.actor) }
      case 2..<4: scene.act { $0.unfollow(from: account, to: scene.actor) }
      case 4: scene.act { $0.block(from: account, to: scene.actor) }
      case 5: scene.act { $0.unblock(from: account, to: scene.actor) }
      case 6: scene.act { $0.follow(from: scene.actor, to: account) }
      case 7: scene.act { $0.unfollow(from: scene.actor, to: account) }
      case 8: scene.act { $0.block(from: scene.actor, to: account) }
      case 9: scene.act { $0.unblock(from: scene.actor, to: account) }
      case 10: scene.act { $0.breakRepository(of: account, withRecords: .random(using: &random)) }
      case 11:
        await scene.until("connected", times: rounds)
        await source.stop()
        rounds += 1
        if Bool.random(using: &random) {
          scene.sandbox.forgetEvents()
          // A host that has forgotten some events still has others, and tells that from them.
          scene.act { $0.follow(from: people[0].did, to: people[1].did) }
        }
        source.start(listings)
      default:
        // A second after what happened before, so that it is clear which is later.
        scene.later()
        _ = try await service.getRelationship(actor: scene.actor, target: account)
        _ = try await profiles.profile(of: scene.actor)
      }
    }
    scene.later(.seconds(70))
    try await scene.settle(1)
    await source.stop()
    let truth = FollowRelationshipService(client: scene.client)
    for account in people.map(\.did) {
      let cached = try await service.getRelationship(actor: scene.actor, target: account)
      let answer = try await truth.getRelationship(actor: scene.actor, target: account)
      #expect(
        cached.isFollowing == answer.isFollowing && cached.isFollowedBy == answer.isFollowedBy
          && cached.isBlocking == answer.isBlocking && cached.isBlockedBy == answer.isBlockedBy,
        "\(cached) is not \(answer)")
    }
    let counts = try await profiles.profile(of: scene.actor)
    profiles.clearCache()
    let answer = try await profiles.profile(of: scene.actor)
    #expect(counts.followsCount == answer.followsCount)
    if !hasBlocks { #expect(counts.followersCount == answer.followersCount) }
  }

  // MARK: Ends

  @Test func stoppingClosesTheConnection() async throws {
    _ = try await scene.people()
    await start()
    #expect(scene.sandbox.streamReaders == 1)
    await source.stop()
    try await eventually { scene.sandbox.streamReaders == 0 }
    #expect(source.state.name == "stopped" && scene.clock.sleeperCount == 0)
  }

  @Test(arguments: [false, true]) func nothingIsKept(afterStop isStopped: Bool) async throws {
    _ = try await scene.people()
    weak var kept: FollowRelationshipService?
    weak var keptSource: LiveSource?
    do {
      let service = FollowRelationshipService(client: scene.client)
      let source = scene.source(for: service)
      (kept, keptSource) = (service, source)
      source.start(listings)
      for await state in source.states where state.name == "connected" { break }
      if isStopped { await source.stop() }
    }
    #expect(keptSource == nil)
    try await eventually { kept == nil && scene.sandbox.streamReaders == 0 }
  }
}

extension LiveSource.State {
  fileprivate var name: String {
    switch self {
    case .stopped: "stopped"
    case .starting: "starting"
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .unknown: "unknown"
    case .failed: "failed"
    }
  }
}
