// SPDX-License-Identifier: Apache-2.0

/// Where browsers reach the dashboard.
package struct DashboardPlace: Sendable, Hashable {
  /// A name and a port, such as `localhost:8300`.
  package struct Address: Sendable, Hashable {
    /// In lower case.
    package let text: String
    /// The port that browsers show.
    let port: UInt16

    /// - Returns: nil if it is not a name and a port.
    package init?(_ text: String) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let port = Int(parts[1]), (1...65_535).contains(port), "\(port)" == parts[1],
        (1...253).contains(parts[0].utf8.count),
        parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") })
      else { return nil }
      (self.text, self.port) = (text.lowercased(), UInt16(port))
    }

    fileprivate init(local name: String, port: UInt16) {
      (text, self.port) = ("\(name):\(port)", port)
    }

    /// Whether it is on this machine. Elsewhere, browsers need https to say where a request comes from.
    var isLocal: Bool {
      let name = text.prefix { $0 != ":" }
      return name == "127.0.0.1" || name == "localhost" || name.hasSuffix(".localhost")
        || text.hasPrefix("[::1]:")
    }

    /// As browsers write it: without the port that the scheme has.
    fileprivate var host: String {
      let usual = isLocal ? ":80" : ":443"
      return text.hasSuffix(usual) ? String(text.dropLast(usual.count)) : text
    }

    fileprivate var origin: String { "\(isLocal ? "http" : "https")://\(host)" }
  }

  package let port: UInt16
  /// The forwarded address that browsers show; nil for none.
  package let forwarded: Address?
  private let own: [Address]

  package init(port: UInt16, forwarded: Address? = nil) {
    (self.port, self.forwarded) = (port, forwarded)
    own =
      ["127.0.0.1", "localhost", "[::1]"].map { Address(local: $0, port: port) }
      + [forwarded].compactMap(\.self)
  }

  /// The address that a request names as its host; nil for any other name, which may be a stranger's that leads to this machine.
  func address(ofHost host: String?) -> Address? {
    let host = host?.lowercased()
    return own.first { $0.host == host }
  }

  /// Whether a page of this origin is one of the dashboard's.
  func isOwn(origin: String?) -> Bool {
    let origin = origin?.lowercased()
    return own.contains { $0.origin == origin }
  }

  /// The origin to open.
  package var origin: String { (forwarded ?? own[0]).origin }
}
