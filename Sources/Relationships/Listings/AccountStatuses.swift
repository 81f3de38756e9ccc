// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons

/// Finds out what became of accounts that an AppView does not list: by what it says of each alone, and where it knows
/// nothing, by the directory and the account's own server (Q2, Q14).
struct AccountStatuses: Sendable {
  /// Calls under way at once.
  private static let concurrency = 8

  let client: XRPCClient
  let identities: IdentityDirectory
  let repository: Listings.RepositoryClient?

  /// The status of each; nil where nobody tells. What fails is the outcome of that account.
  ///
  /// - Throws: `CancellationError`.
  func statuses(of accounts: [DID]) async throws -> [DID: Result<AccountStatus?, RelationshipError>] {
    let found = try await accounts.concurrentMap(atMost: Self.concurrency) { account in
      let outcome: Result<AccountStatus?, RelationshipError>
      do { outcome = .success(try await status(of: account)) } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        outcome = .failure(fault)
      }
      return (account, outcome)
    }
    return Dictionary(found) { first, _ in first }
  }

  private func status(of account: DID) async throws -> AccountStatus? {
    typealias Method = App.Bsky.Actor.GetProfile
    do {
      let view = try await client.query(
        Method.self, Method.Parameters(actor: .did(account)), reading: ProfileWords.self
      ).view()
      return view.listedStatus
    } catch let error as XRPCError where error.saysNotFound {
      return try await statusAtServer(of: account)
    } catch let error as XRPCError {
      guard let hidden = RelationshipError.hiddenAccount(account, error) else { throw error }
      return hidden.code == .accountDeactivated ? .deactivated : .takenDown
    }
  }

  /// What the account's own server says, where the AppView knows nobody.
  private func statusAtServer(of account: DID) async throws -> AccountStatus? {
    do {
      let document = try await identities.document(of: account)
      guard document.pds != nil, let repository else { return nil }
      return try await Self.statusAtServer(of: account, try await repository(account))
    } catch let error as IdentityError where error.code == .notFound {
      return .deleted
    }
  }

  /// - Parameter server: asks the account's own server.
  static func statusAtServer(of account: DID, _ server: XRPCClient) async throws -> AccountStatus? {
    typealias Method = Com.Atproto.Sync.GetRepoStatus
    do {
      let answer = try await server.query(Method.self, Method.Parameters(did: account))
      if answer.active { return .active }
      switch answer.status {
      case .takendown?: return .takenDown
      case .suspended?: return .suspended
      case .deleted?: return .deleted
      case .deactivated?: return .deactivated
      // The server's own trouble, or no word.
      default: return nil
      }
    } catch let error as XRPCError where error.saysNotFound || error.name?.rawValue == "RepoNotFound" {
      return .deleted
    }
  }
}

extension AccountView {
  /// What became of an account that the AppView shows; nil where it does not.
  var listedStatus: AccountStatus? { handle.map { $0.isInvalid ? .invalidHandle : .active } }
}
