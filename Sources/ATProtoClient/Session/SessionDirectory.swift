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
  /// it. Sign in at a ``place(of:at:allowsPlainText:)`` instead to show it before the password is asked for.
  /// - Parameters:
  ///   - authFactorToken: the second factor, after ``SessionError/Code/secondFactorRequired``.
  ///   - chosen: the PDS to use instead.
  ///   - allowsPlainText: whether the password may go to a named PDS by plain http, beyond this machine.
  /// - Throws: as ``place(of:at:allowsPlainText:)`` and ``signIn(at:password:authFactorToken:)``.
  @discardableResult
  public func signIn(
    _ account: ATIdentifier, password: Password, authFactorToken: String? = nil, at chosen: ServiceURL? = nil,
    allowsPlainText: Bool = false
  ) async throws -> Session {
    try await signIn(
      at: try await place(of: account, at: chosen, allowsPlainText: allowsPlainText), password: password,
      authFactorToken: authFactorToken)
  }

  /// Signs an account in at a place, stores the session, and makes it the current one.
  ///
  /// An answer for another account than the asked one is refused.
  /// - Throws: ``SessionError``; `CancellationError`.
  @discardableResult
  public func signIn(
    at place: SignInPlace, password: Password, authFactorToken: String? = nil
  ) async throws -> Session {
    let session = try await verified(try await createSession(at: place, password, authFactorToken), at: place)
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
    let did = try await did(of: account)
    guard let session = try await store.session(of: did) else {
      throw SessionError.notSignedIn(account ?? .did(did))
    }
    return session
  }

  /// Whom a name means among those who are signed in; the current account where none is named, or the only one.
  ///
  /// - Throws: ``SessionError``, ``SessionError/Code/notSignedIn`` where there is nobody.
  public func did(of account: ATIdentifier?) async throws -> DID {
    switch account {
    case .did(let did): return did
    case .handle(let handle): return try await did(named: handle)
    case nil:
      let known = try await store.accounts()
      if let current = try await store.current(), known.contains(current) { return current }
      if known.count == 1 { return known[0] }
      guard !known.isEmpty else { throw SessionError(.notSignedIn, subject: "", detail: "not signed in") }
      throw SessionError(
        .noneChosen, subject: "", detail: "\(known.count) accounts are signed in, and none of them is chosen")
    }
  }

  /// A keeper of a session's tokens; one for each account and process.
  public func keeper(of session: Session) -> SessionKeeper {
    SessionKeeper(session, in: store, client: client)
  }

  /// Asks the server of a session whether it is good, and what it knows of the account now.
  ///
  /// - Throws: ``XRPCError``; ``SessionError/Code/wrongAnswer`` where it answers for somebody else;
  ///   `CancellationError`.
  public func confirmed(_ session: Session) async throws -> Session {
    let client = client.unsigned(for: session).signed(by: keeper(of: session))
    let answer = try await client.query(Com.Atproto.Server.GetSession.self, NoParameters())
    guard answer.did == session.did else {
      throw SessionError(
        .wrongAnswer, subject: session.did,
        detail: "its server \(session.pds) answered for \(answer.did), which is not believed")
    }
    var confirmed = session
    confirmed.takeServerHandle(answer.handle)
    confirmed.isActive = answer.active
    confirmed.status = answer.status?.rawValue
    return confirmed
  }

  /// One file that cannot be read does not hide the other accounts; without a match it is told.
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
