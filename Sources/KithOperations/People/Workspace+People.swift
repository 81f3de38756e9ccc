// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships

extension Workspace {
  /// The last day: what was read in it to find people is used again.
  var lastDay: ClosedRange<Instant> { (time.instant - .days(1))...time.instant }

  /// The accounts that are not suggested to an account again.
  func dismissed(by account: DID) async throws -> Set<DID> {
    guard let history = try stores.history(.leave) else { return [] }
    return Set(try await history.dismissals(by: account).map(\.account))
  }

  /// The newest follows of those accounts whose follows were recorded completely in the last week, newest first.
  func follows(inHistoryOf accounts: [DID]) async -> [DID: [DID]] {
    guard let history = (try? stores.history(.leave)) ?? nil else { return [:] }
    var found: [DID: [DID]] = [:]
    for account in accounts {
      let listing = HistoryListing(.follows, of: account)
      guard let snapshots = try? await history.snapshots(of: listing),
        let last = snapshots.last(where: { $0.state == .complete }),
        let end = last.endedAt, ((time.instant - .days(7))...time.instant).contains(end),
        let edges = try? await edges(of: listing, at: last.id, in: history)
      else { continue }
      let newest = edges.sorted { ($0.rkey?.description ?? "") > ($1.rkey?.description ?? "") }
      found[account] = newest.prefix(NeighbourhoodReader.follows).map(\.account)
    }
    return found
  }

  private func edges(
    of listing: HistoryListing, at observation: ObservationID, in history: any HistoryStore
  ) async throws -> [HistoryEdge] {
    let pageSize = 1_000
    var edges: [HistoryEdge] = []
    while true {
      let page = try await history.edges(
        of: listing, at: observation, after: edges.last?.account, most: pageSize)
      edges += page
      if page.count < pageSize { return edges }
    }
  }
}
