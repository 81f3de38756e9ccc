// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// What a workspace knows of accounts for as long as it lives: one refresher of tokens and one set of clients for each
/// signed-in account, and what was learned about relationships.
final class SignedInAccounts: Sendable {
  /// The clients of one account.
  private struct Clients {
    let service: ServiceURL
    let reach: TransportRequest.Reach
    let refresher: TokenRefresher
    let pds: XRPCClient
    let appview: XRPCClient
  }

  /// What accounts have just changed, shown by all services.
  let overlay: OptimisticOverlay
  private let clients = PosixMutex<[DID: Clients]>([:])
  /// By the account whose mutes they include: what one run has learned, the next one need not ask for.
  private let services = PosixMutex<[DID?: FollowRelationshipService]>([:])

  init(time: TimeSource) { overlay = OptimisticOverlay(time: time) }

  /// The account of a session that was read just now.
  ///
  /// - Parameter proxy: the AppView that its server forwards calls to.
  func account(
    of session: Session, in sessions: SessionDirectory, proxy: ServiceReference
  ) async -> AuthorizedAccount {
    let clients = clients.withLock { all in
      // After a move, or another sign-in, its calls go elsewhere.
      if let known = all[session.did], known.service == session.pds, known.reach == session.reach {
        return known
      }
      // Its service reads mutes with the former client.
      services.withLock { $0[session.did] = nil }
      let refresher = sessions.refresher(of: session)
      let pds = sessions.client(of: session, signedBy: refresher)
      let made = Clients(
        service: session.pds, reach: session.reach, refresher: refresher, pds: pds,
        appview: pds.signed(by: refresher, proxy: proxy))
      all[session.did] = made
      return made
    }
    await clients.refresher.adopt(session)
    return AuthorizedAccount(
      did: session.did, handle: session.handle, pds: clients.pds, appview: clients.appview)
  }

  /// Forgets what signs the calls of an account, because it has signed out.
  func forget(_ account: DID) {
    clients.withLock { $0[account] = nil }
    services.withLock { $0[account] = nil }
  }

  /// The relationship service that includes the mutes of an account, or of none.
  ///
  /// - Parameter make: called if there is none yet.
  func relationships(
    mutesOf viewer: DID?, orMake make: () -> FollowRelationshipService
  ) -> FollowRelationshipService {
    services.withLock { services in
      if let known = services[viewer] { return known }
      let service = make()
      services[viewer] = service
      return service
    }
  }
}
