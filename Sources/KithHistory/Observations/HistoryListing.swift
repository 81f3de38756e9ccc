// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithRelationships

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

  /// Creates a listing for any side except the members of a list.
  public init(_ side: Side, of actor: DID) {
    self.init(side, of: actor, list: nil)
  }

  /// Creates a listing of the members of an actor's list.
  public init(membersOf list: RecordKey, of actor: DID) {
    self.init(.members, of: actor, list: list)
  }

  /// Creates a listing from stored values.
  public init(_ side: Side, of actor: DID, list: RecordKey?) {
    self.actor = actor
    self.side = side
    self.list = list
  }
}

extension HistoryListing {
  /// The list, if this is a listing of members.
  public var listURI: ATURI? {
    list.map { ATURI(authority: .did(actor), collection: .list, recordKey: $0) }
  }

  /// The record of an edge; nil if its key is unknown, and for mutes, which have no record.
  public func record(of edge: HistoryEdge) -> ATURI? {
    guard let rkey = edge.rkey else { return nil }
    return switch side {
    case .followers: ATURI(authority: .did(edge.account), collection: .follow, recordKey: rkey)
    case .follows: ATURI(authority: .did(actor), collection: .follow, recordKey: rkey)
    case .blocks: ATURI(authority: .did(actor), collection: .block, recordKey: rkey)
    case .members: ATURI(authority: .did(actor), collection: .listitem, recordKey: rkey)
    case .mutes: nil
    }
  }
}
