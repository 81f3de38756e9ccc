// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
package import KithRelationships

/// What operations work with: the network, the stores, and what was learned, for one account or none.
///
/// Any number of operations use it at once.
public final class Workspace: Sendable {
  /// The services that are called, and what calls them.
  public let network: ServiceNetwork
  /// The account to act as; nil for the current one.
  public let chosenAccount: ATIdentifier?
  package let stores: Stores
  /// Nil if none is named.
  package let index: BacklinkIndex?
  /// Nil if none is to be asked.
  package let daemon: DaemonClient?
  /// Resolves identities with answers of earlier runs, up to an hour old: for checks and listings.
  package let cachedIdentities: IdentityDirectory
  /// What lives as long as the workspace, for each account.
  let accounts: SignedInAccounts
  /// The workspace that this one was made of; nil if it was made by itself. What is shared belongs to it.
  private let root: Workspace?

  /// The services that are called.
  public var services: ServiceNetwork.Services { network.services }
  /// The clock for measuring, timestamps and waiting.
  public var time: TimeSource { network.time }
  /// What all calls have cost together.
  public var meter: CallMeter { network.meter }
  /// A client of the AppView that is not signed in.
  public var appview: XRPCClient { network.appview }
  /// Resolves identities without cached answers of earlier runs: for changes, sign-in and snapshots.
  package var identities: IdentityDirectory { network.identities }
  /// Carries out all calls.
  public var transport: any HTTPTransport { network.transport }
  /// The maximum number of parallel calls per host.
  public var concurrency: Int { network.concurrency }

  /// - Parameters:
  ///   - account: the account to act as; nil for the current one.
  ///   - stores: what is remembered.
  ///   - daemon: leads to the daemon of the user, which is asked before the network; nil for none.
  public init(
    _ network: ServiceNetwork, as account: ATIdentifier? = nil, stores: Stores,
    daemon: (any HTTPTransport)? = nil
  ) {
    self.network = network
    chosenAccount = account
    self.stores = stores
    accounts = SignedInAccounts(time: network.time)
    root = nil
    index = network.services.index.map { BacklinkIndex(network.client(of: $0)) }
    self.daemon = daemon.map { DaemonClient($0, appview: network.services.appview, time: network.time) }
    cachedIdentities = stores.cache?.identities.map(network.identities(keptIn:)) ?? network.identities
  }

  /// The same workspace for another account. The network, stores, and what is known of accounts are shared.
  ///
  /// - Parameter account: the account to act as; nil for the current one.
  public func acting(as account: ATIdentifier?) -> Workspace { Workspace(self, as: account) }

  private init(_ other: Workspace, as account: ATIdentifier?) {
    chosenAccount = account
    root = other.root ?? other
    (network, stores, accounts) = (other.network, other.stores, other.accounts)
    (index, daemon, cachedIdentities) = (other.index, other.daemon, other.cachedIdentities)
  }

  /// The relationship service that all operations of this workspace share, based on the AppView.
  ///
  /// - Parameter viewer: the account whose mutes are included, if it is the actor; nil for none.
  func relationships(mutesOf viewer: AuthorizedAccount? = nil) -> FollowRelationshipService {
    accounts.relationships(mutesOf: viewer?.did) { (root ?? self).makeRelationships(mutesOf: viewer) }
  }

  private func makeRelationships(mutesOf viewer: AuthorizedAccount?) -> FollowRelationshipService {
    let network = AppViewRelationshipSource(client: appview, identities: cachedIdentities) {
      [weak self] owner in
      // The workspace keeps the service, so the service must not keep the workspace.
      guard let self else { throw CancellationError() }
      return try await repository(of: owner, by: cachedIdentities)
    }
    let base: any RelationshipSource =
      daemon.map { DaemonRelationshipSource($0, otherwise: network, time: time) } ?? network
    let source = ownChanges?.shown(in: base) ?? base
    return FollowRelationshipService(
      source: viewer.map { viewer in
        MutingRelationshipSource(source, viewer: viewer.did, client: viewer.appview)
      } ?? source, identities: cachedIdentities,
      cachePolicy: stores.cache != nil ? RelationshipCache.Policy() : .off,
      configuration: .init(concurrency: concurrency, linger: .zero), overlay: accounts.overlay, time: time)
  }
}
