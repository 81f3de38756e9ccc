// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
package import KithRelationships

/// The signed-in account of a command, with clients that sign their calls.
public final class AuthorizedAccount: Sendable {
  public let did: DID
  /// The last handle that the server reported.
  public let handle: Handle
  /// The account's own server.
  public let pds: XRPCClient
  /// The AppView through the account's own server, for viewer-specific reads and writes.
  public let appview: XRPCClient

  package init(did: DID, handle: Handle, pds: XRPCClient, appview: XRPCClient) {
    (self.did, self.handle, self.pds, self.appview) = (did, handle, pds, appview)
  }

  /// The server of the account, for reading its repository: it gets the session only if it asks for a sign-in.
  package var repository: XRPCClient {
    var client = pds
    client.configuration.signsOnlyWhenAsked = true
    return client
  }

  /// Whether a name is that of this account.
  package func isNamed(_ name: ATIdentifier) -> Bool { name == .did(did) || name == .handle(handle) }

  /// The handle of the account, if it is the actor of a listing; nil for other actors.
  package func handle(in listing: ActorListing) -> Handle? { isNamed(listing.actor) ? handle : nil }

  /// The same account, and the clock of its server as the answers to the account's calls show it.
  package func observingClock() -> (account: AuthorizedAccount, clock: ServerClock?) {
    let time = pds.time
    var clock: ServerClock?
    let pds = pds.wrapping { transport in
      let listener = ServerClock(transport, time: time)
      clock = listener
      return listener
    }
    return (AuthorizedAccount(did: did, handle: handle, pds: pds, appview: appview), clock)
  }

  /// Asks the account's server how far its clock is ahead of this machine's; negative if it is behind. Nil if they are about the
  /// same, or if the server does not say. What ends by time is not ended before the server's time, either.
  ///
  /// - Throws: `CancellationError`.
  package func clockDifference() async throws -> Duration? {
    let (account, clock) = observingClock()
    do { _ = try await AccountStatuses.answer(about: did, of: account.repository) } catch {
      // An error tells the time as well.
      try Task.checkCancellation()
      if RelationshipError.wrapping(error) == nil { throw error }
    }
    return clock?.difference
  }
}

extension Workspace {
  /// The server that a deactivated account has moved to, as the directory says; nil if it has not, or if that is unknown.
  ///
  /// - Throws: `CancellationError`.
  package func serverMovedTo(by account: DID) async throws -> ServiceURL? {
    do {
      let signedIn = try await self.account(named: .did(account)).pds.service
      let named = try await identities.document(of: account).pds
      return named.flatMap { $0.origin == signedIn.origin ? nil : $0 }
    } catch let error as CancellationError {
      throw error
    } catch {
      return nil
    }
  }
}
