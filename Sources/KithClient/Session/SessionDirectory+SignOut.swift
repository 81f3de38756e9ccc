// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons

extension SessionDirectory {
  /// The outcome of a sign-out at the server; the local session is removed in any case.
  public enum SignOut: Sendable {
    /// The server has revoked it.
    case revoked
    /// The server no longer knew it.
    case hadEnded
    /// The server could not be reached: it may accept the tokens until they expire.
    case notRevoked(any Error)
  }

  /// Revokes the session of an account at its server, and removes it.
  ///
  /// A session that cannot be read, or whose server cannot be reached, is removed as well.
  /// - Throws: ``SessionError`` if it could not be removed or does not exist; `CancellationError`.
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
    // The remaining tokens expire by themselves, so a dead server is not worth a long wait.
    client.configuration.retry = RetryPolicy(attempts: 3, attemptsAtUntrustedHosts: 2, budget: .seconds(15))
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
