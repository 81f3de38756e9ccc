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

  /// Whether a text is a name of a host and a port, such as `devbox.example:8080`.
  package static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = Int(parts[1]), (1...65_535).contains(port), "\(port)" == parts[1]
    else {
      return false
    }
    return (1...253).contains(parts[0].utf8.count)
      && parts[0].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
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
