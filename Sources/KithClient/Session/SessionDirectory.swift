// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons

/// Signs accounts in and out, and finds the sessions of accounts that are signed in.
public struct SessionDirectory: Sendable {
  /// Stores the sessions.
  package let store: any SessionStore
  let identities: IdentityDirectory
  let named: TrustedHosts
  let client: XRPCClient

  /// Creates a directory.
  ///
  /// - Parameters:
  ///   - identities: Resolves accounts to their PDS.
  ///   - named: Services that the user named, which may be on a private network and use http.
  ///   - client: Provides transport, traffic, meter, time and configuration for calls to PDSes.
  public init(
    store: any SessionStore, identities: IdentityDirectory, named: TrustedHosts, client: XRPCClient
  ) {
    self.store = store
    self.identities = identities
    self.named = named
    self.client = client
  }

  /// Signs an account in, stores the session, and makes it the current one.
  ///
  /// The PDS is that of the account's DID document, and must use https at a public address unless the user
  /// named it.
  /// - Parameters:
  ///   - authFactorToken: The second factor, after ``SessionError/Code/secondFactorRequired``.
  ///   - chosen: The PDS to use instead.
  ///   - allowsPlainText: Whether the password may be sent to a named PDS over plain http, beyond this
  ///     machine.
  /// - Throws: ``SessionError``; ``IdentityError`` if the account or its PDS cannot be found;
  ///   `CancellationError`.
  @discardableResult
  public func signIn(
    _ account: ATIdentifier, password: Password, authFactorToken: String? = nil, at chosen: ServiceURL? = nil,
    allowsPlainText: Bool = false
  ) async throws -> Session {
    try await signIn(
      at: try await target(of: account, at: chosen, allowsPlainText: allowsPlainText), password: password,
      authFactorToken: authFactorToken)
  }

  /// Signs an account in at a target, stores the session, and makes it the current one.
  ///
  /// A response for another account is rejected.
  /// - Throws: ``SessionError``; `CancellationError`.
  @discardableResult
  package func signIn(
    at target: SignInTarget, password: Password, authFactorToken: String? = nil
  ) async throws -> Session {
    let session = try await verified(
      try await createSession(at: target, password, authFactorToken), at: target)
    try await store.withExclusiveAccess(to: session.did) {
      try await store.save(session)
    }
    try await store.setCurrent(session.did)
    return session
  }

  /// Returns the session of an account; if nil, of the current account or the only one.
  ///
  /// - Throws: ``SessionError``, with ``SessionError/Code/notSignedIn`` if there is none.
  public func session(of account: ATIdentifier?) async throws -> Session {
    let did = try await did(of: account)
    guard let session = try await store.session(of: did) else {
      throw SessionError.notSignedIn(account ?? .did(did))
    }
    return session
  }

  /// Returns the signed-in account that a name refers to; if nil, the current account or the only one.
  ///
  /// - Throws: ``SessionError``, with ``SessionError/Code/notSignedIn`` if there is none.
  package func did(of account: ATIdentifier?) async throws -> DID {
    switch account {
    case .did(let did): return did
    case .handle(let handle): return try await did(named: handle)
    case nil:
      let known = try await store.accounts()
      if let current = try await store.current(), known.contains(current) { return current }
      if known.count == 1 { return known[0] }
      guard !known.isEmpty else { throw SessionError(.notSignedIn, subject: "", detail: "not signed in") }
      throw SessionError(
        .noneChosen, subject: "", detail: "\(known.count) accounts are signed in, none is selected")
    }
  }

  /// Returns a client of the account's server that makes its calls as the account, and reaches that server at
  /// public addresses only unless the user named it.
  ///
  /// Create one per account and process: it refreshes the tokens before they expire.
  public func client(of session: Session) -> XRPCClient {
    client(of: session, signedBy: refresher(of: session))
  }

  /// Returns a client of the account's server that makes its calls with the tokens of a refresher.
  package func client(of session: Session, signedBy refresher: TokenRefresher) -> XRPCClient {
    var configuration = client.configuration
    configuration.reach = session.reach
    return XRPCClient(
      service: session.pds, transport: client.transport, configuration: configuration, meter: client.meter,
      traffic: client.traffic, time: client.time
    ).signed(by: refresher)
  }

  /// Returns a refresher of a session's tokens; create one per account and process.
  package func refresher(of session: Session) -> TokenRefresher {
    TokenRefresher(session, in: store, client: client)
  }

  /// Asks the server whether a session is valid. Returns the session with the current state of the account.
  ///
  /// - Throws: ``XRPCError``; ``SessionError/Code/wrongAnswer`` if the server responds for another account;
  ///   `CancellationError`.
  package func confirmed(_ session: Session) async throws -> Session {
    let client = client.unsigned(for: session).signed(by: refresher(of: session))
    let answer = try await client.query(Com.Atproto.Server.GetSession.self, NoParameters())
    guard answer.did == session.did else {
      throw SessionError(
        .wrongAnswer, subject: session.did,
        detail: "its server \(session.pds) responded for another account: \(answer.did)")
    }
    var confirmed = session
    confirmed.takeServerHandle(answer.handle)
    confirmed.isActive = answer.active
    confirmed.status = answer.status?.rawValue
    return confirmed
  }

  /// An unreadable file does not hide the other accounts; its error is thrown if no account matches.
  private func did(named handle: Handle) async throws -> DID {
    var fault: (any Error)?
    var found: [DID] = []
    for did in try await store.accounts() {
      do {
        if try await store.session(of: did)?.handle == handle { found.append(did) }
      } catch let error as SessionError {
        fault = fault ?? error
      }
    }
    guard found.count <= 1 else {
      throw SessionError(
        .ambiguousHandle, subject: handle,
        detail: "several accounts are signed in under it: \(found.map(\.description).joined(separator: ", "))"
      )
    }
    guard let did = found.first else { throw fault ?? SessionError.notSignedIn(.handle(handle)) }
    return did
  }
}
