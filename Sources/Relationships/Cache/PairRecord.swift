// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What is remembered of two accounts, in 96 bytes; ``PairOddities`` hold what does not fit.
struct PairRecord: SlabRecord {
  /// What was learned.
  enum State: UInt8, Sendable { case answer, lowAbsent, highAbsent }

  private let low: DID
  private let high: DID
  private var lowFollow: UInt64 = 0
  private var lowBlock: UInt64 = 0
  private var highFollow: UInt64 = 0
  private var highBlock: UInt64 = 0
  /// Milliseconds since 1970, as ``Datetime`` spells them.
  var checkedAt: Int64 = 0
  var expiry: CacheMoment
  var link: SlabLink
  private(set) var lowFacts: PairSide.Facts = []
  private(set) var highFacts: PairSide.Facts = []
  var state = State.answer
  /// Whether there are oddities of this pair.
  var isOdd = false

  init(key: PairKey, state: State, expiry: CacheMoment) {
    (low, high) = (key.low, key.high)
    self.state = state
    self.expiry = expiry
    link = SlabLink(hash: SlabCache<PairRecord>.hash(of: key))
  }

  var key: PairKey { PairKey(low: low, high: high) }

  @inline(__always)
  func has(_ key: PairKey) -> Bool { low == key.low && high == key.high }

  /// Whether an account of the pair is the one that sorts first.
  @inline(__always)
  func isLow(_ account: DID) -> Bool { low == account }

  /// What the account that sorts first does to the other.
  var lowSide: PairSide {
    get { PairSide(facts: lowFacts, follow: lowFollow, block: lowBlock) }
    set { (lowFacts, lowFollow, lowBlock) = (newValue.facts, newValue.follow, newValue.block) }
  }

  var highSide: PairSide {
    get { PairSide(facts: highFacts, follow: highFollow, block: highBlock) }
    set { (highFacts, highFollow, highBlock) = (newValue.facts, newValue.follow, newValue.block) }
  }

  /// Whether it says the same of the edges as another, without their oddities.
  func holdsSameFacts(as other: PairRecord) -> Bool {
    lowSide.holdsSameFacts(as: other.lowSide) && highSide.holdsSameFacts(as: other.highSide)
  }
}
