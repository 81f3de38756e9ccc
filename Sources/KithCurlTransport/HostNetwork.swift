// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithClient
import KithCore

/// The addresses of this machine, and name resolution.
struct HostNetwork: Sendable {
  /// Returns the networks that this machine's interfaces are connected to, with its own addresses. An address
  /// in them, even a public one, leads behind the firewall of this machine or of its network.
  let connected: @Sendable () -> [IPNetwork]
  /// Returns the addresses of a name; empty if it cannot be resolved here.
  let addresses: @Sendable (_ name: String) async throws -> [IPAddress]

  static let system = HostNetwork(
    connected: interfaceNetworks,
    addresses: { name in
      // If only the proxy resolves names, the lookup may fail or hang.
      let late = TransportError(.timedOut, host: name)
      do {
        return try await BlockingCall.run(atMost: .seconds(5), orThrow: late) { resolved(name) }
      } catch is TransportError {
        return []
      }
    })

  @Sendable private static func interfaceNetworks() -> [IPNetwork] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var networks: [IPNetwork] = []
    var next = first
    while let entry = next {
      if let address = IPAddress(entry.pointee.ifa_addr) {
        networks.append(IPNetwork(address, mask: IPAddress(entry.pointee.ifa_netmask)))
      }
      next = entry.pointee.ifa_next
    }
    return networks
  }

  private static func resolved(_ name: String) -> [IPAddress] {
    // All kinds and families, configured on this machine or not: a proxy may reach them.
    var hints = addrinfo()
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var addresses: [IPAddress] = []
    var next = first
    while let entry = next {
      if let address = IPAddress(entry.pointee.ai_addr) { addresses.append(address) }
      next = entry.pointee.ai_next
    }
    return addresses
  }
}

extension IPAddress {
  /// Reads the address of a socket; nil if there is none, or for another address family.
  init?(_ address: UnsafePointer<sockaddr>?) {
    guard let address else { return nil }
    let bytes = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET: self.init(bytes.loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6: self.init(bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }
}
