// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipInsights
import Relationships

/// What the snapshots of one listing know, in the terms of analytics.
struct FollowerHistory {
  /// Accounts that are read at a time.
  private static let pageSize = 5_000

  /// How long each account was on the listing.
  private(set) var memberships: [Membership] = []
  /// How many each complete snapshot has listed.
  private(set) var counts: [CountAtMoment] = []
  /// Who is there now, and since when by the keys of their records.
  private(set) var present: [DID: Int64?] = [:]
  /// Who was lost because they block the actor, and when that was found.
  private(set) var blockers: [DID: Int64] = [:]
  /// The last complete snapshot; nil where there is none.
  private(set) var last: Snapshot?

  /// When what a snapshot found had happened.
  private struct Times {
    let arrival: Membership.Sighting
    let departure: Membership.Sighting
  }

  /// Nothing is known.
  init() {}

  /// Reads a listing.
  ///
  /// - Parameter keepsAccounts: whether ``present`` is wanted, which takes memory for each.
  /// - Throws: what the store throws.
  init(_ listing: HistoryListing, in store: any HistoryStore, keepsAccounts: Bool) async throws {
    let complete = try await store.snapshots(of: listing).filter { $0.state == .complete }
    last = complete.last
    counts = complete.map { CountAtMoment(at: $0.endedAt ?? $0.startedAt, $0.counts.listed) }
    var times: [SnapshotID: Times] = [:]
    for snapshot in complete {
      let end = snapshot.endedAt ?? snapshot.startedAt
      // As `HistoryChange` has it: a full snapshot finds what happened since the full one before.
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
