// SPDX-License-Identifier: Apache-2.0

/// A small random number generator whose numbers depend only on its seed, on every platform and in every
/// release.
///
/// SplitMix64 by Steele, Lea and Flood; for generated data, not for secrets.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// A number from 0 to below the bound. The bias of the multiplication is below 2^-32 here.
  mutating func next(below bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A fraction from 0 to below 1 with 53 random bits.
  mutating func nextFraction() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Spreads a value over all 64 bits; equal values give equal results.
  static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
