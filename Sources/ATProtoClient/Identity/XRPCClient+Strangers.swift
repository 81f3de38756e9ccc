// SPDX-License-Identifier: Apache-2.0

extension XRPCClient {
  /// A client of a service that somebody else named, such as the PDS of another account: it must be public, and has five
  /// seconds and two attempts. Calls are counted and paced with those of this client; they carry no credentials.
  ///
  /// - Parameter named: services that the user named, to which none of this applies.
  public func client(ofStranger service: ServiceURL, unless named: NamedHosts) -> XRPCClient {
    var client = XRPCClient(
      service: service, transport: transport, configuration: configuration, meter: meter, traffic: traffic,
      time: time)
    client.configuration.credentials = nil
    client.configuration.proxy = nil
    client.configuration.reach = named.reach(of: service)
    if client.configuration.reach == .publicOnly {
      client.configuration.retry = configuration.retry.forStrangers
      client.configuration.patience = min(configuration.patience, RetryPolicy.patienceWithStrangers)
      client.configuration.limits = configuration.limits.forStrangers
    }
    return client
  }
}
