// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons

extension SessionDirectory {
  /// What became of a session that was signed out; here it is gone in any case.
  public enum SignOut: Sendable {
    /// The server has revoked it.
    case revoked
    /// The server did not know it any more.
    case hadEnded
    /// The server could not be told: it may take the tokens until they expire by themselves.
    case notRevoked(any Error)
  }

  /// Revokes the session of an account, and forgets it.
  ///
  /// A session that cannot be read, or whose server cannot be reached, is forgotten all the same.
  /// - Throws: ``SessionError`` where it could not be forgotten, or there is none; `CancellationError`.
  public func signOut(_ account: DID) async throws -> SignOut {
    let outcome = try await store.withExclusiveAccess(to: account) { () async throws -> SignOut in
      let outcome = try await revoke(account)
      try await store.remove(account)
      return outcome
    }
    try await store.clearCurrent(ifIs: account)
    return outcome
  }

  private func revoke(_ account: DID) async throws -> SignOut {
    let session: Session
    do {
      guard let stored = try await store.session(of: account) else {
        throw SessionError.notSignedIn(.did(account))
      }
      session = stored
    } catch let error as SessionError where error.code == .malformedFile || error.code == .newerFile {
      return .notRevoked(error)
    }
    var client = client.unsigned(for: session)
    // What is left behind ends by itself: a dead server is no reason to wait for long.
    client.configuration.retry = RetryPolicy(attempts: 3, attemptsAtStrangers: 2, budget: .seconds(15))
    do {
      _ = try await client.call(
        Com.Atproto.Server.DeleteSession.self, input: NoContent(), isIdempotent: true,
        bearer: session.refreshToken)
      return .revoked
    } catch let error as XRPCError {
      return error.refusesCredentials ? .hadEnded : .notRevoked(error)
    }
  }
}
