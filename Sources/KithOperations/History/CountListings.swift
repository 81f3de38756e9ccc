// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
import KithLexicons
import KithRelationships

/// Counts the followers and follows of accounts: what their profiles say, and, apart from that, what the history lists.
///
/// A row for each side of each account. Neither number corrects the other: a profile counts records, also of accounts that
/// are hidden; a listing has accounts that are shown.
public struct CountListings: KithOperation {
  public static let name = "countListings"

  /// The accounts.
  public var actors: [DID]
  /// Whether to follow the accounts by the stream of the network, until the run is cancelled. There is another row whenever a
  /// number changes.
  public var isLive: Bool

  /// Creates a request; parameters are the properties.
  public init(of actors: [DID], isLive: Bool = false) { (self.actors, self.isLive) = (actors, isLive) }

  /// - Throws: ``OperationError`` `noHistory` if it is live and nothing can be recorded; what the stores throw.
  public func run(in workspace: Workspace, _ report: Reporter<ListingCountRow>) async throws -> RowsOutcome {
    guard let first = actors.first else { return await report.deliver([]) }
    let listings = [HistoryListing](followsOf: actors)
    let store = isLive ? try workspace.history() : try workspace.stores.history(.leave)
    let service = workspace.relationships()
    let profiles = workspace.liveProfiles(as: first, isLive ? service.overlay : nil)
    let told = isLive ? [:] : try await countsByDaemon(workspace)
    let asked = actors.filter { told[$0] == nil }
    let (read, moment) = (try await profiles.profiles(of: asked), workspace.time.instant)
    let views = try await workspace.names().views(of: actors.filter { read[$0] == nil }, asking: false)
    var rows: [ListingCountRow] = []
    for listing in listings {
      var row = ListingCountRow(
        listing: listing, view: read[listing.actor]?.view ?? views[listing.actor],
        counted: read[listing.actor]?.count(of: listing.side),
        at: moment, streamed: isLive ? 0 : nil, appview: workspace.services.appview,
        listed: try await store?.listed(on: listing))
      if let counts = told[listing.actor] { row.take(counts) }
      rows.append(row)
    }
    return await report.deliver { batch in
      for row in rows { try await batch.append(row) }
      guard isLive, let store else { return }
      try await batch.flush()
      let handoff = Handoff<LiveEvent>()
      let notes = StreamNotes(report)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [live = workspace.live(in: store)] in
          defer { handoff.end() }
          try await live.run(listings, feeding: service) { event in
            notes.take(event)
            try await handoff.put(event)
          }
        }
        defer { group.cancelAll() }
        while let event = try await handoff.next() {
          for index in rows.indices {
            let row = try await rows[index].after(event, profiles, store, at: workspace.time.instant)
            if row.hasOtherNumbers(than: rows[index]) { try await batch.append(row) }
            rows[index] = row
          }
          try await batch.flush()
        }
        try await group.next()
      }
    }
  }
}

extension CountListings {
  /// What the daemon has counted, by account.
  private func countsByDaemon(_ workspace: Workspace) async throws -> [DID: DaemonCounts] {
    guard let daemon = workspace.daemon else { return [:] }
    var counts: [DID: DaemonCounts] = [:]
    for actor in actors where try await daemon.knows(actor) {
      counts[actor] = try await daemon.counts(of: actor)
    }
    return counts
  }
}

extension ListingCountRow {
  /// Takes the count of the profile from the daemon.
  fileprivate mutating func take(_ counts: DaemonCounts) {
    let isOfFollowers = listing.side == .followers
    counted = isOfFollowers ? counts.followers : counts.follows
    streamed = isOfFollowers ? counts.followersSince : counts.followsSince
    (at, source) = (counts.readAt.instant, .daemon)
  }

  /// The row after something happened.
  ///
  /// - Parameters:
  ///   - profiles: have been told; a profile that they no longer have is requested again.
  ///   - store: has been told.
  fileprivate func after(
    _ event: LiveEvent, _ profiles: ProfileService, _ store: any HistoryStore, at now: Instant
  ) async throws -> ListingCountRow {
    var (row, requests) = (self, true)
    switch event {
    case .changed(let change) where change.listing == listing && listed != nil:
      row.listed?.count += change.kind == .lost ? -1 : 1
      row.listed?.at = change.seen.by
      row.listed?.source = change.seen.source
    case .changed(let change) where change.listing == listing:
      row.listed = try await store.listed(on: listing)
    case .read(let outcome) where outcome.snapshot.listing == listing:
      row.listed = try await store.listed(on: listing)
    case .gap: row.listed = try await store.listed(on: listing)
    // What changes a count comes with a change, or with the time up to which all is observed.
    case .observed: requests = false
    default: return row
    }
    if let profile = profiles.cachedProfile(of: listing.actor) {
      guard let count = profile.count(of: listing.side), let counted else { return row }
      row.streamed = count - counted
    } else if requests, let read = try? await profiles.profile(of: listing.actor) {
      (row.counted, row.at, row.streamed) = (read.count(of: listing.side), now, 0)
    }
    return row
  }

  fileprivate func hasOtherNumbers(than other: ListingCountRow) -> Bool {
    count != other.count || listed?.count != other.listed?.count
      || listed?.unknownSince != other.listed?.unknownSince
  }
}

extension ProfileService.Profile {
  fileprivate var view: AccountView { AccountView(did, handle: handle, displayName: displayName) }

  fileprivate func count(of side: HistoryListing.Side) -> Int? {
    (side == .followers ? followersCount : followsCount).map { Int($0) }
  }
}

extension HistoryStore {
  /// How many accounts the history lists, and since when it is current; nil if it was never read.
  fileprivate func listed(on listing: HistoryListing) async throws -> ListingCountRow.Listed? {
    let snapshot = try await snapshots(of: listing).last { $0.state == .complete }
    guard let readAt = snapshot?.endedAt else { return nil }
    let cursor = try await cursors(of: [listing])[listing]
    let gap = try await gaps(of: listing).first { $0.closedAt == nil }
    let count = try await listedCount(of: listing)
    guard let cursor, cursor.at > readAt else {
      return ListingCountRow.Listed(count: count, at: readAt, source: .snapshot, unknownSince: gap?.since)
    }
    return ListingCountRow.Listed(
      count: count, at: cursor.at, source: .event(stream: cursor.host), unknownSince: gap?.since)
  }
}
