// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// Accounts that may block another one: no AppView lists all blockers, it only answers for individual accounts.
public struct BlockerCandidates: Sendable {
  /// Those that are named.
  public var names: TargetStream
  /// Listings with more.
  public var listings: [ListingQuery]
  /// Whether names that are not valid are left out.
  public var skipsInvalid: Bool

  public init(_ names: TargetStream, listings: [ListingQuery], skippingInvalid skipsInvalid: Bool) {
    self.names = names
    self.listings = listings
    self.skipsInvalid = skipsInvalid
  }

  /// The accounts, each once.
  ///
  /// - Throws: as ``Workspace/accounts(of:as:skippingInvalid:_:)``; `IdentityError` if one of them cannot be found,
  ///   because "no" would be unfounded then.
  public func accounts(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> [DID] {
    let found = try await workspace.accounts(
      of: AccountSelection([.names(names)] + listings.map { .listing($0) }), skippingInvalid: skipsInvalid,
      note)
    var accounts: [DID] = []
    var seen: Set<DID> = []
    for member in found.members {
      let account = try member.account.get()
      if seen.insert(account).inserted { accounts.append(account) }
    }
    return accounts
  }

  /// What it costs to find those of them that block an account.
  ///
  /// - Parameter needs: the facts about each of them that are wanted.
  public func cost(
    of actor: ATIdentifier, needs: AccountPredicate.Needs, in workspace: Workspace,
    _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var plan = CostPlan(concurrency: workspace.concurrency)
    let names = try await SelectedAccounts(named: names)
    try names.report(skippingInvalid: skipsInvalid, note)
    var handles = names.members.count(where: \.isResolved)
    if case .handle = actor { handles += 1 }
    plan.addHandles(handles)
    let counts = try await NetworkCounts(client: workspace.appview).entries(of: listings.map(\.listing))
    for (query, count) in zip(listings, counts) {
      plan.addListing(
        query.listing, entries: count, needs: query.predicate?.needs ?? AccountPredicate.Needs())
    }
    let asked = counts.reduce(Optional(names.members.count)) { sum, count in
      sum.flatMap { sum in count.map { sum + $0 } }
    }
    plan.addQuestions(about: asked, needs: needs, from: .blockers)
    plan.targets = asked
    return plan
  }
}
