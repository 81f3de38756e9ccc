// SPDX-License-Identifier: Apache-2.0

/// When a difference is more than chance.
enum Significance {
  /// The error that each of several comparisons may have, so that one of them is wrong in at most 5 % of the cases:
  /// Bonferroni's.
  static func level(of comparisons: Int) -> Double { 0.05 / Double(max(1, comparisons)) }

  /// The chance of a count in a sample that is as far from the expected one or farther: twice the smaller tail of the
  /// binomial distribution, at most 1.
  ///
  /// - Parameter share: the chance of each item of the sample.
  static func chance(of count: Int, in size: Int, share: Double) -> Double {
    guard size > 0, (0...size).contains(count), share > 0, share < 1 else { return 1 }
    // Chances relative to that of the likeliest count, because share^size may underflow.
    let peak = min(size, Int(Double(size + 1) * share))
    let odds = share / (1 - share)
    var (low, high, whole) = (0.0, 0.0, 0.0)
    func add(_ number: Int, _ chance: Double) {
      whole += chance
      if number <= count { low += chance }
      if number >= count { high += chance }
    }
    var (number, chance) = (peak, 1.0)
    while number <= size, chance > 0 {
      add(number, chance)
      chance *= Double(size - number) / Double(number + 1) * odds
      number += 1
    }
    (number, chance) = (peak, 1.0)
    while number > 0 {
      chance *= Double(number) / Double(size - number + 1) / odds
      number -= 1
      guard chance > 0 else { break }
      add(number, chance)
    }
    return min(1, 2 * min(low, high) / whole)
  }
}
