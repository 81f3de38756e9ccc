// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import Relationships

/// Names of accounts: as a server tells them where it is asked, else as they were last seen here.
///
/// Nothing fails for want of a name: where the cache cannot be used there is none.
struct KnownNames: Sendable {
  private let cache: NameCache?
  private let views: AccountViews
  private let time: TimeSource

  init(_ cache: NameCache?, _ views: AccountViews, _ time: TimeSource) {
    self.cache = cache
    self.views = views
    self.time = time
  }

  /// Keeps names that an answer has brought.
  func remember(_ views: [AccountView]) async {
    try? await cache?.remember(views, at: time.microsecondsSinceEpoch)
  }

  /// The names of accounts, as far as they are known.
  ///
  /// - Parameter asks: whether the AppView is asked, 25 a call.
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

  /// The account that had a handle when it was last seen here: of one that is gone no server tells.
  func account(lastKnownAs handle: Handle) async -> DID? {
    (try? await cache?.account(lastKnownAs: handle)) ?? nil
  }

  /// Forgets names that were not seen for long.
  func prune() async {
    try? await cache?.prune(before: time.microsecondsSinceEpoch - NameCache.lifetime.inMilliseconds * 1_000)
  }
}

extension Wiring {
  /// The names that were seen here; none with `--no-cache`.
  func names() -> KnownNames {
    let folder = remembers ? try? UserFolder.cache.path(in: environment) : nil
    return KnownNames(
      folder.flatMap { try? NameCache(folder: $0) }, AccountViews(client: appview), time)
  }
}
