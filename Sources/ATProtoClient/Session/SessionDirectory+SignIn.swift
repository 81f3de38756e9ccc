// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

extension SessionDirectory {
  /// Where an account signs in.
  struct Place: Sendable {
    /// Whose session must come; nil where only the PDS that the user named knows the account.
    let did: DID?
    let pds: ServiceURL
    let isNamed: Bool
  }

  func place(of account: ATIdentifier, chosen: ServiceURL?) async throws -> Place {
    if let chosen {
      // The user trusts this server with the password; names that nobody else knows are its own.
      var did: DID?
      do { did = try await identities.did(of: account) } catch is IdentityError {}
      return Place(did: did, pds: chosen, isNamed: true)
    }
    let did = try await identities.did(of: account)
    let document = try await identities.document(of: did)
    if case .handle(let handle) = account, document.handle != handle {
      let claimed = document.handle.map { "the handle \($0)" } ?? "no handle"
      throw IdentityError(
        .malformedDocument, subject: handle,
        detail: "leads to \(did), whose document claims \(claimed); sign in with the DID if that is you")
    }
    guard let pds = document.pds else {
      throw IdentityError(.malformedDocument, subject: account, detail: "its DID document names no PDS")
    }
    let isNamed = named.reach(of: pds) == .anywhere
    guard isNamed || pds.scheme == "https" else {
      throw IdentityError(
        .malformedDocument, subject: account,
        detail: "its PDS \(pds) does not speak https; name it yourself to send it a password all the same")
    }
    return Place(did: did, pds: pds, isNamed: isNamed)
  }

  func createSession(
    _ account: ATIdentifier, at place: Place, _ password: Password, _ authFactorToken: String?
  ) async throws -> Session {
    let asked = client.time.microsecondsSinceEpoch
    let answer: Com.Atproto.Server.CreateSession.Output
    do {
      answer = try await client.unsigned(at: place.pds, reach: place.isNamed ? .anywhere : .publicOnly).call(
        Com.Atproto.Server.CreateSession.self,
        input: .init(
          identifier: account.description, password: password.text, authFactorToken: authFactorToken),
        hiding: [password.text, authFactorToken])
    } catch let error as XRPCError {
      throw Self.fault(error, of: account)
    }
    guard place.did ?? answer.did == answer.did else {
      throw SessionError(
        .wrongAnswer, subject: account,
        detail: "its server \(place.pds) answered with a session of \(answer.did), which is not used")
    }
    guard let access = SessionToken(answer.accessJwt), let refresh = SessionToken(answer.refreshJwt) else {
      throw SessionError(
        .wrongAnswer, subject: account, detail: "its server \(place.pds) answered with a malformed token")
    }
    return Session(
      did: answer.did, handle: answer.handle, pds: place.pds, pdsIsNamed: place.isNamed, accessToken: access,
      refreshToken: refresh, receivedAt: asked, isActive: answer.active, status: answer.status?.rawValue)
  }

  private static func fault(_ error: XRPCError, of account: ATIdentifier) -> SessionError {
    if error.name == Com.Atproto.Server.CreateSession.ErrorName.authFactorTokenRequired {
      return SessionError(
        .secondFactorRequired, subject: account, detail: "a second factor is wanted: \(error.message)",
        underlying: error)
    }
    return error.refusesCredentials
      ? SessionError(
        .refused, subject: account, detail: "\(error.service) refused the sign-in: \(error.message)",
        underlying: error)
      : SessionError(.unavailable, subject: account, detail: "not signed in: \(error)", underlying: error)
  }
}
