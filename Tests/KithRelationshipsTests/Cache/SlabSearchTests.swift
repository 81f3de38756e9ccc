// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The number of slots that a lookup in a ``SlabCache`` probes.
@Suite struct SlabSearchTests {
  /// DIDs that differ in single digits, as an attacker would craft them.
  private func craftedPairs() throws -> Set<PairKey> {
    var pairs: Set<PairKey> = []
    for place in 0..<20 {
      for number in 0..<1_000 {
        var digits = Array(repeating: Character("2"), count: 24)
        for (offset, digit) in String(number, radix: 10).enumerated() {
          digits[(place + offset) % 24] =
            ["2", "3", "4", "5", "6", "7", "a", "b", "c", "d"][digit.wholeNumberValue ?? 0]
        }
        pairs.insert(PairKey(Accounts.did(0), try DID(parsing: "did:plc:" + String(digits))))
      }
    }
    return pairs
  }

  /// Without a seeded hash of all bits such pairs would share slots, and a lookup would probe thousands.
  @Test func lookupsStayShortForAnyAccounts() throws {
    let pairs = try craftedPairs()
    #expect(pairs.count > 5_000)
    // Linear probing in a table of twice the size, the worst case of the index just before it grows.
    let mask = pairs.count.nextPowerOfTwo * 2 - 1
    var isTaken = [Bool](repeating: false, count: mask + 1)
    var longest = 0
    for pair in pairs {
      var (slot, steps) = (Int(pair.slabHash) & mask, 1)
      while isTaken[slot] { (slot, steps) = ((slot + 1) & mask, steps + 1) }
      isTaken[slot] = true
      longest = max(longest, steps)
    }
    #expect(longest < 400)
  }

  @Test func findsEachOfManyCraftedPairs() throws {
    var cache = PairCache(capacity: 100_000)
    let (pairs, end) = (try craftedPairs(), CacheInstant(.seconds(1)))
    for pair in pairs { _ = cache.insertAbsence(of: pair.low, in: pair, until: end) }
    #expect(cache.count == pairs.count)
    for pair in pairs where cache.find(pair, at: CacheInstant(.zero)) == nil {
      Issue.record("\(pair) is lost")
    }
  }
}

extension Int {
  fileprivate var nextPowerOfTwo: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
