// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// What an app shows before its first answer.
@Suite(.timeLimit(.minutes(1))) struct LastKnownTests {
  private let clock = ManualClock(.skipping)
  private let actor = Accounts.did(0)
  private let policy = RelationshipCache.Policy(lifetime: .seconds(60), staleLifetime: .seconds(86_400))

  /// Stores everything in memory.
  private actor StoreDouble: LastKnownRelationships {
    private(set) var kept: [RelationshipInfo] = []
    private(set) var writes = 0

    func relationships(checkedSince moment: Datetime, atMost count: Int) -> [RelationshipInfo] {
      Array(
        kept.reversed().filter { $0.checkedAt.instant >= moment.instant }
          .prefix(count))
    }

    func keep(_ relationships: [RelationshipInfo]) {
      kept += relationships
      writes += 1
    }

    func remove(_ pairs: [(DID, DID)]) {
      kept.removeAll { info in
        pairs.contains { Set([$0.0, $0.1]) == Set([info.actor, info.target]) }
      }
    }

    func removeAll() { kept = [] }
  }

  private func info(_ target: Int, follows: Bool, age: Duration = .zero) -> RelationshipInfo {
    let now = clock.timeSource().instant - age
    let record = ATURI("at://\(actor)/app.bsky.graph.follow/3jzfcijpj2z2a")
    return RelationshipInfo(
      actor: actor, target: Accounts.did(target), following: follows ? record : nil,
      checkedAt: Datetime(at: now), source: .appview)
  }

  /// - Parameter follows: accounts that the actor follows now.
  private func service(
    _ store: StoreDouble, policy: RelationshipCache.Policy? = nil, follows: @escaping @Sendable (DID) -> Bool
  ) throws -> (FollowRelationshipService, ScriptedSource) {
    let source = ScriptedSource { [clock] actor, others in
      let now = Datetime(at: clock.timeSource().instant)
      return Dictionary(
        uniqueKeysWithValues: others.map { other in
          let record = ATURI("at://\(actor)/app.bsky.graph.follow/3jzfcijpj2z2a")
          return (
            other,
            .known(
              RelationshipInfo(
                actor: actor, target: other, following: follows(other) ? record : nil, checkedAt: now,
                source: .appview))
          )
        })
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: ScriptedTransport([]),
      time: clock.timeSource())
    let service = FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client), cachePolicy: policy ?? self.policy,
      lastKnown: store, time: clock.timeSource())
    return (service, source)
  }

  @Test func earlierRelationshipsAreShownAtOnceAndRefreshed() async throws {
    let store = StoreDouble()
    let (earlier, _) = try service(store) { _ in true }
    #expect(try await earlier.isFollowing(actor: actor, target: Accounts.did(1)))
    await earlier.keepLastKnown()
    #expect(await store.kept.count == 1)

    let (later, source) = try service(store) { _ in false }
    let changes = later.changes
    #expect(await later.restoreLastKnown() == 1)
    let shown = try await later.getRelationship(actor: actor, target: Accounts.did(1))
    #expect(shown.isFollowing && shown.source == .cache)
    await source.untilAsked(1)
    for await change in changes {
      guard case .changed(let old, let new) = change else { continue }
      #expect(old.isFollowing && !new.isFollowing)
      break
    }
    #expect(try await later.isFollowing(actor: actor, target: Accounts.did(1)) == false)
    await later.keepLastKnown()
    #expect(await store.kept.last?.isFollowing == false)
  }

  @Test func ignoresRelationshipsThatAreTooOldOrAlreadyCached() async throws {
    let store = StoreDouble()
    await store.keep([
      info(1, follows: true, age: .seconds(100_000)), info(2, follows: true, age: .seconds(80_000)),
      info(3, follows: true),
    ])
    let (service, source) = try service(store) { _ in false }
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(3)) == false)
    #expect(await service.restoreLastKnown() == 1)
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(3)) == false)
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(2)))
    #expect(try await service.isFollowing(actor: actor, target: Accounts.did(1)) == false)
    #expect(source.asked.count >= 2)
  }

  @Test func restoresNothingWithoutAStaleLifetime() async throws {
    let store = StoreDouble()
    await store.keep([info(1, follows: true)])
    for policy in [RelationshipCache.Policy(), .off] {
      let (service, _) = try service(store, policy: policy) { _ in false }
      #expect(await service.restoreLastKnown() == 0)
      #expect(try await service.isFollowing(actor: actor, target: Accounts.did(1)) == false)
    }
  }

  @Test func isClearedWithTheCache() async throws {
    let store = StoreDouble()
    let (service, _) = try service(store) { _ in true }
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<100))
    await service.clearCache()
    await service.keepLastKnown()
    #expect(await store.kept.isEmpty)
    // Neither cleared relationships nor those from before an own change come back.
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<3))
    await service.keepLastKnown()
    await service.invalidate(actor: actor, target: Accounts.did(1))
    await service.keepLastKnown()
    #expect(await store.kept.map(\.target) == [Accounts.did(2)])
    // Hundreds of answers are not hundreds of writes.
    _ = try await service.batchCheckFollows(actor: actor, targets: Accounts.dids(1..<1_000))
    await service.keepLastKnown()
    #expect(await Set(store.kept.map(\.target)).count == 999)
    #expect(await store.writes <= 40)
  }
}
