// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipInsights
import Relationships

/// The snapshots of one listing, as input for analytics.
struct FollowerHistory {
  /// Accounts read per page.
  private static let pageSize = 5_000

  /// The period that each account was on the listing.
  private(set) var memberships: [Membership] = []
  /// The number of accounts in each complete snapshot.
  private(set) var counts: [CountAtMoment] = []
  /// The accounts on the listing now, with the times that their record keys claim.
  private(set) var present: [DID: Int64?] = [:]
  /// The accounts lost because they block the actor, and when that was detected.
  private(set) var blockers: [DID: Int64] = [:]
  /// The last complete snapshot; nil if there is none.
  private(set) var last: Snapshot?

  /// The possible times of the changes that a snapshot found.
  private struct Times {
    let arrival: Membership.Sighting
    let departure: Membership.Sighting
  }

  /// An empty history.
  init() {}

  /// Reads the history of a listing.
  ///
  /// - Parameter keepsAccounts: whether to fill ``present``, which takes memory for each account.
  /// - Throws: errors of the store.
  init(_ listing: HistoryListing, in store: any HistoryStore, keepsAccounts: Bool) async throws {
    let complete = try await store.snapshots(of: listing).filter { $0.state == .complete }
    last = complete.last
    // A clock that was set back makes a later snapshot the earlier one.
    counts = complete.map { CountAtMoment(at: $0.endedAt ?? $0.startedAt, $0.counts.listed) }
      .sorted { $0.at < $1.at }
    var times: [SnapshotID: Times] = [:]
    for snapshot in complete {
      let end = snapshot.endedAt ?? snapshot.startedAt
      // As in `HistoryChange`: a full snapshot finds changes since the previous full snapshot.
      let sinceFull = snapshot.previousFullAt ?? snapshot.previousAt
      times[snapshot.id] = Times(
        arrival: .init(after: snapshot.extent == .full ? sinceFull : snapshot.previousAt, by: end),
        departure: .init(after: sinceFull, by: end))
    }
    var account: DID?
    while true {
      let page = try await store.intervals(of: listing, after: account, most: Self.pageSize)
      guard let end = page.last?.edge.account else { return }
      account = end
      for interval in page { take(interval, times, keepsAccounts) }
    }
  }

  private mutating func take(
    _ interval: HistoryInterval, _ times: [SnapshotID: Times], _ keepsAccounts: Bool
  ) {
    guard let arrival = times[interval.first]?.arrival else { return }
    let claimed = interval.edge.rkey?.tid?.microseconds
    let departure = interval.lostIn.flatMap { times[$0]?.departure }
    let membership = Membership(
      arrival: arrival, departure: departure, claimed: claimed, isReturn: interval.isReturn)
    memberships.append(membership)
    if let departure, interval.loss?.cause == .blockedBy {
      blockers[interval.edge.account] = departure.by
    }
    if keepsAccounts, interval.lostIn == nil { present[interval.edge.account] = .some(claimed) }
  }
}
