// SPDX-License-Identifier: Apache-2.0

/// A value axis: its range and its ticks.
struct ValueScale {
  let low: Double
  let high: Double
  let step: Double
  /// From the lowest to the highest.
  let ticks: [Double]
  /// Whether the axis starts above zero, which must be marked.
  let isBroken: Bool
  let kind: ValueKind

  /// Larger values are drawn at the end of the axis.
  private static let limit = 1e18
  /// If values differ by less than this fraction of the largest, the axis is broken to show the difference.
  private static let narrowRange = 0.25

  /// - Parameters:
  ///   - values: the values to show; zero is included unless the axis is broken.
  ///   - most: the approximate number of ticks that fit.
  ///   - mayBreak: false for bars, whose length represents the value.
  init(_ values: ClosedRange<Double>, kind: ValueKind, most: Int, mayBreak: Bool) {
    let lowest = min(max(values.lowerBound, -Self.limit), Self.limit)
    let highest = min(max(values.upperBound, -Self.limit), Self.limit)
    let isNarrow = Self.isNarrow(lowest...highest)
    let intervals = max(1, min(most, 12) - 1)

    var step = Self.step(for: highest - lowest, intervals: intervals, kind)
    var low = (lowest / step + 1e-9).rounded(.down) * step
    let isBroken = mayBreak && isNarrow && low > 0
    if !isBroken {
      low = min(0, lowest)
      step = Self.step(for: max(0, highest) - low, intervals: intervals, kind)
      low = (low / step + 1e-9).rounded(.down) * step
    }
    let count = max(1, (((isBroken ? highest : max(0, highest)) - low) / step - 1e-9).rounded(.up))
    self.low = low
    self.step = step
    self.kind = kind
    self.isBroken = isBroken
    high = low + count * step
    ticks = (0...Int(min(count, 24))).map { low + Double($0) * step }
  }

  /// Whether values differ by so little that the axis is broken to show the difference.
  static func isNarrow(_ values: ClosedRange<Double>) -> Bool {
    let (lowest, highest) = (values.lowerBound, values.upperBound)
    return lowest > 0 && highest > lowest && highest - lowest < narrowRange * highest
  }

  /// The position of a value, from 0 at the start of the axis to 1 at its end.
  func fraction(_ value: Double) -> Double {
    guard value.isFinite else { return 0 }
    let fraction = (min(max(value, low), high) - low) / (high - low)
    return fraction.isFinite ? fraction : 0
  }

  func label(_ tick: Double) -> String {
    // Rounding errors around zero.
    kind.shortText(tick.magnitude < step * 1e-6 ? 0 : tick, step: step)
  }

  /// The note on a broken axis.
  var breakNote: String? { isBroken ? "axis starts at \(label(low))" : nil }

  /// The smallest step of 1, 2 or 5 times a power of ten with at most this many intervals.
  private static func step(for span: Double, intervals: Int, _ kind: ValueKind) -> Double {
    let least = max(span, 0) / Double(intervals)
    guard least.isFinite, least > 0 else { return kind == .share ? 0.2 : 1 }
    if kind == .duration, let step = durationSteps.first(where: { $0 >= least }) { return step }
    let unit = kind == .duration ? 86_400.0 : 1
    var power = unit
    while power > least { power /= 10 }
    while power * 10 < least { power *= 10 }
    let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= least * 0.999_999 } ?? power * 10
    return kind == .count ? max(1, step) : step
  }

  private static let durationSteps: [Double] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
  ]
}
