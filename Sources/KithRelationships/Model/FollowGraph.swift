// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A graph of follows: one collection whose records say which accounts their author follows.
///
/// Each app keeps a graph of its own, as `{subject, createdAt}` in the repository of the follower. What records mean
/// beyond that is up to the app: in ``weaver``, a follow of an account with a `followGate` is a request until the
/// account accepts it.
public struct FollowGraph: Sendable, Hashable {
  /// A single reference, because each row of a check has one.
  private let shared: Shared

  private final class Shared: Sendable {
    let app: String?
    let kind: EdgeKind

    init(_ app: String?, _ kind: EdgeKind) { (self.app, self.kind) = (app, kind) }
  }

  private var app: String? { shared.app }
  /// The kind of its records.
  public var kind: EdgeKind { shared.kind }

  /// The collection of its records.
  public var collection: NSID { kind.collection }

  /// The name of the app; the NSID of the collection if Kith does not know it.
  public var name: String { app ?? collection.description }

  /// Whether Kith knows the lexicon of its records, and may therefore write them.
  public var isKnown: Bool { app != nil }

  /// Whether the collection is one of the protocol or of Bluesky, whose lexicons say that its records are not follows.
  public var isReserved: Bool {
    !isKnown
      && ["app.bsky.", "chat.bsky.", "com.atproto.", "tools.ozone."].contains {
        collection.description.lowercased().hasPrefix($0)
      }
  }

  private init(_ app: String?, _ kind: EdgeKind) { shared = Shared(app, kind) }

  /// `app.bsky.graph.follow`.
  public static let bluesky = FollowGraph("bluesky", .follow)
  /// `sh.tangled.graph.follow`.
  public static let tangled = FollowGraph("tangled", EdgeKind(NSID(generated: "sh.tangled.graph.follow")))
  /// `social.grain.graph.follow`.
  public static let grain = FollowGraph("grain", EdgeKind(NSID(generated: "social.grain.graph.follow")))
  /// `so.sprk.graph.follow`.
  public static let spark = FollowGraph("spark", EdgeKind(NSID(generated: "so.sprk.graph.follow")))
  /// `network.cosmik.follow`, whose subjects may be collections, too.
  public static let cosmik = FollowGraph("cosmik", EdgeKind(NSID(generated: "network.cosmik.follow")))
  /// `sh.weaver.graph.follow`.
  public static let weaver = FollowGraph("weaver", EdgeKind(NSID(generated: "sh.weaver.graph.follow")))

  /// The graphs that Kith knows by name, Bluesky's first.
  public static let known: [FollowGraph] = [.bluesky, .tangled, .grain, .spark, .cosmik, .weaver]

  /// The graph of a collection: a known one, else one of an app that Kith does not know; nil for a collection whose
  /// records are known to be something else, such as blocks.
  public init?(_ collection: NSID) {
    if let known = Self.known.first(where: { $0.collection == collection }) {
      self = known
      return
    }
    guard let kind = EdgeKind(of: collection), kind.isOfOtherApp else { return nil }
    self.init(nil, kind)
  }

  /// Parses the name of a known graph, or an NSID; nil for anything else.
  public init?(parsing text: String) {
    if let known = Self.known.first(where: { $0.name == text.lowercased() }) {
      self = known
    } else if let collection = NSID(text) {
      self.init(collection)
    } else {
      return nil
    }
  }

  public static func == (graph: FollowGraph, other: FollowGraph) -> Bool {
    graph.shared === other.shared || graph.kind == other.kind
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

extension FollowGraph {
  /// Whether a collection looks like a graph: a known one, or one whose name ends in `follow`, as those of all known
  /// apps do.
  package static func isLikely(_ collection: NSID) -> Bool {
    FollowGraph(collection) != nil && collection.description.hasSuffix(".follow")
  }
}

/// Accounts by their follows in the graph of an app that no AppView indexes: from the records of repositories, and
/// followers from a backlink index.
public struct GraphListing: Sendable, Hashable {
  /// Which accounts are listed.
  public enum Side: Sendable, Hashable {
    /// Accounts that the actor follows.
    case follows
    /// Accounts that follow the actor and that an index knows.
    case followers
    /// Accounts that the actor follows and that follow the actor, by their own repositories.
    case mutuals
    /// Accounts that the actor follows and that do not follow back, by their own repositories.
    case notFollowingBack
    /// Accounts that follow the actor and that an index knows, and that the actor does not follow.
    case notFollowedBack
    /// Accounts that the actor and all of these follow.
    case common([ATIdentifier])
  }

  public let graph: FollowGraph
  public let side: Side
  public let actor: ATIdentifier

  public init(_ side: Side, of actor: ATIdentifier, in graph: FollowGraph) {
    (self.side, self.actor, self.graph) = (side, actor, graph)
  }

  /// Whether an index is asked, whose answers are lower bounds (Q26).
  package var needsIndex: Bool { side == .followers || side == .notFollowedBack }
}
