// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// One side of an actor's graph, as stored in a history.
public struct HistoryListing: Sendable, Hashable {
  /// The kind of listing.
  public enum Side: String, Sendable, Hashable, CaseIterable {
    /// Accounts that follow the actor.
    case followers
    /// Accounts that the actor follows.
    case follows
    /// Accounts that the actor blocks directly.
    case blocks
    /// Accounts that the actor mutes; known only to the actor's own AppView.
    case mutes
    /// Accounts on a list of the actor.
    case members
  }

  /// The actor whose graph it is.
  public let actor: DID
  /// The side of the graph.
  public let side: Side
  /// The key of the list, for ``Side/members``.
  public let list: RecordKey?
  /// The graph, for ``Side/followers`` and ``Side/follows``; nil for the other sides.
  public let graph: FollowGraph?

  /// Creates a listing for any side except the members of a list.
  ///
  /// - Parameter graph: the graph of followers and follows; has no meaning for blocks and mutes.
  public init(_ side: Side, of actor: DID, in graph: FollowGraph = .bluesky) {
    (self.side, self.actor, list) = (side, actor, nil)
    self.graph = side.hasGraphs ? graph : nil
  }

  /// Creates a listing of the members of an actor's list.
  public init(membersOf list: RecordKey, of actor: DID) {
    (side, self.actor, self.list, graph) = (.members, actor, list, nil)
  }

  /// Creates a listing from stored values; nil for a graph or a list that cannot be read.
  package init?(_ side: Side, of actor: DID, part: String) {
    switch side {
    case .members:
      guard let list = RecordKey(part) else { return nil }
      self.init(membersOf: list, of: actor)
    case .followers, .follows, .blocks, .mutes:
      guard let graph = part.isEmpty ? .bluesky : NSID(part).flatMap({ FollowGraph($0) }) else { return nil }
      self.init(side, of: actor, in: graph)
    }
  }

  /// Which part of the side it is, as stores keep it: the key of the list, or the collection of a graph of another app;
  /// empty if the side has only one.
  package var part: String {
    if let list { return list.description }
    return graph.flatMap { $0 == .bluesky ? nil : $0.collection.description } ?? ""
  }

  /// Whether it is a listing of one of these graphs, or of something else than follows.
  func isIn(_ graphs: Set<FollowGraph>) -> Bool { graph.map(graphs.contains) ?? graphs.contains(.bluesky) }
}

extension HistoryListing.Side {
  /// Whether every app has its own.
  public var hasGraphs: Bool { self == .followers || self == .follows }
}

extension HistoryListing {
  /// The collection of the records that put accounts on it; nil for mutes, which have no records.
  package var collection: NSID? {
    switch side {
    case .followers, .follows: graph?.collection ?? .follow
    case .blocks: .block
    case .members: .listitem
    case .mutes: nil
    }
  }

  /// Whether the listed accounts put themselves on it, by records of their own. The other listings are records of the actor,
  /// which stay when a listed account is hidden or deleted.
  package var isMadeByMembers: Bool { side == .followers }

  /// The account whose repository has the record of a listed account.
  package func author(of account: DID) -> DID { isMadeByMembers ? account : actor }

  /// Why an account is not listed any more whose record was deleted.
  package var causeOfDeletion: LossCause { side.hasGraphs ? .unfollowed : .removed }

  /// The list, if this is a listing of members.
  public var listURI: ATURI? {
    list.map { ATURI(authority: .did(actor), collection: .list, recordKey: $0) }
  }

  /// The record of an edge; nil if its key is unknown, and for mutes, which have no record.
  public func record(of edge: HistoryEdge) -> ATURI? {
    guard let rkey = edge.rkey else { return nil }
    let follow = graph?.collection ?? .follow
    return switch side {
    case .followers: ATURI(authority: .did(edge.account), collection: follow, recordKey: rkey)
    case .follows: ATURI(authority: .did(actor), collection: follow, recordKey: rkey)
    case .blocks: ATURI(authority: .did(actor), collection: .block, recordKey: rkey)
    case .members: ATURI(authority: .did(actor), collection: .listitem, recordKey: rkey)
    case .mutes: nil
    }
  }
}
