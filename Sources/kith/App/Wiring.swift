// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import CurlTransport
import Logging
import RelationshipStore
import RelationshipWriting
import Relationships
import SystemResolver

/// The concrete parts of one run, put together from options and environment. The only place that does so.
///
/// Handed around by reference: whoever takes part in the run holds it.
final class Wiring: Sendable {
  static let publicAppView = "https://public.api.bsky.app"

  let appview: XRPCClient
  let pds: ServiceURL?
  /// Knows what no AppView lists; nil where none is named.
  let index: BacklinkIndex?
  /// Asks in each run: for changes, sign-in, and whatever concludes something from what it learns.
  let identities: IdentityDirectory
  /// Knows what earlier runs asked, too, for up to an hour: for questions.
  let rememberedIdentities: IdentityDirectory
  let transport: any HTTPTransport
  let meter: CallMeter
  /// Measures, dates and waits.
  let time: TimeSource
  let traffic: Traffic
  let named: NamedHosts
  /// The options of every command, which it was put together from.
  let common: CommonOptions
  let environment: [String: String]
  /// Where log lines find the progress line.
  let progressPlace: ProgressPlace
  /// Whom `--account` names.
  let chosenAccount: ATIdentifier?
  /// The most calls under way at one host at once.
  let concurrency: Int
  /// Whether answers of earlier questions are used.
  let remembers: Bool

  /// - Parameter concurrency: the most calls under way at one host at once.
  /// - Throws: ``CommandFault`` that names the option or variable at fault.
  init(
    _ options: CommonOptions, environment: [String: String], concurrency: Int = 8
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
      options.network.appview ?? environment["KITH_APPVIEW"], named: "--appview or KITH_APPVIEW",
      default: Self.publicAppView)
    let plc = try Self.service(
      options.network.plc ?? environment["ATP_PLC_HOST"], named: "--plc or ATP_PLC_HOST",
      default: IdentityDirectory.publicPLC)
    pds = try (options.network.pds ?? environment["ATP_PDS_HOST"]).flatMap { text throws(CommandFault) in
      text.isEmpty ? nil : try Self.service(text, named: "--pds or ATP_PDS_HOST")
    }
    let resolver = try environment["KITH_RESOLVER"].flatMap { text throws(CommandFault) in
      text.isEmpty ? nil : try Self.service(text, named: "KITH_RESOLVER")
    }
    let index = try (options.network.index ?? environment["KITH_INDEX"]).flatMap {
      text throws(CommandFault) in
      text.isEmpty ? nil : try Self.service(text, named: "--index or KITH_INDEX")
    }
    named = NamedHosts([view, plc, pds, resolver, index].compactMap(\.self))
    meter = CallMeter()
    traffic = Traffic(configuration: Traffic.Configuration(ceiling: concurrency), time: time)
    remembers = !options.noCache
    let caFile = options.network.caFile ?? environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    // A file that cannot be read would come to light only with the first handshake, and as a fault of that.
    do { _ = try caFile.map(ByteSource.init(path:)) } catch {
      throw CommandFault(.fileTrouble, .certificates(error.said))
    }
    transport = context.transport(
      CurlTransport.Configuration(
        product: "kith/\(Program.version)", contact: options.network.contact ?? environment["KITH_CONTACT"],
        caFile: caFile, connectionsPerHost: concurrency))
    let level: Logger.Level = options.verbose ? .debug : .error
    let place = ProgressPlace()
    progressPlace = place
    let logger = Logger(label: "kith", factory: { _ in StandardErrorLog(logLevel: level, beside: place) })
    let configuration = XRPCClient.Configuration(logger: logger)
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
      plc: plc, named: named, transport: transport, meter: meter, traffic: traffic, time: time)
    identities = IdentityDirectory(handles: handles, documents: documents, prover: prover, time: time)
    let folder = options.noCache ? nil : try? UserFolder.cache.path(in: environment)
    rememberedIdentities =
      folder.map { folder in
        IdentityDirectory(
          handles: handles, documents: documents, prover: prover,
          store: IdentityCache(folder: folder, appview: view, directory: plc), time: time)
      } ?? identities
  }

  /// The service that answers questions, over the AppView.
  ///
  /// - Parameters:
  ///   - viewer: whose mutes are told, too; nil for nobody's.
  ///   - failed: told once why they cannot be; nil where nothing is worth telling without them.
  func relationships(
    _ configuration: FollowRelationshipService.Configuration, mutesOf viewer: AuthorizedAccount? = nil,
    failed: (@Sendable (RelationshipError) -> Void)? = nil
  ) -> FollowRelationshipService {
    let source = AppViewRelationshipSource(client: appview)
    return FollowRelationshipService(
      source: viewer.map { viewer in
        MutingRelationshipSource(source, viewer: viewer.did, client: viewer.appview, failed: failed)
      } ?? source, identities: rememberedIdentities,
      cachePolicy: remembers ? RelationshipCache.Policy() : .off, configuration: configuration, time: time)
  }

  /// A client of another service, which counts its calls with the others.
  func client(of service: ServiceURL) -> XRPCClient {
    XRPCClient(
      service: service, transport: transport, configuration: appview.configuration, meter: meter,
      traffic: traffic, time: time)
  }

  /// A service as an option or a variable names it; a host alone is asked by https.
  static func service(_ text: String, named origin: String) throws(CommandFault) -> ServiceURL {
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
