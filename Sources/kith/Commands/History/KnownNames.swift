// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships
import KithStore

/// Looks up names of accounts: from the AppView if requested, else from the local cache.
///
/// Missing names are not errors: if the cache is unavailable, there are none.
struct KnownNames: NameStore {
  private let cache: NameCache?
  private let views: AccountViews
  private let time: TimeSource

  init(_ cache: NameCache?, _ views: AccountViews, _ time: TimeSource) {
    self.cache = cache
    self.views = views
    self.time = time
  }

  /// Stores names from a response.
  func remember(_ views: [AccountView]) async {
    try? await cache?.remember(views, at: time.instant)
  }

  /// The known names of accounts.
  ///
  /// - Parameter asks: whether to ask the AppView, 25 accounts per call.
  /// - Throws: `CancellationError`.
  func views(of accounts: some Sequence<DID>, asking asks: Bool) async throws -> [DID: AccountView] {
    let accounts = Array(Set(accounts))
    guard !accounts.isEmpty else { return [:] }
    var found: [DID: AccountView] = [:]
    if asks {
      found = try await views.outcomes(of: accounts).compactMapValues { (try? $0.get()) ?? nil }
      await remember(Array(found.values))
    }
    let rest = accounts.filter { found[$0] == nil }
    let known = rest.isEmpty ? nil : try? await cache?.names(of: rest)
    return found.merging(known ?? [:]) { first, _ in first }
  }

  /// The account last seen with a handle; needed for deleted accounts, which no server resolves.
  func account(lastKnownAs handle: Handle) async -> DID? {
    (try? await cache?.account(lastKnownAs: handle)) ?? nil
  }

  /// Removes old names from the cache.
  func prune() async {
    try? await cache?.prune(before: time.instant - NameCache.lifetime)
  }
}

extension Wiring {
  /// The cached names; none with `--no-cache`.
  func names() -> KnownNames {
    let folder = remembers ? try? UserFolder.cache.path(in: environment) : nil
    return KnownNames(
      folder.flatMap { try? NameCache(folder: $0) }, AccountViews(client: appview), time)
  }
}
