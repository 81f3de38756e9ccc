// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// How an old session becomes a fresh one, as a pure state machine: told what the store and the server say, it
/// answers what to do next. ``SessionKeeper`` drives it.
///
/// Tokens are exchanged once: some servers let the old access and refresh token die at once (table of PDSes).
/// So the exchange is done under the store's lock, and what the store holds then counts, not what was known
/// before: where another process was faster, its tokens are used.
struct SessionRefresh: Sendable {
  /// What to do next.
  enum Action: Sendable {
    /// Lock the store unless that is done, and read the session from it.
    case read
    /// Ask the server for new tokens.
    case exchange(Session)
    /// Store the new session; it may be used then.
    case save(Session)
    /// The session is good.
    case use(Session)
    case fail(SessionError)
  }

  /// How an exchange ended.
  enum Outcome: Sendable {
    case renewed(Session)
    /// The server does not take the token.
    case refused(XRPCError)
    /// The server was not reached, failed, or its answer was lost.
    case failed(XRPCError)
  }

  let account: DID
  /// The access token that the server did not take; nil where the reason is the token's age.
  let refused: SessionToken?
  let margin: Duration
  private var exchanged: Session?
  private var refusal: XRPCError?

  init(of account: DID, refused: SessionToken?, margin: Duration) {
    self.account = account
    self.refused = refused
    self.margin = margin
  }

  /// The store was read, under its lock.
  mutating func read(_ stored: Session?, at microsecondsSinceEpoch: Int64) -> Action {
    guard let stored else { return .fail(.notSignedIn(.did(account))) }
    if let exchanged, exchanged.refreshToken == stored.refreshToken {
      let words = refusal.map { ": \($0.name?.rawValue ?? $0.message)" } ?? ""
      return .fail(.ended(stored, "its session was revoked or has expired\(words)", refusal))
    }
    if stored.accessToken != refused, !stored.isDue(at: microsecondsSinceEpoch, margin: margin) {
      return .use(stored)
    }
    exchanged = stored
    return .exchange(stored)
  }

  /// The server was asked for new tokens.
  mutating func exchanged(_ outcome: Outcome) -> Action {
    switch outcome {
    case .renewed(let session):
      guard session.did == account else {
        return .fail(
          SessionError(
            .wrongAnswer, subject: account,
            detail: "its server answered with a session of \(session.did), which is not used"))
      }
      return .save(session)
    case .refused(let error):
      // Somebody who knows of no lock may have been faster.
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
