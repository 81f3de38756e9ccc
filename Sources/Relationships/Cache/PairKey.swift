// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Two accounts, in whichever order they were named: what is known between them is the same from both sides.
struct PairKey: Hashable, Sendable {
  /// The account that sorts first.
  let low: DID
  let high: DID

  init(_ first: DID, _ second: DID) {
    (low, high) = second < first ? (second, first) : (first, second)
  }

  /// For a record that holds them in order.
  init(low: DID, high: DID) { (self.low, self.high) = (low, high) }

  /// The account at the other end.
  func opposite(_ account: DID) -> DID { account == low ? high : low }
}
