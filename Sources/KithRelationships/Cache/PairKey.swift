// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// An unordered pair of accounts: what is known is the same from both sides.
///
/// The hash is computed once, on creation, as a target passes through several tables.
struct PairKey: Hashable, SlabKey {
  /// The account that sorts first.
  let low: DID
  let high: DID
  let slabHash: UInt32

  init(_ first: DID, _ second: DID) {
    (low, high) = second < first ? (second, first) : (first, second)
    var hasher = Hasher()
    hasher.combine(low)
    hasher.combine(high)
    slabHash = UInt32(truncatingIfNeeded: hasher.finalize())
  }

  @inline(__always)
  static func == (lhs: PairKey, rhs: PairKey) -> Bool { lhs.low == rhs.low && lhs.high == rhs.high }

  /// The other account of the pair.
  func opposite(_ account: DID) -> DID { account == low ? high : low }

  func hash(into hasher: inout Hasher) { hasher.combine(slabHash) }
}
