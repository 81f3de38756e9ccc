// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithHistory
import KithRelationships

/// Lists the snapshots of an account, latest first.
package struct ListSnapshots: KithOperation {
  /// The account whose history it is.
  package var actor: DID
  /// Only these sides; nil for all.
  package var sides: Set<HistoryListing.Side>?
  /// Only snapshots that began since.
  package var since: Instant?
  /// The most rows; nil for all.
  package var limit: Int?
  /// Whether to ask the AppView for the current name of the account.
  package var wantsNames: Bool

  package init(
    of actor: DID, sides: Set<HistoryListing.Side>? = nil, since: Instant? = nil, limit: Int? = nil,
    wantsNames: Bool = false
  ) {
    self.actor = actor
    self.sides = sides
    self.since = since
    self.limit = limit
    self.wantsNames = wantsNames
  }

  /// - Throws: ``OperationError`` `noHistory`.
  package func run(in workspace: Workspace, _ report: Reporter<SnapshotRow>) async throws -> RowsOutcome {
    let found = try await History(try workspace.historyToRead()).snapshots(of: actor, sides)
      .filter { $0.startedAt >= since ?? .distantPast }
    let handle = try await workspace.names().views(of: [actor], asking: wantsNames)[actor]?.handle
    return await report.deliver(
      found.reversed().prefix(limit ?? .max).map { SnapshotRow(snapshot: $0, handle: handle) })
  }
}
