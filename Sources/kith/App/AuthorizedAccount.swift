// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// The signed-in account of a command, with clients that sign their calls.
final class AuthorizedAccount: Sendable {
  let did: DID
  /// The last handle that the server reported.
  let handle: Handle
  /// The account's own server.
  let pds: XRPCClient
  /// The AppView through the account's own server, for viewer-specific reads and writes.
  let appview: XRPCClient

  init(did: DID, handle: Handle, pds: XRPCClient, appview: XRPCClient) {
    (self.did, self.handle, self.pds, self.appview) = (did, handle, pds, appview)
  }

  /// Whether a name is that of this account.
  func isNamed(_ name: ATIdentifier) -> Bool { name == .did(did) || name == .handle(handle) }

  /// The display name of the account, if it is the actor of a listing; nil for other actors.
  func name(in listing: ActorListing) -> String? { isNamed(listing.actor) ? handle.description : nil }

  /// The same account, and the clock of its server as the answers to the account's calls show it.
  func hearing() -> (account: AuthorizedAccount, clock: ServerClock?) {
    let time = pds.time
    var clock: ServerClock?
    let pds = pds.wrapping { transport in
      let listener = ServerClock(transport, time: time)
      clock = listener
      return listener
    }
    return (AuthorizedAccount(did: did, handle: handle, pds: pds, appview: appview), clock)
  }
}
