// SPDX-License-Identifier: Apache-2.0

extension ServiceURL {
  /// The directory of `did:plc` of the public network.
  package static let publicPLC = ServiceURL(knownHost: "plc.directory")
}

extension IdentityDirectory {
  /// Creates a directory that resolves handles with a client's AppView.
  ///
  /// - Parameters:
  ///   - plc: The PLC directory, for documents of `did:plc` accounts; nil for that of the public network.
  ///   - verifier: Verifies handles from this machine, which signing in by handle requires; nil to rely on the
  ///     AppView.
  public init(client: XRPCClient, plc: ServiceURL? = nil, verifier: HandleVerifier? = nil) {
    self.init(
      handles: HandleResolver(client: client),
      documents: DIDResolver(
        plc: plc ?? .publicPLC, named: TrustedHosts([client.service]), transport: client.transport,
        retry: client.configuration.retry, patience: client.configuration.patience, meter: client.meter,
        traffic: client.traffic, time: client.time,
        random: client.configuration.random),
      verifier: verifier, time: client.time)
  }
}
