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
  /// The snapshots that are compared to tell who came and who left; nil if that is not of interest, or not known.
  private(set) var pair: SnapshotPair?
  /// The accounts that came or left between them.
  private(set) var changes: [FollowerChange] = []
  /// The last complete snapshot; nil if there is none.
  private(set) var last: Snapshot?
  /// The accounts that were asked when they followed, if only some were.
  private var sample = AccountSample.all
  /// The account whose last stay ended because the actor's own block hid it.
  private var hidden: DID?

  /// An empty history.
  init() {}

  /// Reads the history of a listing.
  ///
  /// - Parameters:
  ///   - now: the time now; snapshots with a later time were taken while the clock was wrong.
  ///   - keepsAccounts: whether to fill ``present``, which takes memory for each account.
  ///   - time: the time range whose snapshots are compared for ``changes``; nil for none.
  /// - Throws: errors of the store.
  init(
    _ listing: HistoryListing, in store: any ObservationStore, now: Instant, keepsAccounts: Bool,
    changesIn time: Range<Instant>? = nil
  ) async throws {
    let complete = try await store.snapshots(of: listing).filter { $0.state == .complete }
    last = complete.last
    self.listing = ListingHistory(SnapshotSeries(complete.map(SnapshotFacts.init), now: now))
    pair = time.flatMap(self.listing.series.pair)
    // A larger sample contains every smaller one.
    sample = complete.compactMap(\.dateSample).max { $0.largest < $1.largest } ?? .all
    var account: DID?
    while true {
      let page = try await store.intervals(of: listing, after: account, most: Self.pageSize)
      guard let end = page.last?.edge.account else { return }
      account = end
      for interval in page { add(interval, keepsAccounts) }
    }
  }

  /// The times of all arrivals; nil where unknown.
  var arrivals: [Instant?] { listing.memberships.map(\.arrivedAt) }

  private mutating func add(_ interval: HistoryInterval, _ keepsAccounts: Bool) {
    let claimed = interval.edge.rkey?.tid?.instant
    var stay = ListingHistory.Stay(
      first: ListingHistory.Sight(interval.first), lostIn: interval.lostIn.map(ListingHistory.Sight.init))
    (stay.claimed, stay.isReturn) = (claimed, interval.isReturn)
    stay.isSampled = sample.contains(interval.edge.account)
    stay.ending = ListingHistory.Ending(interval.loss?.cause)
    stay.isShownAgain = hidden == interval.edge.account
    guard let membership = listing.add(stay) else { return }
    hidden = stay.lostIn != nil && stay.ending == .hidden ? interval.edge.account : nil
    if let departure = membership.departure, interval.loss?.cause == .blockedBy {
      blockers[interval.edge.account] = departure
    }
    if let pair { changes += FollowerChange.changes(in: interval, membership, between: pair) }
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

extension ListingHistory.Ending {
  fileprivate init(_ cause: LossCause?) {
    self =
      switch cause {
      case .blockedBy: .blocked
      case .blocking: .hidden
      case .unfollowed, .deleted, .deactivated, .suspended, .removed, .unknown, nil: .left
      }
  }
}

extension SnapshotFacts {
  init(_ snapshot: Snapshot) {
    self.init(
      number: snapshot.id.number, from: snapshot.startedAt, to: snapshot.endedAt ?? snapshot.startedAt,
      listed: snapshot.counts.listed)
    isFull = snapshot.extent == .full
    isDoubtful = snapshot.note != nil
    hasUnconfirmed = snapshot.counts.unconfirmed > 0
    (gained, lost) = (snapshot.counts.gained, snapshot.counts.lost)
    counted = snapshot.hasDoubtedCount ? nil : snapshot.counts.counted
  }
}
