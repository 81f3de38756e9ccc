// SPDX-License-Identifier: Apache-2.0

extension IdentityDirectory {
  /// The PLC directory of the public network.
  package static let publicPLC = "https://plc.directory"

  /// Resolves with a client's AppView and the PLC directory of the public network.
  public init(client: XRPCClient) {
    let plc = ServiceURL(Self.publicPLC) ?? client.service
    self.init(
      handles: HandleResolver(client: client),
      documents: DIDResolver(
        plc: plc, named: NamedHosts([client.service]), transport: client.transport,
        retry: client.configuration.retry, patience: client.configuration.patience, meter: client.meter,
        traffic: client.traffic, time: client.time,
        random: client.configuration.random),
      time: client.time)
  }
}
