// SPDX-License-Identifier: Apache-2.0

/// The services of a network and what an app needs to use them: clients that share one pace per host, identities, and
/// sessions.
///
/// ```swift
/// let network = ServiceNetwork.bluesky(transport: CurlTransport(), texts: SystemTextRecords())
/// let alice = try await network.identities.identity(of: try ATIdentifier(parsing: "alice.bsky.social")).did
/// let service = FollowRelationshipService(client: network.appview)
/// show(try await service.isFollowing(actor: alice, target: bob))
///
/// let sessions = network.sessions(in: SessionFolder(path: folder + "/sessions"))
/// let signedIn = sessions.client(of: try await sessions.session(of: .did(alice)))
/// show(signedIn.service)
/// ```
///
/// Make one and keep it: its copies share what is known of hosts and identities. A host that it does not name comes from
/// someone's document, and is reached at public addresses only.
public struct ServiceNetwork: Sendable {
  /// The services that are called.
  public struct Services: Sendable, Hashable {
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
    /// The host of the stream of events, which learns what is followed.
    public var jetstream: ServiceURL
    /// The AppView that an account's own server forwards calls to.
    public var proxy: ServiceReference
    /// Other hosts that may be on a private network, such as those at which users sign in.
    public var trusted: [ServiceURL]

    /// Creates the services of a network; only AppView and PLC directory are required.
    public init(
      appview: ServiceURL, plc: ServiceURL, pds: ServiceURL? = nil, resolver: ServiceURL? = nil,
      index: ServiceURL? = nil, jetstream: ServiceURL = .publicJetstream,
      proxy: ServiceReference = .blueskyAppView, trusted: [ServiceURL] = []
    ) {
      self.appview = appview
      self.plc = plc
      self.pds = pds
      self.resolver = resolver
      self.index = index
      self.jetstream = jetstream
      self.proxy = proxy
      self.trusted = trusted
    }

    /// The services of Bluesky's public network.
    public static let bluesky = Services(
      appview: ServiceURL(knownHost: "public.api.bsky.app"), plc: .publicPLC)

    /// The hosts that the app has named, which may be on a private network.
    fileprivate var named: TrustedHosts {
      TrustedHosts(trusted + [appview, plc, pds, resolver, index, jetstream].compactMap(\.self))
    }
  }

  /// The services that are called.
  public let services: Services
  /// Carries out all calls.
  public let transport: any HTTPTransport
  /// The clock for measuring, timestamps and waiting.
  public let time: TimeSource
  /// The maximum number of parallel calls per host.
  public let concurrency: Int
  /// What all calls have cost together.
  public let meter: CallMeter
  /// A client of the AppView that is not signed in.
  public let appview: XRPCClient
  /// Resolves identities, without what earlier processes found.
  public let identities: IdentityDirectory
  package var traffic: Traffic { appview.traffic }
  private let handles: HandleResolver
  private let documents: DIDResolver
  private let verifier: HandleVerifier

  /// Repeats a failed call for about half a minute: long enough for the restart of a server.
  public static let standardConfiguration = XRPCClient.Configuration(retry: RetryPolicy(attempts: 12))

  /// - Parameters:
  ///   - texts: reads the DNS records of handles; nil to ask their web servers only.
  ///   - configuration: that of all calls.
  ///   - concurrency: the maximum number of parallel calls per host.
  public init(
    _ services: Services, transport: any HTTPTransport, texts: (any TextRecords)?,
    configuration: XRPCClient.Configuration = standardConfiguration,
    concurrency: Int = 16, time: TimeSource = .system
  ) {
    (self.services, self.transport, self.time, self.concurrency) = (services, transport, time, concurrency)
    meter = CallMeter()
    appview = XRPCClient(
      service: services.appview, transport: transport, configuration: configuration, meter: meter,
      traffic: Traffic(configuration: Traffic.Configuration(ceiling: concurrency), time: time), time: time)
    handles = HandleResolver(client: appview)
    documents = DIDResolver(
      plc: services.plc, named: services.named, transport: transport, retry: configuration.retry,
      patience: configuration.patience, meter: meter, traffic: appview.traffic, time: time,
      random: configuration.random)
    let resolver = services.resolver.map(appview.of)
    verifier = HandleVerifier(
      texts: texts, transport: transport, resolver: resolver, named: services.named, meter: meter, time: time)
    identities = IdentityDirectory(handles: handles, documents: documents, verifier: verifier, time: time)
  }

  /// The network of Bluesky.
  ///
  /// - Parameter texts: reads the DNS records of handles; nil to ask their web servers only.
  public static func bluesky(transport: any HTTPTransport, texts: (any TextRecords)?) -> ServiceNetwork {
    ServiceNetwork(.bluesky, transport: transport, texts: texts)
  }

  /// The network of a sandbox, such as one that `kith sandbox` runs: one server is all services.
  ///
  /// - Parameter service: its address, which may be on a private network.
  public static func sandbox(
    at service: ServiceURL, transport: any HTTPTransport, time: TimeSource = .system
  ) -> ServiceNetwork {
    ServiceNetwork(
      Services(appview: service, plc: service, pds: service, resolver: service, jetstream: service),
      transport: transport,
      texts: nil, time: time)
  }

  /// A client of another service; its calls are counted with the others.
  public func client(of service: ServiceURL) -> XRPCClient { appview.of(service) }

  /// A client of a server that someone's document names: at a public address only, unless the network names it, too.
  package func client(ofUntrustedHost service: ServiceURL) -> XRPCClient {
    appview.client(ofUntrustedHost: service, unless: services.named)
  }

  /// Signs accounts in and out, with sessions that are kept in a store.
  public func sessions(in store: any SessionStore) -> SessionDirectory {
    SessionDirectory(store: store, identities: identities, named: services.named, client: appview)
  }

  /// Resolves identities with what earlier processes found, up to an hour ago.
  package func identities(keptIn store: any IdentityStore) -> IdentityDirectory {
    IdentityDirectory(
      handles: handles, documents: documents, verifier: verifier, store: store, time: time)
  }
}

extension XRPCClient {
  /// A client of another service with the same traffic, meter, time and configuration.
  fileprivate func of(_ service: ServiceURL) -> XRPCClient {
    XRPCClient(
      service: service, transport: transport, configuration: configuration, meter: meter, traffic: traffic,
      time: time)
  }
}

extension ServiceReference {
  /// The AppView of Bluesky.
  public static let blueskyAppView = ServiceReference(ofHost: "api.bsky.app", service: "bsky_appview")
}
