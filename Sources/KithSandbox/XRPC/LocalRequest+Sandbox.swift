// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

extension LocalRequest {
  /// Whether a page that is not from this machine makes a browser ask. Without a foreign host, such a page may send what it
  /// likes for reading: the browser does not show it the answer.
  var isForeign: Bool {
    // A name that leads to this machine only since the page was loaded makes the page one of its own.
    if let host = self["host"], !["", ":"].contains(host), !Self.isLocal(host[...]) { return true }
    // Browsers let any page read a WebSocket.
    let isReading = ["GET", "HEAD"].contains(method) && self["upgrade"] == nil
    guard !isReading, let origin = self["origin"] else { return false }
    guard let scheme = origin.firstRange(of: "://") else { return true }
    return !Self.isLocal(origin[scheme.upperBound...])
  }

  /// Whether a host, with or without a port, is this machine, or one of the invented accounts.
  private static func isLocal(_ authority: Substring) -> Bool {
    let end: Character = authority.hasPrefix("[") ? "]" : ":"
    let name = authority.prefix { $0 != end }.lowercased()
    return ["127.0.0.1", "localhost", "[::1"].contains(name) || name.hasSuffix(".test")
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
