// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

/// Which accounts ask to be left out of recommendations, by the record `app.bsky.actor.contentVisibilityDeclaration` in
/// their repositories. No AppView tells it, so it takes the document of each account and a call to its server.
///
/// The wording is about the posts of an account; it is taken to be about the account, too.
package struct RecommendationOptOuts: Sendable {
  /// Concurrent calls; they go to many servers.
  private static let concurrency = 8

  private let repository: Listings.RepositoryClient
  private let store: (any DiscoveryStore)?
  private let period: ClosedRange<Instant>

  /// - Parameters:
  ///   - repository: finds the servers of repositories.
  ///   - store: keeps what was read; nil for none.
  ///   - period: when something must have been read to be used again; its end is the present.
  package init(
    _ repository: @escaping Listings.RepositoryClient, keeping store: (any DiscoveryStore)?,
    readIn period: ClosedRange<Instant>
  ) {
    (self.repository, self.store, self.period) = (repository, store, period)
  }

  /// Whether accounts ask to be left out; without those of which it is unknown. An account without the record does not ask.
  ///
  /// - Returns: also the first error if no account at all could be asked; an account that is gone is not an error.
  /// - Throws: `CancellationError`.
  package func answers(of accounts: [DID]) async throws -> (known: [DID: Bool], fault: (any Error)?) {
    let known = (try? await store?.optOuts(of: accounts, readIn: period)) ?? [:]
    let found = try await accounts.filter { known[$0] == nil }.concurrentMap(atMost: Self.concurrency) {
      [repository] account -> (DID, Result<Bool, any Error>) in
      do {
        let record = try await RecordReader(of: account, client: try await repository(account))
          .record(.literalSelf, in: App.Bsky.Actor.ContentVisibilityDeclaration.nsid)
        return (account, .success(record?["hideFromAlgorithmicRecommendations"] == .bool(true)))
      } catch {
        if error is CancellationError { throw error }
        return (account, .failure(error))
      }
    }
    var read: [DID: Bool] = [:]
    var fault: (any Error)?
    for (account, asks) in found {
      do { read[account] = try asks.get() } catch let error as IdentityError where error.code == .notFound {
        continue
      } catch {
        fault = fault ?? error
      }
    }
    if !read.isEmpty { try? await store?.keep(optOuts: read, at: period.upperBound) }
    return (known.merging(read) { known, _ in known }, read.isEmpty ? fault : nil)
  }
}
