// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons

/// Signs accounts in and out, and finds the sessions of those that are signed in.
public struct SessionDirectory: Sendable {
  /// Where sessions are kept.
  public let store: any SessionStore
  let identities: IdentityDirectory
  let named: NamedHosts
  let client: XRPCClient

  /// Makes a directory.
  ///
  /// - Parameters:
  ///   - identities: lead from an account to its PDS.
  ///   - named: services that the user named, which may stand on a private network and speak http.
  ///   - client: lends transport, traffic, meter, time and configuration to the calls of PDSes.
  public init(
    store: any SessionStore, identities: IdentityDirectory, named: NamedHosts, client: XRPCClient
  ) {
    self.store = store
    self.identities = identities
    self.named = named
    self.client = client
  }

  /// Signs an account in, stores the session, and makes it the current one.
  ///
  /// The PDS is that of the account's DID document, asked by https at a public address unless the user named
  /// it. An answer for another account than the asked one is refused.
  /// - Parameters:
  ///   - authFactorToken: the second factor, after ``SessionError/Code/secondFactorRequired``.
  ///   - chosen: the PDS to use instead.
  /// - Throws: ``SessionError``; ``IdentityError`` where the account leads to no PDS; `CancellationError`.
  @discardableResult
  public func signIn(
    _ account: ATIdentifier, password: Password, authFactorToken: String? = nil, at chosen: ServiceURL? = nil
  ) async throws -> Session {
    let place = try await place(of: account, chosen: chosen)
    let session = try await createSession(account, at: place, password, authFactorToken)
    try await store.withExclusiveAccess(to: session.did) {
      try await store.save(session)
    }
    try await store.setCurrent(session.did)
    return session
  }

  /// The session of an account; of the current one where none is named, or of the only one.
  ///
  /// - Throws: ``SessionError``, ``SessionError/Code/notSignedIn`` where there is none.
  public func session(of account: ATIdentifier?) async throws -> Session {
    switch account {
    case .did(let did):
      guard let session = try await store.session(of: did) else { throw SessionError.notSignedIn(.did(did)) }
      return session
    case .handle(let handle):
      return try await session(named: handle)
    case nil:
      let known = try await store.accounts()
      if let current = try await store.current(), let session = try await store.session(of: current) {
        return session
      }
      if known.count == 1, let only = known.first, let session = try await store.session(of: only) {
        return session
      }
      let hint = known.isEmpty ? "" : "; \(known.count) accounts are signed in, but none is chosen"
      throw SessionError(.notSignedIn, subject: "", detail: "not signed in\(hint)")
    }
  }

  /// A keeper of a session's tokens; one for each account and process.
  public func keeper(of session: Session) -> SessionKeeper {
    SessionKeeper(session, in: store, client: client)
  }

  /// One file that cannot be read does not hide the other accounts; without a match it is told.
  private func session(named handle: Handle) async throws -> Session {
    var fault: (any Error)?
    for did in try await store.accounts() {
      do {
        if let session = try await store.session(of: did), session.handle == handle { return session }
      } catch let error as SessionError {
        fault = fault ?? error
      }
    }
    throw fault ?? SessionError.notSignedIn(.handle(handle))
  }
}
