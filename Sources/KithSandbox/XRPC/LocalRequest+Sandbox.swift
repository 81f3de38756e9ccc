// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalHTTP

extension LocalRequest {
  /// Whether a page that is not from this machine makes a browser change something here. Pages may read what
  /// they like: all of it is invented.
  var isForeign: Bool {
    guard !["GET", "HEAD"].contains(method) else { return false }
    // A name that leads to this machine only since the page was loaded makes the page one of its own.
    let isLocal = self["host"].map { Self.isLocal($0[...]) } ?? true
    guard let origin = self["origin"] else { return !isLocal }
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

extension LocalResponse {
  /// The XRPC error body for a fault.
  init(_ fault: XRPCFault) {
    // Encoding two strings never fails.
    let body = (try? JSONCoding.encode(XRPCFaultBody(error: fault.name, message: fault.message))) ?? []
    self.init(status: fault.status, body: body)
    fields = fault.fields
  }
}
