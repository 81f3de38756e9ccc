// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Stores what was observed of listings as intervals, so an observation costs as much as what changed, not as what is listed.
///
/// Times are those of the caller's clock. Implementations may throw errors of their own
/// besides ``HistoryError``.
public protocol ObservationStore: Sendable {
  // MARK: Writing

  /// Begins a snapshot; nothing readable changes until it is finished.
  ///
  /// - Parameter appview: the URL of the AppView that it is read from; nil if another server has the listing.
  /// - Throws: ``HistoryError``, `inUse` while any process takes a snapshot of the same listing.
  func begin(
    _ listing: HistoryListing, from appview: String?, at now: Instant
  ) async throws -> any SnapshotWriter

  /// Adds record keys that were learned after the snapshot, for accounts that are on the listing and have
  /// no key; ignores others.
  func learn(_ edges: [HistoryEdge], of listing: HistoryListing) async throws

  /// Remembers with a complete snapshot which of its accounts were asked for their keys; of several samples,
  /// the largest is kept.
  func record(_ sample: AccountSample, of snapshot: ObservationID) async throws

  // MARK: Reading

  /// The listings that were observed, in the order of their first observations.
  ///
  /// - Parameter actor: nil for all actors.
  func listings(of actor: DID?) async throws -> [HistoryListing]

  /// All snapshots of a listing, oldest first.
  func snapshots(of listing: HistoryListing) async throws -> [Snapshot]

  /// Observations of a listing that found a change, the latest first. The first snapshot is not one of them: its accounts
  /// are not gains.
  ///
  /// - Parameters:
  ///   - observation: the last one of the previous page; nil for the first page.
  ///   - most: the size of a page.
  func changes(
    of listing: HistoryListing, before observation: ObservationID?, most: Int
  ) async throws -> [Observation]

  /// The intervals that begin or end with one of these observations of the listing.
  func intervals(
    of listing: HistoryListing, in observations: ClosedRange<ObservationID>
  ) async throws -> [HistoryInterval]

  /// All intervals of the listing in a stable order: grouped by account, oldest first.
  ///
  /// - Parameters:
  ///   - account: the last account of the previous page; nil for the first page.
  ///   - most: the most accounts on a page.
  func intervals(
    of listing: HistoryListing, after account: DID?, most: Int
  ) async throws -> [HistoryInterval]

  /// The intervals of one account, oldest first.
  func intervals(of listing: HistoryListing, about account: DID) async throws -> [HistoryInterval]

  /// The accounts that were on the listing when something was observed, in a stable order.
  ///
  /// - Parameters:
  ///   - account: the last account of the previous page; nil for the first page.
  ///   - most: the size of a page.
  func edges(
    of listing: HistoryListing, at observation: ObservationID, after account: DID?, most: Int
  ) async throws -> [HistoryEdge]
}

extension ObservationStore {
  /// Begins a snapshot that is not read from an AppView; see ``begin(_:from:at:)``.
  public func begin(_ listing: HistoryListing, at now: Instant) async throws -> any SnapshotWriter {
    try await begin(listing, from: nil, at: now)
  }
}

/// Receives a listing page by page. If it is released before it finishes, its snapshot shows as interrupted
/// and nothing else changes.
public protocol SnapshotWriter: Sendable {
  /// The snapshot as it began.
  var snapshot: Snapshot { get }
  /// The last complete snapshot before it.
  var previous: Snapshot? { get }

  /// Adds accounts of the listing. If an account comes twice, its first known key is kept (Q16).
  ///
  /// - Returns: the accounts that were not on the listing in the previous snapshot, once each, in order.
  func add(_ edges: [HistoryEdge]) async throws -> [DID]

  /// Accounts that were on the listing in the previous snapshot and have not been added.
  ///
  /// - Parameters:
  ///   - account: the last account of the previous page; nil for the first page.
  ///   - most: the size of a page.
  func missing(after account: DID?, most: Int) async throws -> [HistoryEdge]

  /// The accounts whose losses the last full snapshot did not believe.
  func withheld() async throws -> Set<DID>

  /// Remembers, until the next full snapshot, accounts whose losses are not believed.
  func withhold(_ accounts: [DID]) async throws

  /// Records losses.
  func lose(_ losses: [HistoryLoss]) async throws

  /// Finishes the snapshot atomically: additions and losses take effect now.
  ///
  /// - Parameters:
  ///   - counts: the profile's count and the numbers of unconfirmed and doubted losses; what was listed, gained and
  ///     lost is computed.
  ///   - note: why no losses were concluded.
  func finish(
    _ extent: Snapshot.Coverage, _ counts: Snapshot.Counts, note: String?, at now: Instant
  ) async throws -> Snapshot

  /// Ends the snapshot as failed, without any effect on the listing.
  func fail(_ note: String, at now: Instant) async throws -> Snapshot
}
