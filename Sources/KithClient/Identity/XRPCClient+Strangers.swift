// SPDX-License-Identifier: Apache-2.0

extension XRPCClient {
  /// Returns a client of a service named by someone else, such as the PDS of another account. The service
  /// must be public, and gets five seconds and two attempts. Its calls share the meter and the pacing of this
  /// client; they carry no credentials.
  ///
  /// Its calls fail with ``TransportError/Code/unsupported`` if the transport lacks
  /// ``TransportCapabilities/connectedAddress``.
  ///
  /// - Parameter named: Services that the user named, which are exempt from these limits.
  package func client(ofUntrustedHost service: ServiceURL, unless named: TrustedHosts) -> XRPCClient {
    var client = XRPCClient(
      service: service, transport: transport, configuration: configuration, meter: meter, traffic: traffic,
      time: time)
    client.configuration.authorizer = nil
    client.configuration.proxy = nil
    client.configuration.reach = named.reach(of: service)
    if client.configuration.reach == .publicOnly {
      client.configuration.retry = configuration.retry.forUntrustedHosts
      client.configuration.patience = min(configuration.patience, RetryPolicy.patienceWithStrangers)
      client.configuration.limits = configuration.limits.forUntrustedHosts
    }
    return client
  }
}
