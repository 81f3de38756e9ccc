// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct FollowRelationshipServiceTests {
  private let actor = Accounts.did(0)
  private let clock = ManualClock()
  private let appview = AppViewDouble(accounts: 100, follows: [(0, 1), (1, 0), (0, 2), (3, 0)])

  private func transport() -> ScriptedTransport { ScriptedTransport { [appview] in appview.answer($0) } }

  private func client(_ transport: ScriptedTransport) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: clock.timeSource())
  }

  private func service(
    _ transport: ScriptedTransport, policy: RelationshipCache.Policy = .init(), verifies: Bool = false
  ) throws -> FollowRelationshipService {
    let client = try client(transport)
    return FollowRelationshipService(
      source: AppViewRelationshipSource(client: client), identities: IdentityDirectory(client: client),
      cachePolicy: policy,
      configuration: .init(verification: verifies ? .all : .off, gatherWindow: .zero),
      time: client.time)
  }

  // MARK: Single queries

  @Test func answersWhetherOneAccountFollowsAnother() async throws {
    let service = try service(transport())
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(1)))
    #expect(try await !service.isFollowing(actor: actor, target: Accounts.did(3)))
    #expect(try await service.isFollowing(actor: Accounts.did(3), target: actor))
    let info = try await service.getRelationship(actor: actor, target: Accounts.did(1))
    #expect(info.mutual)
    #expect(!info.blocked)
  }

  /// Q2: for a DID without an account an AppView answers as for an account without relationships.
  @Test func failsForAnActorThatDoesNotExist() async throws {
    let unknown = Accounts.did(900)
    let transport = ScriptedTransport { [appview] request in
      let query = RequestQuery(request)
      guard query.method == "app.bsky.graph.getRelationships" else { return appview.answer(request) }
      let rows = query["others"].map { #"{"$type":"app.bsky.graph.defs#relationship","did":"\#($0)"}"# }
      return TransportResponse(#"{"actor":"\#(unknown)","relationships":[\#(rows.joined(separator: ","))]}"#)
    }
    let service = try service(transport, verifies: true)
    for _ in 0..<2 {
      await #expect(throws: RelationshipError.actorNotFound(unknown)) {
        for try await answer in service.relationships(of: unknown, with: [Accounts.did(1)]) {
          Issue.record("\(answer)")
        }
      }
    }
    // Cached, and requested together with the target.
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
  }

  /// Q4.
  @Test func hasNoEdgesToItself() async throws {
    let transport = transport()
    appview.change { $0.follows.insert(AppViewDouble.Follow(Accounts.did(0), Accounts.did(0))) }
    let info = try await service(transport).getRelationship(actor: actor, target: actor)
    #expect(info.isEmpty)
    #expect(info.source == .local)
    #expect(info.checkedAt.instant == 1_760_000_000_000_000)
    #expect(transport.requests.isEmpty)
  }

  /// Q3.
  @Test func throwsIfTheActorDoesNotExist() async throws {
    let service = try service(transport())
    await #expect {
      try await service.isFollowing(actor: Accounts.did(500), target: Accounts.did(1))
    } throws: { error in
      let error = error as? RelationshipError
      return error?.code == .actorNotFound && error?.subject == "\(Accounts.did(500))"
    }
  }

  /// Q2.
  @Test func throwsForATargetVerifiedNotToExist() async throws {
    let service = try service(transport(), verifies: true)
    await #expect {
      try await service.isFollowing(actor: actor, target: Accounts.did(500))
    } throws: { error in
      let error = error as? RelationshipError
      return error?.code == .actorNotFound && error?.subject == "\(Accounts.did(500))"
    }
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(1)))
  }

  /// Q2: one call for the selected accounts, and none for the others.
  @Test func verifiesOnlySelectedAccounts() async throws {
    let transport = transport()
    let client = try client(transport)
    let service = FollowRelationshipService(
      source: AppViewRelationshipSource(client: client), identities: IdentityDirectory(client: client),
      configuration: .init(verification: .only([actor, Accounts.did(500)]), gatherWindow: .zero),
      time: client.time)
    await #expect(throws: RelationshipError.actorNotFound(Accounts.did(500))) {
      try await service.isFollowing(actor: actor, target: Accounts.did(500))
    }
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
    #expect(try await !service.isFollowing(actor: Accounts.did(1), target: Accounts.did(600)))
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
  }

  /// Q2: without verification the AppView's empty answer counts.
  @Test func acceptsTheAppViewsAnswerWithoutVerification() async throws {
    #expect(try await !service(transport()).isFollowing(actor: actor, target: Accounts.did(500)))
  }

  @Test func throwsTheErrorOfAFailedLookup() async throws {
    let service = try service(ScriptedTransport { _ in TransportResponse(status: 503) })
    await #expect {
      try await service.isFollowing(actor: actor, target: Accounts.did(1))
    } throws: { ($0 as? RelationshipError)?.code == .networkError }
  }

  // MARK: Batches

  @Test func checksABatch() async throws {
    let transport = transport()
    let targets = [1, 2, 3, 1, 0].map(Accounts.did)
    let follows = try await service(transport).batchCheckFollows(actor: actor, targets: targets)
    #expect(
      follows == [
        Accounts.did(0): false, Accounts.did(1): true, Accounts.did(2): true, Accounts.did(3): false,
      ])
    #expect(transport.requests.count == 1)
  }

  @Test func leavesOutFailedLookups() async throws {
    let transport = ScriptedTransport { [appview] request in
      RequestQuery(request)["others"].contains("\(Accounts.did(1))")
        ? TransportResponse(status: 503) : appview.answer(request)
    }
    let follows = try await service(transport)
      .batchCheckFollows(actor: actor, targets: Accounts.dids(1..<61))
    #expect(Set(follows.keys) == Set(Accounts.dids(31..<61)))
  }

  @Test func leavesOutMissingAccounts() async throws {
    let follows = try await service(transport(), verifies: true)
      .batchCheckFollows(actor: actor, targets: [Accounts.did(1), Accounts.did(500)])
    #expect(follows == [Accounts.did(1): true])
  }

  @Test func throwsIfEveryLookupFailed() async throws {
    let service = try service(
      ScriptedTransport { _ in throw TransportError(.cannotConnect, host: "appview.test") })
    await #expect {
      try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<61))
    } throws: { ($0 as? RelationshipError)?.code == .networkError }
    #expect(try await service.batchCheckFollows(actor: actor, targets: []).isEmpty)
  }

  @Test func throwsForABatchWithAMissingActor() async throws {
    let service = try service(transport())
    await #expect {
      try await service.batchCheckFollows(actor: Accounts.did(500), targets: Accounts.dids(1..<3))
    } throws: { ($0 as? RelationshipError)?.code == .actorNotFound }
  }

  // MARK: Cache

  @Test func requestsOnceAndCachesForItsLifetime() async throws {
    let transport = transport()
    let service = try service(transport, policy: .init(lifetime: .seconds(300)))
    func ask() async throws -> Bool { try await service.isFollowing(actor: actor, target: Accounts.did(1)) }
    #expect(try await ask())
    #expect(transport.requests.count == 1)
    #expect(try await ask())
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(299))
    #expect(try await ask())
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(1))
    #expect(try await ask())
    #expect(transport.requests.count == 2)
    let statistics = await service.cacheStatistics
    #expect(statistics.hits == 2)
    #expect(statistics.misses == 2)
    #expect(statistics.count == 1)
  }

  @Test func reportsTheSourceOfAnAnswer() async throws {
    let service = try service(transport())
    let first = try await service.getRelationship(actor: actor, target: Accounts.did(1))
    clock.advance(by: .seconds(10))
    let second = try await service.getRelationship(actor: actor, target: Accounts.did(1))
    #expect(first.source == .appview)
    #expect(second.source == .cache)
    #expect(second.checkedAt == first.checkedAt)
  }

  @Test func requestsOnlyWhatIsNotCached() async throws {
    let transport = transport()
    let service = try service(transport)
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<21))
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<31))
    #expect(transport.requests.map { RequestQuery($0)["others"].count } == [20, 10])
  }

  @Test func removesInvalidatedPairs() async throws {
    let transport = transport()
    let service = try service(transport)
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<3))
    await service.invalidate(actor: actor, target: Accounts.did(1))
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<3))
    #expect(transport.requests.map { RequestQuery($0)["others"] }.last == ["\(Accounts.did(1))"])
    await service.clearCache()
    #expect(await service.cacheStatistics.count == 0)
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<3))
    #expect(transport.requests.count == 3)
  }

  /// An app that follows an account and invalidates the pair must not get the old answer from a request in
  /// progress.
  @Test func doesNotCacheAnAnswerInvalidatedInProgress() async throws {
    let transport = ScriptedTransport(turnstile: Turnstile(isOpen: false)) { [appview] in appview.answer($0) }
    let service = try service(transport)
    let early = Task { try await service.isFollowing(actor: actor, target: Accounts.did(5)) }
    await transport.turnstile.untilArrived(1)
    await service.invalidate(actor: actor, target: Accounts.did(5))
    transport.turnstile.open()
    #expect(try await !early.value)
    appview.change { $0.follows.insert(AppViewDouble.Follow(Accounts.did(0), Accounts.did(5))) }
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(5)))
    #expect(transport.requests.count == 2)
  }

  @Test func prunesExpiredEntries() async throws {
    let service = try service(transport())
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<11))
    clock.advance(by: .seconds(200))
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(11..<16))
    clock.advance(by: .seconds(100))
    #expect(await service.cacheStatistics.count == 15)
    await service.pruneCache()
    #expect(await service.cacheStatistics.count == 5)
  }

  @Test func staysWithinItsCapacity() async throws {
    let service = try service(transport(), policy: .init(capacity: 10))
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<31))
    let statistics = await service.cacheStatistics
    #expect(statistics.count == 10)
    #expect(statistics.evictions == 20)
  }

  @Test func doesNotCacheFailures() async throws {
    let isUp = PosixMutex(false)
    let transport = ScriptedTransport { [appview] request in
      isUp.withLock { $0 } ? appview.answer(request) : TransportResponse(status: 503)
    }
    let service = try service(transport)
    await #expect(throws: RelationshipError.self) {
      try await service.isFollowing(actor: actor, target: Accounts.did(1))
    }
    isUp.withLock { $0 = true }
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(1)))
    #expect(await service.cacheStatistics.count == 1)
  }

  /// Q2: finding out that an account does not exist costs calls too, and is cached for a shorter time.
  @Test func cachesAnAbsenceForAShorterTime() async throws {
    let transport = transport()
    let service = try service(transport, verifies: true)
    func exists() async throws -> Bool {
      do {
        _ = try await service.getRelationship(actor: actor, target: Accounts.did(500))
        return true
      } catch let error as RelationshipError where error.code == .actorNotFound {
        return false
      }
    }
    #expect(try await !exists())
    let calls = transport.requests.count
    clock.advance(by: .seconds(59))
    #expect(try await !exists())
    #expect(transport.requests.count == calls)
    appview.change { $0.accounts[Accounts.handle(500)] = Accounts.did(500) }
    clock.advance(by: .seconds(1))
    #expect(try await exists())
    #expect(transport.requests.count > calls)
  }

  @Test func verifiesOncePerLifetime() async throws {
    let transport = transport()
    let service = try service(transport, verifies: true)
    for _ in 0..<3 { _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<21)) }
    #expect(transport.requests.count == 2)
  }

  @Test func cachesNothingIfTheCacheIsOff() async throws {
    let transport = transport()
    let service = try service(transport, policy: .off)
    for _ in 0..<2 { _ = try await service.isFollowing(actor: actor, target: Accounts.did(1)) }
    #expect(transport.requests.count == 2)
  }

  // MARK: Changes

  @Test func reportsChangesToEverySubscriber() async throws {
    let service = try service(transport(), policy: .init(lifetime: .seconds(1)))
    let targets = Accounts.dids(1..<4)
    var first = service.changes.makeAsyncIterator()
    _ = try await service.batchCheckFollows(actor: actor, targets: targets)
    var second = service.changes.makeAsyncIterator()
    clock.advance(by: .seconds(1))
    _ = try await service.batchCheckFollows(actor: actor, targets: targets)
    appview.change {
      $0.follows.remove(AppViewDouble.Follow(Accounts.did(0), Accounts.did(2)))
      $0.follows.insert(AppViewDouble.Follow(Accounts.did(0), Accounts.did(3)))
    }
    clock.advance(by: .seconds(1))
    _ = try await service.batchCheckFollows(actor: actor, targets: targets)
    for target in [2, 3] {
      let heard = [await first.next(isolation: nil), await second.next(isolation: nil)]
      #expect(heard[0] == heard[1])
      guard case .changed(let before, let after) = heard[0] else {
        Issue.record("\(heard)")
        return
      }
      #expect(after.target == Accounts.did(target))
      #expect(before.isFollowing == (target == 2))
      #expect(after.isFollowing == (target == 3))
    }
  }

  /// What subscribers were told is not forgotten with the cached answer.
  @Test(arguments: ["invalidate", "clear", "prune", "refresh"])
  func reportsWhatDiffersFromARemovedAnswer(way: String) async throws {
    let service = try service(transport(), policy: .init(lifetime: .seconds(300)))
    let target = Accounts.did(5)
    var changes = service.changes.makeAsyncIterator()
    #expect(try await !service.isFollowing(actor: actor, target: target))
    appview.change { $0.follows.insert(AppViewDouble.Follow(Accounts.did(0), target)) }
    switch way {
    case "invalidate": await service.invalidate(actor: actor, target: target)
    case "clear": await service.clearCache()
    case "prune":
      clock.advance(by: .seconds(300))
      await service.pruneCache()
    default: #expect(try await service.refresh(actor: actor, target: target).isFollowing)
    }
    #expect(try await service.isFollowing(actor: actor, target: target))
    guard case .changed(let before, let after) = await changes.next(isolation: nil) else {
      Issue.record("nothing was reported")
      return
    }
    #expect(!before.isFollowing && after.isFollowing)
  }

  @Test func aRefreshAsksAgainAndAFailedOneKeepsWhatIsCached() async throws {
    let isUp = PosixMutex(true)
    let transport = ScriptedTransport { [appview] request in
      isUp.withLock { $0 } ? appview.answer(request) : TransportResponse(status: 503)
    }
    let service = try service(transport)
    let target = Accounts.did(1)
    #expect(try await service.isFollowing(actor: actor, target: target))
    #expect(try await service.refresh(actor: actor, target: target).source == .appview)
    isUp.withLock { $0 = false }
    await #expect(throws: RelationshipError.self) { try await service.refresh(actor: actor, target: target) }
    #expect(try await service.isFollowing(actor: actor, target: target))
    #expect(try await service.refresh(actor: actor, target: actor).isEmpty)
  }

  /// What an account changed itself is reported with the cache off, too.
  @Test func reportsOwnChangesIfTheCacheIsOff() async throws {
    let service = try service(transport(), policy: .off)
    let target = Accounts.did(5)
    var changes = service.changes.makeAsyncIterator()
    let edge = try #require(ATURI("at://\(actor)/app.bsky.graph.follow/3jui7kd54zh2y"))
    service.overlay.confirm(.init(following: .there(edge)), .edges, of: actor, about: target)
    service.overlay.applyLocalChange(actor, target)
    guard case .changed(_, let after) = await changes.next(isolation: nil) else {
      Issue.record("nothing was reported")
      return
    }
    #expect(after.following == edge && after.source == .change)
    #expect(await service.cacheStatistics.count == 0)
  }

  @Test func endsForACancelledSubscriber() async throws {
    let service = try service(transport())
    let changes = service.changes
    let listener = Task {
      var heard = 0
      for await _ in changes { heard += 1 }
      return heard
    }
    listener.cancel()
    #expect(await listener.value == 0)
  }
}
