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
  /// The `Authorization` field.
  var authorization: String?
  /// The `Content-Type` field.
  var contentType: String?
  var body: [UInt8] = []
  /// Whether the client may send another request on the same connection.
  var keepsAlive = true

  /// Whether it asks if the server is up.
  var isHealthCheck: Bool { path == "/xrpc/_health" }
}
