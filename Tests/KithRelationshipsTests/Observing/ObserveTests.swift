// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite(.timeLimit(.minutes(1))) struct ObserveTests {
  private let me = Accounts.did(0)
  private let bob = Accounts.did(1)
  private let clock = ManualClock()
  private let answers = Answers()

  /// What the source answers, which a test changes.
  private final class Answers: Sendable {
    let follows = Watched<Set<DID>>([])
    let fault = Watched<RelationshipError?>(nil)
    let turnstile = Turnstile()
  }

  private func source() -> ScriptedSource {
    ScriptedSource(turnstile: answers.turnstile) { [answers] actor, targets in
      if let fault = answers.fault.withLock(\.self) { throw fault }
      return ScriptedSource.follows(actor, targets) { target in
        answers.follows.withLock { $0.contains(target) }
      }
    } existing: { asked in
      Set(asked).subtracting([Accounts.did(900)])
    }
  }

  private func service(
    _ source: ScriptedSource, policy: RelationshipCache.Policy = .init(), gathering window: Duration = .zero,
    verifies: Bool = false, lastKnown: (any LastKnownRelationships)? = nil
  ) -> FollowRelationshipService {
    FollowRelationshipService(
      source: source, cachePolicy: policy, lastKnown: lastKnown,
      configuration: .init(verification: verifies ? .all : .off, gatherWindow: window),
      time: window > .zero ? clock.gatheringTimeSource() : clock.timeSource())
  }

  private func info(_ actor: DID, _ target: DID, follows: Bool) -> RelationshipInfo {
    .made(actor: actor, target: target, follows: follows)
  }

  /// What an observer is shown next, in short.
  private struct Shown: Equatable, CustomStringConvertible {
    var follows: Bool?
    var state: ObservedRelationship.State

    var description: String { "follows \(follows.map { "\($0)" } ?? "unknown"), \(state)" }
  }

  private func next(_ iterator: inout RelationshipObservation.AsyncIterator) async -> Shown? {
    await iterator.next().map { Shown(follows: $0.info?.isFollowing, state: $0.state) }
  }

  // MARK: Requests

  @Test func showsWhatIsKnownAtOnceThenTheAnswer() async throws {
    let source = source()
    let service = service(source)
    answers.follows.withLock { $0 = [bob] }
    answers.turnstile.close()
    var first = service.observe(actor: me, target: bob).makeAsyncIterator()
    #expect(await next(&first) == Shown(follows: nil, state: .lastKnown))
    answers.turnstile.open()
    #expect(await next(&first) == Shown(follows: true, state: .fresh))
    // What is cached needs no call.
    var second = service.observe(actor: me, target: bob).makeAsyncIterator()
    #expect(await next(&second) == Shown(follows: true, state: .fresh))
    #expect(source.asked.count == 1)
  }

  @Test func beginsWithWhatAnEarlierProcessKnew() async throws {
    let known = InMemoryLastKnownRelationships([info(me, bob, follows: true)])
    let service = service(
      source(), policy: .init(staleLifetime: .seconds(2_000_000_000)), lastKnown: known)
    // It is restored while a view is there already.
    answers.turnstile.close()
    var early = service.observe(actor: me, target: bob).makeAsyncIterator()
    #expect(await next(&early) == Shown(follows: nil, state: .lastKnown))
    #expect(await service.restoreLastKnown() == 1)
    #expect(await next(&early) == Shown(follows: true, state: .lastKnown))
    #expect(service.remembered(actor: me, target: bob)?.isFollowing == true)
    answers.turnstile.open()
    #expect(await next(&early) == Shown(follows: false, state: .fresh))
  }

  @Test func anExpiredAnswerIsShownAndRequestedAgain() async throws {
    let source = source()
    let service = service(source, policy: .init(lifetime: .seconds(60)))
    answers.follows.withLock { $0 = [bob] }
    #expect(try await service.isFollowing(actor: me, target: bob))
    clock.advance(by: .seconds(61))
    answers.follows.withLock { $0 = [] }
    answers.turnstile.close()
    var rows = service.observe(actor: me, target: bob).makeAsyncIterator()
    #expect(await next(&rows) == Shown(follows: true, state: .lastKnown))
    answers.turnstile.open()
    #expect(await next(&rows) == Shown(follows: false, state: .fresh))
    #expect(source.asked.count == 2)
  }

  @Test func aPairIsOneRequestTurnedToEachAsker() async throws {
    let source = source()
    let service = service(source)
    answers.follows.withLock { $0 = [bob] }
    answers.turnstile.close()
    var mine = service.observe(actor: me, target: bob).makeAsyncIterator()
    var bobs = service.observe(actor: bob, target: me).makeAsyncIterator()
    answers.turnstile.open()
    while let shown = await mine.next(), shown.state != .fresh {}
    while let shown = await bobs.next() {
      guard shown.state == .fresh else { continue }
      #expect(shown.info?.actor == bob)
      #expect(shown.info?.isFollowedBy == true)
      #expect(shown.info?.isFollowing == false)
      break
    }
    #expect(source.asked.count == 1)
  }

  @Test func fiveHundredRowsTakeSeventeenCalls() async throws {
    let source = source()
    let service = service(source, gathering: .milliseconds(2))
    let rows = Accounts.dids(1..<501)
    let fresh = Watched(0)
    let observers = rows.map { row in
      Task { [me] in
        for await shown in service.observe(actor: me, target: row) where shown.state == .fresh {
          fresh.withLock { $0 += 1 }
        }
      }
    }
    let time = Task { [clock] in
      // What is left over waits once all rows have asked.
      while await service.cacheStatistics.misses < rows.count { await Task.yield() }
      while !Task.isCancelled {
        await clock.untilAsleep(1)
        clock.advanceToNextSleeper()
      }
    }
    await fresh.until { $0 == rows.count }
    #expect(source.asked.count == 17)
    #expect(service.loader.observedCount == 500)
    time.cancel()
    for observer in observers { observer.cancel() }
    for observer in observers { await observer.value }
    #expect(service.loader.observedCount == 0)
  }

  @Test func cancellingEndsTheRequestThatNothingElseNeeds() async throws {
    let service = service(source())
    answers.turnstile.close()
    let shown = Watched(0)
    let row = Task { [me, bob] in
      for await _ in service.observe(actor: me, target: bob) { shown.withLock { $0 += 1 } }
    }
    await answers.turnstile.untilArrived(1)
    row.cancel()
    await row.value
    await answers.turnstile.untilEmpty()
    #expect(service.loader.observedCount == 0)
    #expect(shown.withLock(\.self) == 1)
  }

  @Test func releasingTheIteratorEndsTheRequestToo() async throws {
    let service = service(source())
    answers.turnstile.close()
    var row: RelationshipObservation.AsyncIterator? = service.observe(actor: me, target: bob)
      .makeAsyncIterator()
    #expect(await row?.next()?.state == .lastKnown)
    await answers.turnstile.untilArrived(1)
    row = nil
    await answers.turnstile.untilEmpty()
    #expect(service.loader.observedCount == 0)
  }

  @Test func aFailureKeepsWhatWasKnownAndTheNextViewAsksAgain() async throws {
    let service = service(source(), policy: .init(lifetime: .seconds(60)))
    answers.follows.withLock { $0 = [bob] }
    #expect(try await service.isFollowing(actor: me, target: bob))
    clock.advance(by: .seconds(61))
    answers.fault.withLock { $0 = .invalidResponse }
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    var shown = await next(&row)
    if shown?.state == .lastKnown { shown = await next(&row) }
    #expect(shown == Shown(follows: true, state: .failed(.invalidResponse)))
    answers.fault.withLock { $0 = nil }
    var other = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&other), shown.state != .fresh {}
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
  }

  @Test func nothingKnownAndAFailureIsNotANo() async throws {
    let service = service(source())
    answers.fault.withLock { $0 = .invalidResponse }
    for await shown in service.observe(actor: me, target: bob) where shown.state != .lastKnown {
      #expect(shown == ObservedRelationship(nil, .failed(.invalidResponse)))
      break
    }
  }

  @Test func aVerifyingServiceSaysThatAnAccountIsNotThere() async throws {
    let nobody = Accounts.did(900)
    let service = service(source(), verifies: true)
    for await shown in service.observe(actor: me, target: nobody) where shown.state != .lastKnown {
      #expect(shown.state == .failed(.actorNotFound(nobody)))
      break
    }
    for await shown in service.observe(actor: me, target: bob) where shown.state != .lastKnown {
      #expect(shown.state == .fresh)
      break
    }
  }

  @Test func anAccountHasNoRelationshipWithItself() async throws {
    let source = source()
    let service = service(source)
    var row = service.observe(actor: me, target: me).makeAsyncIterator()
    let shown = await row.next()
    #expect(shown?.info?.isEmpty == true)
    #expect(shown?.state == .fresh)
    #expect(service.remembered(actor: me, target: me)?.source == .local)
    service.markStale()
    #expect(source.asked.isEmpty)
  }

  // MARK: Again

  @Test(arguments: [true, false]) func comingToTheForegroundAsksForAllObservedPairsAgain(
    isStale: Bool
  ) async throws {
    let source = source()
    let service = service(source, policy: .init(staleLifetime: isStale ? .seconds(600) : .zero))
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&row), shown.state != .fresh {}
    answers.follows.withLock { $0 = [bob] }
    answers.turnstile.close()
    service.markStale()
    #expect(await next(&row) == Shown(follows: false, state: .lastKnown))
    #expect(service.remembered(actor: me, target: bob)?.isFollowing == false)
    answers.turnstile.open()
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
    // Other pairs are asked for by the next query.
    #expect(source.asked.count == 2)
    #expect(try await service.isFollowing(actor: me, target: bob))
    #expect(source.asked.count == 2)
  }

  @Test func whatIsMarkedStaleAnswersNoQuery() async throws {
    let source = source()
    let service = service(source, policy: .init(staleLifetime: .seconds(600)))
    #expect(try await !service.isFollowing(actor: me, target: bob))
    answers.follows.withLock { $0 = [bob] }
    service.markStale()
    #expect(service.remembered(actor: me, target: bob)?.isFollowing == false)
    #expect(try await service.isFollowing(actor: me, target: bob))
  }

  @Test func anAnswerFromBeforeTheMarkIsNotShownAsFresh() async throws {
    let source = source()
    let service = service(source)
    answers.turnstile.close()
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    #expect(await next(&row) == Shown(follows: nil, state: .lastKnown))
    await answers.turnstile.untilArrived(1)
    service.markStale()
    await answers.turnstile.untilArrived(2)
    answers.follows.withLock { $0 = [bob] }
    answers.turnstile.open()
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
  }

  @Test func clearingTheCacheForgetsAndAsksForObservedPairs() async throws {
    let service = service(source())
    answers.follows.withLock { $0 = [bob] }
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&row), shown.state != .fresh {}
    let changes = service.changes
    answers.turnstile.close()
    await service.clearCache()
    #expect(service.remembered(actor: me, target: bob) == nil)
    #expect(await next(&row) == Shown(follows: nil, state: .lastKnown))
    answers.turnstile.open()
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
    withExtendedLifetime(changes) {}
  }

  /// What concerns all members of a list may change any relationship, and rows must not flicker.
  @Test func aChangeOfAListAsksAgainAndKeepsWhatIsShown() async throws {
    let service = service(source())
    answers.follows.withLock { $0 = [bob] }
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&row), shown.state != .fresh {}
    answers.turnstile.close()
    service.overlay.clearCaches()
    #expect(await next(&row) == Shown(follows: true, state: .lastKnown))
    answers.turnstile.open()
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
  }

  @Test(arguments: [RelationshipCache.Policy(), .off]) func aQueryOfAnotherViewIsShown(
    policy: RelationshipCache.Policy
  ) async throws {
    let service = service(source(), policy: policy)
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&row), shown.state != .fresh {}
    answers.follows.withLock { $0 = [bob] }
    try await service.refresh(actor: me, target: bob)
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
  }

  // MARK: Own changes

  private func edge() throws -> ATURI {
    try ATURI(parsing: "at://\(me)/app.bsky.graph.follow/3jui7kd54zh2y")
  }

  @Test(arguments: [RelationshipCache.Policy(), .off]) func ownChangesAreShownAsTheyGo(
    policy: RelationshipCache.Policy
  ) async throws {
    let service = service(source(), policy: policy)
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&row), shown.state != .fresh {}
    let edge = try edge()
    service.overlay.setPending(.init(following: .present(edge)), .edges, of: me, about: bob)
    service.overlay.applyLocalChange(me, bob)
    #expect(await next(&row) == Shown(follows: true, state: .pending))
    service.overlay.confirm(.init(following: .there(edge)), .edges, of: me, about: bob)
    service.overlay.applyLocalChange(me, bob)
    #expect(await next(&row) == Shown(follows: true, state: .accepted))
    // An AppView that lags behind changes nothing; one that has caught up makes it fresh.
    try await service.refresh(actor: me, target: bob)
    answers.follows.withLock { $0 = [bob] }
    try await service.refresh(actor: me, target: bob)
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
  }

  @Test func aRefusedChangeIsRolledBackWithItsReason() async throws {
    let service = service(source())
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&row), shown.state != .fresh {}
    service.overlay.setPending(.init(following: .present(try edge())), .edges, of: me, about: bob)
    service.overlay.applyLocalChange(me, bob)
    #expect(await next(&row) == Shown(follows: true, state: .pending))
    let failure = ChangeFailure.budgetExhausted(until: nil)
    let intent = service.overlay.refuse(.edges, of: me, about: bob)
    service.overlay.applyLocalChange(me, bob, rollingBack: intent, reason: failure)
    #expect(await next(&row) == Shown(follows: false, state: .rolledBack(failure)))
    try await service.refresh(actor: me, target: bob)
    #expect(await next(&row) == Shown(follows: false, state: .fresh))
  }

  @Test func aChangeOfAPairThatNeverAnsweredShowsOnlyOnesOwnEdges() async throws {
    let service = service(source())
    answers.turnstile.close()
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    #expect(await next(&row) == Shown(follows: nil, state: .lastKnown))
    service.overlay.setPending(.init(following: .present(try edge())), .edges, of: me, about: bob)
    service.overlay.applyLocalChange(me, bob)
    let shown = await row.next()
    #expect(shown?.state == .pending)
    #expect(shown?.info?.source == .change)
    #expect(shown?.info?.isFollowing == true)
  }

  @Test func aSlowViewSkipsWhatIsNoLongerTrue() async throws {
    let service = service(source())
    var row = service.observe(actor: me, target: bob).makeAsyncIterator()
    while let shown = await next(&row), shown.state != .fresh {}
    service.overlay.setPending(.init(following: .present(try edge())), .edges, of: me, about: bob)
    service.overlay.applyLocalChange(me, bob)
    let intent = service.overlay.refuse(.edges, of: me, about: bob)
    service.overlay.applyLocalChange(me, bob, rollingBack: intent)
    answers.follows.withLock { $0 = [bob] }
    try await service.refresh(actor: me, target: bob)
    #expect(await next(&row) == Shown(follows: true, state: .fresh))
  }

  // MARK: Changes among some

  @Test func changesAmongSomeAreThoseOfTheAskerTurnedToIt() async throws {
    let service = service(source())
    let (carol, dave) = (Accounts.did(2), Accounts.did(3))
    var changes = service.changes(among: [me, carol], of: bob).makeAsyncIterator()
    for other in [dave, me, carol] { #expect(try await !service.isFollowing(actor: bob, target: other)) }
    #expect(try await !service.isFollowing(actor: me, target: carol))
    answers.follows.withLock { $0 = [dave, bob, carol] }
    try await service.refresh(actor: bob, target: dave)
    try await service.refresh(actor: me, target: carol)
    try await service.refresh(actor: me, target: bob)
    try await service.refresh(actor: bob, target: carol)
    guard case .changed(_, let first) = await changes.next(),
      case .changed(_, let second) = await changes.next()
    else {
      Issue.record("no changes")
      return
    }
    #expect(first.actor == bob && first.target == me && first.isFollowedBy)
    #expect(second.actor == bob && second.target == carol && second.isFollowing)
  }
}
