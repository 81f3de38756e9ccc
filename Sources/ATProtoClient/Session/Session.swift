// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account that is signed in at its PDS.
public struct Session: Sendable, Hashable {
  /// Whose session it is.
  public let did: DID
  /// The handle that the account's DID document claimed when it signed in; ``Handle/invalid`` where that handle leads to
  /// another account.
  public var handle: Handle
  /// The server that issued the tokens; they go nowhere else.
  public let pds: ServiceURL
  /// Whether the user named the PDS, so that it may stand on a private network; else a DID document did.
  public let pdsIsNamed: Bool
  /// Signs calls, for minutes or hours.
  public var accessToken: SessionToken
  /// Gets new tokens, once.
  public var refreshToken: SessionToken
  /// When the tokens came, in microseconds since 1970-01-01T00:00:00Z by the clock of this machine.
  public var receivedAt: Int64
  /// Whether the account is active; nil where the server did not say.
  public var isActive: Bool?
  /// Why an account is not active, in the server's word: `deactivated`, `takendown`, `suspended`.
  public var status: String?
  /// What the server calls the account, where that is not ``handle``.
  public var serverHandle: Handle?
  /// Whether the user allowed that tokens travel in plain text, beyond this machine.
  public var allowsPlainText = false
  /// What the stored session says beyond that. A refresh keeps it; a new sign-in does not.
  var unknownFields = UnknownFields()

  /// Puts a session together, as a store has kept it.
  public init(
    did: DID, handle: Handle, pds: ServiceURL, pdsIsNamed: Bool, accessToken: SessionToken,
    refreshToken: SessionToken, receivedAt: Int64, isActive: Bool? = nil, status: String? = nil
  ) {
    self.did = did
    self.handle = handle
    self.pds = pds
    self.pdsIsNamed = pdsIsNamed
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.receivedAt = receivedAt
    self.isActive = isActive
    self.status = status
  }

  /// Where connections to the PDS may lead.
  public var reach: TransportRequest.Reach { pdsIsNamed ? .anywhere : .publicOnly }

  /// Takes what the server calls the account beside the handle that is known.
  mutating func takeServerHandle(_ told: Handle) { serverHandle = told == handle ? nil : told }

  /// Whether the account's own password opened it, so that it may do everything the account may; false where the
  /// token does not say.
  package var hasFullAccess: Bool { TokenClaims(accessToken).scope == "com.atproto.access" }

  /// Whether the access token is so near to its end, or beyond it, that a call should not go out with it.
  ///
  /// One that does not tell its end is used until the server refuses it.
  /// - Parameters:
  ///   - microsecondsSinceEpoch: the time of asking.
  ///   - margin: how long before the end; a quarter of the token's life at most.
  func isDue(at microsecondsSinceEpoch: Int64, margin: Duration) -> Bool {
    guard let life = TokenClaims(accessToken).life(receivedAt: receivedAt) else { return false }
    let (age, isTooLarge) = microsecondsSinceEpoch.subtractingReportingOverflow(receivedAt)
    return isTooLarge || .microseconds(age) >= life - min(margin, life / 4)
  }
}
