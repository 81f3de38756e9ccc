// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
package import KithClient
package import KithCore

/// The session methods of a PDS in this process, as strict as the strictest one: an exchange invalidates the
/// old access and refresh token at once (table of PDSes).
package final class SessionServerDouble: Sendable {
  /// The response to a refused access token.
  package enum Refusal: Sendable {
    /// 400 `ExpiredToken`, like the reference implementation.
    case expiredToken
    /// 401 `ExpiredToken`.
    case unauthorizedExpiredToken
    /// 401 in plain text, like a lenient server.
    case plainText
  }

  private struct State {
    var generation = 1
    var refreshes = 0
    var isRevoked = false
    var isDown = false
    var losesAnswers = 0
    var accountOfAnswers: DID
  }

  /// The account of the session.
  package let did: DID
  private let handle: Handle
  private let life: Int
  private let refusal: Refusal
  private let now: @Sendable () -> Instant
  private let state: PosixMutex<State>

  /// Creates a server with the tokens of generation 1 issued at `now`.
  ///
  /// - Parameters:
  ///   - life: The lifetime of an access token in seconds.
  package init(
    account: Int = 1, life: Int = 7_200, refusal: Refusal = .expiredToken,
    now: @escaping @Sendable () -> Instant
  ) {
    did = Accounts.did(account)
    handle = Accounts.handle(account)
    self.life = life
    self.refusal = refusal
    self.now = now
    state = PosixMutex(State(accountOfAnswers: Accounts.did(account)))
    issued = PosixMutex([1: now().secondsSinceEpoch])
  }

  private let issued: PosixMutex<[Int: Int64]>

  /// How often tokens were exchanged.
  package var refreshes: Int { state.withLock(\.refreshes) }

  /// Invalidates all tokens, as a sign-out elsewhere does.
  package func revoke() { state.withLock { $0.isRevoked = true } }

  /// Exchanges tokens as another client would, and returns the new session.
  package func exchangeElsewhere() -> Session? {
    _ = renew()
    return session(of: state.withLock(\.generation))
  }

  /// Loses the responses to this many exchanges, which take effect.
  package func loseAnswers(_ count: Int) { state.withLock { $0.losesAnswers = count } }

  /// Responds to exchanges for another account.
  package func answerAs(_ did: DID) { state.withLock { $0.accountOfAnswers = did } }

  /// Refuses all requests with 503.
  package func stop() { state.withLock { $0.isDown = true } }

  /// Returns a client's session with the tokens of a generation; nil if they were never issued.
  package func session(of generation: Int = 1) -> Session? {
    guard let at = issued.withLock({ $0[generation] }), let pds = ServiceURL("https://pds.test"),
      let access = SessionToken(token("access", generation)),
      let refresh = SessionToken(token("refresh", generation))
    else { return nil }
    return Session(
      did: did, handle: handle, pds: pds, pdsIsUserSpecified: false, accessToken: access,
      refreshToken: refresh,
      receivedAt: Instant(secondsSinceEpoch: at))
  }

  /// Responds to one request.
  package func answer(_ request: TransportRequest) throws -> TransportResponse {
    let bearer = request.head.headerFields[.authorization]?.dropFirst("Bearer ".count).description ?? ""
    let (generation, isRevoked, isDown) = state.withLock { ($0.generation, $0.isRevoked, $0.isDown) }
    if isDown { return .xrpcError(503, "Down", "down") }
    if RequestQuery(request).method == "com.atproto.server.refreshSession" {
      guard bearer == token("refresh", generation), !isRevoked else {
        return .xrpcError(400, "ExpiredToken", "Token has been revoked: \(bearer)")
      }
      let isLost = renew()
      if isLost { throw TransportError(.connectionLost, host: "pds.test") }
      return TransportResponse(sessionAnswer())
    }
    let isInTime = issued.withLock {
      $0[generation].map { now().secondsSinceEpoch < $0 + Int64(life) } ?? false
    }
    guard bearer == token("access", generation), !isRevoked, isInTime else { return refusalAnswer(bearer) }
    if RequestQuery(request).method == "com.atproto.server.deleteSession" { revoke() }
    return TransportResponse(#"{"handle":"\#(handle)","did":"\#(did)"}"#)
  }

  private func renew() -> Bool {
    let (generation, isLost) = state.withLock { state in
      state.generation += 1
      state.refreshes += 1
      defer { state.losesAnswers = max(0, state.losesAnswers - 1) }
      return (state.generation, state.losesAnswers > 0)
    }
    issued.withLock { $0[generation] = now().secondsSinceEpoch }
    return isLost
  }

  private func sessionAnswer() -> String {
    let (generation, did) = state.withLock { ($0.generation, $0.accountOfAnswers) }
    return """
      {"accessJwt":"\(token("access", generation))","refreshJwt":"\(token("refresh", generation))",\
      "handle":"\(handle)","did":"\(did)","active":true}
      """
  }

  private func refusalAnswer(_ bearer: String) -> TransportResponse {
    switch refusal {
    case .expiredToken: .xrpcError(400, "ExpiredToken", "Token has expired: \(bearer)")
    case .unauthorizedExpiredToken: .xrpcError(401, "ExpiredToken", "Token has expired")
    case .plainText: TransportResponse(status: 401, "unauthorized \(bearer)", type: "text/plain")
    }
  }

  /// A JSON Web Token without a valid signature.
  private func token(_ kind: String, _ generation: Int) -> String {
    let at = issued.withLock { $0[generation] } ?? 0
    func part(_ json: String) -> String {
      Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    let claims = #"{"iat":\#(at),"exp":\#(at + Int64(life)),"scope":"\#(kind)\#(generation)"}"#
    return "\(part(#"{"alg":"none"}"#)).\(part(claims)).sig"
  }
}
