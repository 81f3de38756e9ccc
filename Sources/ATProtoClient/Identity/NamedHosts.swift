// SPDX-License-Identifier: Apache-2.0

/// The services that the user named, and may therefore stand on a private network.
///
/// Every other host comes from somebody's document and must lead to a public address: else a stranger's
/// `did:web` would have this process talk to services inside the user's own network.
public struct NamedHosts: Sendable, Hashable {
  private let services: Set<ServiceURL>

  /// Takes the services that options, variables or code name.
  public init(_ services: some Sequence<ServiceURL>) { self.services = Set(services) }

  /// Where a connection to a service may lead.
  public func reach(of service: ServiceURL) -> TransportRequest.Reach {
    services.contains { $0.origin == service.origin } ? .anywhere : .publicOnly
  }

  /// Where the document of a `did:web` is asked for: by https, or as the user named that host.
  func service(host: String) -> ServiceURL? {
    guard let secure = ServiceURL("https://\(host)"), let plain = ServiceURL("http://\(host)") else {
      return nil
    }
    return services.contains { $0.origin == plain.origin } ? plain : secure
  }
}
