// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct PairCacheTests {
  private let start = CacheInstant(.zero)
  private let end = CacheInstant(.seconds(10))
  private let actor = Accounts.did(0)

  private func follow(_ number: Int) -> RelationshipInfo {
    .made(actor: actor, target: Accounts.did(number), follows: true).from(.cache)
  }

  private func cached(_ cache: inout PairCache, _ numbers: Range<Int>) -> [Int] {
    numbers.filter { cache.find(actor, Accounts.did($0), at: start) != nil }
  }

  /// Packing loses nothing of an answer, from either side.
  @Test(arguments: 0..<4, 4..<8)
  func returnsWhatWasInserted(actor: Int, target: Int) throws {
    let (actor, target) = (try PairSamples.account(actor), try PairSamples.account(target))
    var random = SeededGenerator(seed: 5)
    for _ in 0..<40 {
      let info = try PairSamples.info(actor, target, &random)
      var cache = PairCache(capacity: 1)
      _ = cache.insert(info, until: end)
      let position = try #require(cache.find(actor, target, at: start)?.position)
      #expect(cache.finding(of: actor, at: position) == .known(info))
      #expect(cache.finding(of: target, at: position) == .known(info.fromTheOtherSide))
    }
  }

  @Test func anAnswerTakes96Bytes() {
    #expect(MemoryLayout<PairRecord>.stride == 96)
  }

  @Test func evictsTheLeastRecentlyUsed() {
    var cache = PairCache(capacity: 3)
    for number in 1..<4 { #expect(cache.insert(follow(number), until: end).evictions == 0) }
    #expect(cache.find(Accounts.did(1), actor, at: start) != nil)
    #expect(cache.insert(follow(4), until: end).evictions == 1)
    #expect(cached(&cache, 1..<5) == [1, 3, 4])
  }

  @Test func distinguishesFreshStaleAndExpired() {
    var cache = PairCache(capacity: 3, staleLifetime: .seconds(5))
    _ = cache.insert(follow(1), until: end)
    _ = cache.insertAbsence(of: Accounts.did(2), from: actor, until: end)
    let moments: [Duration] = [.seconds(10) - .nanoseconds(1), .seconds(10), .seconds(15) - .nanoseconds(1)]
    let ages = moments.map { cache.find(actor, Accounts.did(1), at: CacheInstant($0))?.age }
    #expect(ages == [.fresh, .stale, .stale])
    #expect(cache.find(actor, Accounts.did(2), at: CacheInstant(.seconds(10))) == nil)
    #expect(cache.removeExpired(at: CacheInstant(.seconds(12))) == 1)
    #expect(cache.find(actor, Accounts.did(1), at: CacheInstant(.seconds(15))) == nil)
    #expect(cache.removeExpired(at: CacheInstant(.seconds(15))) == 1)
  }

  @Test func anInfiniteLifetimeNeverExpires() {
    var cache = PairCache(capacity: 1, staleLifetime: .seconds(Int64.max))
    _ = cache.insert(follow(1), until: CacheInstant(.seconds(5)) + CacheInstant(.seconds(Int64.max)))
    #expect(cache.find(actor, Accounts.did(1), at: CacheInstant(.seconds(1_000_000_000)))?.age == .fresh)
  }

  @Test func doesNotStoreAnAccountWithItself() {
    var cache = PairCache(capacity: 3)
    _ = cache.insert(follow(0), until: end)
    _ = cache.insertAbsence(of: actor, from: actor, until: end)
    #expect(cache.count == 0)
  }

  /// A server may answer with URIs of 8 KB: their bytes are bounded too.
  @Test func boundsTheBytesOfExtras() throws {
    var cache = PairCache(capacity: 1_000)
    let key = String(repeating: "k", count: 500)
    var evictions = 0
    for number in 1...1_000 {
      let uri = try ATURI(parsing: "at://\(actor)/app.bsky.graph.follow/\(key)")
      let info = RelationshipInfo(
        actor: actor, target: Accounts.did(number), following: uri,
        checkedAt: Datetime(at: 0), source: .cache)
      evictions += cache.insert(info, until: end).evictions
    }
    #expect(cache.count * 500 <= 128_000)
    #expect(cache.count > 100)
    #expect(evictions == 1_000 - cache.count)
    #expect(cached(&cache, 1_000..<1_001) == [1_000])
  }

  /// More than one chunk of the slab, growing and shrinking.
  @Test func findsThousandsAndRemovesThem() {
    var cache = PairCache(capacity: 5_000)
    for number in 1...5_500 { _ = cache.insert(follow(number), until: end) }
    #expect(cached(&cache, 1..<5_501) == Array(501..<5_501))
    for number in 501..<5_401 { cache.remove(PairKey(Accounts.did(number), actor)) }
    #expect(cached(&cache, 1..<5_501) == Array(5_401..<5_501))
    for number in 1...2_000 { _ = cache.insert(follow(number), until: end) }
    #expect(cached(&cache, 1..<2_001).count == 2_000)
    #expect(cache.count == 2_100)
  }
}
