// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// Finds out the status of accounts that an AppView does not list: from what it answers about each alone
/// and, if it does not know the account, from the directory and the account's own server (Q2, Q14).
package struct AccountStatuses: Sendable {
  /// Creates a client for the server of an account's repository.
  package typealias RepositoryClient = @Sendable (_ account: DID) async throws -> XRPCClient

  /// Concurrent calls.
  private static let concurrency = 8

  let client: XRPCClient
  let identities: IdentityDirectory
  /// Nil to ask no server of an account: its directory then decides.
  let repository: RepositoryClient?

  /// The evidence about one account, and the error of a failed lookup.
  package struct Outcome: Sendable {
    package var evidence = Evidence()
    package var fault: RelationshipError?
  }

  /// What servers answer about each account.
  ///
  /// - Throws: `CancellationError`.
  func outcomes(of accounts: [DID]) async throws -> [DID: Outcome] {
    let found = try await accounts.concurrentMap(atMost: Self.concurrency) { account in
      (account, try await outcome(of: account))
    }
    return Dictionary(found) { first, _ in first }
  }

  /// The accounts that the AppView shows, and what servers answer about the others.
  ///
  /// - Throws: `CancellationError`.
  package func survey(_ accounts: [DID]) async throws -> [DID: (view: AccountView?, outcome: Outcome)] {
    var most = Int.max
    return try await survey(accounts, &most)
  }

  /// The accounts that the AppView shows, and what servers answer about the others, up to a number of them.
  ///
  /// - Parameter most: how many accounts may be asked about one by one; lowered by those that were. The others
  ///   are left out.
  /// - Throws: `CancellationError`.
  package func survey(
    _ accounts: [DID], _ most: inout Int
  ) async throws -> [DID: (view: AccountView?, outcome: Outcome)] {
    var found: [DID: (view: AccountView?, outcome: Outcome)] = [:]
    var hidden: [DID] = []
    for (account, outcome) in try await AccountViews(client: client).outcomes(of: accounts) {
      switch outcome {
      case .success(let view?):
        let answer: Evidence.Answer = view.handle?.isInvalid == true ? .invalidHandle : .active
        found[account] = (view, Outcome(evidence: Evidence([.init(.profiles, answer)])))
      case .success(nil): hidden.append(account)
      case .failure(let error):
        found[account] = (nil, Outcome(evidence: Evidence([.init(.profiles, .failed)]), fault: error))
      }
    }
    let asked = hidden.prefix(max(0, most))
    most -= asked.count
    for (account, outcome) in try await outcomes(of: Array(asked)) { found[account] = (nil, outcome) }
    return found
  }

  /// What servers answer about one account.
  ///
  /// - Throws: `CancellationError`.
  func outcome(of account: DID) async throws -> Outcome {
    var outcome = Outcome()
    typealias Method = App.Bsky.Actor.GetProfile
    try await outcome.ask(.profile) {
      do {
        let view = try await client.query(
          Method.self, Method.Parameters(actor: .did(account)), reading: ProfileWords.self
        ).view()
        guard view.account == account else {
          throw RelationshipError.invalidResponse(
            Method.nsid, path: "did", "\(view.account) instead of \(account)")
        }
        return view.handle?.isInvalid == true ? .invalidHandle : .active
      } catch let error as XRPCError where error.saysNotFound {
        return .notFound
      } catch let error as XRPCError {
        guard let hidden = RelationshipError.hiddenAccount(account, error) else { throw error }
        return hidden.code == .accountDeactivated ? .deactivated : .takenDown
      }
    }
    // An account that the AppView does not know may be known to its own server and to the directory.
    guard outcome.evidence.has(.notFound) else { return outcome }
    var server: XRPCClient?
    try await outcome.ask(.directory) {
      do {
        let document = try await identities.document(of: account)
        if document.pds != nil { server = try await repository?(account) }
        return .registered
      } catch let error as IdentityError where error.code == .notFound {
        // The host of a `did:web` may only have lost the file: no directory says that the account is gone.
        guard account.method == "plc" else { throw error }
        return .deleted
      }
    }
    if let server {
      try await outcome.ask(.server) { try await Self.answer(about: account, of: server) }
    }
    return outcome
  }

  /// - Parameter server: a client for the account's own server.
  package static func answer(about account: DID, of server: XRPCClient) async throws -> Evidence.Answer {
    typealias Method = Com.Atproto.Sync.GetRepoStatus
    do {
      let answer = try await server.query(Method.self, Method.Parameters(did: account))
      if answer.active { return .active }
      switch answer.status {
      case .takendown?: return .takenDown
      case .suspended?: return .suspended
      case .deleted?: return .deleted
      case .deactivated?: return .deactivated
      // A problem of the server's own, or no status.
      default: return .unclear
      }
    } catch let error as XRPCError where error.saysNotFound || error.name?.rawValue == "RepoNotFound" {
      return .deleted
    }
  }
}

extension AccountStatuses.Outcome {
  /// Runs a lookup and adds its answer or error.
  fileprivate mutating func ask(
    _ question: Evidence.Question, _ body: () async throws -> Evidence.Answer
  ) async throws {
    do {
      evidence.findings.append(.init(question, try await body()))
    } catch {
      guard let fault = RelationshipError.wrapping(error) else { throw error }
      self.fault = fault
      evidence.findings.append(.init(question, .failed))
    }
  }
}

extension AccountView {
  /// The status of an account that the AppView shows; nil if it does not.
  package var listedStatus: AccountStatus? { handle.map { $0.isInvalid ? .invalidHandle : .active } }
}
