// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// A graph in which an account follows others.
public struct GraphRow: OperationRow {
  public let actor: DID
  public let graph: FollowGraph
  /// Accounts that it follows.
  public let follows: Int
  /// How many of them it also follows on Bluesky; nil for Bluesky itself.
  public let alsoOnBluesky: Int?
  /// Records about something else than an account.
  public let otherSubjects: Int
  public let unreadable: Int
  /// Records that point to the account and that an index knows; nil without one.
  public let followers: Int?

  /// Fields: actor, graph, collection (its NSID), follows, alsoOnBluesky (null for Bluesky), otherSubjects (records about
  /// something else than an account), unreadable, followers (those that an index knows: a lower bound; null without one).
  public static let fieldNames = [
    "actor", "graph", "collection", "follows", "alsoOnBluesky", "otherSubjects", "unreadable", "followers",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(graph.name)
    fields.text(graph.collection.description)
    fields.number(follows)
    fields.number(alsoOnBluesky)
    fields.number(otherSubjects)
    fields.number(unreadable)
    fields.number(followers)
  }
}

/// An account that is followed in one of two graphs, or in both.
public struct GraphDifferenceRow: OperationRow {
  public var view: AccountView
  /// The record in each of the two graphs; nil where the account is not followed.
  public let records: [(graph: FollowGraph, record: ATURI?)]

  /// The graphs in which it is followed.
  public var graphs: [FollowGraph] { records.compactMap { $0.record == nil ? nil : $0.graph } }

  /// Fields: did, handle, displayName, graphs (in which it is followed), records (AT-URIs, in the same order).
  public static let fieldNames = ["did", "handle", "displayName", "graphs", "records"]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.value(.array(graphs.map { .string($0.name) }))
    fields.value(.array(records.compactMap { $0.record.map { .string($0.description) } }))
  }
}
