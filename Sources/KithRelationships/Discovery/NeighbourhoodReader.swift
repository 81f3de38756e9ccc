// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// The follows of an actor, and the follows of those.
package struct Neighbourhood: Sendable {
  /// The paths to accounts at a distance of two.
  package var graph = NeighbourGraph()
  /// All accounts that the actor follows, with their names, newest first.
  package internal(set) var follows: [AccountView] = []
  /// How many of these were looked at.
  package internal(set) var looked = 0
  /// How many of those took a call; the others were known.
  package internal(set) var asked = 0
  /// How many of them cannot be read: what they follow is unknown.
  package internal(set) var unknown = 0
  /// The first error.
  package internal(set) var fault: (any Error)?
}

/// Reads the follows of the accounts that an actor follows: the newest 100 of each, because one page of an AppView has no more.
package struct NeighbourhoodReader: Sendable {
  /// How many of the actor's follows are looked at, unless more are asked for.
  package static let usualReach = 200
  /// How many follows of each are looked at.
  package static let follows = Listings.pageSize
  /// Kept together, so that an interrupted read continues where it was.
  private static let batchSize = 40

  private let listings: Listings
  private let store: (any DiscoveryStore)?
  private let period: ClosedRange<Instant>
  private let concurrency: Int
  private let earlier: @Sendable ([DID]) async -> [DID: [DID]]

  /// - Parameters:
  ///   - store: keeps what was read; nil for none.
  ///   - period: when something must have been read to be used again; its end is the present.
  ///   - earlier: the follows that a history knows, newest first; those of accounts without one are left out.
  package init(
    _ listings: Listings, keeping store: (any DiscoveryStore)?, readIn period: ClosedRange<Instant>,
    concurrency: Int, earlier: @escaping @Sendable ([DID]) async -> [DID: [DID]] = { _ in [:] }
  ) {
    self.listings = listings
    self.store = store
    self.period = period
    self.concurrency = concurrency
    self.earlier = earlier
  }

  /// - Parameters:
  ///   - reach: how many of the actor's newest follows are looked at.
  ///   - progress: receives how many more were read.
  /// - Throws: what the listing of the actor's own follows throws; `CancellationError`.
  package func neighbourhood(
    of actor: DID, reach: Int, _ progress: @Sendable (_ more: Int) -> Void = { _ in }
  ) async throws -> Neighbourhood {
    var found = Neighbourhood()
    var own = listings.accounts(.follows(of: .did(actor))).makeAsyncIterator()
    while let view = try await own.next() { found.follows.append(view) }
    found.fault = own.coverage.fault
    let near = Array(found.follows.prefix(max(0, reach)))
    let profiles = try await AccountViews(client: listings.client).outcomes(
      of: near.map(\.account), concurrency: concurrency)
    for batch in near.map(\.account).parts(of: Self.batchSize) {
      let follows = try await follows(of: batch, &found)
      for account in batch {
        guard let members = follows[account] else { continue }
        found.looked += 1
        let profile = try? profiles[account]?.get()
        found.graph.add(.account(account), members, degree: profile?.counts?.follows ?? members.count)
      }
      progress(batch.count)
    }
    return found
  }

  private func follows(of batch: [DID], _ found: inout Neighbourhood) async throws -> [DID: [DID]] {
    var follows = (try? await store?.follows(of: batch, readIn: period)) ?? [:]
    let unread = batch.filter { follows[$0] == nil }
    if !unread.isEmpty { follows.merge(await earlier(unread)) { known, _ in known } }
    let missing = batch.filter { follows[$0] == nil }
    let answers = try await missing.concurrentMap(atMost: concurrency) {
      [listings] account -> (account: DID, answer: Result<[DID], RelationshipError>) in
      do {
        var pages = listings.pages(of: .follows(of: .did(account)), most: Self.follows).makeAsyncIterator()
        return (account, .success(try await pages.nextPage()?.map(\.account) ?? []))
      } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        return (account, .failure(fault))
      }
    }
    var read: [DID: [DID]] = [:]
    for (account, answer) in answers {
      switch answer {
      case .success(let members): read[account] = members
      case .failure(let error):
        found.unknown += 1
        // An account that is gone has no follows to look at.
        if error.code != .actorNotFound { found.fault = found.fault ?? error }
      }
    }
    found.asked += missing.count
    if !read.isEmpty { try? await store?.keep(follows: read, at: period.upperBound) }
    return follows.merging(read) { known, _ in known }
  }
}
