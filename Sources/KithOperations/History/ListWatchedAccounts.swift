// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithRelationships

/// Lists the accounts of regular snapshots, with the time of their last one.
public struct ListWatchedAccounts: KithOperation {
  public static let name = "listWatchedAccounts"

  /// Whether to ask the AppView for their current names.
  public var wantsNames: Bool

  public init(wantsNames: Bool = false) { self.wantsNames = wantsNames }

  public func run(in workspace: Workspace, _ report: Reporter<WatchRow>) async throws -> RowsOutcome {
    let store = try workspace.history()
    let watched = try await store.watched()
    let views = try await workspace.names().views(of: watched.map(\.actor), asking: wantsNames)
    var rows: [WatchRow] = []
    for actor in watched {
      let complete = try await History(store).snapshots(of: actor.actor).filter { $0.state == .complete }
      let last = complete.last?.endedAt
      rows.append(WatchRow(actor: actor, view: views[actor.actor], snapshotAt: last))
    }
    return await report.deliver(rows)
  }
}
