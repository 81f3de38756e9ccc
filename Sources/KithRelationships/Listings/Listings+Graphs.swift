// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

extension Listings {
  /// Repositories that are read at the same time.
  private static let concurrency = 8

  /// The records behind a listing of another app's graph, and the repositories that decide which accounts are left.
  func records(of listing: GraphListing) -> ListingRecords {
    let kind = listing.graph.kind
    var records =
      listing.needsIndex
      ? ListingRecords(areAll: false) { [self] owner in
        let owner = try await self.owner(asking: index, for: owner.map { .did($0) } ?? listing.actor)
        return backlinks.links(from: BacklinkIndex.Source(kind), to: { owner.description }) { view in
          view.account == owner ? nil : .success(view)
        }
      }
      : ListingRecords { [self] owner in
        let owner = try await known(owner, or: listing.actor)
        return try await reader(of: owner).accounts(in: kind)
      }
    switch listing.side {
    case .follows, .followers: break
    case .mutuals: records.confirm = { try await self.confirmed($0, listing) { $0 } }
    case .notFollowingBack: records.confirm = { try await self.confirmed($0, listing) { !$0 } }
    case .notFollowedBack:
      let followed = ReadOnce { try await self.follows(of: [listing.actor], in: listing.graph) }
      records.confirm = { views in
        let followed = try await followed.value()
        return ConfirmedAccounts(
          views: views.filter { view in !followed.contains { $0.contains(view.account) } })
      }
    case .common(let others):
      let followed = ReadOnce { try await self.follows(of: others, in: listing.graph) }
      records.confirm = { views in
        let followed = try await followed.value()
        return ConfirmedAccounts(
          views: views.filter { view in followed.allSatisfy { $0.contains(view.account) } })
      }
    }
    records.isFiltered = listing.side != .follows && listing.side != .followers
    return records
  }

  func reader(of account: DID) async throws -> RecordReader {
    guard let repository else { throw RelationshipError.clientNotConfigured }
    return RecordReader(of: account, client: try await repository(account))
  }

  /// The accounts that each of some actors follows, by its repository.
  private func follows(of actors: [ATIdentifier], in graph: FollowGraph) async throws -> [Set<DID>] {
    try await actors.concurrentMap(atMost: Self.concurrency) { actor in
      let reader = try await reader(of: try await known(nil, or: actor))
      return Set(try await GraphFollows(graph, by: reader).accounts.keys)
    }
  }

  /// The accounts for which it is true or false that they follow the actor of a listing.
  private func confirmed(
    _ views: [AccountView], _ listing: GraphListing, where isWanted: @escaping @Sendable (Bool) -> Bool
  ) async throws -> ConfirmedAccounts {
    let actor = try await known(nil, or: listing.actor)
    let answers = try await views.concurrentMap(atMost: Self.concurrency) { view in
      try await follow(from: view.account, to: actor, in: listing.graph)
    }
    var confirmed = ConfirmedAccounts(views: [])
    for (view, answer) in zip(views, answers) {
      switch answer {
      case .found: if isWanted(true) { confirmed.views.append(view) }
      case .absent: if isWanted(false) { confirmed.views.append(view) }
      case .unseen: confirmed.unseen += 1
      case .tooLong: confirmed.undecided += 1
      case .failed(let error):
        confirmed.undecided += 1
        confirmed.fault = confirmed.fault ?? error
      }
    }
    return confirmed
  }
}
