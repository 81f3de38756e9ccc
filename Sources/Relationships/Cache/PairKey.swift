// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Two accounts, in whichever order they were named: what is known between them is the same from both sides.
///
/// It is hashed once, when it is made: a target passes through several tables on its way.
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

  /// The account at the other end.
  func opposite(_ account: DID) -> DID { account == low ? high : low }

  func hash(into hasher: inout Hasher) { hasher.combine(slabHash) }
}
