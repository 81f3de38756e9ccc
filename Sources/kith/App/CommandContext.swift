// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithOperations
import KithRelationships
import KithStore
import KithSystemResolver
import KithWriting
import Logging

/// What the run of a command works with: the workspace that its options describe, and how it prints.
@dynamicMemberLookup
final class CommandContext: Sendable {
  let workspace: Workspace
  /// The common options that it was built from.
  let common: CommonOptions
  /// The process that it runs in.
  let process: RunContext
  /// When the command began, by the clock of the process.
  let started: Duration
  /// Where rows go.
  let output: OutputDescriptor
  /// The progress line that log output has to clear.
  let progressPlace: ProgressPlace

  var environment: [String: String] { process.environment }

  /// A part of the workspace.
  subscript<Value>(dynamicMember part: any KeyPath<Workspace, Value> & Sendable) -> Value {
    workspace[keyPath: part]
  }

  /// - Parameters:
  ///   - concurrency: the maximum number of parallel calls per host.
  ///   - output: where rows go; nil for standard output.
  ///   - asksDaemon: whether the daemon of the user is asked, if there is one.
  /// - Throws: ``CommandFault`` that names the invalid option or variable.
  init(
    _ options: CommonOptions, _ network: NetworkOptions, _ process: RunContext, concurrency: Int = 16,
    writingTo output: OutputDescriptor? = nil, asksDaemon: Bool = true
  ) throws(CommandFault) {
    let environment = process.environment
    common = options
    self.process = process
    started = process.time.now
    self.output = output ?? process.standardOutput
    let account = try options.account.map { name throws(CommandFault) in
      do throws(InputError) { return try ActorInput(parsing: name).identifier } catch {
        throw CommandFault(.badInput, .invalidAccountOption(error))
      }
    }
    let services = try ServiceNetwork.Services(network, environment)
    let caFile = network.caFile ?? environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    // Otherwise the first handshake fails, and its error does not name the file.
    do { _ = try caFile.map(process.file) } catch {
      throw CommandFault(.fileTrouble, .certificates(error.message))
    }
    let transport = process.transport(
      CurlTransport.Configuration(
        product: "kith/\(Program.version)", contact: network.contact ?? environment["KITH_CONTACT"],
        caFile: caFile, connectionsPerHost: concurrency))
    let place = ProgressPlace { process.report($0) }
    progressPlace = place
    let level: Logger.Level = options.verbose ? .debug : .error
    var configuration = ServiceNetwork.standardConfiguration
    configuration.logger = Logger(
      label: "kith", factory: { _ in StandardErrorLog(logLevel: level, beside: place) })
    workspace = Workspace(
      ServiceNetwork(
        services, transport: transport, texts: SystemTextRecords(), configuration: configuration,
        concurrency: concurrency, time: process.time),
      as: account,
      stores: Stores(of: environment, cachedAnswersOf: options.noCache ? nil : services, time: process.time),
      daemon: asksDaemon && !options.noCache
        ? (try? DaemonPlace(in: environment))?.transport(process.transport) : nil)
    process.workspace.withLock { [workspace] in $0 = workspace }
  }

  /// Parses a service URL from an option or variable; https is the default scheme.
  ///
  /// - Parameter isStream: whether wss and ws are schemes as well.
  static func service(
    _ text: String, named origin: String, isStream: Bool = false
  ) throws(CommandFault) -> ServiceURL {
    // A host with a port, or this machine, may be meant with plain HTTP: the user has to say.
    if !text.contains("://"), text.contains(":") || text == "localhost" {
      throw CommandFault(.usage, .serviceWithoutScheme(text, origin: origin))
    }
    do throws(ServiceURL.Fault) {
      let text = text.contains("://") ? text : "https://\(text)"
      return isStream ? try ServiceURL(parsingStream: text) : try ServiceURL(parsing: text)
    } catch {
      throw CommandFault(.usage, .invalidService(error, origin: origin))
    }
  }

  /// Parses a service reference for `atproto-proxy` from an option or variable.
  static func reference(_ text: String, named origin: String) throws(CommandFault) -> ServiceReference {
    guard let reference = ServiceReference(text) else {
      throw CommandFault(
        .badInput,
        .invalidServiceReference(text, origin: origin, example: "\(ServiceReference.blueskyAppView)"))
    }
    return reference
  }
}

extension ServiceNetwork.Services {
  /// The services that options and variables name.
  ///
  /// - Throws: ``CommandFault`` that names the invalid option or variable.
  fileprivate init(_ network: NetworkOptions, _ environment: [String: String]) throws(CommandFault) {
    func named(
      _ option: String?, _ variable: String, _ origin: String
    ) throws(CommandFault) -> ServiceURL? {
      guard let text = option ?? environment[variable], !text.isEmpty else { return nil }
      return try CommandContext.service(text, named: origin)
    }
    self = .bluesky
    appview = try named(network.appview, "KITH_APPVIEW", "--appview or KITH_APPVIEW") ?? appview
    plc = try named(network.plc, "ATP_PLC_HOST", "--plc or ATP_PLC_HOST") ?? plc
    pds = try named(network.pds, "ATP_PDS_HOST", "--pds or ATP_PDS_HOST")
    resolver = try named(nil, "KITH_RESOLVER", "KITH_RESOLVER")
    index = try named(network.index, "KITH_INDEX", "--index or KITH_INDEX")
    if let text = environment["KITH_JETSTREAM"], !text.isEmpty {
      jetstream = try CommandContext.service(text, named: "KITH_JETSTREAM", isStream: true)
    }
    if let text = environment["KITH_APPVIEW_PROXY"] {
      proxy = try CommandContext.reference(text, named: "KITH_APPVIEW_PROXY")
    }
  }
}
