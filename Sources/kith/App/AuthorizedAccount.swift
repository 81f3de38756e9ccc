// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

/// The account in whose name a command acts, with clients that sign their calls; handed around as ``Wiring`` is.
final class AuthorizedAccount: Sendable {
  let did: DID
  /// As the server last named it.
  let handle: Handle
  /// The account's own server.
  let pds: XRPCClient
  /// The AppView, through the account's own server: what only the viewer may see or change there.
  let appview: XRPCClient

  init(did: DID, handle: Handle, pds: XRPCClient, appview: XRPCClient) {
    (self.did, self.handle, self.pds, self.appview) = (did, handle, pds, appview)
  }

  /// Whether a name is that of this account.
  func isNamed(_ name: ATIdentifier) -> Bool { name == .did(did) || name == .handle(handle) }

  /// What a person calls it where it is the actor of a listing; nil where that is somebody else.
  func name(in listing: ActorListing) -> String? { isNamed(listing.actor) ? handle.description : nil }
}
