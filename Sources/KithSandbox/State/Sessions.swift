// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The sessions of a PDS and their tokens.
struct Sessions: Sendable {
  /// The two tokens of a session.
  struct Tokens: Hashable {
    let access: SandboxToken
    let refresh: SandboxToken
  }

  /// What a token grants.
  private struct Grant {
    let account: Int
    let session: Int
    let scope: SandboxToken.Scope
    /// When it expires: a whole second, from which on it is invalid.
    let expires: Instant
    var isRevoked = false
  }

  /// With more tokens than this, invalid ones are forgotten.
  private static let mostGrants = 20_000
  /// The lifetime at the reference server.
  private static let refreshLifetime = Duration.seconds(90 * 86_400)

  private let lifetime: Duration
  /// Whether a refresh also revokes the previous access token.
  private let endsAccess: Bool
  private var grants: [String: Grant] = [:]
  private var opened = 0

  init(lifetime: Duration, endsAccess: Bool) {
    self.lifetime = lifetime
    self.endsAccess = endsAccess
  }

  /// Opens a session.
  mutating func open(_ account: Int, did: DID, at now: Instant) -> Tokens {
    opened += 1
    return issue(account, did: did, session: opened, at: now)
  }

  /// Opens a session with tokens that were issued elsewhere. The access token has expired, so that the client
  /// has to refresh first.
  mutating func reopen(_ account: Int, expiredAccess access: String, refresh: String, at now: Instant) {
    opened += 1
    let second = Instant(secondsSinceEpoch: now.secondsSinceEpoch)
    grants[access] = Grant(account: account, session: opened, scope: .access, expires: second)
    grants[refresh] = Grant(
      account: account, session: opened, scope: .refresh,
      expires: second + Self.refreshLifetime)
  }

  /// Returns the account of an access token.
  ///
  /// - Throws: ``XRPCFault`` with the errors of the reference server.
  func account(_ token: String?, at now: Instant) throws(XRPCFault) -> Int {
    try grant(token, .access, at: now).account
  }

  /// Exchanges a refresh token, which is revoked, for new tokens.
  mutating func refresh(
    _ token: String?, at now: Instant, did: (Int) -> DID
  ) throws(XRPCFault) -> (account: Int, tokens: Tokens) {
    let grant = try grant(token, .refresh, at: now)
    revoke { [endsAccess] in $0.session == grant.session && (endsAccess || $0.scope == .refresh) }
    let tokens = issue(grant.account, did: did(grant.account), session: grant.session, at: now)
    return (grant.account, tokens)
  }

  /// Closes the session of a refresh token.
  mutating func close(_ token: String?, at now: Instant) throws(XRPCFault) {
    let grant = try grant(token, .refresh, at: now)
    revoke { $0.session == grant.session }
  }

  /// Closes all sessions of an account.
  mutating func closeAll(of account: Int) { revoke { $0.account == account } }

  private mutating func issue(_ account: Int, did: DID, session: Int, at now: Instant) -> Tokens {
    if grants.count > Self.mostGrants {
      grants = grants.filter { !$0.value.isRevoked && $0.value.expires > now }
    }
    let tokens = Tokens(
      access: SandboxToken(.access, did: did, at: now, lifetime: lifetime),
      refresh: SandboxToken(.refresh, did: did, at: now, lifetime: Self.refreshLifetime))
    for token in [tokens.access, tokens.refresh] {
      grants[token.text] = Grant(
        account: account, session: session, scope: token.scope, expires: token.expires)
    }
    return tokens
  }

  private func grant(
    _ token: String?, _ scope: SandboxToken.Scope, at now: Instant
  ) throws(XRPCFault) -> Grant {
    guard let token else { throw .authMissing }
    guard let grant = grants[token] else {
      throw XRPCFault(status: 400, name: "InvalidToken", message: "Token could not be verified")
    }
    guard grant.scope == scope else {
      throw XRPCFault(status: 400, name: "InvalidToken", message: "Bad token scope")
    }
    guard !grant.isRevoked else {
      throw XRPCFault(status: 400, name: "ExpiredToken", message: "Token has been revoked")
    }
    guard now < grant.expires else {
      throw XRPCFault(status: 400, name: "ExpiredToken", message: "Token has expired")
    }
    return grant
  }

  private mutating func revoke(where isMeant: (Grant) -> Bool) {
    for (token, grant) in grants where isMeant(grant) { grants[token]?.isRevoked = true }
  }
}
