// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

/// Asks servers when the repositories of accounts last changed: by a post, a like, a follow, a new picture.
///
/// Costs the DID document and one call per account.
struct AccountActivity: Sendable {
  /// Errors with which servers report that they do not host a repository, or not at the moment.
  private static let absences: Set<String> = [
    "RepoNotFound", "RepoTakendown", "RepoSuspended", "RepoDeactivated",
  ]
  /// Concurrent calls; they go to many servers.
  private static let concurrency = 8

  let repository: Listings.RepositoryClient
  let identities: IdentityDirectory
  let time: TimeSource

  /// When each repository last changed; nil if there is none, if its server does not serve it, or if its
  /// revision is not a timestamp, as on some servers.
  ///
  /// - Throws: `CancellationError`.
  func lastChanges(of accounts: [DID]) async throws -> [DID: Result<Datetime?, RelationshipError>] {
    let found = try await accounts.concurrentMap(atMost: Self.concurrency) { account in
      let outcome: Result<Datetime?, RelationshipError>
      do {
        outcome = .success(
          try await identities.document(of: account).pds == nil
            ? nil : try await lastChange(of: account, by: try await repository(account)))
      } catch let error as IdentityError where error.code == .notFound {
        outcome = .success(nil)
      } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        outcome = .failure(fault)
      }
      return (account, outcome)
    }
    return Dictionary(found) { first, _ in first }
  }

  /// - Parameter server: a client for the account's own server.
  func lastChange(of account: DID, by server: XRPCClient) async throws -> Datetime? {
    typealias Method = Com.Atproto.Sync.GetLatestCommit
    let rev: TID
    do { rev = try await server.query(Method.self, Method.Parameters(did: account)).rev } catch let error
      as XRPCError where error.saysNotFound || Self.absences.contains(error.name?.rawValue ?? "")
    {
      return nil
    }
    // More than a day ahead is not clock skew.
    let latest = time.instant + .days(1)
    guard rev.instant >= Instant.networkBegan, rev.instant <= latest else { return nil }
    return Datetime(at: rev.instant)
  }
}
