// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct PairCoverTests {
  private func pair(_ one: Int, _ other: Int) -> PairCover.Pair { (Accounts.did(one), Accounts.did(other)) }

  private func keys(_ pairs: [PairCover.Pair]) -> Set<PairKey> {
    Set(pairs.map { PairKey($0.one, $0.other) })
  }

  private func covered(by batches: [Batch]) -> [PairCover.Pair] {
    batches.flatMap { batch in batch.others.map { (batch.center, $0) } }
  }

  /// Tries every way to form batches, the slow and simple way.
  private func fewestBatches(covering pairs: [PairCover.Pair], atMost size: Int) -> Int {
    (0..<(1 << pairs.count)).map { choice in
      var loads: [DID: Int] = [:]
      for (place, pair) in pairs.enumerated() {
        loads[choice >> place & 1 == 0 ? pair.one : pair.other, default: 0] += 1
      }
      return loads.values.reduce(0) { $0 + ($1 + size - 1) / size }
    }.min() ?? 0
  }

  private func randomPairs(
    _ count: Int, among accounts: Int, _ random: inout SeededGenerator
  ) -> [PairCover.Pair] {
    var pairs: Set<PairKey> = []
    var ordered: [PairCover.Pair] = []
    while ordered.count < count {
      let (one, other) = (
        Int.random(in: 0..<accounts, using: &random), Int.random(in: 0..<accounts, using: &random)
      )
      let pair = pair(one, other)
      if one != other, pairs.insert(PairKey(pair.one, pair.other)).inserted { ordered.append(pair) }
    }
    return ordered
  }

  @Test(arguments: [1, 2, 3, 30])
  func needsNoMoreBatchesThanTheOptimum(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    for _ in 0..<100 {
      let accounts = Int.random(in: 5...12, using: &random)
      let pairs = randomPairs(Int.random(in: 0...10, using: &random), among: accounts, &random)
      let batches = PairCover.batches(covering: pairs, atMost: size)
      #expect(batches.count == fewestBatches(covering: pairs, atMost: size), "\(pairs)")
      #expect(covered(by: batches).count == pairs.count)
      #expect(keys(covered(by: batches)) == keys(pairs))
    }
  }

  @Test func coversEachPairOnce() {
    var random = SeededGenerator(seed: 7)
    for accounts in [60, 300, 3_000] {
      let pairs = randomPairs(1_000, among: accounts, &random)
      let batches = PairCover.batches(covering: pairs, atMost: 30)
      #expect(batches.allSatisfy { (1...30).contains($0.others.count) })
      #expect(covered(by: batches).count == pairs.count)
      #expect(keys(covered(by: batches)) == keys(pairs))
    }
  }

  @Test func requestsManyPairsOfOneAccountFromThatAccount() {
    let pairs = (1...1_000).map { pair($0, 0) }
    let batches = PairCover.batches(covering: pairs, atMost: 30)
    #expect(batches.count == 34)
    #expect(batches.allSatisfy { $0.center == Accounts.did(0) })
  }

  @Test func isNearlyOptimalForManyHubs() {
    // Twelve accounts in the middle, each with a hundred targets of its own, and all paired with each
    // other.
    var pairs = (0..<12).flatMap { hub in (0..<100).map { pair(hub, 100 + hub * 100 + $0) } }
    for one in 0..<12 { for other in 0..<one { pairs.append(pair(one, other)) } }
    // 1,266 pairs in 12 * 4 calls, of which the last ones have room for twenty more each.
    #expect(PairCover.batches(covering: pairs, atMost: 30).count == 48)
  }

  @Test func requestsASinglePairFromItsFirstEnd() {
    #expect(
      PairCover.batches(covering: [pair(2, 1)], atMost: 30)
        == [Batch(center: Accounts.did(2), others: [Accounts.did(1)])])
  }

  @Test func noPairsNeedNoBatches() {
    #expect(PairCover.batches(covering: [], atMost: 30).isEmpty)
  }
}
