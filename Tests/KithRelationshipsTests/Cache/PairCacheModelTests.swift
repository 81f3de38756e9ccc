// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Random operations on ``PairCache`` and on ``SimplePairCache``, with equal results.
@Suite struct PairCacheModelTests {
  @Test(arguments: [1, 2, 3, 8, 40], [Duration.zero, .seconds(7)])
  func behavesLikeTheNaiveCache(capacity: Int, stale: Duration) throws {
    var random = SeededGenerator(seed: UInt64(capacity) * 31 + UInt64(stale.components.seconds))
    var cache = PairCache(capacity: capacity, staleLifetime: stale)
    var model = SimplePairCache(capacity: capacity, stale: stale)
    let accounts = try (0..<12).map { try PairSamples.account($0) }
    var now = Duration.zero
    for _ in 0..<800 {
      now += .milliseconds(Int.random(in: 0..<400, using: &random))
      let actor = accounts[Int.random(in: 0..<12, using: &random)]
      let target = accounts.filter { $0 != actor }[Int.random(in: 0..<11, using: &random)]
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<7: try insert(actor, target, at: now, &cache, &model, &random)
      case 7..<8:
        let expiry = now + .seconds(5)
        let evictions = cache.insertAbsence(of: target, from: actor, until: CacheInstant(expiry))
        let entry = SimplePairCache.Entry(actor: actor, target: target, finding: .notFound, expiry: expiry)
        #expect(evictions == model.insert(entry).evictions)
      case 8..<17: find(actor, target, at: now, &cache, &model)
      case 17..<19: #expect(cache.remove(PairKey(actor, target)) == model.remove(actor, target))
      default: #expect(cache.removeExpired(at: CacheInstant(now)) == model.removeExpired(at: now))
      }
      #expect(cache.count == model.entries.count)
    }
    cache.removeAll()
    #expect(cache.count == 0)
  }

  private func insert(
    _ actor: DID, _ target: DID, at now: Duration, _ cache: inout PairCache, _ model: inout SimplePairCache,
    _ random: inout SeededGenerator
  ) throws {
    // Often the same value, so that changes stay the exception.
    var info = try PairSamples.info(actor, target, &random)
    if Bool.random(using: &random), let index = model.index(actor, target),
      case .known(let known)? = model.entries[index].finding(of: actor)
    {
      info = known
    }
    let expiry = now + .seconds(Int.random(in: 0..<20, using: &random))
    let outcome = cache.insert(info, until: CacheInstant(expiry))
    let expected = model.insert(.init(actor: actor, target: target, finding: .known(info), expiry: expiry))
    #expect(outcome.former == expected.former)
    #expect(outcome.evictions == expected.evictions)
  }

  private func find(
    _ actor: DID, _ target: DID, at now: Duration, _ cache: inout PairCache, _ model: inout SimplePairCache
  ) {
    let expected = model.find(actor, target, at: now)
    let found = cache.find(actor, target, at: CacheInstant(now))
    #expect(found?.age == expected?.age)
    guard let found else { return }
    #expect(cache.finding(of: actor, at: found.position) == expected?.finding)
    guard case .known(let info)? = expected?.finding else {
      #expect(cache.isFollowing(actor, at: found.position) == nil)
      return
    }
    #expect(cache.isFollowing(actor, at: found.position) == info.isFollowing)
    #expect(cache.isFollowing(target, at: found.position) == info.isFollowedBy)
  }
}
