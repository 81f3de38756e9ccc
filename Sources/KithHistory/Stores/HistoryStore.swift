// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A history: what was observed, and what is tracked beside it.
public protocol HistoryStore: ObservationStore, StreamStore, CountStore, SegmentStore, WatchStore,
  DismissalStore
{
  /// Deletes intervals that ended, counts that were recorded and snapshots that failed before a time.
  ///
  /// What was deleted or shown again before that time is forgotten as well, closed gaps, and names that have changed since.
  /// Accounts that are on a listing now stay, and since when, and whether they had left before. The counts of
  /// complete snapshots stay, so that they show how many intervals are missing.
  /// - Returns: the number of deleted intervals.
  @discardableResult
  func prune(before: Instant) async throws -> Int

  /// Deletes everything about an actor's listings, and its dismissals; returns false if there was nothing.
  ///
  /// - Throws: ``HistoryError``, `inUse` while a snapshot of one of them is being taken.
  @discardableResult
  func forget(_ actor: DID) async throws -> Bool
}
