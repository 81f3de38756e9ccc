// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// All that is known between two accounts, both ways, at one moment.
///
/// Each edge is the AT-URI of the record that makes it, named as in `app.bsky.graph.defs#relationship`.
/// Follows show even where a block stands between the two: `viewer` state hides them, this does not (Q5).
public struct RelationshipInfo: Sendable, Hashable {
  /// One reference, for an answer goes through many hands: a copy of the facts would count nine.
  private let shared: Shared

  /// The account that the question is about.
  public var actor: DID { shared.facts.actor }
  /// The other one.
  public var target: DID { shared.facts.target }
  /// The record by which the actor follows the target.
  public var following: ATURI? { shared.facts.edges?.following }
  /// The record by which the target follows the actor.
  public var followedBy: ATURI? { shared.facts.edges?.followedBy }
  /// The record by which the actor blocks the target.
  public var blocking: ATURI? { shared.facts.edges?.blocking }
  /// The record by which the target blocks the actor.
  public var blockedBy: ATURI? { shared.facts.edges?.blockedBy }
  /// The list, or the `listblock` record, by which the actor blocks the target. Servers answer either (Q6),
  /// so nothing may be deleted by this URI.
  public var blockingByList: ATURI? { shared.facts.edges?.blockingByList }
  /// The list, or the `listblock` record, by which the target blocks the actor (Q6).
  public var blockedByList: ATURI? { shared.facts.edges?.blockedByList }
  /// Whether the actor mutes the target; nil unless the viewer is the actor, for mutes are private (Q9).
  public var muted: Bool? { shared.facts.muted }
  /// When it was learned, by the clock of this machine.
  public var checkedAt: Datetime { shared.facts.checkedAt }
  /// Where it was learned.
  public var source: Source { shared.facts.source }

  /// Where an answer came from.
  public struct Source: Sendable, Hashable, RawRepresentable {
    /// The word as it stands in machine output.
    public let rawValue: String

    /// Names a source.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Remembered from an earlier question.
    public static let cache = Source(rawValue: "cache")
    /// Known without asking: an account has no relationship with itself (Q4).
    public static let local = Source(rawValue: "local")
    /// Asked of an AppView.
    public static let appview = Source(rawValue: "appview")
  }

  /// Puts the edges together; those not named are absent.
  public init(
    actor: DID, target: DID, following: ATURI? = nil, followedBy: ATURI? = nil, blocking: ATURI? = nil,
    blockedBy: ATURI? = nil, blockingByList: ATURI? = nil, blockedByList: ATURI? = nil, muted: Bool? = nil,
    checkedAt: Datetime, source: Source
  ) {
    let hasEdges =
      following != nil || followedBy != nil || blocking != nil || blockedBy != nil || blockingByList != nil
      || blockedByList != nil
    let edges =
      hasEdges
      ? Edges(
        following: following, followedBy: followedBy, blocking: blocking, blockedBy: blockedBy,
        blockingByList: blockingByList, blockedByList: blockedByList) : nil
    shared = Shared(
      Facts(
        actor: actor, target: target, edges: edges, muted: muted, checkedAt: checkedAt, source: source))
  }

  /// Whether the actor follows the target.
  public var isFollowing: Bool { following != nil }
  /// Whether the target follows the actor.
  public var isFollowedBy: Bool { followedBy != nil }
  /// Whether each follows the other, whatever the blocks (Q5).
  public var mutual: Bool { isFollowing && isFollowedBy }
  /// Whether the actor blocks the target, directly or by a list.
  public var isBlocking: Bool { blocking != nil || blockingByList != nil }
  /// Whether the target blocks the actor, directly or by a list.
  public var isBlockedBy: Bool { blockedBy != nil || blockedByList != nil }
  /// Whether any block stands between the two.
  public var blocked: Bool { isBlocking || isBlockedBy }
  /// Whether there is no edge at all.
  public var isEmpty: Bool { shared.facts.edges == nil }

  /// The relationship of an account with itself, which has no edges (Q4): known without asking, at any time.
  package static func withItself(
    _ account: DID, at moment: Datetime = Datetime(microsecondsSinceEpoch: 0)
  ) -> RelationshipInfo {
    RelationshipInfo(actor: account, target: account, checkedAt: moment, source: .local)
  }

  /// The same facts, with whether the actor mutes the target.
  package func muted(_ muted: Bool) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: followedBy, blocking: blocking,
      blockedBy: blockedBy, blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      checkedAt: checkedAt, source: source)
  }

  /// The same facts, told to come from elsewhere.
  func from(_ source: Source) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: followedBy, blocking: blocking,
      blockedBy: blockedBy, blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      checkedAt: checkedAt, source: source)
  }

  /// The same facts, seen from the other end; what the actor alone knows is left out.
  var swapped: RelationshipInfo {
    RelationshipInfo(
      actor: target, target: actor, following: followedBy, followedBy: following, blocking: blockedBy,
      blockedBy: blocking, blockingByList: blockedByList, blockedByList: blockingByList,
      checkedAt: checkedAt, source: source)
  }

  /// Whether both hold the same facts, whenever and wherever they were learned.
  func holdsSameFacts(as other: RelationshipInfo) -> Bool {
    following == other.following && followedBy == other.followedBy && blocking == other.blocking
      && blockedBy == other.blockedBy && blockingByList == other.blockingByList
      && blockedByList == other.blockedByList && muted == other.muted
  }
}

extension RelationshipInfo {
  private struct Facts: Sendable, Hashable {
    let actor: DID
    let target: DID
    /// Nil where there are none, as between most.
    let edges: Edges?
    let muted: Bool?
    let checkedAt: Datetime
    let source: Source
  }

  private final class Edges: Sendable, Hashable {
    let following: ATURI?
    let followedBy: ATURI?
    let blocking: ATURI?
    let blockedBy: ATURI?
    let blockingByList: ATURI?
    let blockedByList: ATURI?

    init(
      following: ATURI?, followedBy: ATURI?, blocking: ATURI?, blockedBy: ATURI?, blockingByList: ATURI?,
      blockedByList: ATURI?
    ) {
      self.following = following
      self.followedBy = followedBy
      self.blocking = blocking
      self.blockedBy = blockedBy
      self.blockingByList = blockingByList
      self.blockedByList = blockedByList
    }

    private var all: [ATURI?] {
      [following, followedBy, blocking, blockedBy, blockingByList, blockedByList]
    }

    static func == (lhs: Edges, rhs: Edges) -> Bool { lhs === rhs || lhs.all == rhs.all }
    func hash(into hasher: inout Hasher) { hasher.combine(all) }
  }

  private final class Shared: Sendable, Hashable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }

    static func == (lhs: Shared, rhs: Shared) -> Bool { lhs === rhs || lhs.facts == rhs.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
  }
}
