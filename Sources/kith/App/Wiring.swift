// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithRelationships
import KithStore
import KithSystemResolver
import KithWriting
import Logging

/// The composition root: builds the parts of one run from options and environment.
///
/// Passed by reference to all parts of the run.
final class Wiring: Sendable {
  static let publicAppView = "https://public.api.bsky.app"

  /// How often a failed call is repeated, in about half a minute: a restart passes, and a user at a terminal does not
  /// wait in vain. A server that names a time is believed for a whole minute.
  private static let retry = RetryPolicy(attempts: 12)

  let appview: XRPCClient
  let pds: ServiceURL?
  /// The PLC directory.
  let plc: ServiceURL
  /// The backlink index, for data that no AppView lists; nil if none is named.
  let index: BacklinkIndex?
  /// Resolves identities without cached answers of earlier runs: for changes, sign-in and snapshots.
  let identities: IdentityDirectory
  /// Resolves identities with answers of earlier runs, up to an hour old: for checks and listings.
  let rememberedIdentities: IdentityDirectory
  let transport: any HTTPTransport
  let meter: CallMeter
  /// The clock for measuring, timestamps and waiting.
  let time: TimeSource
  let traffic: Traffic
  let named: NamedHosts
  /// The common options that it was built from.
  let common: CommonOptions
  let environment: [String: String]
  /// The progress line that log output has to clear.
  let progressPlace: ProgressPlace
  /// The account of `--account`.
  let chosenAccount: ATIdentifier?
  /// The maximum number of parallel calls per host.
  let concurrency: Int
  /// Whether cached answers are used.
  let remembers: Bool
  /// The relationship services of this run's listings, by the account whose mutes they include: what one
  /// listing has learned, the next one need not ask for.
  private let services = PosixMutex<[DID?: FollowRelationshipService]>([:])

  /// - Parameter concurrency: the maximum number of parallel calls per host.
  /// - Throws: ``CommandFault`` that names the invalid option or variable.
  init(
    _ options: CommonOptions, _ network: NetworkOptions, environment: [String: String], concurrency: Int = 16
  ) throws(CommandFault) {
    common = options
    self.environment = environment
    self.concurrency = concurrency
    let context = RunContext.current
    let time = context.time
    self.time = time
    chosenAccount = try options.account.map { name throws(CommandFault) in
      do throws(InputError) { return try ActorInput(parsing: name).identifier } catch {
        throw CommandFault(.badInput, .invalidAccountOption(error))
      }
    }
    let view = try Self.service(
      network.appview ?? environment["KITH_APPVIEW"], named: "--appview or KITH_APPVIEW",
      default: Self.publicAppView)
    let plc = try Self.service(
      network.plc ?? environment["ATP_PLC_HOST"], named: "--plc or ATP_PLC_HOST",
      default: IdentityDirectory.publicPLC)
    self.plc = plc
    pds = try (network.pds ?? environment["ATP_PDS_HOST"]).flatMap { text throws(CommandFault) in
      text.isEmpty ? nil : try Self.service(text, named: "--pds or ATP_PDS_HOST")
    }
    let resolver = try environment["KITH_RESOLVER"].flatMap { text throws(CommandFault) in
      text.isEmpty ? nil : try Self.service(text, named: "KITH_RESOLVER")
    }
    let index = try (network.index ?? environment["KITH_INDEX"]).flatMap {
      text throws(CommandFault) in
      text.isEmpty ? nil : try Self.service(text, named: "--index or KITH_INDEX")
    }
    named = NamedHosts([view, plc, pds, resolver, index].compactMap(\.self))
    meter = CallMeter()
    traffic = Traffic(configuration: Traffic.Configuration(ceiling: concurrency), time: time)
    remembers = !options.noCache
    let caFile = network.caFile ?? environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    // A file that cannot be read would come to light only with the first handshake, and as a fault of that.
    do { _ = try caFile.map(ByteSource.init(path:)) } catch {
      throw CommandFault(.fileTrouble, .certificates(error.said))
    }
    transport = context.transport(
      CurlTransport.Configuration(
        product: "kith/\(Program.version)", contact: network.contact ?? environment["KITH_CONTACT"],
        caFile: caFile, connectionsPerHost: concurrency))
    let level: Logger.Level = options.verbose ? .debug : .error
    let place = ProgressPlace()
    progressPlace = place
    let logger = Logger(label: "kith", factory: { _ in StandardErrorLog(logLevel: level, beside: place) })
    let configuration = XRPCClient.Configuration(retry: Self.retry, logger: logger)
    let client = { [transport, meter, traffic] service in
      XRPCClient(
        service: service, transport: transport, configuration: configuration, meter: meter, traffic: traffic,
        time: time)
    }
    appview = client(view)
    self.index = index.map { BacklinkIndex(client($0)) }
    let prover = HandleProver(
      texts: SystemTextRecords(), transport: transport, resolver: resolver.map(client), named: named,
      meter: meter, time: time)
    let handles = HandleResolver(client: appview)
    let documents = DIDResolver(
      plc: plc, named: named, transport: transport, retry: Self.retry, meter: meter, traffic: traffic,
      time: time)
    identities = IdentityDirectory(handles: handles, documents: documents, prover: prover, time: time)
    let folder = options.noCache ? nil : try? UserFolder.cache.path(in: environment)
    rememberedIdentities =
      folder.map { folder in
        IdentityDirectory(
          handles: handles, documents: documents, prover: prover,
          store: IdentityCache(folder: folder, appview: view, directory: plc), time: time)
      } ?? identities
  }

  /// The relationship service, based on the AppView.
  ///
  /// - Parameters:
  ///   - viewer: the account whose mutes are included; nil for none.
  ///   - failed: receives the error once if mutes cannot be read; nil if answers without mutes are useless.
  func relationships(
    _ configuration: FollowRelationshipService.Configuration, mutesOf viewer: AuthorizedAccount? = nil,
    failed: (@Sendable (RelationshipError) -> Void)? = nil
  ) -> FollowRelationshipService {
    let source = ownChangesShown(
      in: AppViewRelationshipSource(client: appview, identities: rememberedIdentities) {
        [self] in try await repository(of: $0, by: rememberedIdentities)
      })
    return FollowRelationshipService(
      source: viewer.map { viewer in
        MutingRelationshipSource(source, viewer: viewer.did, client: viewer.appview, failed: failed)
      } ?? source, identities: rememberedIdentities,
      cachePolicy: remembers ? RelationshipCache.Policy() : .off, configuration: configuration, time: time)
  }

  /// The relationship service that all listings of this run share.
  ///
  /// - Parameter viewer: the account whose mutes are included; nil for none.
  func sharedRelationships(mutesOf viewer: AuthorizedAccount?) -> FollowRelationshipService {
    services.withLock { services in
      if let known = services[viewer?.did] { return known }
      let service = relationships(.init(linger: .zero), mutesOf: viewer)
      services[viewer?.did] = service
      return service
    }
  }

  /// A client of another service; its calls are counted with the others.
  func client(of service: ServiceURL) -> XRPCClient {
    XRPCClient(
      service: service, transport: transport, configuration: appview.configuration, meter: meter,
      traffic: traffic, time: time)
  }

  /// Parses a service URL from an option or variable; https is the default scheme.
  static func service(_ text: String, named origin: String) throws(CommandFault) -> ServiceURL {
    // A host with a port, or on this machine, may well be meant by plain HTTP: neither is guessed.
    if !text.contains("://"), text.contains(":") || text == "localhost" {
      throw CommandFault(.usage, .serviceWithoutScheme(text, origin: origin))
    }
    do throws(ServiceURL.Fault) {
      return try ServiceURL(parsing: text.contains("://") ? text : "https://\(text)")
    } catch {
      throw CommandFault(.usage, .invalidService(error, origin: origin))
    }
  }

  private static func service(
    _ text: String?, named origin: String, default standard: String
  ) throws(CommandFault) -> ServiceURL {
    let text = text ?? ""
    return try service(text.isEmpty ? standard : text, named: origin)
  }
}
