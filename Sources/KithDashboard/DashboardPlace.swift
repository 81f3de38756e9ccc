// SPDX-License-Identifier: Apache-2.0

/// Where browsers reach the dashboard.
package struct DashboardPlace: Sendable, Hashable {
  package let port: UInt16
  /// What a request may name as its host, in lower case: any other name may be a stranger's that leads to this machine.
  package let hosts: [String]

  /// - Parameter forwarded: the name and the port of a forwarded address, such as `devbox.example:8080`; nil for none.
  package init(port: UInt16, forwarded: String? = nil) {
    self.port = port
    hosts =
      ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
      + (forwarded.map { [$0.lowercased()] } ?? [])
  }

  /// Whether a request may name this host.
  package func isServed(at host: String?) -> Bool { host.map { hosts.contains($0.lowercased()) } ?? false }

  /// Whether a page of this origin is one of the dashboard's.
  package func isOwn(origin: String?) -> Bool {
    guard let origin = origin?.lowercased() else { return false }
    // A forwarded address may end in TLS before it comes here.
    return hosts.contains { origin == "http://\($0)" || origin == "https://\($0)" }
  }

  /// The address to open, without a path.
  package var address: String { "http://\(hosts.count > 3 ? hosts[3] : hosts[0])" }
}
