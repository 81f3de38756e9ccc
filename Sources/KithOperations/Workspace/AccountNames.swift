// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
import KithHistory
package import KithRelationships

/// Looks up names of accounts: from the AppView if requested, else from the local cache.
///
/// Missing names are not errors: if the cache is unavailable, there are none.
package struct AccountNames: NameStore {
  private let cache: (any AccountNameStore)?
  private let views: AccountViews
  private let time: TimeSource

  package init(_ cache: (any AccountNameStore)?, _ views: AccountViews, _ time: TimeSource) {
    self.cache = cache
    self.views = views
    self.time = time
  }

  /// Stores names from a response.
  package func remember(_ views: [AccountView]) async {
    try? await cache?.remember(views, at: time.instant)
  }

  /// The known names of accounts.
  ///
  /// - Parameter asks: whether to ask the AppView, 25 accounts per call.
  /// - Throws: `CancellationError`.
  package func views(of accounts: some Sequence<DID>, asking asks: Bool) async throws -> [DID: AccountView] {
    let accounts = Array(Set(accounts))
    guard !accounts.isEmpty else { return [:] }
    var found: [DID: AccountView] = [:]
    if asks {
      found = try await asked(accounts).found
      await remember(Array(found.values))
    }
    let remaining = accounts.filter { found[$0] == nil }
    let known = remaining.isEmpty ? nil : try? await cache?.names(of: remaining)
    return found.merging(known ?? [:]) { first, _ in first }
  }

  /// Asks the AppView, 25 accounts per call.
  ///
  /// - Returns: what it shows, and why it does not show the others, if a call failed.
  /// - Throws: `CancellationError`.
  func asked(
    _ accounts: [DID], concurrency: Int = 8
  ) async throws -> (found: [DID: AccountView], failure: RelationshipError?) {
    let outcomes = try await views.outcomes(of: accounts, concurrency: concurrency)
    let failures = outcomes.values.lazy.compactMap { outcome -> RelationshipError? in
      if case .failure(let error) = outcome { error } else { nil }
    }
    return (outcomes.compactMapValues { (try? $0.get()) ?? nil }, failures.first)
  }

  /// The accounts that were seen here and whose handle or name begins with a text, those seen last first.
  func accounts(beginningWith text: String, most: Int) async -> [DID] {
    (try? await cache?.accounts(beginningWith: text, most: most)) ?? []
  }

  /// The account last seen with a handle; needed for deleted accounts, which no server resolves.
  package func account(lastKnownAs handle: Handle) async -> DID? {
    (try? await cache?.account(lastKnownAs: handle)) ?? nil
  }

  /// Removes old names from the cache.
  package func prune() async {
    try? await cache?.prune(at: time.instant)
  }
}

extension Workspace {
  /// The most documents that a run reads for names.
  static var mostNamingDocuments: Int { 50 }

  /// The views of accounts, from the AppView, from earlier runs, and with handles from the documents of accounts that
  /// neither names, such as deactivated ones. A handle that does not lead back to its account is left out.
  ///
  /// - Parameter most: how many documents may still be read; lowered by those that were.
  /// - Throws: `CancellationError`.
  func namesFromAnywhere(
    of accounts: some Sequence<DID>, _ most: inout Int
  ) async throws -> [DID: AccountView] {
    let accounts = Array(Set(accounts))
    var found = try await names().views(of: accounts, asking: true)
    let unnamed = accounts.filter { found[$0]?.handle == nil }.sorted().prefix(max(0, most))
    most -= unnamed.count
    if unnamed.isEmpty { return found }
    let identities = try await cachedIdentities.identities(of: unnamed.map { .did($0) })
    for case .success(let identity) in identities where identity.handleIsProven == true {
      let view = AccountView(identity.did, handle: identity.handle)
      found[identity.did] = found[identity.did]?.named(by: view) ?? view
      await names().remember([view])
    }
    return found
  }

  /// The names of accounts, from the AppView and from earlier runs.
  ///
  /// - Parameters:
  ///   - patience: how long a call may take, in one attempt; nil for as long as other calls.
  ///   - viewer: the account that asks, so that the views say how it knows the others; nil to ask signed out.
  package func names(
    within patience: Duration? = nil, as viewer: AuthorizedAccount? = nil
  ) -> AccountNames {
    var client = viewer?.appview ?? appview
    if let patience {
      client.configuration.retry = RetryPolicy(attempts: 1, attemptsAtUntrustedHosts: 1, budget: patience)
      client.configuration.patience = patience
      client.configuration.limits.total = min(client.configuration.limits.total, patience)
    }
    return AccountNames(stores.cache?.names(), AccountViews(client: client), time)
  }
}
