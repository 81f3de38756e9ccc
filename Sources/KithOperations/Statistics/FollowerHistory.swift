// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithInsights
import KithRelationships

/// The snapshots of one listing, as input for analytics.
struct FollowerHistory {
  /// Accounts read per page.
  private static let pageSize = 5_000

  /// The stays of the accounts, and the complete snapshots.
  private(set) var listing = ListingHistory()
  /// The accounts on the listing now, with the times that their record keys claim.
  private(set) var present: [DID: Instant?] = [:]
  /// The accounts lost because they block the actor, and between which snapshots.
  private(set) var blockers: [DID: Membership.TimeBounds] = [:]
  /// The accounts that came or left in a time range, if one is of interest.
  private(set) var changes: [Change] = []
  /// The last complete snapshot; nil if there is none.
  private(set) var last: Snapshot?
  /// The accounts that were asked when they followed, if only some were.
  private var sample = AccountSample.all

  /// An account that came or left.
  struct Change {
    let account: DID
    let time: Membership.TimeBounds
    /// Why it left; nil for an arrival.
    let cause: LossCause?
    let isArrival: Bool
  }

  /// An empty history.
  init() {}

  /// Reads the history of a listing.
  ///
  /// - Parameters:
  ///   - now: the time now; snapshots with a later time were taken while the clock was wrong.
  ///   - keepsAccounts: whether to fill ``present``, which takes memory for each account.
  ///   - time: the time range of ``changes``; nil for none.
  /// - Throws: errors of the store.
  init(
    _ listing: HistoryListing, in store: any ObservationStore, now: Instant, keepsAccounts: Bool,
    changesIn time: Range<Instant>? = nil
  ) async throws {
    let complete = try await store.snapshots(of: listing).filter { $0.state == .complete }
    last = complete.last
    self.listing = ListingHistory(SnapshotSeries(complete.map(SnapshotFacts.init), now: now))
    // A larger sample contains every smaller one.
    sample = complete.compactMap(\.dateSample).max { $0.largest < $1.largest } ?? .all
    var account: DID?
    while true {
      let page = try await store.intervals(of: listing, after: account, most: Self.pageSize)
      guard let end = page.last?.edge.account else { return }
      account = end
      for interval in page { add(interval, keepsAccounts, time) }
    }
  }

  /// The times of all arrivals; nil where unknown.
  var arrivals: [Instant?] { listing.memberships.map(\.arrivedAt) }

  private mutating func add(
    _ interval: HistoryInterval, _ keepsAccounts: Bool, _ time: Range<Instant>?
  ) {
    let claimed = interval.edge.rkey?.tid?.instant
    var stay = ListingHistory.Stay(
      first: ListingHistory.Sight(interval.first), lostIn: interval.lostIn.map(ListingHistory.Sight.init))
    (stay.claimed, stay.isReturn) = (claimed, interval.isReturn)
    stay.isSampled = sample.contains(interval.edge.account)
    guard let membership = listing.add(stay) else { return }
    if let departure = membership.departure, interval.loss?.cause == .blockedBy {
      blockers[interval.edge.account] = departure
    }
    if let time, let came = membership.arrivedAt, time.contains(came) {
      let bounds = membership.datedArrival.map { Membership.TimeBounds(after: $0, by: $0) }
      changes.append(
        Change(
          account: interval.edge.account, time: bounds ?? membership.arrival, cause: nil, isArrival: true))
    }
    if let time, let departure = membership.departure, time.contains(departure.by) {
      changes.append(
        Change(
          account: interval.edge.account, time: departure, cause: interval.loss?.cause, isArrival: false))
    }
    if keepsAccounts, interval.lostIn == nil { present[interval.edge.account] = .some(claimed) }
  }
}

extension ListingHistory.Sight {
  fileprivate init(_ seen: Observation) {
    self =
      switch seen.source {
      case .snapshot: .snapshot(seen.id.number)
      case .event: .event(at: seen.by)
      }
  }
}

extension SnapshotFacts {
  fileprivate init(_ snapshot: Snapshot) {
    self.init(
      number: snapshot.id.number, from: snapshot.startedAt, to: snapshot.endedAt ?? snapshot.startedAt,
      listed: snapshot.counts.listed)
    isFull = snapshot.extent == .full
    isDoubtful = snapshot.note != nil
    hasUnconfirmed = snapshot.counts.unconfirmed > 0
    (gained, lost) = (snapshot.counts.gained, snapshot.counts.lost)
  }
}
