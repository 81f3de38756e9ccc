// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension SessionDirectory {
  func createSession(
    at target: SignInTarget, _ password: Password, _ authFactorToken: String?
  ) async throws -> Session {
    let account = target.account
    let asked = client.time.instant
    let secrets = SecretRedactor(passwords: [password.text, authFactorToken])
    let answer: Com.Atproto.Server.CreateSession.Output
    do {
      answer = try await client.unsigned(at: target.pds, reach: target.isNamed ? .anywhere : .publicOnly)
        .call(
          Com.Atproto.Server.CreateSession.self,
          input: .init(
            identifier: account.description, password: password.text, authFactorToken: authFactorToken),
          hiding: [password.text, authFactorToken])
    } catch let error as XRPCError {
      throw Self.fault(error, of: account)
    }
    guard target.did ?? answer.did == answer.did else {
      throw SessionError(
        .wrongAnswer, subject: account,
        detail: "its server \(target.pds) returned a session of another account: \(answer.did)")
    }
    guard let access = SessionToken(answer.accessJwt), let refresh = SessionToken(answer.refreshJwt) else {
      throw SessionError(
        .wrongAnswer, subject: account, detail: "its server \(target.pds) returned a malformed token")
    }
    var session = Session(
      did: answer.did, handle: answer.handle, pds: target.pds, pdsIsUserSpecified: target.isNamed,
      accessToken: access,
      refreshToken: refresh, receivedAt: asked, isActive: answer.active,
      status: answer.status.map(\.rawValue).flatMap { secrets.quotesPassword(in: $0) ? nil : $0 })
    session.allowsPlainText = target.allowsPlainText && !target.pds.keepsSecrets
    return session
  }

  /// Returns the session with the handle that the account's document claims, instead of the one that the
  /// server reports.
  ///
  /// A handle that cannot be verified at the moment stays; one that belongs to another account is dropped. If
  /// the document cannot be fetched, the server's handle stays, because the sign-in is done. A document that
  /// others on the network could have changed counts as one that cannot be fetched.
  func verified(_ session: Session, at target: SignInTarget) async throws -> Session {
    guard identities.directory(of: session.did)?.keepsSecrets ?? true || target.allowsPlainText else {
      return session
    }
    let claimed: Handle?
    var owner: Result<DID, IdentityError>?
    do {
      claimed = try await identities.document(of: session.did).handle
      if let claimed, target.verifiedBy.isEmpty || target.account != .handle(claimed) {
        owner = try await identities.verifier?.proof(of: claimed, asking: .firstAnswer).owner
      }
    } catch {
      return session
    }
    var session = session
    let told = session.handle
    session.handle =
      switch owner {
      case .success(let did): did == session.did ? claimed ?? .invalid : .invalid
      case .failure(let error): error.isConclusive ? .invalid : claimed ?? .invalid
      case nil: claimed ?? .invalid
      }
    session.takeServerHandle(told)
    return session
  }

  private static func fault(_ error: XRPCError, of account: ATIdentifier) -> SessionError {
    if error.name == Com.Atproto.Server.CreateSession.ErrorName.authFactorTokenRequired {
      return SessionError(
        .secondFactorRequired, subject: account, detail: "a second factor is required: \(error.message)",
        underlying: error)
    }
    return error.refusesCredentials
      ? SessionError(
        .refused, subject: account, detail: "\(error.service) refused the sign-in: \(error.message)",
        underlying: error)
      : SessionError(.unavailable, subject: account, detail: "not signed in: \(error)", underlying: error)
  }
}
