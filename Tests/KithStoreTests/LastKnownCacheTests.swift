// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// Relationships are read as they were written.
@Suite struct LastKnownCacheTests {
  private let place = TemporaryStore()
  private let alice = Accounts.did(0)

  private func info(
    _ target: Int, _ following: String? = nil, followedBy: String? = nil, blockedBy: String? = nil,
    list: String? = nil, muted: Bool? = nil, at second: Int64 = 1
  ) -> RelationshipInfo {
    RelationshipInfo(
      actor: alice, target: Accounts.did(target), following: following.flatMap { ATURI($0) },
      followedBy: followedBy.flatMap { ATURI($0) }, blockedBy: blockedBy.flatMap { ATURI($0) },
      blockedByList: list.flatMap { ATURI($0) }, muted: muted,
      checkedAt: Datetime(at: Instant(secondsSinceEpoch: second)),
      source: .cache)
  }

  private func kept(since second: Int64 = 0, atMost count: Int = 100) async throws -> [RelationshipInfo] {
    try await LastKnownCache(folder: place.folder).relationships(
      checkedSince: Datetime(at: Instant(secondsSinceEpoch: second)), atMost: count)
  }

  @Test func everyKindOfEdgeComesBack() async throws {
    let bob = Accounts.did(1)
    let infos = [
      info(
        1, "at://\(alice)/app.bsky.graph.follow/3jzfcijpj2z2a",
        followedBy: "at://\(bob)/app.bsky.graph.follow/self",
        blockedBy: "at://\(bob)/app.bsky.graph.block/3jzfcijpj2z2a",
        list: "at://\(Accounts.did(7))/app.bsky.graph.listblock/3jzfcijpj2z2b", muted: true),
      // Unusual, but sent by a server.
      info(
        2, "at://alice.test/app.bsky.graph.follow/3jzfcijpj2z2a",
        blockedBy: "at://\(bob)/app.bsky.graph.block"),
      info(3, muted: false), info(4),
    ]
    try await LastKnownCache(folder: place.folder).keep(infos)
    let found = try await kept()
    #expect(Set(found) == Set(infos))
  }

  @Test func keepsTheLatestObservation() async throws {
    let cache = try LastKnownCache(folder: place.folder)
    await cache.keep([info(1, muted: true, at: 5), info(1, muted: false, at: 9)])
    await cache.keep([info(1, at: 7)])
    #expect(try await kept() == [info(1, muted: false, at: 9)])
    await cache.keep([info(1, at: 9)])
    #expect(try await kept() == [info(1, at: 9)])
  }

  @Test func aPairIsForgottenFromEitherEnd() async throws {
    let cache = try LastKnownCache(folder: place.folder)
    await cache.keep([info(1), info(2), info(3)])
    await cache.remove([(alice, Accounts.did(1)), (Accounts.did(2), alice)])
    #expect(try await kept() == [info(3)])
  }

  @Test func theOldestGoFirst() async throws {
    let cache = try LastKnownCache(folder: place.folder)
    await cache.keep((1...50).map { info($0, at: Int64($0)) })
    #expect(try await kept(since: 11).map(\.target) == (11...50).reversed().map { Accounts.did($0) })
    #expect(try await kept(atMost: 10).count == 10)
    // What was not requested is removed.
    #expect(try await kept().count == 10)
    await cache.removeAll()
    #expect(try await kept().isEmpty)
  }
}
