// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A session of an account at its PDS.
public struct Session: Sendable, Hashable {
  /// The account.
  public let did: DID
  /// The handle that the account's DID document claimed at sign-in; `Handle.invalid` if that handle belongs
  /// to another account.
  public var handle: Handle
  /// The server that issued the tokens; they are not sent anywhere else.
  public let pds: ServiceURL
  /// Whether the user named the PDS, which may then be on a private network; otherwise it comes from a DID
  /// document.
  public let pdsIsUserSpecified: Bool
  /// Authorizes calls, for minutes or hours.
  public var accessToken: SessionToken
  /// Gets new tokens, once.
  public var refreshToken: SessionToken
  /// When the tokens were received by the local clock.
  public var receivedAt: Instant
  /// Whether the account is active; nil if the server did not say.
  public var isActive: Bool?
  /// Why the account is not active, as the server says: `deactivated`, `takendown`, `suspended`.
  public var status: String?
  /// The handle that the server reports, if it differs from ``handle``.
  public var serverHandle: Handle?
  /// Whether the user allowed tokens to be sent in plain text, beyond this machine.
  public var allowsPlainText = false
  /// Unknown fields of the stored session. A refresh keeps them; a new sign-in does not.
  var unknownFields = UnknownFields()

  /// Creates a session from stored values.
  public init(
    did: DID, handle: Handle, pds: ServiceURL, pdsIsUserSpecified: Bool, accessToken: SessionToken,
    refreshToken: SessionToken, receivedAt: Instant, isActive: Bool? = nil, status: String? = nil
  ) {
    self.did = did
    self.handle = handle
    self.pds = pds
    self.pdsIsUserSpecified = pdsIsUserSpecified
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.receivedAt = receivedAt
    self.isActive = isActive
    self.status = status
  }

  /// Where connections to the PDS may lead.
  package var reach: TransportRequest.Reach { pdsIsUserSpecified ? .anywhere : .publicOnly }

  /// Sets the handle that the server reports, if it differs from the known one.
  mutating func takeServerHandle(_ told: Handle) { serverHandle = told == handle ? nil : told }

  /// Whether the session was opened with the account's own password, which allows everything; false if the
  /// token does not say.
  package var hasFullAccess: Bool { TokenClaims(accessToken).scope == "com.atproto.access" }

  /// Whether the access token has expired or will soon, so a call should not use it.
  ///
  /// A token without an expiry is used until the server refuses it.
  /// - Parameters:
  ///   - now: The current time.
  ///   - margin: The time before the expiry; at most a quarter of the token's lifetime.
  func isDue(at now: Instant, margin: Duration) -> Bool {
    guard let life = TokenClaims(accessToken).life(receivedAt: receivedAt) else { return false }
    return now - receivedAt >= life - min(margin, life / 4)
  }
}
