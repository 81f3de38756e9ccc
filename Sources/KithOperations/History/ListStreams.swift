// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships

/// Lists the accounts that are followed live, with how far their streams were read.
public struct ListStreams: KithOperation {
  public static let name = "listStreams"

  /// How many of the last observations of a listing are looked at for one of a stream.
  private static let lastObservations = 20

  /// Creates a request.
  public init() {}

  /// - Throws: ``OperationError`` `noHistory`.
  public func run(in workspace: Workspace, _ report: Reporter<StreamRow>) async throws -> RowsOutcome {
    let store = try workspace.historyToRead()
    let cursors = try await store.cursors(of: store.listings(of: nil))
    var rows: [DID: StreamRow] = [:]
    for (listing, cursor) in cursors {
      let gaps = try await store.gaps(of: listing)
      let last = try await store.changes(of: listing, before: nil, most: Self.lastObservations)
        .first { $0.source != .snapshot }
      var row = rows[listing.actor] ?? StreamRow(listing.actor, cursor)
      row.add(cursor, gaps, lastChange: last?.by)
      rows[listing.actor] = row
    }
    let views = try await workspace.names().views(of: rows.keys, asking: false)
    return await report.deliver(
      rows.values.sorted { $0.actor.description < $1.actor.description }.map { $0.named(views[$0.actor]) })
  }
}
