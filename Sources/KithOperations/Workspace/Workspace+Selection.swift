// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships

extension Workspace {
  // MARK: Listings

  /// The accounts of a query, as the listing of the same name shows them.
  ///
  /// - Parameters:
  ///   - details: further facts to learn about each account.
  ///   - usesCache: see `listings(by:as:mutesOf:usingCache:)`.
  /// - Throws: as ``listings(for:usingCache:)``.
  public func accounts(
    _ query: ListingQuery, with details: Listings.Details = [], from cursor: ListingCursor? = nil,
    most: Int? = nil, usingCache usesCache: Bool = false
  ) async throws -> AccountListing {
    try await listings(for: query, usingCache: usesCache)
      .accounts(query, with: details, from: cursor, most: most)
  }

  /// The listings for a query: signed in for what the AppView shows only to the account itself. Other calls are
  /// anonymous, because the AppView hides accounts from a viewer that blocks them.
  ///
  /// - Throws: ``OperationError`` if the query needs an account that is not signed in.
  public func listings(for query: ListingQuery, usingCache usesCache: Bool = false) async throws -> Listings {
    let owner = try await owner(of: query.listing)
    let needsViewer = query.predicate?.needs.relationships.contains(.viewer) == true
    let viewer = needsViewer ? try await account() : owner
    return listings(
      by: owner?.appview ?? appview, as: viewer?.did,
      mutesOf: try await self.owner(ofMutesIn: query.predicate, of: query.listing.actor),
      usingCache: usesCache)
  }

  /// The account whose own listing it is, if the AppView has more for it; nil for any other listing.
  public func owner(of listing: ActorListing) async throws -> AuthorizedAccount? {
    switch listing {
    case .mutes: return try await account()
    case .blocks(let actor):
      let account = try await accountIfAny()
      return account?.isNamed(actor) == true ? account : nil
    case .follows, .followers, .members, .blockers: return nil
    }
  }

  // MARK: Selections

  /// Finds the accounts of selections, for an account that changes them.
  ///
  /// - Parameter account: what predicates are about; its server resolves handles if the AppView is down.
  public func selector(
    for account: AuthorizedAccount? = nil, usingCache usesCache: Bool = false
  ) -> AccountSelector {
    AccountSelector(for: account.map { AccountSelector.Actor($0.did, $0.handle) }) { [self] query in
      try await listings(for: query, usingCache: usesCache)
    } resolving: { [self] handles in
      let found =
        if let account {
          try await identities.dids(of: handles, orBy: account.pds)
        } else {
          try await identities.dids(of: handles)
        }
      // Tables show the handle later, also where only the DID is known.
      await names().remember(
        found.compactMap { handle, outcome in (try? outcome.get()).map { AccountView($0, handle: handle) } })
      return found
    }
  }
}
