// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithSandbox

@Suite struct SplitMix64Tests {
  /// The first outputs for this seed, as in other implementations of the algorithm.
  @Test func matchesTheReferenceNumbers() {
    var random = SplitMix64(seed: 1_234_567)
    let numbers = (0..<5).map { _ in random.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test func staysBelowItsBound() {
    var random = SplitMix64(seed: 1)
    let numbers = (0..<10_000).map { _ in random.next(below: 7) }
    #expect(Set(numbers) == Set(0..<7))
    #expect(random.next(below: 1) == 0)
  }

  @Test func givesFractionsFromZeroToBelowOne() {
    var random = SplitMix64(seed: 1)
    let fractions = (0..<10_000).map { _ in random.nextFraction() }
    #expect(fractions.allSatisfy { 0 <= $0 && $0 < 1 })
    #expect(abs(fractions.reduce(0, +) / 10_000 - 0.5) < 0.02)
  }
}
