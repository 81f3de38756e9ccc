// SPDX-License-Identifier: Apache-2.0

/// A figure from a sample, with its uncertainty.
public struct Estimate: Sendable, Hashable {
  public let value: Double
  /// The 95 % confidence interval, provided that the sample is fair.
  public let interval: ClosedRange<Double>
  /// Number of samples.
  public let sampleSize: Int

  /// A share estimated from a sample, with Wilson's score interval; nil without a sample.
  ///
  /// Wilson 1927, without continuity correction and without correction for a small population.
  public static func share(_ count: Int, of sampleSize: Int) -> Estimate? {
    guard sampleSize > 0, (0...sampleSize).contains(count) else { return nil }
    let (n, share, z2) = (Double(sampleSize), Double(count) / Double(sampleSize), z95 * z95)
    let middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    let half = z95 / (1 + z2 / n) * (share * (1 - share) / n + z2 / (4 * n * n)).squareRoot()
    // Rounding must not move a bound past the estimate.
    let low = count == 0 ? 0 : max(0, middle - half)
    let high = count == sampleSize ? 1 : min(1, middle + half)
    return Estimate(value: share, interval: low...high, sampleSize: sampleSize)
  }

  /// The median, with an interval by order statistics, which is valid for any distribution.
  ///
  /// The interval is between two figures of the sample, as narrow as possible while the true median is
  /// outside on each side with a probability of at most 2.5 %: the inverted sign test. Nil for fewer than
  /// six figures, where no two are far enough apart, and if a figure is NaN.
  public static func median(of figures: [Double]) -> Estimate? { median(of: figures, error: 0.05) }

  /// The median, with an interval that the true median is outside of with at most a probability; nil if no two figures
  /// are far enough apart.
  static func median(of figures: [Double], error: Double) -> Estimate? {
    guard !figures.contains(where: \.isNaN) else { return nil }
    let sorted = figures.sorted()
    let skipped = skippedRanks(of: sorted.count, tail: error / 2)
    guard skipped >= 0 else { return nil }
    let (low, high) = (sorted[skipped], sorted[sorted.count - 1 - skipped])
    return Estimate(value: sorted.quantile(0.5), interval: low...high, sampleSize: sorted.count)
  }

  /// How many figures on each side are outside the interval of a median; negative if even all of them are too few.
  ///
  /// - Parameter tail: the highest probability that the median is outside on one side.
  private static func skippedRanks(of count: Int, tail: Double) -> Int {
    // Probabilities of B(n, 1/2) from the middle down, relative to that of the middle, because 2^-n may
    // underflow.
    let middle = count / 2
    var chances = [1.0]
    while let last = chances.last, last > 1e-20, chances.count <= middle {
      let rank = middle - chances.count + 1
      chances.append(last * Double(rank) / Double(count - rank + 1))
    }
    let whole = 2 * chances.reduce(0, +) - (count.isMultiple(of: 2) ? 1 : 0)
    // The largest k with P(X ≤ k) ≤ tail; chances that are too small to be listed count as nothing.
    var (rank, total) = (middle - chances.count, 0.0)
    for chance in chances.reversed() {
      total += chance
      guard total <= tail * whole else { break }
      rank += 1
    }
    return rank
  }

  static let z95 = 1.959_963_984_540_054
  static let z80 = 1.281_551_565_544_600_4
}

extension [Double] {
  /// A quantile of sorted figures, interpolated linearly (type 7 of Hyndman and Fan).
  func quantile(_ share: Double) -> Double {
    guard let last = indices.last else { return .nan }
    let place = Double(last) * Swift.min(Swift.max(share, 0), 1)
    let index = Int(place)
    return index == last
      ? self[last] : self[index] + (place - Double(index)) * (self[index + 1] - self[index])
  }
}
