// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// One call's worth of pairs: an account in the middle, asked about others.
struct Star: Equatable {
  var center: DID
  var others: [DID]
}

/// Two accounts, whichever is named first: the answer about one way holds the answer about the other.
struct AccountPair: Hashable, Sendable {
  let one: DID
  let other: DID

  init(_ one: DID, _ other: DID) {
    self.one = one
    self.other = other
  }

  static func == (left: Self, right: Self) -> Bool {
    (left.one == right.one && left.other == right.other)
      || (left.one == right.other && left.other == right.one)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(one.hashValue ^ other.hashValue)
  }

  /// The account at the other end.
  func opposite(_ account: DID) -> DID { account == one ? other : one }
}
