// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
package import KithRelationships
public import Logging

/// What operations work with: clients of the services, identities, stores, and a clock, for one account or none.
///
/// Made by the caller of operations, who passes in transport and stores. Any number of operations use it at once.
public final class Workspace: Sendable {
  /// The services that are called.
  public struct Services: Sendable {
    /// The AppView.
    public var appview: ServiceURL
    /// The directory of `did:plc`.
    public var plc: ServiceURL
    /// The server at which to sign in; nil for the one of the account's document. It may be on a private network.
    public var pds: ServiceURL?
    /// Resolves the handles of a local network; nil for none.
    public var resolver: ServiceURL?
    /// A backlink index, for data that no AppView lists; nil for none.
    public var index: ServiceURL?
    /// The AppView that an account's own server forwards calls to.
    public var proxy: ServiceReference

    public init(
      appview: ServiceURL, plc: ServiceURL, pds: ServiceURL? = nil, resolver: ServiceURL? = nil,
      index: ServiceURL? = nil, proxy: ServiceReference
    ) {
      self.appview = appview
      self.plc = plc
      self.pds = pds
      self.resolver = resolver
      self.index = index
      self.proxy = proxy
    }

    /// Those that a caller has named, and may therefore be on a private network.
    fileprivate var named: TrustedHosts {
      TrustedHosts([appview, plc, pds, resolver, index].compactMap(\.self))
    }
  }

  /// How a failed call is repeated, in about half a minute: long enough for the restart of a server. `Retry-After`
  /// up to a minute is honoured.
  private static let retry = RetryPolicy(attempts: 12)

  public let services: Services
  /// The account to act as; nil for the current one.
  public let chosenAccount: ATIdentifier?
  /// The maximum number of parallel calls per host.
  public let concurrency: Int
  public let transport: any HTTPTransport
  package let stores: Stores
  /// The clock for measuring, timestamps and waiting.
  public let time: TimeSource
  public let meter: CallMeter
  package let traffic: Traffic
  package let named: TrustedHosts
  public let appview: XRPCClient
  /// Nil if none is named.
  package let index: BacklinkIndex?
  /// Resolves identities without cached answers of earlier runs: for changes, sign-in and snapshots.
  package let identities: IdentityDirectory
  /// Resolves identities with answers of earlier runs, up to an hour old: for checks and listings.
  package let cachedIdentities: IdentityDirectory
  /// What lives as long as the workspace, for each account.
  let accounts: SignedInAccounts
  /// The workspace that this one was made of; nil if it was made by itself. What is shared belongs to it.
  private let root: Workspace?

  /// - Parameters:
  ///   - account: the account to act as; nil for the current one.
  ///   - texts: reads the DNS records of handles.
  ///   - concurrency: the maximum number of parallel calls per host.
  public init(
    _ services: Services, as account: ATIdentifier? = nil, transport: any HTTPTransport,
    texts: any TextRecords,
    stores: Stores, time: TimeSource = .system, concurrency: Int = 16,
    logger: Logger? = nil
  ) {
    self.services = services
    chosenAccount = account
    self.concurrency = concurrency
    self.transport = transport
    self.stores = stores
    self.time = time
    named = services.named
    accounts = SignedInAccounts(time: time)
    root = nil
    meter = CallMeter()
    traffic = Traffic(configuration: Traffic.Configuration(ceiling: concurrency), time: time)
    var calls = XRPCClient.Configuration(retry: Self.retry)
    if let logger { calls.logger = logger }
    let configuration = calls
    let client = { @Sendable [meter, traffic] (service: ServiceURL) in
      XRPCClient(
        service: service, transport: transport, configuration: configuration, meter: meter, traffic: traffic,
        time: time)
    }
    appview = client(services.appview)
    index = services.index.map { BacklinkIndex(client($0)) }
    let verifier = HandleVerifier(
      texts: texts, transport: transport, resolver: services.resolver.map(client), named: named, meter: meter,
      time: time)
    let handles = HandleResolver(client: appview)
    let documents = DIDResolver(
      plc: services.plc, named: named, transport: transport, retry: Self.retry, meter: meter,
      traffic: traffic,
      time: time)
    identities = IdentityDirectory(handles: handles, documents: documents, verifier: verifier, time: time)
    cachedIdentities =
      stores.cache?.identities.map { store in
        IdentityDirectory(
          handles: handles, documents: documents, verifier: verifier, store: store, time: time)
      } ?? identities
  }

  /// The same workspace for another account. Transport, traffic, identities, stores, and what is known of accounts are
  /// shared.
  ///
  /// - Parameter account: the account to act as; nil for the current one.
  public func acting(as account: ATIdentifier?) -> Workspace { Workspace(self, as: account) }

  private init(_ other: Workspace, as account: ATIdentifier?) {
    chosenAccount = account
    root = other.root ?? other
    (services, stores, named, accounts) = (other.services, other.stores, other.named, other.accounts)
    (transport, traffic, time, meter) = (other.transport, other.traffic, other.time, other.meter)
    (concurrency, appview, index) = (other.concurrency, other.appview, other.index)
    (identities, cachedIdentities) = (other.identities, other.cachedIdentities)
  }

  /// The relationship service, based on the AppView.
  ///
  /// - Parameters:
  ///   - viewer: the account whose mutes are included; nil for none.
  ///   - failed: receives the error once if mutes cannot be read; nil if answers without mutes are useless.
  package func relationships(
    _ configuration: FollowRelationshipService.Configuration, mutesOf viewer: AuthorizedAccount? = nil,
    failed: (@Sendable (RelationshipError) -> Void)? = nil
  ) -> FollowRelationshipService {
    let base = AppViewRelationshipSource(client: appview, identities: cachedIdentities) { [weak self] owner in
      // The workspace keeps the service, so the service must not keep the workspace.
      guard let self else { throw CancellationError() }
      return try await repository(of: owner, by: cachedIdentities)
    }
    let source = ownChanges?.shown(in: base) ?? base
    return FollowRelationshipService(
      source: viewer.map { viewer in
        MutingRelationshipSource(source, viewer: viewer.did, client: viewer.appview, failed: failed)
      } ?? source, identities: cachedIdentities,
      cachePolicy: stores.cache != nil ? RelationshipCache.Policy() : .off, configuration: configuration,
      overlay: accounts.overlay, time: time)
  }

  /// The relationship service that all listings of this workspace share.
  ///
  /// - Parameter viewer: the account whose mutes are included; nil for none.
  func sharedRelationships(mutesOf viewer: AuthorizedAccount?) -> FollowRelationshipService {
    accounts.relationships(mutesOf: viewer?.did) {
      (root ?? self).relationships(.init(linger: .zero), mutesOf: viewer)
    }
  }

  /// A client of another service; its calls are counted with the others.
  package func client(of service: ServiceURL) -> XRPCClient {
    XRPCClient(
      service: service, transport: transport, configuration: appview.configuration, meter: meter,
      traffic: traffic, time: time)
  }
}
