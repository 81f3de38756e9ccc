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
  /// - Throws: as ``listings(for:with:usingCache:)``.
  public func accounts(
    _ query: ListingQuery, with details: Listings.Details = [], from cursor: ListingCursor? = nil,
    most: Int? = nil, usingCache usesCache: Bool = false
  ) async throws -> AccountListing {
    try await listings(for: query, with: details, usingCache: usesCache)
      .accounts(query, with: details, from: cursor, most: most)
  }

  /// The listings for a query: signed in for what the AppView shows only to the account itself. Other calls are
  /// anonymous, because the AppView hides accounts from a viewer that blocks them.
  ///
  /// - Throws: ``OperationError`` if the query needs an account that is not signed in.
  public func listings(
    for query: ListingQuery, with details: Listings.Details = [], usingCache usesCache: Bool = false
  ) async throws -> Listings {
    let owner = try await owner(of: query.listing)
    let needs = (query.predicate?.needs ?? AccountPredicate.Needs()).with(details)
    let viewer = needs.asksAboutViewer ? try await account() : owner
    var listings = listings(
      by: owner?.appview ?? appview, as: viewer?.did,
      mutesOf: try await self.owner(ofMutesIn: query.predicate, of: query.listing.actor),
      usingCache: usesCache)
    // The count of known followers is in profiles that the viewer's AppView returns.
    if needs.contains(.knownFollowers), let viewer { listings.profiles = viewer.appview }
    if !needs.lists.isEmpty {
      let account = try await accountIfAny()
      listings.list = { [self] in try await list(named: $0, of: account) }
    }
    return listings
  }

  /// The account whose own listing it is, if the AppView has more for it; nil for any other listing.
  public func owner(of listing: ActorListing) async throws -> AuthorizedAccount? {
    switch listing {
    case .mutes: return try await account()
    case .blocks(let actor):
      let account = try await accountIfAny()
      return account?.isNamed(actor) == true ? account : nil
    case .follows, .followers, .members, .blockers, .graph, .reactions: return nil
    }
  }

  /// Checks that listings in the graphs of other apps can be read, before any call.
  ///
  /// - Throws: ``OperationError`` `graphNeedsIndex` for one that needs an index, if none is named.
  package func checkIndex(for queries: [ListingQuery]) throws(OperationError) {
    for case .graph(let listing) in queries.lazy.map(\.listing) where listing.needsIndex && index == nil {
      throw .graphNeedsIndex(listing.graph, listing.actor)
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
      return try await explained(found)
    }
  }

  /// The most unknown handles that are looked up in the names of earlier runs.
  private static var mostExplained: Int { 100 }

  /// The outcomes, where a handle that no account has says which account had it: a file of addresses may be older than
  /// the last change of a name.
  private func explained(
    _ found: [Handle: Result<DID, IdentityError>]
  ) async throws -> [Handle: Result<DID, IdentityError>] {
    let unknown = found.compactMap { handle, outcome -> Handle? in
      if case .failure(let error) = outcome, error.code == .notFound { handle } else { nil }
    }
    if unknown.isEmpty { return found }
    var explained = found
    for (handle, owner) in try await formerOwners(of: unknown.prefix(Self.mostExplained)) {
      explained[handle] = .failure(
        IdentityError(.notFound, subject: handle, detail: "no account has this handle; \(owner)"))
    }
    return explained
  }

  /// What is known about the account that had a handle in an earlier run, as a phrase.
  ///
  /// - Throws: `CancellationError`.
  func formerOwners(of handles: some Sequence<Handle>) async throws -> [Handle: String] {
    var accounts: [Handle: DID] = [:]
    for handle in handles { accounts[handle] = await names().account(lastKnownAs: handle) }
    if accounts.isEmpty { return [:] }
    let shown = try await AccountViews(client: appview).outcomes(of: Array(Set(accounts.values)))
    return Dictionary(
      uniqueKeysWithValues: accounts.map { handle, account in
        if case .success(let view?)? = shown[account], let now = view.handle, !now.isInvalid, now != handle {
          return (handle, "the account that had it is \(now) now")
        }
        return (handle, "it was that of \(account)")
      })
  }
}
