// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithTestSupport
import Testing

/// What an app tests of the service under its views, with nothing but what the product offers.
@Suite(.timeLimit(.minutes(1))) struct RelationshipServiceTests {
  private let alice: DID
  private let bob: DID
  private let carol: DID
  private let clock = ManualClock()
  private let source: ScriptedSource
  private let service: FollowRelationshipService

  init() throws {
    alice = try DID(parsing: "did:web:alice.test")
    bob = try DID(parsing: "did:web:bob.test")
    carol = try DID(parsing: "did:web:carol.test")
    source = ScriptedSource(follows: [alice: bob])
    service = FollowRelationshipService(source: source, cacheTTL: .seconds(60), time: clock.timeSource())
  }

  @Test func saysWhoFollowsWhom() async throws {
    #expect(try await service.isFollowing(actor: alice, target: bob))
    #expect(try await !service.isFollowing(actor: alice, target: carol))
    let info = try await service.getRelationship(actor: bob, target: alice)
    #expect(!info.isFollowing && info.isFollowedBy && !info.mutual)
  }

  @Test func asksOnceAMinute() async throws {
    for _ in 0..<3 { #expect(try await service.isFollowing(actor: alice, target: bob)) }
    #expect(source.calls == 1)
    source.setFollow(false, of: alice, to: bob)
    clock.advance(by: .seconds(59))
    #expect(try await service.isFollowing(actor: alice, target: bob))
    clock.advance(by: .seconds(2))
    #expect(try await !service.isFollowing(actor: alice, target: bob))
    #expect(source.calls == 2)
  }

  @Test func asksAgainAboutWhatIsInvalidated() async throws {
    _ = try await service.batchCheckFollows(actor: alice, targets: [bob, carol])
    await service.invalidate(actor: alice, target: bob)
    _ = try await service.isFollowing(actor: alice, target: carol)
    #expect(source.calls == 1)
    _ = try await service.isFollowing(actor: alice, target: bob)
    #expect(source.calls == 2 && source.asked.last == [bob])
  }

  @Test func asksAgainAboutEverythingThatIsCleared() async throws {
    _ = try await service.batchCheckFollows(actor: alice, targets: [bob, carol])
    await service.clearCache()
    _ = try await service.batchCheckFollows(actor: alice, targets: [bob, carol])
    #expect(source.asked.map(Set.init) == [[bob, carol], [bob, carol]])
  }

  @Test func asksAboutManyInBatches() async throws {
    let many = try (1...70).map { try DID(parsing: "did:web:user\($0).test") }
    for account in many.prefix(10) { source.setFollow(true, of: alice, to: account) }
    let follows = try await service.batchCheckFollows(actor: alice, targets: many + many)
    #expect(follows.count == 70 && follows.values.count { $0 } == 10)
    #expect(source.asked.map(\.count).sorted() == [10, 30, 30])
  }

  @Test func leavesOutWhatCouldNotBeLearned() async throws {
    source.fail(.invalidResponse, about: carol)
    #expect(try await service.batchCheckFollows(actor: alice, targets: [bob, carol]) == [bob: true])
    source.fail(nil, about: carol)
    #expect(try await service.batchCheckFollows(actor: alice, targets: [carol]) == [carol: false])
    source.remove(carol)
    await service.clearCache()
    #expect(try await service.batchCheckFollows(actor: alice, targets: [bob, carol]) == [bob: true])
  }

  @Test func throwsAndDoesNotRemember() async throws {
    let offline = RelationshipError.networkError(TransportError(.cannotConnect, host: "appview.test"))
    source.fail(offline)
    await #expect(throws: offline) { try await service.isFollowing(actor: alice, target: bob) }
    await #expect(throws: offline) { try await service.batchCheckFollows(actor: alice, targets: [bob]) }
    source.fail(nil)
    #expect(try await service.isFollowing(actor: alice, target: bob))
    #expect(source.calls == 3)
  }

  @Test func answersWhileItIsAsked() async throws {
    source.turnstile.close()
    async let answer = service.isFollowing(actor: alice, target: bob)
    await source.untilAsked(1)
    source.turnstile.open()
    #expect(try await answer)
  }

  @Test func remembersBeyondTheProcess() async throws {
    let store = InMemoryLastKnownRelationships()
    for isRestart in [false, true] {
      let service = FollowRelationshipService(
        source: source, cachePolicy: .init(lifetime: .seconds(60), staleLifetime: .seconds(3_600)),
        lastKnown: store, time: clock.timeSource())
      if isRestart { source.fail(.invalidResponse) }
      #expect(await service.restoreLastKnown() == (isRestart ? 1 : 0))
      let info = RelationshipInfo(
        actor: alice, target: bob, following: ATURI("at://\(alice)/app.bsky.graph.follow/3jui7kd54zh2y"),
        checkedAt: Datetime(at: clock.timeSource().instant), source: .appview)
      source.set(info)
      #expect(try await service.isFollowing(actor: alice, target: bob))
      await service.keepLastKnown()
    }
    #expect(await store.all.map(\.target) == [bob])
  }

  /// A stream that stays open is answered as it arrives, without a clock that would end a wait.
  @Test func answersAStreamAsItArrives() async throws {
    let (targets, typed) = AsyncThrowingStream.makeStream(of: DID.self)
    var answers = service.relationships(of: alice, with: targets).makeAsyncIterator()
    for (target, follows) in [(bob, true), (carol, false)] {
      typed.yield(target)
      #expect(try await answers.next()?.info?.isFollowing == follows)
    }
  }
}
