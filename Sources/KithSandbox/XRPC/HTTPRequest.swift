// SPDX-License-Identifier: Apache-2.0

/// The parts of a request that the network's servers use.
struct HTTPRequest: Sendable, Hashable {
  var method = "GET"
  /// The path, still percent-encoded.
  var path: String
  /// The part after the `?`, still percent-encoded.
  var query = ""
  /// The `Host` field.
  var host: String?
  /// The `Origin` field: the page that makes a browser send the request.
  var origin: String?
  /// The `Authorization` field.
  var authorization: String?
  /// The `Content-Type` field.
  var contentType: String?
  var body: [UInt8] = []
  /// Whether the client may send another request on the same connection.
  var keepsAlive = true

  /// Whether a page that is not from this machine makes a browser change something here. Pages may read what
  /// they like: all of it is invented.
  var isForeign: Bool {
    guard !["GET", "HEAD"].contains(method) else { return false }
    // A name that leads to this machine only since the page was loaded makes the page one of its own.
    let isLocal = host.map { Self.isLocal($0[...]) } ?? true
    guard let origin else { return !isLocal }
    guard let scheme = origin.firstRange(of: "://") else { return true }
    return !isLocal || !Self.isLocal(origin[scheme.upperBound...])
  }

  /// Whether a host, with or without a port, is this machine, or one of the invented accounts.
  private static func isLocal(_ authority: Substring) -> Bool {
    let name = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    return ["127.0.0.1", "localhost", "[::1"].contains(name.lowercased()) || name.hasSuffix(".test")
  }

  /// Whether it asks if the server is up.
  var isHealthCheck: Bool { path == "/xrpc/_health" }
}
