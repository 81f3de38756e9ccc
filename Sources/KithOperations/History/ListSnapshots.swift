// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithHistory
public import KithRelationships

/// Lists the snapshots of an account, latest first.
public struct ListSnapshots: KithOperation {
  public static let name = "listSnapshots"

  /// The account whose history it is.
  public var actor: DID
  /// Only these sides; nil for all.
  public var sides: Set<HistoryListing.Side>?
  /// The graphs of followers and follows; nil for all.
  public var graphs: Set<FollowGraph>?
  /// Only snapshots that began since.
  public var since: Instant?
  /// The most rows; nil for all.
  public var limit: Int?
  /// Whether to ask the AppView for the current name of the account.
  public var wantsNames: Bool

  public init(
    of actor: DID, sides: Set<HistoryListing.Side>? = nil, in graphs: Set<FollowGraph>? = nil,
    since: Instant? = nil, limit: Int? = nil,
    wantsNames: Bool = false
  ) {
    self.actor = actor
    self.sides = sides
    self.graphs = graphs
    self.since = since
    self.limit = limit
    self.wantsNames = wantsNames
  }

  /// - Throws: ``OperationError`` `noHistory`.
  public func run(in workspace: Workspace, _ report: Reporter<SnapshotRow>) async throws -> RowsOutcome {
    let found = try await History(try workspace.historyToRead(), now: workspace.time.instant)
      .snapshots(of: actor, sides, in: graphs, since: since)
    let handle = try await workspace.names().views(of: [actor], asking: wantsNames)[actor]?.handle
    let lists = await workspace.listNames()
    return await report.deliver(
      found.reversed().prefix(limit ?? .max).map {
        SnapshotRow(snapshot: $0, handle: handle, listName: $0.listing.listURI.flatMap { lists[$0] })
      })
  }
}
