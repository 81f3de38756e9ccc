// SPDX-License-Identifier: Apache-2.0

/// The services that the user named, which may therefore be on a private network.
///
/// Every other host comes from someone's document and must have a public address. Otherwise a stranger's
/// `did:web` could make this process talk to services inside the user's own network.
public struct TrustedHosts: Sendable, Hashable {
  private let services: Set<ServiceURL>

  /// Creates the set from services named by options, variables or code.
  public init(_ services: some Sequence<ServiceURL>) { self.services = Set(services) }

  /// Returns where a connection to a service may lead.
  package func reach(of service: ServiceURL) -> TransportRequest.Reach {
    services.contains { $0.origin == service.origin } ? .anywhere : .publicOnly
  }

  /// Returns the service for the document of a `did:web`: https, or http if the user named that host so.
  func service(host: String) -> ServiceURL? {
    guard let secure = ServiceURL("https://\(host)"), let plain = ServiceURL("http://\(host)") else {
      return nil
    }
    return services.contains { $0.origin == plain.origin } ? plain : secure
  }
}
