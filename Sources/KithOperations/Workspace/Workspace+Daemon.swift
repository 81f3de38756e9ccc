// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships

extension Workspace {
  /// The accounts of a query, the latest first, if the daemon has them: followers or follows of an account that it watches.
  ///
  /// Only names are asked for that no earlier run has seen. The own follows are not among them: the own repository has what was just
  /// changed, and their dates.
  /// - Returns: nil if the AppView has to list them.
  /// - Throws: as ``listings(for:with:usingCache:)``.
  func accountsByDaemon(
    _ query: ListingQuery, with details: Listings.Details, usingCache usesCache: Bool
  ) async throws -> AccountListing? {
    guard let daemon, let side = query.listing.side else { return nil }
    if side == .follows, let own = try? await accountIfAny(), own.isNamed(query.listing.actor) { return nil }
    guard
      let actor = try? await cachedIdentities.did(of: query.listing.actor), try await daemon.knows(actor),
      let edges = try await daemon.edges(on: HistoryListing(side, of: actor))
    else { return nil }
    let views = edges.map { edge in
      let record = edge.rkey.map {
        ATURI(
          authority: .did(side == .followers ? edge.account : actor), collection: .follow, recordKey: $0)
      }
      return AccountView(edge.account, record: record, since: record?.claimedDate, sinceSource: .key)
    }
    // With accounts that are hidden.
    let counts = try await daemon.counts(of: actor)
    let counted = side == .followers ? counts?.followersNow : counts?.followsNow
    return try await listings(for: query, with: details, usingCache: usesCache)
      .accounts(views, counted: counted, on: query.listing, where: query.predicate, with: details) {
        [self] views in
        try await named(views)
      }
  }

  private func named(
    _ views: [AccountView]
  ) async throws -> (views: [AccountView], fault: RelationshipError?) {
    let names = names()
    var known = try await names.views(of: views.map(\.account), asking: false)
    let unknown = views.map(\.account).filter { known[$0]?.handle == nil }
    let (found, fault) = try await names.asked(unknown)
    await names.remember(Array(found.values))
    known.merge(found) { $1 }
    return (views.map { $0.named(by: known[$0.account]) }, fault)
  }
}

extension ActorListing {
  /// The side of Bluesky's graph that it lists; nil for other listings.
  fileprivate var side: HistoryListing.Side? {
    switch self {
    case .followers: .followers
    case .follows: .follows
    case .members, .blocks, .mutes, .blockers, .graph, .reactions: nil
    }
  }
}
