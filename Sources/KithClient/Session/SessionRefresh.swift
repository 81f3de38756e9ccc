// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The refresh of a session, as a pure state machine: fed what the store and the server say, it decides what
/// to do next. ``TokenRefresher`` drives it.
///
/// Tokens are exchanged once, because some servers invalidate the old access and refresh token at once (table
/// of PDSes). So the exchange is done under the store's lock, with the session that the store has then: if
/// another process was faster, its tokens are used.
struct SessionRefresh: Sendable {
  /// What to do next.
  enum Action: Sendable {
    /// Lock the store, unless it is locked, and read the session from it.
    case read
    /// Request new tokens from the server.
    case exchange(Session)
    /// Store the new session, which may then be used.
    case save(Session)
    /// The session is valid.
    case use(Session)
    case fail(SessionError)
  }

  /// How an exchange ended.
  enum Outcome: Sendable {
    case renewed(Session)
    /// The server refused the token.
    case refused(XRPCError)
    /// The server was not reached, failed, or its response was lost.
    case failed(XRPCError)
  }

  let account: DID
  /// The access token that the server refused; nil if the reason is the token's age.
  let refused: SessionToken?
  let margin: Duration
  private var exchanged: Session?
  private var refusal: XRPCError?

  init(of account: DID, refused: SessionToken?, margin: Duration) {
    self.account = account
    self.refused = refused
    self.margin = margin
  }

  /// Records what was read from the store, under its lock.
  mutating func read(_ stored: Session?, at now: Instant) -> Action {
    guard let stored else { return .fail(.notSignedIn(.did(account))) }
    if let exchanged, exchanged.refreshToken == stored.refreshToken {
      let words = refusal.map { ": \($0.name?.rawValue ?? $0.message)" } ?? ""
      return .fail(.ended(stored, "its session was revoked or has expired\(words)", refusal))
    }
    if stored.accessToken != refused, !stored.isDue(at: now, margin: margin) {
      return .use(stored)
    }
    exchanged = stored
    return .exchange(stored)
  }

  /// Records the outcome of an exchange.
  mutating func exchanged(_ outcome: Outcome) -> Action {
    switch outcome {
    case .renewed(let session):
      guard session.did == account else {
        return .fail(
          SessionError(
            .wrongAnswer, subject: account,
            detail: "its server returned a session of another account: \(session.did)"))
      }
      return .save(session)
    case .refused(let error):
      // A program that does not use the lock may have been faster.
      refusal = error
      return .read
    case .failed(let error):
      return .fail(
        SessionError(
          .unavailable, subject: exchanged?.handle.description ?? account.description,
          detail: "the session could not be refreshed: \(error)", underlying: error))
    }
  }
}
