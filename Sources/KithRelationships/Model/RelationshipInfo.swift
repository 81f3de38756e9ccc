// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The relationship of two accounts, in both directions, at one moment.
///
/// Each edge is the AT-URI of its record, named as in `app.bsky.graph.defs#relationship`. Follows are
/// present even if there is a block between the two accounts, unlike in `viewer` state, which hides them
/// (Q5).
public struct RelationshipInfo: Sendable, Hashable {
  /// A single reference, because answers are copied often: copying the facts would retain nine references.
  private let shared: SharedValue<Facts>

  /// The account that the query is about.
  public var actor: DID { shared.value.actor }
  /// The other account.
  public var target: DID { shared.value.target }
  /// The record by which the actor follows the target.
  public var following: ATURI? { shared.value.edges?.value.following }
  /// The record by which the target follows the actor.
  public var followedBy: ATURI? { shared.value.edges?.value.followedBy }
  /// The record by which the actor blocks the target.
  public var blocking: ATURI? { shared.value.edges?.value.blocking }
  /// The record by which the target blocks the actor.
  public var blockedBy: ATURI? { shared.value.edges?.value.blockedBy }
  /// The list, or the `listblock` record, by which the actor blocks the target. Servers return either (Q6),
  /// so do not delete anything by this URI.
  public var blockingByList: ATURI? { shared.value.edges?.value.blockingByList }
  /// The list, or the `listblock` record, by which the target blocks the actor (Q6).
  public var blockedByList: ATURI? { shared.value.edges?.value.blockedByList }
  /// Whether the actor mutes the target; nil unless the viewer is the actor, because mutes are private
  /// (Q9).
  public var muted: Bool? { shared.value.muted }
  /// Why ``muted`` is nil, if the mutes could not be read; see ``MutingRelationshipSource``. Such an answer is not cached.
  public var mutesFault: RelationshipError? { shared.value.mutesFault?.value }
  /// Whether there is a ``mutesFault``, without a copy of it.
  package var lacksMutes: Bool { shared.value.mutesFault != nil }
  /// When it was learned, by this machine's clock. It may have changed since then by what a stream told.
  public var checkedAt: Datetime { shared.value.checkedAt }
  /// Where it was learned.
  public var source: Source { shared.value.source }

  /// Where an answer came from.
  public struct Source: Sendable, Hashable, RawRepresentable {
    /// The value in machine output.
    public let rawValue: String

    /// Creates a source.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The cache, from an earlier query.
    public static let cache = Source(rawValue: "cache")
    /// No lookup: an account has no relationship with itself (Q4).
    public static let local = Source(rawValue: "local")
    /// An AppView.
    public static let appview = Source(rawValue: "appview")
    /// A change by the actor itself to a pair that was never asked about: only the actor's own edges are known,
    /// the others are missing. In ``FollowRelationshipService/changes`` only.
    public static let change = Source(rawValue: "change")
    /// An account's own repository, because the AppView contradicted a recent change of the account.
    public static let repository = Source(rawValue: "repository")
    /// The daemon of this user, which follows the actor: from an earlier answer, and what a stream has changed since.
    public static let daemon = Source(rawValue: "daemon")
    /// The journal of the account's own changes: as ``repository``, if that could not be read.
    public static let journal = Source(rawValue: "journal")
  }

  /// Creates a relationship; omitted edges do not exist.
  ///
  /// - Parameter mutesFault: ignored if `muted` is known.
  public init(
    actor: DID, target: DID, following: ATURI? = nil, followedBy: ATURI? = nil, blocking: ATURI? = nil,
    blockedBy: ATURI? = nil, blockingByList: ATURI? = nil, blockedByList: ATURI? = nil, muted: Bool? = nil,
    mutesFault: RelationshipError? = nil, checkedAt: Datetime, source: Source
  ) {
    let hasEdges =
      following != nil || followedBy != nil || blocking != nil || blockedBy != nil || blockingByList != nil
      || blockedByList != nil
    let edges =
      hasEdges
      ? SharedValue(
        Edges(
          following: following, followedBy: followedBy, blocking: blocking, blockedBy: blockedBy,
          blockingByList: blockingByList, blockedByList: blockedByList)) : nil
    shared = SharedValue(
      Facts(
        actor: actor, target: target, edges: edges, muted: muted,
        mutesFault: muted == nil ? mutesFault.map(SharedValue.init) : nil, checkedAt: checkedAt,
        source: source))
  }

  /// Whether the actor follows the target.
  public var isFollowing: Bool { following != nil }
  /// Whether the target follows the actor.
  public var isFollowedBy: Bool { followedBy != nil }
  /// Whether both follow each other, regardless of blocks (Q5).
  public var mutual: Bool { isFollowing && isFollowedBy }
  /// Whether the actor blocks the target, directly or by a list.
  public var isBlocking: Bool { blocking != nil || blockingByList != nil }
  /// Whether the target blocks the actor, directly or by a list.
  public var isBlockedBy: Bool { blockedBy != nil || blockedByList != nil }
  /// Whether either account blocks the other.
  public var blocked: Bool { isBlocking || isBlockedBy }
  /// Whether there are no edges.
  public var isEmpty: Bool { shared.value.edges == nil }

  /// The relationship of an account with itself, which has no edges (Q4) and needs no lookup.
  package static func withItself(
    _ account: DID, at moment: Datetime = Datetime(at: .epoch)
  ) -> RelationshipInfo {
    RelationshipInfo(actor: account, target: account, checkedAt: moment, source: .local)
  }

  /// The same facts plus whether the actor mutes the target; nil if that is unknown.
  ///
  /// - Parameter fault: why it is unknown.
  package func muted(_ muted: Bool?, fault: RelationshipError? = nil) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: followedBy, blocking: blocking,
      blockedBy: blockedBy, blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      mutesFault: fault, checkedAt: checkedAt, source: source)
  }

  /// The same facts with another source.
  package func from(_ source: Source) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: followedBy, blocking: blocking,
      blockedBy: blockedBy, blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      mutesFault: mutesFault, checkedAt: checkedAt, source: source)
  }

  /// The same facts from the target's point of view; what only the actor knows is left out.
  package var swapped: RelationshipInfo {
    RelationshipInfo(
      actor: target, target: actor, following: followedBy, followedBy: following, blocking: blockedBy,
      blockedBy: blocking, blockingByList: blockedByList, blockedByList: blockingByList,
      checkedAt: checkedAt, source: source)
  }

  /// The same facts as one of the two accounts sees them.
  func seen(by account: DID) -> RelationshipInfo { actor == account ? self : swapped }

  /// Whether both have the same facts, regardless of when and where they were learned.
  public func hasSameFacts(as other: RelationshipInfo) -> Bool {
    following == other.following && followedBy == other.followedBy && blocking == other.blocking
      && blockedBy == other.blockedBy && blockingByList == other.blockingByList
      && blockedByList == other.blockedByList && muted == other.muted
  }
}

/// One line: `did:plc:a → did:plc:b: following, followed by, muted (cache, 2026-11-29T12:00:00.000Z)`.
extension RelationshipInfo: CustomStringConvertible {
  public var description: String {
    let facts = [
      following.map { _ in "following" }, followedBy.map { _ in "followed by" },
      blocking.map { _ in "blocking" }, blockedBy.map { _ in "blocked by" },
      blockingByList.map { _ in "blocking by a list" }, blockedByList.map { _ in "blocked by a list" },
      muted == true ? "muted" : nil,
    ].compactMap(\.self)
    let words = facts.isEmpty ? "none" : facts.joined(separator: ", ")
    return "\(actor) → \(target): \(words) (\(source.rawValue), \(checkedAt))"
  }
}

/// An object with the properties as fields. A source of a newer program is kept; ``mutesFault`` is left out.
extension RelationshipInfo: Codable {
  private enum CodingKeys: CodingKey {
    case actor, target, following, followedBy, blocking, blockedBy, blockingByList, blockedByList, muted
    case checkedAt, source
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      actor: try fields.decode(DID.self, forKey: .actor),
      target: try fields.decode(DID.self, forKey: .target),
      following: try fields.decodeIfPresent(ATURI.self, forKey: .following),
      followedBy: try fields.decodeIfPresent(ATURI.self, forKey: .followedBy),
      blocking: try fields.decodeIfPresent(ATURI.self, forKey: .blocking),
      blockedBy: try fields.decodeIfPresent(ATURI.self, forKey: .blockedBy),
      blockingByList: try fields.decodeIfPresent(ATURI.self, forKey: .blockingByList),
      blockedByList: try fields.decodeIfPresent(ATURI.self, forKey: .blockedByList),
      muted: try fields.decodeIfPresent(Bool.self, forKey: .muted),
      checkedAt: try fields.decode(Datetime.self, forKey: .checkedAt),
      source: Source(rawValue: try fields.decode(String.self, forKey: .source)))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(actor, forKey: .actor)
    try fields.encode(target, forKey: .target)
    try fields.encodeIfPresent(following, forKey: .following)
    try fields.encodeIfPresent(followedBy, forKey: .followedBy)
    try fields.encodeIfPresent(blocking, forKey: .blocking)
    try fields.encodeIfPresent(blockedBy, forKey: .blockedBy)
    try fields.encodeIfPresent(blockingByList, forKey: .blockingByList)
    try fields.encodeIfPresent(blockedByList, forKey: .blockedByList)
    try fields.encodeIfPresent(muted, forKey: .muted)
    try fields.encode(checkedAt, forKey: .checkedAt)
    try fields.encode(source.rawValue, forKey: .source)
  }
}

extension RelationshipInfo {
  private struct Facts: Sendable, Hashable {
    let actor: DID
    let target: DID
    /// Nil if there are none, the most common case.
    let edges: SharedValue<Edges>?
    let muted: Bool?
    /// Shared, because it is rare.
    let mutesFault: SharedValue<RelationshipError>?
    let checkedAt: Datetime
    let source: Source
  }

  private struct Edges: Sendable, Hashable {
    let following: ATURI?
    let followedBy: ATURI?
    let blocking: ATURI?
    let blockedBy: ATURI?
    let blockingByList: ATURI?
    let blockedByList: ATURI?
  }
}
