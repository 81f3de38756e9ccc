// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// A cached pair of accounts in 96 bytes; ``PairExtras`` holds what does not fit.
struct PairRecord: SlabRecord {
  /// The kind of answer; `changes` is none, but what accounts of the pair changed themselves: the sides that
  /// are known have ``PairSide/Facts/isOwn``.
  enum State: UInt8, Sendable { case answer, lowAbsent, highAbsent, changes }

  private let low: DID
  private let high: DID
  private var lowFollow: UInt64 = 0
  private var lowBlock: UInt64 = 0
  private var highFollow: UInt64 = 0
  private var highBlock: UInt64 = 0
  /// Milliseconds since 1970, the precision that ``Datetime`` writes.
  var checkedAt: Int64 = 0
  var expiry: CacheInstant
  var link: SlabLink
  private(set) var lowFacts: PairSide.Facts = []
  private(set) var highFacts: PairSide.Facts = []
  var state = State.answer
  /// Whether the pair has extras.
  var hasExtras = false

  init(key: PairKey, state: State, expiry: CacheInstant) {
    (low, high) = (key.low, key.high)
    self.state = state
    self.expiry = expiry
    link = SlabLink(hash: key.slabHash)
  }

  @inline(__always)
  func has(_ key: PairKey) -> Bool { low == key.low && high == key.high }

  /// The pair.
  var pair: PairKey { PairKey(low, high) }

  /// Whether an account is one of the pair.
  func concerns(_ account: DID) -> Bool { low == account || high == account }

  /// Whether an account of the pair is the one that sorts first.
  @inline(__always)
  func isLow(_ account: DID) -> Bool { low == account }

  /// The edges from the account that sorts first to the other.
  var lowSide: PairSide {
    get { PairSide(facts: lowFacts, follow: lowFollow, block: lowBlock) }
    set { (lowFacts, lowFollow, lowBlock) = (newValue.facts, newValue.follow, newValue.block) }
  }

  var highSide: PairSide {
    get { PairSide(facts: highFacts, follow: highFollow, block: highBlock) }
    set { (highFacts, highFollow, highBlock) = (newValue.facts, newValue.follow, newValue.block) }
  }

  /// Whether the own changes of an account are known, although the pair was not asked about.
  func knowsChanges(of account: DID) -> Bool {
    state == .changes && (isLow(account) ? lowFacts : highFacts).contains(.isOwn)
  }

  /// Marks the changes of an account as known.
  mutating func addChanges(of account: DID) {
    state = .changes
    if isLow(account) { lowFacts.insert(.isOwn) } else { highFacts.insert(.isOwn) }
  }

  /// Whether the edges equal another record's, not counting extras.
  func holdsSameFacts(as other: PairRecord) -> Bool {
    lowSide.holdsSameFacts(as: other.lowSide) && highSide.holdsSameFacts(as: other.highSide)
  }
}

extension PairRecord {
  /// Packs an answer; what does not fit is returned as extras.
  static func packing(
    _ info: RelationshipInfo, of key: PairKey, until expiry: CacheInstant
  ) -> (record: PairRecord, extras: PairExtras) {
    var record = PairRecord(key: key, state: .answer, expiry: expiry)
    var extras = PairExtras()
    if !info.isEmpty || info.muted != nil { record.pack(info, isActorLow: key.low == info.actor, &extras) }
    // Only the format that Datetime itself writes, `YYYY-MM-DDTHH:MM:SS.sssZ`, has 24 bytes.
    if info.checkedAt.description.utf8.count == 24 {
      record.checkedAt = info.checkedAt.instant.microsecondsSinceEpoch / 1_000
    } else {
      extras.checkedAt = info.checkedAt
    }
    record.hasExtras = !extras.isEmpty
    return (record, extras)
  }

  private mutating func pack(
    _ info: RelationshipInfo, isActorLow: Bool, _ extras: inout PairExtras
  ) {
    var actor = Self.side(
      of: info.actor, isLow: isActorLow, follow: info.following, block: info.blocking,
      list: info.blockingByList, &extras)
    if let muted = info.muted { actor.facts.formUnion(muted ? [.knowsMutes, .mutes] : .knowsMutes) }
    let target = Self.side(
      of: info.target, isLow: !isActorLow, follow: info.followedBy, block: info.blockedBy,
      list: info.blockedByList, &extras)
    lowSide = isActorLow ? actor : target
    highSide = isActorLow ? target : actor
    if !isActorLow { extras.items.sort { $0.isFromLow && !$1.isFromLow } }
  }

  private static func side(
    of owner: DID, isLow: Bool, follow: ATURI?, block: ATURI?, list: ATURI?, _ extras: inout PairExtras
  ) -> PairSide {
    var side = PairSide()
    if let follow {
      side.facts.insert(.follows)
      if let key = EdgePacking.follow.key(of: follow, from: owner) {
        side.follow = key
      } else {
        extras.items.append(.init(isFromLow: isLow, edge: .follow, uri: follow))
      }
    }
    if let block {
      side.facts.insert(.blocks)
      if let key = EdgePacking.block.key(of: block, from: owner) {
        side.block = key
      } else {
        extras.items.append(.init(isFromLow: isLow, edge: .block, uri: block))
      }
    }
    if let list {
      side.facts.insert(.blocksByList)
      extras.items.append(.init(isFromLow: isLow, edge: .blockByList, uri: list))
    }
    return side
  }

  /// The answer as seen by the actor, which is one of the two accounts.
  ///
  /// - Parameter dates: formats timestamps, most of which are the same.
  func info(of actor: DID, with extras: PairExtras?, _ dates: inout DatetimeMemo) -> RelationshipInfo {
    let isActorLow = low == actor
    let target = isActorLow ? high : low
    let (from, back) = isActorLow ? (lowSide, highSide) : (highSide, lowSide)
    func uri(_ edge: PairExtras.Edge, fromActor: Bool) -> ATURI? {
      extras?.uri(fromLow: fromActor == isActorLow, edge)
    }
    func follow(_ side: PairSide, fromActor: Bool) -> ATURI? {
      guard side.facts.contains(.follows) else { return nil }
      return uri(.follow, fromActor: fromActor)
        ?? EdgePacking.follow.uri(of: fromActor ? actor : target, key: side.follow)
    }
    func block(_ side: PairSide, fromActor: Bool) -> ATURI? {
      guard side.facts.contains(.blocks) else { return nil }
      return uri(.block, fromActor: fromActor)
        ?? EdgePacking.block.uri(of: fromActor ? actor : target, key: side.block)
    }
    return RelationshipInfo(
      actor: actor, target: target, following: follow(from, fromActor: true),
      followedBy: follow(back, fromActor: false), blocking: block(from, fromActor: true),
      blockedBy: block(back, fromActor: false), blockingByList: uri(.blockByList, fromActor: true),
      blockedByList: uri(.blockByList, fromActor: false),
      muted: from.facts.contains(.knowsMutes) ? from.facts.contains(.mutes) : nil,
      checkedAt: extras?.checkedAt ?? dates.datetime(milliseconds: checkedAt), source: .cache)
  }
}

/// Formats a timestamp once if it repeats, as it does in the answers of one call.
struct DatetimeMemo: Sendable {
  private var last: (milliseconds: Int64, datetime: Datetime)?

  mutating func datetime(milliseconds: Int64) -> Datetime {
    if let last, last.milliseconds == milliseconds { return last.datetime }
    let datetime = Datetime(at: Instant(microsecondsSinceEpoch: milliseconds * 1_000))
    last = (milliseconds, datetime)
    return datetime
  }
}

/// Packs the URI of an edge's record into the 64 bits of its TID if that is lossless.
struct EdgePacking: Sendable {
  private let collection: NSID
  /// The part between the account and the record key.
  private let middle: String

  static let follow = EdgePacking(collection: App.Bsky.Graph.Follow.nsid)
  static let block = EdgePacking(collection: App.Bsky.Graph.Block.nsid)

  private init(collection: NSID) {
    self.collection = collection
    middle = "/\(collection)/"
  }

  /// The TID's bits; nil if ``uri(of:key:)`` would not give the identical URI.
  func key(of uri: ATURI, from owner: DID) -> UInt64? {
    let text = uri.description.utf8
    let tail = text.suffix(middle.utf8.count + 13)
    // A URI has at most two slashes after its authority, so these are both of them.
    guard tail.starts(with: middle.utf8), let tid = TID(String(Substring(tail.suffix(13)))),
      uri.authority == .did(owner)
    else { return nil }
    return tid.bits
  }

  /// The URI of a record with this key in an account's repository.
  func uri(of owner: DID, key: UInt64) -> ATURI {
    ATURI(authority: .did(owner), collection: collection, recordKey: RecordKey(tid: TID(bits: key)))
  }
}
