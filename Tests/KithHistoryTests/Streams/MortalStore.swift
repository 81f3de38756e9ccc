// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships
import TestSupport

/// A history whose process ends after events of which only a server can tell what they changed.
final class MortalStore: ObservationStore, StreamStore, CountStore {
  struct Ended: Error {}

  private let base: InMemoryHistoryStore
  private let isOver = Watched(false)

  init(_ base: InMemoryHistoryStore) { self.base = base }

  func observe(
    _ events: [HistoryEvent], upTo cursor: StreamCursor, by reader: StreamReaderID
  ) async throws -> ObservedEvents {
    if isOver.withLock(\.self) { throw Ended() }
    let found = try await base.observe(events, upTo: cursor, by: reader)
    if !found.unresolved.isEmpty { isOver.withLock { $0 = true } }
    return found
  }

  // MARK: The rest

  func begin(
    _ listing: HistoryListing, from appview: String?, at now: Instant
  ) async throws -> any SnapshotWriter { try await base.begin(listing, from: appview, at: now) }

  func learn(_ edges: [HistoryEdge], of listing: HistoryListing) async {
    await base.learn(edges, of: listing)
  }
  func record(_ sample: AccountSample, of id: ObservationID) async { await base.record(sample, of: id) }
  func listings(of actor: DID?) async -> [HistoryListing] { await base.listings(of: actor) }
  func snapshots(of listing: HistoryListing) async -> [Snapshot] { await base.snapshots(of: listing) }

  func changes(of listing: HistoryListing, before id: ObservationID?, most: Int) async -> [Observation] {
    await base.changes(of: listing, before: id, most: most)
  }

  func intervals(
    of listing: HistoryListing, in observations: ClosedRange<ObservationID>
  ) async -> [HistoryInterval] { await base.intervals(of: listing, in: observations) }

  func intervals(of listing: HistoryListing, after account: DID?, most: Int) async -> [HistoryInterval] {
    await base.intervals(of: listing, after: account, most: most)
  }

  func intervals(of listing: HistoryListing, about account: DID) async -> [HistoryInterval] {
    await base.intervals(of: listing, about: account)
  }

  func edges(
    of listing: HistoryListing, at id: ObservationID, after account: DID?, most: Int
  ) async -> [HistoryEdge] { await base.edges(of: listing, at: id, after: account, most: most) }

  func follow(_ listings: [HistoryListing], from cursor: StreamCursor) async -> StreamReaderID {
    await base.follow(listings, from: cursor)
  }

  func unfollow(_ listings: [HistoryListing]) async { await base.unfollow(listings) }

  func readers(of listings: [HistoryListing]) async -> [HistoryListing: StreamReaderID] {
    await base.readers(of: listings)
  }

  func cursors(of listings: [HistoryListing]) async -> [HistoryListing: StreamCursor] {
    await base.cursors(of: listings)
  }

  func recordGap(of listings: [HistoryListing], since: Instant, until: Instant) async {
    await base.recordGap(of: listings, since: since, until: until)
  }

  func gaps(of listing: HistoryListing) async -> [HistoryGap] { await base.gaps(of: listing) }
  func standings(of account: DID) async -> [ListingStanding] { await base.standings(of: account) }
  func names(of account: DID) async -> [Sample<Handle>] { await base.names(of: account) }
  func record(_ counts: CountSample, of actor: DID) async { await base.record(counts, of: actor) }
  func counts(of actor: DID, since: Instant) async -> [CountSample] {
    await base.counts(of: actor, since: since)
  }
}
